//! Which memory arrays share.
//!
//! Addresses are compared, not buffers: where other libraries describe memory, two buffers can be of the same.

use situ_types::Order;

use crate::{Result, Tensor};

/// Whether two arrays may share memory.
pub(crate) fn may_overlap(a: &Tensor, b: &Tensor) -> Result<bool> {
    let ((a_low, a_high), (b_low, b_high)) = (a.byte_bounds()?, b.byte_bounds()?);
    Ok(a_low < b_high && b_low < a_high)
}

/// Whether two arrays are the same elements in the same order.
pub(crate) fn coincide(a: &Tensor, b: &Tensor) -> Result<bool> {
    let is_alike = a.dtype() == b.dtype() && a.shape() == b.shape() && a.layout().strides() == b.layout().strides();
    Ok(is_alike && a.address()? == b.address()?)
}

/// Whether two arrays without gaps, in one order and of one shape, share no memory or coincide.
#[inline(always)]
pub(crate) fn is_apart_or_same(a: &Tensor, b: &Tensor) -> Result<bool> {
    let (a_start, b_start) = (a.address()?.value(), b.address()?.value());
    let bytes = |t: &Tensor| t.size() * t.dtype().size();
    let is_same = a_start == b_start && a.dtype() == b.dtype();
    Ok(is_same || a_start + bytes(a) <= b_start || b_start + bytes(b) <= a_start)
}

/// The array, or a copy if it may share memory with an array that is written.
pub(crate) fn apart_from(array: Tensor, out: &Tensor) -> Result<Tensor> {
    if may_overlap(&array, out)? { array.copy(Order::K) } else { Ok(array) }
}

/// A copy of an array that shares memory with an array that is written, unless the two coincide: elements would be read
/// after they have been overwritten.
pub(crate) fn apart_or_same(array: &Tensor, out: &Tensor) -> Result<Option<Tensor>> {
    if may_overlap(array, out)? && !coincide(array, out)? { array.copy(Order::K).map(Some) } else { Ok(None) }
}
