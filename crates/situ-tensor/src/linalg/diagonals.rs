//! Diagonals of matrices.

use situ_ir::Statistic;
use situ_types::{DType, Dims, Layout, Strides};

use super::stack::Stack;
use crate::{Error, Reducing, Result, Tensor, reduce};

/// A diagonal of each matrix, as a view: the main one, or one so far above or, where that is negative, below it.
///
/// ```
/// use situ_tensor::{Tensor, linalg};
///
/// let x = Tensor::arange(6)?.reshape(&[2, 3])?;
/// assert_eq!(linalg::diagonal(&x, 1)?.to_vec::<i64>()?, [1, 5]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn diagonal(x: &Tensor, offset: isize) -> Result<Tensor> {
    const NAME: &str = "diagonal";
    let Stack { rows, columns, .. } = Stack::of(NAME, "x", x)?;
    let (above, below) = (offset.max(0).unsigned_abs(), offset.min(0).unsigned_abs());
    let length = rows.saturating_sub(below).min(columns.saturating_sub(above));
    let (batch, last) = x.layout().strides().split_at(x.layout().ndim() - 2);
    let &[down, right] = last else { return Err(Error::Value(format!("{NAME}: x has no matrices"))) };
    let shape: Dims = x.shape()[..batch.len()].iter().copied().chain([length]).collect();
    let steps: Strides = batch.iter().copied().chain([down + right]).collect();
    let first = if length == 0 { 0 } else { above as isize * right + below as isize * down };
    let layout = Layout::strided(&shape, &steps, x.layout().offset() + first).map_err(Error::layout(NAME))?;
    Ok(x.under(layout))
}

/// The sum of a diagonal of each matrix, in another dtype than the usual one if that is given.
pub fn trace(x: &Tensor, offset: isize, dtype: Option<DType>) -> Result<Tensor> {
    let how = Reducing { axes: (-1isize).into(), dtype, ..Default::default() };
    reduce(Statistic::Sum, &diagonal(x, offset)?, &how)
}
