//! Arrays filled with a value.

use pyo3::prelude::*;
use situ_runtime::Queue;
use situ_tensor::{Tensor, Weak};
use situ_types::{DType, Layout, Order, UsmKind};

use super::asarray::{Wanted, array_from};
use super::blank::{dense, like};
use super::numbers::number_for;
use super::{Object, Optional, Place, made_of, named_dtype};
use crate::array::PyArray;

/// What an array is filled with.
enum Fill {
    Number(Weak),
    /// Broadcast to the array's shape.
    Array(Tensor),
}

fn fill(function: &str, value: Object<'_, '_>, dtype: Option<DType>, place: Place<'_, '_>) -> PyResult<Fill> {
    let what = format!("{function}: fill_value");
    if let Some(number) = number_for(value, dtype, &what)? {
        return Ok(Fill::Number(number));
    }
    // Wherever it is now; it is brought to its place together with the conversion.
    let place = if value.is_instance_of::<PyArray>() {
        Place { device: None, usm_type: None, sycl_queue: None, queue: None }
    } else {
        Place { usm_type: None, ..place }
    };
    let wanted = Wanted { dtype: None, order: Order::K, copy: None, place, what: &what };
    Ok(Fill::Array(array_from(value, &wanted)?.get().tensor().clone()))
}

fn filled<'py>(
    py: Python<'py>,
    function: &'static str,
    layout: Layout,
    fill: Fill,
    (dtype, kind, queue): (DType, UsmKind, Queue),
) -> PyResult<Bound<'py, PyArray>> {
    made_of(py, layout.size().saturating_mul(dtype.size()), &queue, || {
        Ok(match fill {
            Fill::Number(number) => Tensor::full_in(function, layout, number.to_scalar(dtype)?, kind, &queue)?,
            Fill::Array(value) => Tensor::full_from(function, layout, &value, dtype, kind, &queue)?,
        })
    })
}

/// A new array filled with a value: a number, or an array that is broadcast to the shape.
///
/// Parameters:
///     shape (ShapeLike): The lengths of its axes, or the only one.
///     fill_value (ArrayLike): The value.
///     dtype (DTypeLike | None): The dtype of the elements; None for that of the value.
#[doc = parameter!(dense_order)]
#[doc = parameter!(place)]
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> tensor.full((2, 3), 7)
/// ndarray([[7, 7, 7],
///          [7, 7, 7]])
#[pyfunction]
#[pyo3(signature = (
    shape, fill_value, *, dtype=None, order="C", device=None, usm_type=None, sycl_queue=None, queue=None
))]
#[allow(clippy::too_many_arguments, reason = "the Array API's signature, and the keywords of placement")]
fn full<'py>(
    shape: Object<'_, 'py>,
    fill_value: Object<'_, '_>,
    dtype: Optional<'_, '_>,
    order: &str,
    device: Optional<'_, '_>,
    usm_type: Optional<'_, '_>,
    sycl_queue: Optional<'_, '_>,
    queue: Optional<'_, '_>,
) -> PyResult<Bound<'py, PyArray>> {
    let py = shape.py();
    let place = Place { device, usm_type, sycl_queue, queue };
    let layout = dense("full", shape, order)?;
    let (dtype, kind) = (named_dtype(dtype)?, place.kind()?);
    let value = fill("full", fill_value, dtype, place)?;
    let (queue, kind) = match &value {
        Fill::Number(_) => (place.queue(py)?, kind.unwrap_or(UsmKind::Device)),
        Fill::Array(array) => (place.queue_or(|| Ok(array.queue().clone()))?, kind.unwrap_or(array.kind())),
    };
    let floats = queue.device().float_support();
    let dtype = dtype.unwrap_or_else(|| match &value {
        Fill::Number(number) => number.default_dtype(floats),
        Fill::Array(array) => floats.nearest(array.dtype()),
    });
    filled(py, "full", layout, value, (dtype, kind, queue))
}

/// A new array like another one, filled with a value: a number, or an array that is broadcast to the shape.
///
/// Parameters:
///     x (ndarray): The array whose shape, dtype and place the new one has, unless others are named.
///     fill_value (ArrayLike): The value.
///     dtype (DTypeLike | None): The dtype of the elements; None for that of `x`.
#[doc = parameter!(order)]
#[doc = parameter!(place)]
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> tensor.full_like(tensor.zeros(3), 0.5)
/// ndarray([0.5, 0.5, 0.5])
#[pyfunction]
#[pyo3(signature = (
    x, /, fill_value, *, dtype=None, order="K", device=None, usm_type=None, sycl_queue=None, queue=None
))]
#[allow(clippy::too_many_arguments, reason = "the Array API's signature, and the keywords of placement")]
fn full_like<'py>(
    x: Object<'_, 'py>,
    fill_value: Object<'_, '_>,
    dtype: Optional<'_, '_>,
    order: &str,
    device: Optional<'_, '_>,
    usm_type: Optional<'_, '_>,
    sycl_queue: Optional<'_, '_>,
    queue: Optional<'_, '_>,
) -> PyResult<Bound<'py, PyArray>> {
    let place = Place { device, usm_type, sycl_queue, queue };
    let blank = like("full_like", x, named_dtype(dtype)?, order, place)?;
    let value = fill("full_like", fill_value, Some(blank.dtype), place)?;
    filled(x.py(), "full_like", blank.layout, value, (blank.dtype, blank.kind, blank.queue))
}

/// Puts the functions into the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(full, module)?)?;
    module.add_function(wrap_pyfunction!(full_like, module)?)
}
