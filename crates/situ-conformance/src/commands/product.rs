//! Products of matrices.

use situ_hal::{Address, Command, Matrices, Product};
use situ_types::DType;

/// A product of square matrices, the first with columns side by side where the number is odd, at a place that is not
/// aligned where it is a multiple of 4, along one axis or two, and beyond 32 bits where it is a multiple of 3.
fn command(dtype: DType, n: usize) -> Command {
    let side = if n.is_multiple_of(3) { 1 << 17 } else { 8 + 100 * (n % 2) };
    let batch: &[usize] = if n.is_multiple_of(2) { &[3] } else { &[3, 5] };
    let matrices = |by_columns: bool| {
        let (row_step, column_step) = if by_columns { (1, side as isize) } else { (side as isize, 1) };
        let address = Address(if n.is_multiple_of(4) { 72 } else { 64 } as *mut u8);
        let batch_steps = batch.iter().map(|_| (side * side) as isize).collect();
        Matrices { address, row_step, column_step, batch_steps }
    };
    let (left, right, out) = (matrices(n % 2 == 1), matrices(n % 3 == 1), matrices(false));
    let (rows, columns, depth) = (side, side, side);
    Command::Product(Box::new(Product { dtype, batch: batch.into(), rows, columns, depth, left, right, out }))
}

/// Products of every dtype, twice.
pub(super) fn commands() -> Vec<Command> {
    let dtypes = DType::ALL.into_iter().enumerate();
    dtypes.flat_map(|(n, dtype)| [n, n + 1].map(|n| command(dtype, n))).collect()
}
