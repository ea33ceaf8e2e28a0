//! Arrays for other libraries.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::PyArray;
use crate::errors::Raised;
use crate::queue::PyQueue;

#[pymethods]
impl PyArray {
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
        interface.set_item("shape", PyTuple::new(py, tensor.shape())?)?;
        interface.set_item("strides", PyTuple::new(py, tensor.layout().strides())?)?;
        interface.set_item("offset", tensor.layout().offset())?;
        interface.set_item("typestr", format!("|{}", tensor.dtype().typestr()))?;
        interface.set_item("version", 1)?;
        interface.set_item("syclobj", PyQueue(tensor.queue().clone()))?;
        interface.set_item(crate::interface::OWNER, slf.getattr("usm_data")?)?;
        Ok(interface)
    }
}
