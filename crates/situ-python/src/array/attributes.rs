//! What an array says about itself, and the views that are attributes.

use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyTuple};
use situ_tensor::Tensor;
use situ_types::{DTypeKind, Dims};

use super::PyArray;
use crate::args::{dtype_object, shown};
use crate::context::PyContext;
use crate::device::PyDevice;
use crate::errors::{Outcome, Raised};
use crate::manipulate::reshaped;
use crate::memory::memory_object;
use crate::place::PyPlace;
use crate::queue::PyQueue;

#[pymethods]
impl PyArray {
    /// Lengths of the axes. Can be set to another shape for the same elements.
    ///
    /// >>> from situ import tensor
    /// >>> x = tensor.arange(6)
    /// >>> x.shape = (2, 3)
    /// >>> x.shape
    /// (2, 3)
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.tensor().shape())
    }

    #[setter]
    fn set_shape(&self, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        let wanted = wanted_shape(shape, self.tensor().size())?;
        // Not before: the lengths may be objects whose methods change this very array.
        let tensor = self.tensor();
        let reshaped = tensor.reshaped(&wanted).map_err(Raised::from)?.ok_or_else(|| {
            PyAttributeError::new_err(format!(
                "shape: elements with strides {:?} cannot take the shape {} where they are; make a dense copy \
                 with situ.tensor.copy(x, order='C') first",
                tensor.layout().strides(),
                shown(shape)
            ))
        })?;
        self.transform(shape.py(), reshaped);
        Ok(())
    }

    /// Element steps along the axes.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.zeros((2, 3), dtype='float32').strides
    /// (3, 1)
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.tensor().layout().strides())
    }

    /// Number of axes.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.zeros((2, 3), dtype='float32').ndim
    /// 2
    #[getter]
    fn ndim(&self) -> usize {
        self.tensor().layout().ndim()
    }

    /// Number of elements.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.zeros((2, 3), dtype='float32').size
    /// 6
    #[getter]
    fn size(&self) -> usize {
        self.tensor().size()
    }

    /// Bytes per element.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.zeros((2, 3), dtype='float32').itemsize
    /// 4
    #[getter]
    fn itemsize(&self) -> usize {
        self.tensor().dtype().size()
    }

    /// Bytes of all elements.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.zeros((2, 3), dtype='float32').nbytes
    /// 24
    #[getter]
    fn nbytes(&self) -> usize {
        self.tensor().size() * self.tensor().dtype().size()
    }

    /// The type of the elements, as a NumPy dtype.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.zeros((2, 3), dtype='float32').dtype
    /// dtype('float32')
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtype_object(py, self.tensor().dtype())
    }

    /// 'device', 'shared' or 'host'.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.zeros((2, 3), dtype='float32').usm_type
    /// 'device'
    #[getter]
    fn usm_type(&self) -> &'static str {
        self.tensor().kind().name()
    }

    /// The memory, as an object of `situ.memory`.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.arange(3).usm_data.nbytes
    /// 24
    #[getter]
    fn usm_data<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let tensor = slf.get().tensor();
        let buffer = tensor.contents().map_err(Raised::from)?;
        memory_object(slf.py(), buffer, 0, buffer.bytes(), tensor.queue(), slf.clone().into_any().unbind())
    }

    /// The device, as the Array API has it: the queue that computations with this array are submitted to.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.arange(3, device="cpu").device
    /// Device(native:cpu:0)
    #[getter]
    fn device(&self) -> PyPlace {
        PyPlace(self.tensor().queue().clone())
    }

    /// The queue computations with this array are submitted to.
    ///
    /// >>> import situ
    /// >>> from situ import tensor
    /// >>> queue = situ.Queue("cpu")
    /// >>> tensor.arange(3, sycl_queue=queue).sycl_queue == queue
    /// True
    #[getter]
    fn sycl_queue(&self) -> PyQueue {
        PyQueue(self.tensor().queue().clone())
    }

    /// The queue computations with this array are submitted to.
    ///
    /// >>> from situ import tensor
    /// >>> x = tensor.arange(3)
    /// >>> x.queue == x.sycl_queue
    /// True
    #[getter]
    fn queue(&self) -> PyQueue {
        self.sycl_queue()
    }

    /// The device the queue targets.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.arange(3, device="cpu").sycl_device.filter_string
    /// 'native:cpu:0'
    #[getter]
    fn sycl_device(&self) -> PyDevice {
        PyDevice(self.tensor().device().clone())
    }

    /// The context of the memory.
    ///
    /// >>> from situ import tensor
    /// >>> x = tensor.arange(3)
    /// >>> x.sycl_context == x.sycl_queue.sycl_context
    /// True
    #[getter]
    fn sycl_context(&self) -> PyContext {
        PyContext(self.tensor().context().clone())
    }

    /// The address of the first element.
    #[getter]
    fn _pointer(&self) -> Outcome<usize> {
        self.tensor().contents()?.publish();
        Ok(self.tensor().address()?.value())
    }

    /// The position of the first element in the memory, in elements.
    #[getter]
    fn _element_offset(&self) -> isize {
        self.tensor().layout().offset()
    }

    /// The addresses of the first byte and of the byte after the last.
    #[getter]
    fn _byte_bounds(&self) -> Outcome<(usize, usize)> {
        Ok(self.tensor().byte_bounds()?)
    }

    /// The matrix with its two axes exchanged, as a view.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.asarray([[1, 2], [3, 4]]).T
    /// ndarray([[1, 3],
    ///          [2, 4]])
    #[getter]
    #[pyo3(name = "T")]
    fn transpose(&self, py: Python<'_>) -> PyResult<PyArray> {
        Ok(self.derived(py, self.tensor().transposed().map_err(Raised::from)?))
    }

    /// The stack of matrices with the axes of each exchanged, as a view.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.zeros((5, 2, 3)).mT.shape
    /// (5, 3, 2)
    #[getter]
    #[pyo3(name = "mT")]
    fn matrix_transpose(&self, py: Python<'_>) -> PyResult<PyArray> {
        Ok(self.derived(py, self.tensor().matrix_transposed().map_err(Raised::from)?))
    }

    /// The elements in another shape, given as lengths or as one sequence of them; see `situ.tensor.reshape`.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.arange(6).reshape(2, -1).shape
    /// (2, 3)
    #[pyo3(signature = (*shape, order="C", copy=None))]
    fn reshape<'py>(
        slf: &Bound<'py, Self>,
        shape: &Bound<'py, PyTuple>,
        order: &str,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyArray>> {
        let only = if shape.len() == 1 { Some(shape.get_item(0)?) } else { None };
        reshaped(slf, only.as_ref().unwrap_or(shape), order, copy)
    }

    /// The real parts: a view of a complex array, and a real array itself.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.asarray([1 + 2j, 3]).real
    /// ndarray([1., 3.])
    #[getter]
    fn real<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray>> {
        let array = slf.get();
        if array.tensor().dtype().kind() != DTypeKind::Complex {
            return Ok(slf.clone());
        }
        Bound::new(slf.py(), array.derived(slf.py(), array.tensor().real().map_err(Raised::from)?))
    }

    /// The imaginary parts: a view of a complex array, and new zeros for a real one.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.asarray([1 + 2j, 3]).imag
    /// ndarray([2., 0.])
    #[getter]
    fn imag(&self, py: Python<'_>) -> PyResult<PyArray> {
        let tensor = self.tensor();
        let found: Outcome<Tensor> = match tensor.imag().map_err(Raised::from)? {
            Some(view) => Ok(view),
            None => py.detach(|| Ok(tensor.zeros_alike()?)),
        };
        Ok(self.derived(py, found?))
    }
}

/// The shape that a setter was given; one length may be -1, for what is left.
fn wanted_shape(object: &Bound<'_, PyAny>, size: usize) -> PyResult<Dims> {
    let wrong =
        || PyTypeError::new_err(format!("shape: expected an integer or a tuple of them, got {}", shown(object)));
    let lengths: Vec<i128> = if object.is_instance_of::<PyInt>() {
        vec![object.extract().map_err(|_| wrong())?]
    } else if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        let length = |item: PyResult<Bound<'_, PyAny>>| item?.call_method0("__index__")?.extract::<i128>();
        object.try_iter()?.map(length).collect::<PyResult<_>>().map_err(|_| wrong())?
    } else {
        return Err(wrong());
    };
    let mismatch = || PyTypeError::new_err(format!("shape: {size} elements do not fill the shape {}", shown(object)));
    if lengths.iter().filter(|&&length| length == -1).count() > 1 {
        return Err(PyTypeError::new_err("shape: only one length can be -1, for what is left"));
    }
    let known = lengths.iter().filter(|&&length| length != -1);
    let product = known.clone().try_fold(1i128, |product, &length| product.checked_mul(length)).ok_or_else(mismatch)?;
    lengths
        .iter()
        .map(|&length| match length {
            -1 if product > 0 && size as i128 % product == 0 => usize::try_from(size as i128 / product).ok(),
            length => usize::try_from(length).ok(),
        })
        .collect::<Option<Dims>>()
        .filter(|shape| situ_types::layout::element_count(shape).is_ok_and(|count| count == size))
        .ok_or_else(mismatch)
}
