//! The QR factorisation by blocks of reflections, in the library's form for them: `1 - v v^H / t`, where `v` begins with a 1 that is
//! not kept, and for several at once `1 - V T^-1 V^H`, where `T` has each `t` on its diagonal and `V^H V` above.
//!
//! The library's own factorisation passes over columns that are nearly sums of those before, by a measure that grows with the number
//! of rows: of 100,000 rows in single precision, it left out a tenth of a column. This one reflects them all.

use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::householder::{
    apply_block_householder_transpose_on_the_left_in_place_scratch,
    apply_block_householder_transpose_on_the_left_in_place_with_conj, make_householder_in_place,
};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, ColMut, Conj, MatMut, Par};

use crate::Element;
use crate::columns::{inner, subtract};
use crate::vectors::vectorised;

/// Columns that are reflected one after another.
const FEW_COLUMNS: usize = 8;

/// What [`factor`] needs for a matrix with so many columns, in blocks of so many.
pub(crate) fn factor_needs<T: Element>([rows, columns]: [usize; 2], block: usize) -> StackReq {
    apply_block_householder_transpose_on_the_left_in_place_scratch::<T>(rows, block, columns)
}

/// `A = Q R`: the matrix becomes `R`, with the reflections that `Q` is made of below its diagonal. `T` of each block of columns follows
/// that of the one before in `factors`, which has as many rows as a block has columns.
pub(crate) fn factor<T: Element>(matrix: MatMut<'_, T>, factors: MatMut<'_, T>, par: Par, stack: &mut MemStack) {
    let (mut matrix, mut factors) = (matrix, factors);
    let ([rows, columns], [block, steps]) = ([matrix.nrows(), matrix.ncols()], [factors.nrows(), factors.ncols()]);
    for at in (0..steps).step_by(block) {
        let width = block.min(steps - at);
        let rest = matrix.as_mut().submatrix_mut(at, at, rows - at, columns - at);
        panel(rest, factors.as_mut().submatrix_mut(0, at, width, width), par, stack);
    }
}

/// Makes the reflections of as many columns as there are factors, and applies them to the others.
fn panel<T: Element>(matrix: MatMut<'_, T>, factors: MatMut<'_, T>, par: Par, stack: &mut MemStack) {
    let (mut own, others) = matrix.split_at_col_mut(factors.ncols());
    let mut factors = factors;
    if factors.ncols() <= FEW_COLUMNS {
        vectorised(
            #[inline(always)]
            || few(own.as_mut(), factors.as_mut()),
        );
        let (top, rest) = own.as_ref().split_at_row(factors.ncols());
        let (upper, lower) = (BlockStructure::UnitTriangularUpper, BlockStructure::UnitTriangularLower);
        // The diagonal stays.
        matmul(factors.as_mut(), upper, Accum::Replace, top.adjoint(), upper, top, lower, T::one(), par);
        let whole = BlockStructure::Rectangular;
        matmul(factors.as_mut(), upper, Accum::Add, rest.adjoint(), whole, rest, whole, T::one(), par);
    } else {
        let half = (factors.ncols() / 2).next_multiple_of(FEW_COLUMNS);
        let (first, mut both, _, second) = factors.as_mut().split_at_mut(half, half);
        panel(own.as_mut(), first, par, stack);
        let rows = own.nrows() - half;
        panel(own.as_mut().subrows_mut(half, rows).split_at_col_mut(half).1, second, par, stack);
        let (left, right) = own.as_ref().subrows(half, rows).split_at_col(half);
        let width = right.ncols();
        let (left_top, left_rest) = left.split_at_row(width);
        let (right_top, right_rest) = right.split_at_row(width);
        let (whole, below) = (BlockStructure::Rectangular, BlockStructure::UnitTriangularLower);
        let one = T::one();
        matmul(both.as_mut(), whole, Accum::Replace, left_top.adjoint(), whole, right_top, below, one, par);
        matmul(both, whole, Accum::Add, left_rest.adjoint(), whole, right_rest, whole, one, par);
    }
    if others.ncols() > 0 {
        let (own, factors) = (own.as_ref(), factors.as_ref());
        apply_block_householder_transpose_on_the_left_in_place_with_conj(own, factors, Conj::Yes, others, par, stack);
    }
}

/// The reflections of a few columns, one after another.
#[inline(always)]
fn few<T: Element>(matrix: MatMut<'_, T>, factors: MatMut<'_, T>) {
    let (mut matrix, mut factors) = (matrix, factors);
    let rows = matrix.nrows();
    for at in 0..factors.ncols() {
        let (done, rest) = matrix.as_mut().subrows_mut(at, rows - at).split_at_col_mut(at + 1);
        let Some((head, tail)) = head_and_tail(done.col_mut(at)) else { return };
        let made = make_householder_in_place(head, ColMut::from_slice_mut(&mut *tail));
        let factor = T::of(made.tau, T::Part::default());
        factors[(at, at)] = factor;
        let inverse = T::one().over(factor);
        for (head, other) in rest.col_iter_mut().filter_map(head_and_tail) {
            let by = (*head + inner(tail, other)) * inverse;
            *head -= by;
            subtract(other, tail, by);
        }
    }
}

/// The first element of a column, and the others.
#[inline(always)]
fn head_and_tail<T>(column: ColMut<'_, T>) -> Option<(&mut T, &mut [T])> {
    column.try_as_col_major_mut()?.as_slice_mut().split_first_mut()
}
