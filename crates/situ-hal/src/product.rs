//! Products of matrices.

use situ_types::{DType, Dims, Strides};

use crate::Address;

/// Matrices in memory, one for each point of a batch.
#[derive(Clone, Debug)]
pub struct Matrices {
    /// The first element of the first of them.
    pub address: Address,
    /// Elements from a row to the next.
    pub row_step: isize,
    /// Elements from a column to the next.
    pub column_step: isize,
    /// Elements from a matrix to the next, along each axis of the batch.
    pub batch_steps: Strides,
}

impl Matrices {
    /// The same matrices with rows for columns.
    pub fn transposed(mut self) -> Matrices {
        (self.row_step, self.column_step) = (self.column_step, self.row_step);
        self
    }
}

/// Products of matrices, as [`situ_ir::product`] defines them, all of one dtype. Nothing that is read overlaps the
/// results, no two elements of which share memory, and nothing has length 0.
#[derive(Clone, Debug)]
pub struct Product {
    /// The dtype of factors and results.
    pub dtype: DType,
    /// Axes along which there is a product each, as few as possible; none for a single one.
    pub batch: Dims,
    /// Rows of the first factor and of the result.
    pub rows: usize,
    /// Columns of the second factor and of the result.
    pub columns: usize,
    /// Columns of the first factor, and rows of the second.
    pub depth: usize,
    /// The first factor.
    pub left: Matrices,
    /// The second factor.
    pub right: Matrices,
    /// The result.
    pub out: Matrices,
}

impl Product {
    /// The same product, of the second factor's transpose by the first one's.
    pub fn transposed(self) -> Product {
        Product {
            rows: self.columns,
            columns: self.rows,
            left: self.right.transposed(),
            right: self.left.transposed(),
            out: self.out.transposed(),
            ..self
        }
    }

    /// Number of products.
    pub fn count(&self) -> usize {
        self.batch.iter().product()
    }
}
