//! Eigenvalues without vectors.

use std::cmp::Ordering;

use faer::MatRef;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::tridiag::{tridiag_in_place, tridiag_in_place_scratch};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::linalg::{temp_mat_scratch, temp_mat_zeroed};
use faer::mat::AsMatMut;

use crate::tridiagonal::eigenvalues;
use crate::{Element, Failure, Threads};

pub(super) fn values_needs<T: Element>(order: usize, threads: Threads) -> StackReq {
    let block = recommended_block_size::<T>(order, order);
    StackReq::all_of(&[
        temp_mat_scratch::<T>(order, order),
        temp_mat_scratch::<T>(block, order),
        StackReq::new::<T::Part>(order),
        tridiag_in_place_scratch::<T>(order, threads.par(), Default::default()),
    ])
}

/// The eigenvalues without vectors, in ascending order, of a matrix that stays as it is.
pub(super) fn values_alone<T: Element>(
    matrix: &[T],
    order: usize,
    values: &mut [T::Part],
    stack: &mut MemStack,
    threads: Threads,
) -> Result<(), Failure> {
    let block = recommended_block_size::<T>(order, order);
    let (mut reduced, stack) = temp_mat_zeroed::<T, _, _>(order, order, stack);
    let (mut reflectors, stack) = temp_mat_zeroed::<T, _, _>(block, order - 1, stack);
    let (mut reduced, mut reflectors) = (reduced.as_mat_mut(), reflectors.as_mat_mut());
    reduced.copy_from(MatRef::from_column_major_slice(matrix, order, order));
    tridiag_in_place(reduced.as_mut(), reflectors.as_mut(), threads.par(), stack, Default::default());
    let (mut beside, _) = stack.make_with(order - 1, |_| T::Part::default());
    for at in 0..order {
        values[at] = reduced[(at, at)].parts()[0];
        if at + 1 < order {
            beside[at] = reduced[(at + 1, at)].length();
        }
    }
    eigenvalues(values, &mut beside)?;
    values.sort_unstable_by(|x, y| x.partial_cmp(y).unwrap_or(Ordering::Equal));
    Ok(())
}
