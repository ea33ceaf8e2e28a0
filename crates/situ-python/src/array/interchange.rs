//! Arrays for other libraries.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use situ_runtime::Access;

use super::PyArray;
use crate::dlpack;
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

    /// A NumPy copy, where `situ.tensor.allow_host_copies` permits one. Otherwise NumPy must ask: a silent copy to the
    /// host is what this library is there to prevent.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        super::conversion::permitted_copy(py, self.tensor(), dtype, copy)
    }

    /// The array in a DLPack capsule. Host memory is waited for; of a CUDA device's, the consumer's stream is made to
    /// wait.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(i64, i64)>,
        dl_device: Option<(i64, i64)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        dlpack::export(py, self.tensor(), &dlpack::Request { stream, max_version, dl_device, copy })
    }

    /// The device as DLPack numbers it: its type and its number.
    fn __dlpack_device__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, i32)> {
        static TYPES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let find = || Ok::<_, PyErr>(py.import("situ.tensor._dlpack")?.getattr("DLDeviceType")?.unbind());
        let (kind, id) = dlpack::device_of(self.tensor());
        Ok((TYPES.get_or_try_init(py, find)?.bind(py).call1((kind,))?, id))
    }

    /// What a CUDA library needs to use this array without a copy; only arrays on CUDA devices have it.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        crate::cuda_interface::write(py, self.tensor())
    }

    /// What another library needs to use this array without a copy.
    #[getter]
    fn __sycl_usm_array_interface__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let py = slf.py();
        let tensor = slf.get().tensor();
        let contents = tensor.contents().map_err(Raised::from)?;
        crate::wait::for_buffer(py, contents, Access::Update)?;
        let interface = PyDict::new(py);
        interface.set_item("data", (contents.publish().value(), !tensor.is_writable()))?;
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
