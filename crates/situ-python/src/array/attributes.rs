//! What an array says about itself, and moving it.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_tensor::Tensor;

use super::PyArray;
use crate::args::{dtype_object, type_name};
use crate::context::PyContext;
use crate::device::PyDevice;
use crate::errors::Outcome;
use crate::memory::memory_object;
use crate::place::{PyPlace, queue_of};
use crate::queue::PyQueue;

#[pymethods]
impl PyArray {
    /// Lengths of the axes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.tensor().shape())
    }

    /// Element steps along the axes.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.tensor().layout().strides())
    }

    /// Number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.tensor().layout().ndim()
    }

    /// Number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.tensor().size()
    }

    /// Bytes per element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.tensor().dtype().size()
    }

    /// Bytes of all elements.
    #[getter]
    fn nbytes(&self) -> usize {
        self.tensor().size() * self.tensor().dtype().size()
    }

    /// The type of the elements, as a NumPy dtype.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtype_object(py, self.tensor().dtype())
    }

    /// 'device', 'shared' or 'host'.
    #[getter]
    fn usm_type(&self) -> &'static str {
        self.tensor().kind().name()
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
        PyPlace(self.tensor().queue().clone())
    }

    /// The queue computations with this array are submitted to.
    #[getter]
    fn sycl_queue(&self) -> PyQueue {
        PyQueue(self.tensor().queue().clone())
    }

    /// The queue computations with this array are submitted to.
    #[getter]
    fn queue(&self) -> PyQueue {
        self.sycl_queue()
    }

    /// The device the queue targets.
    #[getter]
    fn sycl_device(&self) -> PyDevice {
        PyDevice(self.tensor().device().clone())
    }

    /// The context of the memory.
    #[getter]
    fn sycl_context(&self) -> PyContext {
        PyContext(self.tensor().context().clone())
    }

    /// The address of the first element.
    #[getter]
    fn _pointer(&self) -> usize {
        self.tensor().address().value()
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
        let moved: Outcome<Tensor> = py.detach(|| Ok(self.tensor().to_queue(&queue)?));
        Ok(PyArray::new(moved?))
    }

    fn __len__(&self) -> PyResult<usize> {
        self.tensor()
            .shape()
            .first()
            .copied()
            .ok_or_else(|| PyTypeError::new_err("len() of an array without dimensions"))
    }
}
