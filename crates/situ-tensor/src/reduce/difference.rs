//! Differences of neighbours.

use situ_ir::Op;
use situ_types::layout::fmt_dims;
use situ_types::{DType, Order};

use super::axes::axis_of;
use crate::{Arg, Error, Item, Result, Slice, Tensor, apply};

const NAME: &str = "diff";

/// The differences of neighbours along an axis, taken so many times; of truth values, whether they differ.
///
/// ```
/// use situ_tensor::{Tensor, diff};
///
/// let x = Tensor::from_slice(&[1i64, 4, 9, 16])?;
/// assert_eq!(diff(&x, 1, -1)?.to_vec::<i64>()?, [3, 5, 7]);
/// assert_eq!(diff(&x, 2, -1)?.to_vec::<i64>()?, [2, 2]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn diff(x: &Tensor, times: usize, axis: isize) -> Result<Tensor> {
    let axis = axis_of(NAME, axis, x.layout().ndim())?;
    let mut result = x.clone();
    for _ in 0..times.min(x.shape()[axis]) {
        let part = |start: Option<isize>, stop: Option<isize>| {
            let whole = (0..axis).map(|_| Item::Slice(Slice::ALL));
            let items: Vec<Item<'_>> = whole.chain([Item::Slice(Slice { start, stop, step: 1 })]).collect();
            result.index(&items)
        };
        let (later, earlier) = (part(Some(1), None)?, part(None, Some(-1))?);
        let op = if result.dtype() == DType::Bool { Op::NotEqual } else { Op::Subtract };
        result = apply(op, &[Arg::Array(&later), Arg::Array(&earlier)], Order::K)?;
    }
    if times == 0 { x.copy(Order::K) } else { Ok(result) }
}

/// The same, of an array with others before and after it along the axis: arrays of the same shape off it, or with no
/// dimensions, which stand for one element everywhere.
pub fn diff_joined(
    x: &Tensor,
    times: usize,
    axis: isize,
    prepend: Option<&Tensor>,
    append: Option<&Tensor>,
) -> Result<Tensor> {
    let at = axis_of(NAME, axis, x.layout().ndim())?;
    let stretched = |name: &str, end: &Tensor| -> Result<Tensor> {
        if end.layout().ndim() > 0 {
            return Ok(end.clone());
        }
        let mut shape = situ_types::Dims::from_slice(x.shape());
        shape[at] = 1;
        let layout = end.layout().broadcast_to(&shape).map_err(Error::layout(name))?;
        Ok(end.clone().with_layout(layout).with_writable(false))
    };
    let (before, after) = (
        prepend.map(|end| stretched("diff: prepend", end)).transpose()?,
        append.map(|end| stretched("diff: append", end)).transpose()?,
    );
    if before.is_none() && after.is_none() {
        return diff(x, times, axis);
    }
    for (name, end) in [("prepend", &before), ("append", &after)] {
        let Some(end) = end else { continue };
        let fits = |(axis, (a, b)): (usize, (&usize, &usize))| axis == at || a == b;
        if end.layout().ndim() != x.layout().ndim() || !end.shape().iter().zip(x.shape()).enumerate().all(fits) {
            let (given, wanted) = (fmt_dims(end.shape()), fmt_dims(x.shape()));
            return Err(Error::Value(format!(
                "{NAME}: {name} has shape {given}, which differs from that of x, {wanted}, off axis {at}"
            )));
        }
    }
    let parts: Vec<&Tensor> = before.iter().chain([x]).chain(&after).collect();
    diff(&Tensor::concat(&parts, at as isize)?, times, axis)
}
