//! What may be written to, and what must be copied first.

use situ_types::layout::fmt_dims;
use situ_types::{Dims, Layout, Order};

use crate::{Error, Result, Tensor};

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

impl Tensor {
    /// All elements in C order along one axis: a view where the layout allows one.
    pub(crate) fn flat(&self) -> Result<Tensor> {
        let shape = Dims::from_slice(&[self.size()]);
        if let Some(view) = self.reshaped(&shape)? {
            return Ok(view);
        }
        let dense = self.copy(Order::C)?;
        let layout = Layout::dense(&shape, Order::C).map_err(Error::layout("indexing"))?;
        Ok(dense.with_layout(layout))
    }
}
