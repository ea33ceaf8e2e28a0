//! Products of matrices as cuBLAS takes them: matrices whose columns, or rows, are side by side.

use situ_hal::{Address, Matrices, Product};
use situ_types::DType;
use smallvec::SmallVec;

/// A factor or the result: where it begins, whether rows stand for columns, elements from a column to the next, and from a
/// matrix to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Matrix {
    pub(crate) address: Address,
    pub(crate) is_transposed: bool,
    pub(crate) leading: i32,
    pub(crate) next: i64,
}

/// One call: products along one axis of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Gemm {
    pub(crate) dtype: DType,
    pub(crate) rows: i32,
    pub(crate) columns: i32,
    pub(crate) depth: i32,
    pub(crate) count: i32,
    pub(crate) left: Matrix,
    pub(crate) right: Matrix,
    pub(crate) out: Matrix,
    /// How far the three move from one call to the next, in bytes; the first do not move.
    pub(crate) moves: Vec<[isize; 3]>,
}

/// More calls than this for one command cost more than they save.
const MANY_CALLS: usize = 256;

impl Gemm {
    /// The calls for a command, if it is one of those that the library computes.
    pub(crate) fn of(command: &Product) -> Option<Gemm> {
        if !matches!(command.dtype, DType::F16 | DType::F32 | DType::F64 | DType::C64 | DType::C128) {
            return None;
        }
        // The result's columns are side by side, or become so.
        let command = if command.out.row_step == 1 { command.clone() } else { command.clone().transposed() };
        let Product { rows, columns, depth, ref batch, .. } = command;
        let whole = |length: usize| i32::try_from(length).ok();
        // The longest axis of the batch is the library's, the others are walked through.
        let inner = (0..batch.len()).max_by_key(|&axis| batch[axis]);
        let width = command.dtype.size();
        let matrix = |matrices: &Matrices, rows: usize, columns: usize| -> Option<Matrix> {
            let (is_transposed, leading) = leading(matrices, rows, columns)?;
            let next = inner.map_or(0, |axis| matrices.batch_steps[axis] as i64);
            let is_aligned = matrices.address.value().is_multiple_of(width);
            let is_simple = is_aligned && next >= 0 && matrices.batch_steps.iter().all(|&step| step >= 0);
            is_simple.then_some(Matrix { address: matrices.address, is_transposed, leading, next })
        };
        let out = matrix(&command.out, rows, columns).filter(|out| !out.is_transposed)?;
        let outer: SmallVec<[usize; 4]> = (0..batch.len()).filter(|axis| Some(*axis) != inner).collect();
        let calls = outer.iter().map(|&axis| batch[axis]).product::<usize>();
        if calls > MANY_CALLS {
            return None;
        }
        let moved = |call: usize| {
            let mut rest = call;
            let mut moved = [0; 3];
            for &axis in outer.iter().rev() {
                let at = (rest % batch[axis]) as isize;
                rest /= batch[axis];
                for (moved, matrices) in moved.iter_mut().zip([&command.left, &command.right, &command.out]) {
                    *moved += at * matrices.batch_steps[axis] * width as isize;
                }
            }
            moved
        };
        Some(Gemm {
            dtype: command.dtype,
            rows: whole(rows)?,
            columns: whole(columns)?,
            depth: whole(depth)?,
            count: whole(inner.map_or(1, |axis| batch[axis]))?,
            left: matrix(&command.left, rows, depth)?,
            right: matrix(&command.right, depth, columns)?,
            out,
            moves: (0..calls).map(moved).collect(),
        })
    }
}

/// Whether rows stand for columns, and elements from one to the next; `None` where neither are side by side.
fn leading(matrices: &Matrices, rows: usize, columns: usize) -> Option<(bool, i32)> {
    let along = |near: isize, length: usize, far: isize, count: usize| {
        let is_near = near == 1 || length == 1;
        let leading = if count == 1 { length as isize } else { far };
        (is_near && leading >= length as isize).then_some(leading)
    };
    let (row, column) = (matrices.row_step, matrices.column_step);
    let (is_transposed, leading) = match along(row, rows, column, columns) {
        Some(leading) => (false, leading),
        None => (true, along(column, columns, row, rows)?),
    };
    Some((is_transposed, i32::try_from(leading).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrices(row_step: isize, column_step: isize, batch_steps: &[isize]) -> Matrices {
        Matrices { address: Address(4096 as *mut u8), row_step, column_step, batch_steps: batch_steps.into() }
    }

    /// A product of 3 by 5 and 5 by 4 elements.
    fn product(left: Matrices, right: Matrices, out: Matrices, batch: &[usize]) -> Product {
        Product { dtype: DType::F32, batch: batch.into(), rows: 3, columns: 4, depth: 5, left, right, out }
    }

    #[test]
    fn rows_side_by_side_are_transposed() {
        let gemm = Gemm::of(&product(matrices(5, 1, &[]), matrices(4, 1, &[]), matrices(4, 1, &[]), &[])).unwrap();
        assert_eq!((gemm.rows, gemm.columns, gemm.depth, gemm.count), (4, 3, 5, 1));
        assert_eq!((gemm.left.is_transposed, gemm.left.leading), (false, 4));
        assert_eq!((gemm.right.is_transposed, gemm.right.leading), (false, 5));
        assert_eq!((gemm.out.is_transposed, gemm.out.leading), (false, 4));
        let gemm = Gemm::of(&product(matrices(1, 3, &[]), matrices(4, 1, &[]), matrices(1, 9, &[]), &[])).unwrap();
        assert_eq!((gemm.rows, gemm.columns), (3, 4));
        assert_eq!((gemm.left.is_transposed, gemm.left.leading), (false, 3));
        assert_eq!((gemm.right.is_transposed, gemm.right.leading), (true, 4));
        assert_eq!((gemm.out.is_transposed, gemm.out.leading), (false, 9));
    }

    #[test]
    fn what_the_library_does_not_know_is_left() {
        let dense = || (matrices(4, 1, &[]), matrices(4, 1, &[]));
        let of = |left: Matrices| Gemm::of(&product(left, dense().0, dense().1, &[]));
        assert!(of(matrices(5, 1, &[])).is_some());
        for (row, column) in [(10, 2), (-5, 1), (5, -1), (0, 1), (1, 0), (3, 1)] {
            assert!(of(matrices(row, column, &[])).is_none(), "{row} {column}");
        }
        let mut integers = product(matrices(5, 1, &[]), dense().0, dense().1, &[]);
        integers.dtype = DType::I32;
        assert!(Gemm::of(&integers).is_none());
        let mut odd = product(matrices(5, 1, &[]), dense().0, dense().1, &[]);
        odd.left.address = Address(4098 as *mut u8);
        assert!(Gemm::of(&odd).is_none());
    }

    #[test]
    fn batches_of_several_axes_take_several_calls() {
        let command = product(matrices(5, 1, &[15, 0]), matrices(4, 1, &[0, 20]), matrices(4, 1, &[84, 12]), &[2, 7]);
        let gemm = Gemm::of(&command).unwrap();
        assert_eq!((gemm.count, gemm.out.next), (7, 12));
        // Turned round: the second factor comes first.
        assert_eq!((gemm.left.next, gemm.right.next), (20, 0));
        assert_eq!(gemm.moves, [[0; 3], [0, 60, 336]]);
        let many =
            product(matrices(5, 1, &[15, 0]), matrices(4, 1, &[0, 20]), matrices(4, 1, &[12000, 12]), &[1000, 1000]);
        assert!(Gemm::of(&many).is_none());
        let unit: Product = product(matrices(5, 1, &[15]), matrices(4, 1, &[20]), matrices(4, 1, &[12]), &[6]);
        assert_eq!(Gemm::of(&unit).unwrap().moves, [[0; 3]]);
    }
}
