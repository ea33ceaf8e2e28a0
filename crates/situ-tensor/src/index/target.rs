//! What may be written to, and what must be copied first.

use situ_types::layout::fmt_dims;
use situ_types::{Dims, Layout, Order};

use crate::{Error, Result, Tensor};

/// An error if an array is read-only.
pub(super) fn refuse_read_only(operation: &str, array: &Tensor) -> Result<()> {
    if array.is_writable() {
        return Ok(());
    }
    Err(Error::Value(format!("{operation}: the array is read-only; write to a copy of it")))
}

/// An error if elements of an array that is written to share memory.
pub(super) fn refuse_shared(operation: &str, array: &Tensor) -> Result<()> {
    if array.layout().has_distinct_elements() {
        return Ok(());
    }
    Err(Error::Value(format!(
        "{operation}: the array is broadcast or overlaps itself, so that its elements share memory; write to a copy of it"
    )))
}

/// A value stretched to a shape. As in NumPy, it may have leading axes of length 1 more.
pub(super) fn stretched(operation: &str, value: &Tensor, shape: &[usize]) -> Result<Tensor> {
    let layout = value.layout();
    let surplus = layout.ndim().saturating_sub(shape.len());
    let wrong = || {
        let (given, wanted) = (fmt_dims(value.shape()), fmt_dims(shape));
        Error::Value(format!("{operation}: a value of shape {given} cannot be broadcast to the shape {wanted}"))
    };
    if layout.shape()[..surplus].iter().any(|&length| length != 1) {
        return Err(wrong());
    }
    let trimmed = Layout::strided(&layout.shape()[surplus..], &layout.strides()[surplus..], layout.offset())
        .map_err(Error::layout(operation))?;
    Ok(value.under(trimmed.broadcast_to(shape).map_err(|_| wrong())?))
}

/// Whether two arrays may share memory.
pub(super) fn may_overlap(a: &Tensor, b: &Tensor) -> bool {
    // Addresses, not buffers: where other libraries describe memory, two buffers can be of the same.
    let ((a_low, a_high), (b_low, b_high)) = (a.byte_bounds(), b.byte_bounds());
    a_low < b_high && b_low < a_high
}

/// Whether two arrays are the same elements in the same order.
pub(super) fn coincide(a: &Tensor, b: &Tensor) -> bool {
    a.dtype() == b.dtype()
        && a.address() == b.address()
        && a.shape() == b.shape()
        && a.layout().strides() == b.layout().strides()
}

/// The array, or a copy if it may share memory with another.
pub(super) fn apart_from(array: Tensor, other: &Tensor) -> Result<Tensor> {
    if may_overlap(&array, other) { array.copy(Order::K) } else { Ok(array) }
}

impl Tensor {
    /// All elements in C order along one axis: a view where the layout allows one.
    pub(super) fn flat(&self) -> Result<Tensor> {
        let shape = Dims::from_slice(&[self.size()]);
        if let Some(view) = self.reshaped(&shape)? {
            return Ok(view);
        }
        let dense = self.copy(Order::C)?;
        let layout = Layout::dense(&shape, Order::C).map_err(Error::layout("indexing"))?;
        Ok(dense.with_layout(layout))
    }
}
