//! Arrays as Python and NumPy objects, and copies.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyDict, PyFloat, PyInt, PyTuple};
use situ_tensor::Tensor;
use situ_types::Order;

use super::PyArray;
use crate::args::{dtype_object, numpy, type_name};
use crate::errors::Outcome;

#[pymethods]
impl PyArray {
    fn __bool__(slf: &Bound<'_, Self>) -> PyResult<bool> {
        single(slf, "a truth value")?.is_truthy()
    }

    fn __float__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().get_type::<PyFloat>().call1((single(slf, "a float")?,))
    }

    fn __int__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().get_type::<PyInt>().call1((single(slf, "an int")?,))
    }

    fn __complex__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().get_type::<PyComplex>().call1((single(slf, "a complex number")?,))
    }
}

/// The only element of an array, as a NumPy scalar.
fn single<'py>(slf: &Bound<'py, PyArray>, wanted: &str) -> PyResult<Bound<'py, PyAny>> {
    let tensor = slf.get().tensor();
    if tensor.size() != 1 {
        return Err(PyValueError::new_err(format!(
            "only an array of one element is {wanted}; this one has {}",
            tensor.size()
        )));
    }
    to_numpy(slf.py(), tensor)?.call_method0("item")
}

/// A NumPy copy with the array's own order of axes.
pub(crate) fn to_numpy<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    let compact: Outcome<Tensor> = py.detach(|| Ok(tensor.compact()?));
    let compact = compact?;
    let numpy = numpy(py)?;
    let dtype = dtype_object(py, tensor.dtype())?;
    if tensor.size() == 0 {
        return numpy.call_method1("empty", (PyTuple::new(py, tensor.shape())?, dtype));
    }
    let flat = numpy.call_method1("empty", (tensor.size(), &dtype))?;
    let (pointer, _): (usize, bool) = flat.getattr("__array_interface__")?.get_item("data")?.extract()?;
    // SAFETY: the NumPy array was just made with exactly the compact array's bytes, and nobody else has seen it.
    let copied: Outcome<()> = py.detach(|| Ok(unsafe { compact.copy_to_host(pointer as *mut u8) }?));
    copied?;
    let item = tensor.dtype().size() as isize;
    let strides: Vec<isize> = compact.layout().strides().iter().map(|s| s * item).collect();
    let arguments = PyDict::new(py);
    arguments.set_item("shape", PyTuple::new(py, tensor.shape())?)?;
    arguments.set_item("dtype", dtype)?;
    arguments.set_item("buffer", flat)?;
    arguments.set_item("strides", PyTuple::new(py, strides)?)?;
    numpy.getattr("ndarray")?.call((), Some(&arguments))
}

/// A copy of an array in host memory, as a NumPy array.
#[pyfunction]
fn asnumpy<'py>(py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let array = x
        .cast::<PyArray>()
        .map_err(|_| PyTypeError::new_err(format!("asnumpy: expected an array of situ, got {}", type_name(x))))?;
    to_numpy(py, array.get().tensor())
}

/// A copy of an array in a new allocation.
#[pyfunction]
#[pyo3(signature = (x, /, *, order="K"))]
fn copy(py: Python<'_>, x: &Bound<'_, PyArray>, order: &str) -> PyResult<PyArray> {
    let order = crate::args::order(order, "CFAK")?;
    let tensor = x.get().tensor();
    let made: Outcome<Tensor> = py.detach(|| Ok(tensor.copy(order)?));
    Ok(PyArray::new(made?))
}

/// A copy of an array converted to another dtype, or the array itself where nothing is to be done.
#[pyfunction]
#[pyo3(signature = (x, dtype, /, *, order="K", copy=true))]
fn astype<'py>(
    x: &Bound<'py, PyArray>,
    dtype: &Bound<'_, PyAny>,
    order: &str,
    copy: bool,
) -> PyResult<Bound<'py, PyArray>> {
    let (dtype, order) = (crate::args::dtype(dtype)?, crate::args::order(order, "CFAK")?);
    let tensor = x.get().tensor();
    let fits = match order {
        Order::C => tensor.layout().is_c_contiguous(),
        Order::F => tensor.layout().is_f_contiguous(),
        Order::A | Order::K => true,
    };
    if !copy && tensor.dtype() == dtype && fits {
        return Ok(x.clone());
    }
    let made: Outcome<Tensor> = x.py().detach(|| Ok(tensor.astype(dtype, order)?));
    Bound::new(x.py(), PyArray::new(made?))
}

/// Puts the functions into the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(asnumpy, module)?)?;
    module.add_function(wrap_pyfunction!(copy, module)?)?;
    module.add_function(wrap_pyfunction!(astype, module)?)
}
