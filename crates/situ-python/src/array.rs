//! `situ.tensor.ndarray`.

use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyDict, PyFloat, PyInt, PyTuple};
use situ_ir::Op;
use situ_tensor::Tensor;
use situ_types::Order;

use crate::args::{dtype_object, numpy, type_name};
use crate::context::PyContext;
use crate::device::PyDevice;
use crate::elementwise::{operator, operator_in_place};
use crate::errors::{Outcome, Raised};
use crate::memory::memory_object;
use crate::place::{PyPlace, queue_of};
use crate::queue::PyQueue;

/// An N-dimensional array in USM memory, associated with a queue.
#[pyclass(name = "ndarray", module = "situ.tensor", frozen, freelist = 64)]
#[derive(Debug)]
pub(crate) struct PyArray(Tensor);

impl PyArray {
    pub(crate) fn new(tensor: Tensor) -> PyArray {
        PyArray(tensor)
    }

    pub(crate) fn tensor(&self) -> &Tensor {
        &self.0
    }
}

#[pymethods]
impl PyArray {
    /// Lengths of the axes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    /// Element steps along the axes.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.layout().strides())
    }

    /// Number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.0.layout().ndim()
    }

    /// Number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }

    /// Bytes per element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.0.dtype().size()
    }

    /// Bytes of all elements.
    #[getter]
    fn nbytes(&self) -> usize {
        self.0.size() * self.0.dtype().size()
    }

    /// The type of the elements, as a NumPy dtype.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtype_object(py, self.0.dtype())
    }

    /// 'device', 'shared' or 'host'.
    #[getter]
    fn usm_type(&self) -> &'static str {
        self.0.kind().name()
    }

    /// The memory, as an object of `situ.memory`.
    #[getter]
    fn usm_data<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let tensor = slf.get().tensor();
        let buffer = tensor.buffer();
        memory_object(slf.py(), buffer, 0, buffer.bytes(), tensor.queue(), slf.clone().into_any().unbind())
    }

    /// The device, as the Array API has it: the queue that computations with this array are submitted to.
    #[getter]
    fn device(&self) -> PyPlace {
        PyPlace(self.0.queue().clone())
    }

    /// The queue computations with this array are submitted to.
    #[getter]
    fn sycl_queue(&self) -> PyQueue {
        PyQueue(self.0.queue().clone())
    }

    /// The queue computations with this array are submitted to.
    #[getter]
    fn queue(&self) -> PyQueue {
        self.sycl_queue()
    }

    /// The device the queue targets.
    #[getter]
    fn sycl_device(&self) -> PyDevice {
        PyDevice(self.0.device().clone())
    }

    /// The context of the memory.
    #[getter]
    fn sycl_context(&self) -> PyContext {
        PyContext(self.0.context().clone())
    }

    /// The address of the first element.
    #[getter]
    fn _pointer(&self) -> usize {
        self.0.address().value()
    }

    /// The same array on another device or queue: without a copy inside one context, else moved.
    #[pyo3(signature = (target_device, /, *, stream=None))]
    fn to_device(&self, target_device: &Bound<'_, PyAny>, stream: Option<&Bound<'_, PyAny>>) -> PyResult<PyArray> {
        let py = target_device.py();
        let queue = queue_of(target_device, "target_device")?;
        if let Some(stream) = stream {
            // Order follows the data here; a stream is checked and then has nothing left to do.
            stream.cast::<PyQueue>().map_err(|_| {
                PyTypeError::new_err(format!("stream: expected a Queue or None, got {}", type_name(stream)))
            })?;
        }
        let moved: Outcome<Tensor> = py.detach(|| Ok(self.0.to_queue(&queue)?));
        Ok(PyArray(moved?))
    }

    fn __add__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Add, slf, other, false)
    }
    fn __radd__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Add, slf, other, true)
    }
    fn __sub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Subtract, slf, other, false)
    }
    fn __rsub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Subtract, slf, other, true)
    }
    fn __mul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Multiply, slf, other, false)
    }
    fn __rmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Multiply, slf, other, true)
    }
    fn __truediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Divide, slf, other, false)
    }
    fn __rtruediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Divide, slf, other, true)
    }
    fn __neg__<'py>(slf: &Bound<'py, Self>) -> PyResult<Py<PyAny>> {
        crate::elementwise::unary(Op::Negative, slf)
    }
    fn __iadd__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operator_in_place(Op::Add, slf, other)
    }
    fn __isub__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operator_in_place(Op::Subtract, slf, other)
    }
    fn __imul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operator_in_place(Op::Multiply, slf, other)
    }
    fn __itruediv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operator_in_place(Op::Divide, slf, other)
    }

    fn __len__(&self) -> PyResult<usize> {
        self.0.shape().first().copied().ok_or_else(|| PyTypeError::new_err("len() of an array without dimensions"))
    }

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

    /// Higher than NumPy's, so that `numpy_array + x` asks `x` first and runs where `x` lives.
    #[classattr]
    #[pyo3(name = "__array_priority__")]
    fn array_priority() -> f64 {
        1000.0
    }

    /// NumPy must ask: a silent copy to the host is what this library is there to prevent.
    #[pyo3(signature = (*_args, **_kwargs))]
    fn __array__(&self, _args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        Err(PyTypeError::new_err(
            "an array on a device is not converted to NumPy silently; copy it with situ.tensor.asnumpy(x)",
        ))
    }

    /// What another library needs to use this array without a copy.
    #[getter]
    fn __sycl_usm_array_interface__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let py = slf.py();
        let tensor = slf.get().tensor();
        py.detach(|| tensor.wait()).map_err(Raised::from)?;
        let interface = PyDict::new(py);
        interface.set_item("data", (tensor.buffer().address().value(), !tensor.is_writable()))?;
        interface.set_item("shape", slf.get().shape(py)?)?;
        interface.set_item("strides", slf.get().strides(py)?)?;
        interface.set_item("offset", tensor.layout().offset())?;
        interface.set_item("typestr", format!("|{}", tensor.dtype().typestr()))?;
        interface.set_item("version", 1)?;
        interface.set_item("syclobj", slf.get().sycl_queue())?;
        interface.set_item(crate::interface::OWNER, Self::usm_data(slf)?)?;
        Ok(interface)
    }

    fn __richcmp__(&self, _other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let sign = match op {
            CompareOp::Eq => "==",
            CompareOp::Ne => "!=",
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
        };
        Err(PyTypeError::new_err(format!(
            "comparing arrays with {sign} is not available yet; compare NumPy copies made with situ.tensor.asnumpy(x)"
        )))
    }

    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<String> {
        let py = slf.py();
        let host = to_numpy(py, slf.get().tensor())?;
        let options = PyDict::new(py);
        options.set_item("separator", ", ")?;
        options.set_item("prefix", "ndarray(")?;
        let body: String = numpy(py)?.call_method("array2string", (host,), Some(&options))?.extract()?;
        Ok(format!("ndarray({body}, dtype={})", slf.get().tensor().dtype()))
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
    Ok(PyArray(made?))
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
    Bound::new(x.py(), PyArray(made?))
}

/// Puts the class and its functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyArray>()?;
    module.add_function(wrap_pyfunction!(asnumpy, module)?)?;
    module.add_function(wrap_pyfunction!(copy, module)?)?;
    module.add_function(wrap_pyfunction!(astype, module)?)
}
