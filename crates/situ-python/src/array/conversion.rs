//! Arrays as NumPy arrays.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use situ_tensor::Tensor;

use crate::args::{dtype_object, numpy};
use crate::errors::Outcome;

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

/// A NumPy copy, where the program said that NumPy may make them.
pub(super) fn permitted_copy<'py>(
    py: Python<'py>,
    tensor: &Tensor,
    dtype: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let allowed: bool = py.import("situ.tensor._host_copies")?.getattr("host_copies_allowed")?.call0()?.extract()?;
    if !allowed {
        return Err(PyTypeError::new_err(
            "an array on a device is not converted to NumPy silently; copy it with situ.tensor.asnumpy(x), or permit \
             copies in a block with situ.tensor.allow_host_copies()",
        ));
    }
    if copy == Some(false) {
        return Err(PyValueError::new_err("copy=False: an array of situ becomes a NumPy array by a copy only"));
    }
    let host = to_numpy(py, tensor)?;
    match dtype {
        Some(dtype) => {
            let options = PyDict::new(py);
            options.set_item("copy", false)?;
            host.call_method("astype", (dtype,), Some(&options))
        }
        None => Ok(host),
    }
}
