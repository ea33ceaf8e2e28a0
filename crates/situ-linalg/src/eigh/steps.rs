//! Eigenvectors of matrices of a few rows, by plain loops around the library's reductions.

use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::tridiag::{tridiag_in_place, tridiag_in_place_scratch};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::linalg::{temp_mat_scratch, temp_mat_zeroed};
use faer::mat::AsMatMut;
use faer::{Conj, MatMut, MatRef};

use super::holds;
use crate::columns::phase;
use crate::order::{arrange, is_ordered};
use crate::rotations::{Columns, ROWS, Rotation};
use crate::tridiagonal::eigenvectors;
use crate::vectors::vectorised;
use crate::{Element, Failure, Threads};

pub(super) fn steps_needs<T: Element>(order: usize, threads: Threads) -> StackReq {
    let (block, rows) = (recommended_block_size::<T>(order, order), order.next_multiple_of(ROWS));
    let reduction = tridiag_in_place_scratch::<T>(order, threads.par(), Default::default());
    let application =
        apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(order.saturating_sub(1), block, order);
    StackReq::all_of(&[
        temp_mat_scratch::<T>(order, order).array(2),
        temp_mat_scratch::<T>(block, order),
        StackReq::new::<T>(order),
        StackReq::new::<T::Part>(order),
        StackReq::new::<T::Part>(rows * order),
        StackReq::new::<Rotation<T::Part>>(order),
        reduction.or(application),
    ])
}

/// Eigenvalues, ascending, and vectors of a matrix of a few rows, which becomes the vectors; it stays as it is if there are none.
pub(super) fn by_steps<T: Element>(
    matrix: &mut [T],
    order: usize,
    values: &mut [T::Part],
    stack: &mut MemStack,
    threads: Threads,
) -> Result<(), Failure> {
    let block = recommended_block_size::<T>(order, order);
    let (mut reduced, stack) = temp_mat_zeroed::<T, _, _>(order, order, stack);
    let (mut reflectors, stack) = temp_mat_zeroed::<T, _, _>(block, order - 1, stack);
    let (mut vectors, stack) = stack.make_with(order * order, |_| T::default());
    let (mut phases, stack) = stack.make_with(order, |_| T::one());
    let (mut reduced, mut reflectors) = (reduced.as_mat_mut(), reflectors.as_mat_mut());
    reduced.copy_from(MatRef::from_column_major_slice(&*matrix, order, order));
    tridiag_in_place(reduced.as_mut(), reflectors.as_mut(), threads.par(), stack, Default::default());
    // What this takes of the room is free again for the reflections.
    {
        let zero = T::Part::default();
        let rows = order.next_multiple_of(ROWS);
        let (mut beside, stack) = stack.make_with(order - 1, |_| zero);
        let (mut room, stack) = stack.make_with(order - 1, |_| [zero; 2]);
        let (mut turned, _) = stack.make_with(rows * order, |_| zero);
        for at in 0..order {
            values[at] = reduced[(at, at)].parts()[0];
            if at + 1 < order {
                let (next, size) = phase(reduced[(at + 1, at)]);
                (beside[at], phases[at + 1]) = (size, next * phases[at]);
            }
        }
        let mut columns = Columns { rows, matrix: &mut turned };
        columns.become_identity();
        vectorised(
            #[inline(always)]
            || eigenvectors(values, &mut beside, &mut columns, &mut room),
        )?;
        for (to, from) in vectors.chunks_exact_mut(order).zip(turned.chunks_exact(rows)) {
            to.iter_mut().zip(from).zip(phases.iter()).for_each(|((to, &x), &phase)| *to = phase.times(x));
        }
    }
    if order > 1 {
        let target = MatMut::from_column_major_slice_mut(&mut vectors[..], order, order).subrows_mut(1, order - 1);
        apply_block_householder_sequence_on_the_left_in_place_with_conj(
            reduced.as_ref().submatrix(1, 0, order - 1, order - 1),
            reflectors.as_ref(),
            Conj::No,
            target,
            threads.par(),
            stack,
        );
    }
    if !holds(matrix, order, values) {
        return Err(Failure::NotConverged);
    }
    if !is_ordered(values, |x, y| x < y) {
        arrange(values, &mut [(order, &mut vectors[..])], |x, y| x < y);
    }
    matrix.copy_from_slice(&vectors);
    Ok(())
}
