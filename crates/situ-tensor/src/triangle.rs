//! Triangles of matrices, computed on the device.

use situ_runtime::Queue;
use situ_types::{DType, Layout, Order, UsmKind};

use crate::elementwise::select_into;
use crate::{Arg, Error, Result, Tensor, Weak};

impl Tensor {
    /// The upper (`triu`) or lower (`tril`) triangle of each matrix in the last two axes, with its `k`-th diagonal;
    /// zeros elsewhere.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    ///
    /// let x = Tensor::from_slice(&[1, 2, 3, 4])?.reshape(&[2, 2])?;
    /// assert_eq!(x.triangle(true, 0)?.to_vec::<i32>()?, [1, 2, 0, 4]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn triangle(&self, upper: bool, k: isize) -> Result<Tensor> {
        let name = if upper { "triu" } else { "tril" };
        let (&[.., rows, columns], &[.., down, right]) = (self.shape(), self.layout().strides()) else {
            let ndim = self.layout().ndim();
            return Err(Error::Value(format!("{name}: x must have at least two dimensions, but it has {ndim}")));
        };
        if self.size() == 0 {
            return self.copy(Order::K);
        }
        let out = Tensor::empty_in(name, self.layout().like(Order::K), self.dtype(), self.kind(), self.queue())?;
        // Further out there is nothing more to leave off, and arithmetic below stays in range.
        let far = (rows + columns) as isize;
        let k = k.clamp(-far, far);
        // Side by side in memory are either elements of a row, or those of a column: of a row of the transposed matrix.
        let (from, to, shape, upper, k) = if down.unsigned_abs() < right.unsigned_abs() {
            (self.matrix_transposed()?, out.matrix_transposed()?, [columns, rows], !upper, -k)
        } else {
            (self.clone(), out.clone(), [rows, columns], upper, k)
        };
        let mask = mask(shape, upper, k, self.kind(), self.queue())?;
        let layout = mask.layout().broadcast_to(from.shape()).map_err(Error::layout(name))?;
        select_into(&mask.under(layout), Arg::Array(&from), Weak::Bool(false).into(), &to)?;
        Ok(out)
    }
}

/// Truth values for the elements of a matrix that are on a side of its `k`-th diagonal, or on it.
///
/// They depend on the diagonal alone, so that one for each will do: from row to row a view of them goes a diagonal back, and from
/// column to column one on.
fn mask([rows, columns]: [usize; 2], upper: bool, k: isize, kind: UsmKind, queue: &Queue) -> Result<Tensor> {
    let diagonals = rows + columns - 1;
    let line = Tensor::empty(&[diagonals], DType::Bool, Order::C, kind, queue)?;
    // The first one goes through the element at the lower left.
    let first_above = (k + rows as isize - isize::from(upper)).clamp(0, diagonals as isize) as usize;
    for (from, to, is_kept) in [(0, first_above, !upper), (first_above, diagonals, upper)] {
        if from < to {
            let layout = Layout::strided(&[to - from], &[1], from as isize).map_err(Error::layout("mask"))?;
            line.under(layout).fill_with(Weak::Bool(is_kept))?;
        }
    }
    let layout = Layout::strided(&[rows, columns], &[-1, 1], rows as isize - 1).map_err(Error::layout("mask"))?;
    Ok(line.under(layout))
}
