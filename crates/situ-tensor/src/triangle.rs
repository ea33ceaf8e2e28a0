//! Triangles of matrices, computed on the device.

use situ_types::{Dims, Layout, Order, Strides};
use smallvec::SmallVec;

use crate::{Error, Result, Tensor, Weak};

impl Tensor {
    /// The upper (`triu`) or lower (`tril`) triangle of each matrix in the last two axes, with its `k`-th diagonal;
    /// zeros elsewhere.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    ///
    /// let x = Tensor::from_slice(&[1.0, 2.0, 3.0])?;
    /// assert!(x.triangle(true, 0).is_err());
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn triangle(&self, upper: bool, k: isize) -> Result<Tensor> {
        if self.layout().ndim() < 2 {
            let (name, ndim) = (triangle_name(upper), self.layout().ndim());
            return Err(Error::Value(format!("{name}: x must have at least two dimensions, but it has {ndim}")));
        }
        let out = self.copy(Order::K)?;
        out.keep_triangle(upper, k)?;
        Ok(out)
    }

    /// Writes zeros to all of each matrix but a triangle.
    pub(crate) fn keep_triangle(&self, upper: bool, k: isize) -> Result<()> {
        let (name, out) = (triangle_name(upper), self);
        let &[.., rows, columns] = out.shape() else { return Ok(()) };
        if out.size() == 0 {
            return Ok(());
        }
        let strides = out.layout().strides();
        let (batch, &[down, right]) = strides.split_at(strides.len() - 2) else { return Ok(()) };
        // Further out there is nothing more to leave off, and arithmetic below stays in range.
        let far = (rows + columns) as isize;
        let k = k.clamp(-far, far);
        // Below the diagonal of the matrix, or of its transpose.
        let (blocks, down, right) = if upper {
            (lower_blocks(rows, columns, k - 1), down, right)
        } else {
            (lower_blocks(columns, rows, -k - 1), right, down)
        };
        for block in blocks {
            let mut shape = Dims::from_slice(&out.shape()[..batch.len()]);
            shape.extend([block.count, block.height, block.width]);
            let mut steps = Strides::from_slice(batch);
            steps.extend([block.step as isize * (down + right), down, right]);
            let first = out.layout().offset() + block.row as isize * down + block.column as isize * right;
            let layout = Layout::strided(&shape, &steps, first).map_err(Error::layout(name))?;
            out.clone().with_layout(layout).fill_with(Weak::Int(0))?;
        }
        Ok(())
    }
}

fn triangle_name(upper: bool) -> &'static str {
    if upper { "triu" } else { "tril" }
}

/// Equal rectangles, each `step` rows and columns after the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    row: usize,
    column: usize,
    height: usize,
    width: usize,
    count: usize,
    step: usize,
}

/// The elements of a matrix with `column <= row + k`, each in one block. There are about as many blocks as the matrix's
/// length has bits, not as it has rows.
fn lower_blocks(rows: usize, columns: usize, k: isize) -> SmallVec<[Block; 16]> {
    let mut blocks = SmallVec::new();
    let mut push = |row, column, height, width, count, step| {
        if height > 0 && width > 0 && count > 0 {
            blocks.push(Block { row, column, height, width, count, step });
        }
    };
    let top = (-k).max(0) as usize;
    if top >= rows {
        return blocks;
    }
    // The columns that already the first of these rows has, then a triangle, then rows that have every column.
    let left = ((top as isize + k + 1) as usize).min(columns);
    push(top, 0, rows - top, left, 1, 0);
    let side = (rows - top).min(columns - left + 1);
    push(top + side, left, rows - top - side, columns - left, 1, 0);
    // Row and column of an element strictly below the diagonal differ in some bit, and the highest one says which
    // block the element is in.
    let mut bit = 1;
    while bit < side {
        let (whole, rest) = (side / (2 * bit), side % (2 * bit));
        push(top + bit, left, bit, bit, whole, 2 * bit);
        push(top + 2 * bit * whole + bit, left + 2 * bit * whole, rest.saturating_sub(bit), bit, 1, 0);
        bit *= 2;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times_covered(rows: usize, columns: usize, k: isize) -> Vec<Vec<i32>> {
        let mut seen = vec![vec![0; columns]; rows];
        for b in lower_blocks(rows, columns, k) {
            for (n, row, column) in (0..b.count)
                .flat_map(|n| (0..b.height).flat_map(move |row| (0..b.width).map(move |column| (n, row, column))))
            {
                seen[b.row + n * b.step + row][b.column + n * b.step + column] += 1;
            }
        }
        seen
    }

    #[test]
    fn blocks_cover_each_element_once() {
        for (rows, columns) in (0..20).flat_map(|rows| (0..20).map(move |columns| (rows, columns))) {
            for k in -22..22 {
                for (i, row) in times_covered(rows, columns, k).into_iter().enumerate() {
                    let wanted: Vec<i32> = (0..columns).map(|j| i32::from(j as isize <= i as isize + k)).collect();
                    assert_eq!(row, wanted, "row {i} of {rows} by {columns}, k = {k}");
                }
            }
        }
    }

    #[test]
    fn there_are_few_blocks() {
        assert!(lower_blocks(1_000_000, 1_000_000, 0).len() <= 42);
    }
}
