//! New arrays: from shapes, ranges, host data and other arrays.

mod asarray;
mod blank;
mod copies;
mod full;
mod host;
pub(crate) mod nested;
mod numbers;
mod sequences;
mod shapes;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use situ_runtime::Queue;
use situ_tensor::Tensor;
use situ_types::{DType, UsmKind};

use crate::args::{self, usm_kind};
use crate::array::PyArray;
use crate::errors::Outcome;
use crate::gil;
use crate::place::{default_queue, placement, queue_of};

pub(crate) use crate::numpy_array::is_array;
pub(crate) use asarray::{device_data, values};
pub(crate) use copies::casting_rule;
pub(crate) use host::{from_host_like, from_host_on, from_numpy_like, is_numpy};

type Object<'a, 'py> = &'a Bound<'py, PyAny>;
type Optional<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The keywords that say where a new array goes.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a, 'py> {
    pub(crate) device: Optional<'a, 'py>,
    pub(crate) usm_type: Optional<'a, 'py>,
    pub(crate) sycl_queue: Optional<'a, 'py>,
    /// Another name for `sycl_queue`, which also takes a selector.
    pub(crate) queue: Optional<'a, 'py>,
}

impl Place<'_, '_> {
    /// The queue that is named, else the fallback.
    fn queue_or(&self, fallback: impl FnOnce() -> PyResult<Queue>) -> PyResult<Queue> {
        let Some(object) = self.queue else {
            return placement(self.device, self.sycl_queue, fallback);
        };
        let queue = queue_of(object, "queue")?;
        if placement(self.device, self.sycl_queue, || Ok(queue.clone()))? != queue {
            return Err(PyTypeError::new_err(
                "queue names another queue than device or sycl_queue; give only one of them",
            ));
        }
        Ok(queue)
    }

    /// The queue that is named, else the default one.
    pub(crate) fn queue(&self, py: Python<'_>) -> PyResult<Queue> {
        self.queue_or(|| default_queue(Some(py)))
    }

    /// The kind of memory that is named.
    fn kind(&self) -> PyResult<Option<UsmKind>> {
        self.usm_type.map(usm_kind).transpose()
    }

    /// The kind of memory that is named, else device memory.
    pub(crate) fn kind_or_device(&self) -> PyResult<UsmKind> {
        Ok(self.kind()?.unwrap_or(UsmKind::Device))
    }
}

/// The dtype that is named, if one is.
pub(crate) fn named_dtype(dtype: Optional<'_, '_>) -> PyResult<Option<DType>> {
    dtype.map(args::dtype).transpose()
}

/// A new array, made without the GIL.
fn made(py: Python<'_>, make: impl FnOnce() -> Outcome<Tensor> + Send) -> PyResult<Bound<'_, PyArray>> {
    PyArray::new(gil::released(py, make)?).into_object(py)
}

/// A new array of so many bytes.
fn made_of<'py>(
    py: Python<'py>,
    bytes: usize,
    queue: &Queue,
    make: impl FnOnce() -> Outcome<Tensor> + Send,
) -> PyResult<Bound<'py, PyArray>> {
    if gil::is_long_to_make(bytes, queue) { made(py, make) } else { PyArray::new(make()?).into_object(py) }
}

/// Puts the functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    blank::register(module)?;
    full::register(module)?;
    sequences::register(module)?;
    shapes::register(module)?;
    asarray::register(module)?;
    copies::register(module)
}
