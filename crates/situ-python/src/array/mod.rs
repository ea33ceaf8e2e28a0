//! `situ.tensor.ndarray`: the class. Its methods are in the modules beside.

mod attributes;
mod constructor;
mod conversion;
mod copies;
mod exporter;
mod flags;
mod forms;
mod indexing;
mod instance;
mod interchange;
mod iteration;
mod key;
mod moving;
mod namespace;
mod operators;
mod printing;
mod scalars;

use pyo3::PyTraverseError;
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use situ_tensor::Tensor;

use self::forms::Forms;

pub(crate) use self::conversion::to_numpy;
pub(crate) use self::exporter::{Exporter, Keeper};

/// An N-dimensional array in USM memory, associated with a queue.
///
/// The constructor allocates without initialising, or views existing memory; `situ.tensor.asarray` makes an array of
/// values, `situ.tensor.zeros` and its like fill one.
///
/// `shape` is an integer or a sequence of them. `strides` and `offset` count elements; without strides the elements lie
/// densely in `order` 'C' or 'F'. `buffer` is the kind of memory to allocate ('device', 'shared' or 'host'; `type` is
/// another name for that), or a memory object or an array whose memory is shared; the offset counts from the start of
/// that memory. `queue` says where to allocate, and so does `buffer_ctor_kwargs={'queue': queue}`. `array_namespace` is
/// what `__array_namespace__` returns.
///
/// Instances of subclasses are arrays like any other: functions and operators take them, and return plain arrays.
///
/// >>> from situ import tensor
/// >>> x = tensor.ndarray((2, 3), dtype="int16")
/// >>> x.shape, x.strides
/// ((2, 3), (3, 1))
/// >>> tensor.ndarray(3, dtype="int16", buffer=x, offset=3).shape
/// (3,)
#[pyclass(name = "ndarray", module = "situ.tensor", frozen, subclass, weakref)]
#[derive(Debug)]
pub(crate) struct PyArray(Forms);

impl PyArray {
    pub(crate) fn new(tensor: Tensor) -> PyArray {
        PyArray(Forms::new(tensor))
    }

    #[inline]
    pub(crate) fn tensor(&self) -> &Tensor {
        self.0.tensor()
    }

    /// Gives the array another layout over the same memory, other flags, or another queue.
    pub(crate) fn transform(&self, py: Python<'_>, tensor: Tensor) {
        self.0.push(tensor, self.0.namespace(py));
    }

    /// A view of this array, or a copy elsewhere, that belongs to the same namespace.
    pub(crate) fn derived(&self, py: Python<'_>, tensor: Tensor) -> PyArray {
        let array = PyArray::new(tensor);
        if let Some(namespace) = self.0.namespace(py) {
            array.0.push(array.tensor().clone(), Some(namespace));
        }
        array
    }
}

#[pymethods]
impl PyArray {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0.traverse(visit)
    }

    /// Lets go of the namespaces. The memory stays: commands may be using it.
    fn __clear__(&self) {
        self.0.forget_namespaces();
    }
}

/// Puts the class and its functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyArray>()?;
    module.add_class::<Keeper>()?;
    module.add_class::<flags::PyFlags>()?;
    module.add_class::<iteration::PyRows>()?;
    printing::register(module)
}
