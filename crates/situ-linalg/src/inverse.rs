//! Inverses: equations whose right sides are the columns of an identity matrix, most of which is zeros.

use faer::linalg::triangular_solve::{solve_unit_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{MatMut, MatRef, Par};

use crate::lu::{FEW_ELEMENTS, SmallLu, WORTH_WAKING, lu, solve_few};
use crate::scale::Scale;
use crate::vectors::vectorised;
use crate::{Element, Failure, Room, Threads, stack};

/// Columns of an identity matrix whose zeros above the diagonal are passed over together.
const COLUMNS_PER_BLOCK: usize = 64;

/// `A X = 1`: the matrix `A` is used up, and `inverse` becomes `X`.
pub(crate) fn invert<T: Element>(
    matrix: &mut [T],
    inverse: &mut [T],
    order: usize,
    room: Room<'_>,
    threads: Threads,
) -> Result<(), Failure> {
    let scale = Scale::normalise_if_far(matrix);
    let (mut pivots, _) = stack(room).make_with::<i32>(order, |_| 0);
    if let Some(at) = lu(matrix, order, &mut pivots, threads) {
        return Err(Failure::Singular(at));
    }
    inverse.fill(T::default());
    inverse.iter_mut().step_by(order + 1).for_each(|x| *x = T::one());
    // The inverse is U^-1 L^-1 P. Without P, zeros above the diagonal stay zeros until U comes.
    if 2 * order * order <= FEW_ELEMENTS {
        vectorised(
            #[inline(always)]
            || solve_few(SmallLu { factors: matrix, order, pivots: &[] }, inverse, |column| column),
        );
    } else {
        let factors = MatRef::from_column_major_slice(&*matrix, order, order);
        let right = MatMut::from_column_major_slice_mut(inverse, order, order);
        let parts = if order * order * order < WORTH_WAKING { 1 } else { threads.count().min(order) };
        substitute_identity(factors, right, 0, parts);
    }
    for (at, &pivot) in pivots.iter().enumerate().rev() {
        let pivot = pivot as usize - 1;
        if pivot != at {
            let (head, tail) = inverse.split_at_mut(pivot * order);
            head[at * order..][..order].swap_with_slice(&mut tail[..order]);
        }
    }
    scale.inverse().restore(inverse);
    Ok(())
}

/// Solves with the factors for columns of an identity matrix, from the `first` one on. So many threads take some columns each.
fn substitute_identity<T: Element>(factors: MatRef<'_, T>, right: MatMut<'_, T>, first: usize, parts: usize) {
    let (mut right, order) = (right, factors.nrows());
    let columns = right.ncols();
    if parts > 1 {
        let (few, others) = (parts / 2, parts - parts / 2);
        // What comes after the diagonal is worked on, and then all.
        let cost = |column: usize| (order - first - column).pow(2) + order.pow(2);
        let wanted = (0..columns).map(cost).sum::<usize>() / parts * few;
        let mut sum = 0;
        let middle = (0..columns)
            .take_while(|&column| {
                sum += cost(column);
                sum <= wanted
            })
            .count();
        let (left, right) = right.split_at_col_mut(middle);
        rayon_core::join(
            || substitute_identity(factors, left, first, few),
            || substitute_identity(factors, right, first + middle, others),
        );
        return;
    }
    for column in (0..columns).step_by(COLUMNS_PER_BLOCK) {
        let (at, width) = (first + column, COLUMNS_PER_BLOCK.min(columns - column));
        let below = order - at;
        let part = right.as_mut().submatrix_mut(at, column, below, width);
        solve_unit_lower_triangular_in_place(factors.submatrix(at, at, below, below), part, Par::Seq);
    }
    solve_upper_triangular_in_place(factors, right, Par::Seq);
}
