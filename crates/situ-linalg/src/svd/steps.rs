//! Singular vectors of matrices of a few columns, by plain loops around the library's reductions.

use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::linalg::svd::bidiag::{bidiag_in_place, bidiag_in_place_scratch};
use faer::linalg::{temp_mat_scratch, temp_mat_zeroed};
use faer::mat::AsMatMut;
use faer::{Conj, MatMut, MatRef};

use super::SingularVectors;
use crate::bidiagonal::singular_vectors;
use crate::columns::phase;
use crate::order::{arrange, is_ordered};
use crate::rotations::{Columns, ROWS, Rotation};
use crate::vectors::vectorised;
use crate::{Element, Failure, Threads};

pub(super) fn steps_needs<T: Element>([rows, columns]: [usize; 2], left_columns: usize, threads: Threads) -> StackReq {
    let (par, block) = (threads.par(), recommended_block_size::<T>(rows, columns));
    let padded = columns.next_multiple_of(ROWS);
    let work = StackReq::any_of(&[
        bidiag_in_place_scratch::<T>(rows, columns, par, Default::default()),
        apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(rows, block, left_columns),
        apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(columns, block, columns),
    ]);
    StackReq::all_of(&[
        temp_mat_scratch::<T>(rows, columns),
        temp_mat_scratch::<T>(block, columns).array(2),
        StackReq::new::<T>(columns * columns),
        StackReq::new::<T>(columns).array(2),
        StackReq::new::<T::Part>(columns),
        StackReq::new::<T::Part>(padded * columns).array(2),
        StackReq::new::<Rotation<T::Part>>(columns).array(2),
        work,
    ])
}

/// Singular values, descending, and vectors of a matrix of a few columns, which stays as it is.
pub(super) fn by_steps<T: Element>(
    matrix: &[T],
    [rows, columns]: [usize; 2],
    values: &mut [T::Part],
    vectors: &mut SingularVectors<'_, T>,
    stack: &mut MemStack,
    threads: Threads,
) -> Result<(), Failure> {
    let (par, block) = (threads.par(), recommended_block_size::<T>(rows, columns));
    let (mut reduced, stack) = temp_mat_zeroed::<T, _, _>(rows, columns, stack);
    let (mut left_factors, stack) = temp_mat_zeroed::<T, _, _>(block, columns, stack);
    let (mut right_factors, stack) = temp_mat_zeroed::<T, _, _>(block, columns - 1, stack);
    let (mut v, stack) = stack.make_with(columns * columns, |_| T::default());
    let (mut reduced, mut left_factors) = (reduced.as_mat_mut(), left_factors.as_mat_mut());
    let mut right_factors = right_factors.as_mat_mut();
    reduced.copy_from(MatRef::from_column_major_slice(matrix, rows, columns));
    bidiag_in_place(reduced.as_mut(), left_factors.as_mut(), right_factors.as_mut(), par, stack, Default::default());
    let left_columns = vectors.left_columns;
    turned(reduced.as_ref(), values, [vectors.left, &mut v], [rows, columns], stack)?;
    // Columns of `U` beyond those of the matrix.
    (columns..left_columns).for_each(|at| vectors.left[at * (rows + 1)] = T::one());
    let apply = apply_block_householder_sequence_on_the_left_in_place_with_conj;
    let left = MatMut::from_column_major_slice_mut(&mut *vectors.left, rows, left_columns);
    apply(reduced.as_ref(), left_factors.as_ref(), Conj::No, left, par, stack);
    if columns > 1 {
        // Reflections of the right side are rows, and have to be columns.
        for at in 0..columns {
            (0..at).for_each(|row| reduced[(at, row)] = reduced[(row, at)]);
        }
        let reflectors = reduced.as_ref().submatrix(1, 0, columns - 1, columns - 1);
        let right = MatMut::from_column_major_slice_mut(&mut v[..], columns, columns).subrows_mut(1, columns - 1);
        apply(reflectors, right_factors.as_ref(), Conj::Yes, right, par, stack);
    }
    for (value, column) in values.iter_mut().zip(v.chunks_exact_mut(columns)) {
        if *value < T::Part::default() {
            *value = -*value;
            column.iter_mut().for_each(|x| *x = -*x);
        }
    }
    if !is_ordered(values, |x, y| x > y) {
        arrange(values, &mut [(rows, &mut *vectors.left), (columns, &mut v)], |x, y| x > y);
    }
    for (n, column) in vectors.right.chunks_exact_mut(columns).enumerate() {
        column.iter_mut().zip(v[n..].iter().step_by(columns)).for_each(|(x, y)| *x = y.conjugate());
    }
    Ok(())
}

/// The singular values of a matrix with two diagonals, with any signs, and its vectors on either side, with zeros below those on the left.
fn turned<T: Element>(
    reduced: MatRef<'_, T>,
    values: &mut [T::Part],
    [left, right]: [&mut [T]; 2],
    [rows, columns]: [usize; 2],
    stack: &mut MemStack,
) -> Result<(), Failure> {
    let zero = T::Part::default();
    let padded = columns.next_multiple_of(ROWS);
    let (mut left_phases, stack) = stack.make_with(columns, |_| T::one());
    let (mut right_phases, stack) = stack.make_with(columns, |_| T::one());
    let (mut above, stack) = stack.make_with(columns - 1, |_| zero);
    let (mut left_room, stack) = stack.make_with(columns - 1, |_| [zero; 2]);
    let (mut right_room, stack) = stack.make_with(columns - 1, |_| [zero; 2]);
    let (mut left_turned, stack) = stack.make_with(padded * columns, |_| zero);
    let (mut right_turned, _) = stack.make_with(padded * columns, |_| zero);
    // A row's phase and a column's make each element real: its own is the product of one and the other's conjugate.
    for at in 0..columns {
        if at > 0 {
            let (own, size) = phase(reduced[(at - 1, at)]);
            (above[at - 1], right_phases[at]) = (size, own.conjugate() * left_phases[at - 1]);
            let (own, size) = phase(reduced[(at, at)]);
            (values[at], left_phases[at]) = (size, own * right_phases[at]);
        } else {
            let (own, size) = phase(reduced[(0, 0)]);
            (values[0], right_phases[0]) = (size, own.conjugate());
        }
    }
    let mut sides =
        [&mut left_turned, &mut right_turned].map(|matrix| Columns { rows: padded, matrix: &mut matrix[..] });
    sides.iter_mut().for_each(Columns::become_identity);
    let [left_side, right_side] = &mut sides;
    vectorised(
        #[inline(always)]
        || singular_vectors(values, &mut above, [left_side, right_side], [&mut left_room, &mut right_room]),
    )?;
    left.fill(T::default());
    for (phases, turned, (vectors, rows)) in
        [(&left_phases, &left_turned, (left, rows)), (&right_phases, &right_turned, (right, columns))]
    {
        for (to, from) in vectors.chunks_exact_mut(rows).zip(turned.chunks_exact(padded)) {
            to.iter_mut().zip(from).zip(phases.iter()).for_each(|((to, &x), &phase)| *to = phase.times(x));
        }
    }
    Ok(())
}
