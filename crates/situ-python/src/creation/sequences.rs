//! Evenly spaced values.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use situ_tensor::{Tensor, Weak};

use super::numbers::number;
use super::{Object, Optional, Place, made, named_dtype};
use crate::args::shown;
use crate::array::PyArray;

/// Evenly spaced values in the half-open interval from start to stop.
///
/// Parameters:
///     start (Number): The first value; with `start` alone, the end of an interval that begins with 0.
///     stop (Number | None): The end, which is not among the values.
///     step (Number | None): The distance between values; None for 1.
///     dtype (DTypeLike | None): The dtype of the elements; None for the usual one of these numbers.
#[doc = parameter!(place)]
///
/// Returns:
///     ndarray: A new array of one dimension.
///
/// >>> from situ import tensor
/// >>> tensor.arange(5), tensor.arange(1, 2, 0.25)
/// (ndarray([0, 1, 2, 3, 4]), ndarray([1.  , 1.25, 1.5 , 1.75]))
#[pyfunction]
#[pyo3(signature = (
    start, /, stop=None, step=None, *, dtype=None, device=None, usm_type=None, sycl_queue=None, queue=None
))]
#[allow(clippy::too_many_arguments, reason = "the Array API's signature, and the keywords of placement")]
fn arange<'py>(
    start: Object<'_, 'py>,
    stop: Optional<'_, '_>,
    step: Optional<'_, '_>,
    dtype: Optional<'_, '_>,
    device: Optional<'_, '_>,
    usm_type: Optional<'_, '_>,
    sycl_queue: Optional<'_, '_>,
    queue: Optional<'_, '_>,
) -> PyResult<Bound<'py, PyArray>> {
    let py = start.py();
    let place = Place { device, usm_type, sycl_queue, queue };
    let first = number(start, "arange", "start")?;
    let (start, stop) = match stop {
        Some(stop) => (first, number(stop, "arange", "stop")?),
        None => (Weak::Int(0), first),
    };
    let step = step.map_or(Ok(Weak::Int(1)), |step| number(step, "arange", "step"))?;
    let (dtype, kind, queue) = (named_dtype(dtype)?, place.kind_or_device()?, place.queue(py)?);
    made(py, move || Ok(Tensor::range(start, stop, step, dtype, kind, &queue)?))
}

/// Evenly spaced values from start to stop, so many of them.
///
/// Parameters:
///     start (Number): The first value.
///     stop (Number): The last value.
///     num (SupportsIndex): How many there are.
///     dtype (DTypeLike | None): The dtype of the elements; None for the default floating-point or complex one.
///     device (DeviceLike | None): Where the array goes: a selector such as 'cpu' or 'cuda:0', a device, or a queue.
///     endpoint (bool): Whether `stop` is among the values.
///     sycl_queue (Queue | None): The queue the array belongs to, where `device` does not say it.
///     usm_type (str | None): The kind of its memory: 'device' (the usual one), 'shared' or 'host'.
///     queue (DeviceLike | None): Another name for `sycl_queue`, which takes a selector as well.
///
/// Returns:
///     ndarray: A new array of one dimension.
///
/// >>> from situ import tensor
/// >>> tensor.linspace(0, 1, 5)
/// ndarray([0.  , 0.25, 0.5 , 0.75, 1.  ])
#[pyfunction]
#[pyo3(signature = (
    start, stop, /, num, *, dtype=None, device=None, endpoint=true, sycl_queue=None, usm_type=None, queue=None
))]
#[allow(clippy::too_many_arguments, reason = "the Array API's signature, and the keywords of placement")]
fn linspace<'py>(
    start: Object<'_, 'py>,
    stop: Object<'_, '_>,
    num: Object<'_, '_>,
    dtype: Optional<'_, '_>,
    device: Optional<'_, '_>,
    endpoint: bool,
    sycl_queue: Optional<'_, '_>,
    usm_type: Optional<'_, '_>,
    queue: Optional<'_, '_>,
) -> PyResult<Bound<'py, PyArray>> {
    let py = start.py();
    let place = Place { device, usm_type, sycl_queue, queue };
    let (first, last) = (number(start, "linspace", "start")?, number(stop, "linspace", "stop")?);
    let wrong = || PyTypeError::new_err(format!("linspace: num must be an integer, got {}", shown(num)));
    let index = num.call_method0("__index__").map_err(|_| wrong())?;
    let impossible = || PyValueError::new_err(format!("linspace: num cannot be {}", shown(num)));
    let num: usize = index.extract().map_err(|_| impossible())?;
    let (dtype, kind, queue) = (named_dtype(dtype)?, place.kind_or_device()?, place.queue(py)?);
    let floats = queue.device().float_support();
    let is_complex = matches!(first, Weak::Complex(_)) || matches!(last, Weak::Complex(_));
    let compute = if is_complex { floats.default_complex() } else { floats.default_float() };
    let dtype = dtype.unwrap_or(compute);
    made(py, move || {
        let (first, last) = (first.to_scalar(compute)?, last.to_scalar(compute)?);
        Ok(Tensor::linspace(first, last, num, endpoint, dtype, kind, &queue)?)
    })
}

/// Puts the functions into the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(arange, module)?)?;
    module.add_function(wrap_pyfunction!(linspace, module)?)
}
