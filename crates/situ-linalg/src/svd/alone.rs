//! Singular values without vectors.

use std::cmp::Ordering;

use faer::MatRef;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::linalg::svd::bidiag::{bidiag_in_place, bidiag_in_place_scratch};
use faer::linalg::{temp_mat_scratch, temp_mat_zeroed};
use faer::mat::AsMatMut;

use crate::bidiagonal::{singular_values, singular_vectors};
use crate::rotations::{Columns, Rotation};
use crate::{Element, Failure, Part, Threads};

pub(super) fn values_needs<T: Element>([rows, columns]: [usize; 2], threads: Threads) -> StackReq {
    let (par, block) = (threads.par(), recommended_block_size::<T>(rows, columns));
    let first = bidiag_in_place_scratch::<T>(rows, columns, par, Default::default());
    let real = StackReq::new::<T::Part>(columns).array(3);
    let copy = temp_mat_scratch::<T>(rows, columns);
    let rotations = StackReq::new::<Rotation<T::Part>>(columns).array(2);
    StackReq::all_of(&[copy, temp_mat_scratch::<T>(block, columns).array(2), real, rotations, first])
}

/// The singular values without vectors, in descending order, of a matrix that stays as it is.
pub(super) fn values_alone<T: Element>(
    matrix: &[T],
    [rows, columns]: [usize; 2],
    values: &mut [T::Part],
    stack: &mut MemStack,
    threads: Threads,
) -> Result<(), Failure> {
    let (par, block) = (threads.par(), recommended_block_size::<T>(rows, columns));
    let (mut reduced, stack) = temp_mat_zeroed::<T, _, _>(rows, columns, stack);
    let (mut left, stack) = temp_mat_zeroed::<T, _, _>(block, columns, stack);
    let (mut right, stack) = temp_mat_zeroed::<T, _, _>(block, columns, stack);
    let (mut reduced, mut left, mut right) = (reduced.as_mat_mut(), left.as_mat_mut(), right.as_mat_mut());
    reduced.copy_from(MatRef::from_column_major_slice(matrix, rows, columns));
    let right = right.as_mut().subcols_mut(0, columns - 1);
    bidiag_in_place(reduced.as_mut(), left.as_mut(), right, par, stack, Default::default());
    let zero = |_| T::Part::default();
    let (mut above, stack) = stack.make_with(columns - 1, zero);
    let (mut next_diagonal, stack) = stack.make_with(columns, zero);
    let (mut next_above, stack) = stack.make_with(columns - 1, zero);
    let reduced = reduced.as_ref();
    take_diagonals(reduced, values, &mut above);
    singular_values(values, &mut above, [&mut next_diagonal, &mut next_above])?;
    // The squares of these are out of range.
    if values.iter().any(|&value| value < T::Part::power_of_two(-T::Part::FAR)) {
        take_diagonals(reduced, values, &mut above);
        let [mut left, mut right] = [(); 2].map(|()| Columns { rows: 0, matrix: &mut [] });
        let no_rotation = |_| [T::Part::default(); 2];
        let (mut left_room, stack) = stack.make_with(columns, no_rotation);
        let (mut right_room, _) = stack.make_with(columns, no_rotation);
        singular_vectors(values, &mut above, [&mut left, &mut right], [&mut left_room, &mut right_room])?;
        values.iter_mut().for_each(|value| *value = value.magnitude_of());
    }
    values.sort_unstable_by(|x, y| y.partial_cmp(x).unwrap_or(Ordering::Equal));
    Ok(())
}

/// The magnitudes of the elements on and above the diagonal.
fn take_diagonals<T: Element>(reduced: MatRef<'_, T>, diagonal: &mut [T::Part], above: &mut [T::Part]) {
    diagonal.iter_mut().enumerate().for_each(|(at, x)| *x = reduced[(at, at)].length());
    above.iter_mut().enumerate().for_each(|(at, x)| *x = reduced[(at, at + 1)].length());
}
