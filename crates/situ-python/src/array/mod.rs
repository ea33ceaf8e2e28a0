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
use crate::offload::PyBinding;

pub(crate) use self::conversion::to_numpy;
pub(crate) use self::exporter::{Exporter, Keeper};

/// An N-dimensional array in USM memory, associated with a queue.
///
/// The constructor allocates without initialising, or views existing memory; `situ.tensor.asarray` makes an array of
/// values, `situ.tensor.zeros` and its like fill one.
///
/// `shape` is an integer or a sequence of them; a *list*, with `type` or `queue`, is the values of a new array, as in
/// ``ndarray([1, 2, 3, 4], type="shared", queue="cpu")``. `strides` and `offset` count elements; without strides the elements lie
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
/// >>> tensor.ndarray([1, 2, 3, 4], type="shared", queue="cpu")
/// ndarray([1, 2, 3, 4])
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

    /// An array that belongs to a namespace.
    pub(crate) fn of_namespace(tensor: Tensor, namespace: &Bound<'_, PyBinding>) -> PyArray {
        let array = PyArray::new(tensor);
        array.name_namespace(Some(namespace.clone().into_any().unbind()));
        array
    }

    /// Gives the array another layout over the same memory, other flags, or another queue.
    pub(crate) fn transform(&self, py: Python<'_>, tensor: Tensor) {
        let namespace = self.namespace_on(py, &tensor);
        self.0.push(tensor, namespace);
    }

    /// A view of this array, or a copy elsewhere, that belongs to the same namespace.
    pub(crate) fn derived(&self, py: Python<'_>, tensor: Tensor) -> PyArray {
        let array = PyArray::new(tensor);
        if let Some(namespace) = self.namespace_on(py, array.tensor()) {
            array.name_namespace(Some(namespace));
        }
        array
    }

    /// The namespace of this array in another form: one that is bound to a queue ends where the queue does.
    fn namespace_on(&self, py: Python<'_>, tensor: &Tensor) -> Option<Py<PyAny>> {
        let is_here = |namespace: &Py<PyAny>| {
            namespace.cast_bound::<PyBinding>(py).map_or(true, |bound| bound.get().queue() == tensor.queue())
        };
        self.0.namespace(py).filter(is_here)
    }

    /// The namespace of this array, if it is one that is bound to a queue.
    #[inline]
    pub(crate) fn binding<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBinding>> {
        if self.is_as_made() { None } else { self.0.namespace(py)?.into_bound(py).cast_into().ok() }
    }

    /// Whether nothing was set since it was made, its namespace among it.
    #[inline]
    pub(crate) fn is_as_made(&self) -> bool {
        self.0.is_as_made()
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
