//! The QR factorisation.

use faer::dyn_stack::StackReq;
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::linalg::temp_mat_scratch;
use faer::{Conj, MatMut};

use crate::householder::{factor, factor_needs};
use crate::reflector::{make_reflector, reflect};
use crate::scale::Scale;
use crate::vectors::vectorised;
use crate::{Element, Room, Threads, bytes, stack};

/// Columns up to which, and elements up to which, plain loops are the quickest.
const FEW_COLUMNS: usize = 32;
const FEW_ELEMENTS: usize = 2048;

fn is_small([rows, columns]: [usize; 2]) -> bool {
    rows.min(columns) <= FEW_COLUMNS && rows * columns <= FEW_ELEMENTS
}

/// Bytes of room for [`qr`].
pub(crate) fn qr_room<T: Element>([rows, columns]: [usize; 2], q_columns: usize, _threads: Threads) -> usize {
    if is_small([rows, columns]) {
        return bytes(&[StackReq::new::<T>(rows.min(columns))]);
    }
    let block = recommended_block_size::<T>(rows, columns);
    let apply = apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(rows, block, q_columns);
    let factor = factor_needs::<T>([rows, columns], block);
    bytes(&[temp_mat_scratch::<T>(block, rows.min(columns)), StackReq::any_of(&[apply, factor])])
}

/// `A = Q R`: the matrix becomes `R` on and above its diagonal, and `q`, where it is wanted, becomes so many columns of `Q`.
pub(crate) fn qr<T: Element>(
    matrix: &mut [T],
    [rows, columns]: [usize; 2],
    q: Option<(usize, &mut [T])>,
    room: Room<'_>,
    threads: Threads,
) {
    let scale = Scale::normalise(matrix);
    if is_small([rows, columns]) {
        vectorised(
            #[inline(always)]
            || small(matrix, rows, q, room),
        );
    } else {
        large(matrix, [rows, columns], q, room, threads);
    }
    if let Some(scale) = scale {
        scale.restore(matrix);
    }
}

/// By a reflection for each column, one after another.
#[inline(always)]
fn small<T: Element>(matrix: &mut [T], rows: usize, q: Option<(usize, &mut [T])>, room: Room<'_>) {
    let steps = rows.min(matrix.len() / rows);
    let (mut factors, _) = stack(room).make_with(steps, |_| T::default());
    for (at, factor) in factors.iter_mut().enumerate() {
        let (done, rest) = matrix.split_at_mut((at + 1) * rows);
        let column = &mut done[at * rows + at..];
        *factor = make_reflector(column);
        let factor = factor.conjugate();
        rest.chunks_exact_mut(rows).for_each(|other| reflect(&column[1..], factor, &mut other[at..]));
    }
    let Some((_, q)) = q else { return };
    q.fill(T::default());
    q.iter_mut().step_by(rows + 1).for_each(|x| *x = T::one());
    for at in (0..steps).rev() {
        let reflector = &matrix[at * rows + at + 1..(at + 1) * rows];
        // Columns before this one have nothing in these rows yet.
        q.chunks_exact_mut(rows).skip(at).for_each(|column| reflect(reflector, factors[at], &mut column[at..]));
    }
}

/// By blocks of reflections, as products of matrices.
fn large<T: Element>(
    matrix: &mut [T],
    [rows, columns]: [usize; 2],
    q: Option<(usize, &mut [T])>,
    room: Room<'_>,
    threads: Threads,
) {
    let par = threads.par();
    let block = recommended_block_size::<T>(rows, columns);
    let (mut coefficients, stack) = stack(room).make_with(block * rows.min(columns), |_| T::default());
    let mut coefficients = MatMut::from_column_major_slice_mut(&mut coefficients[..], block, rows.min(columns));
    let mut reduced = MatMut::from_column_major_slice_mut(&mut *matrix, rows, columns);
    factor(reduced.as_mut(), coefficients.as_mut(), par, stack);
    if let Some((q_columns, q)) = q {
        let mut q = MatMut::from_column_major_slice_mut(q, rows, q_columns);
        q.fill(T::default());
        q.as_mut().diagonal_mut().fill(T::one_impl());
        let reflectors = reduced.as_ref().subcols(0, rows.min(columns));
        apply_block_householder_sequence_on_the_left_in_place_with_conj(
            reflectors,
            coefficients.as_ref(),
            Conj::No,
            q,
            par,
            stack,
        );
    }
}
