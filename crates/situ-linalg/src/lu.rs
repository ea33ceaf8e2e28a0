//! Equations, by exchanging rows.
//!
//! The factorisation halves the columns until few are left (Toledo's recursion), so that nearly everything is a product of
//! matrices. A column that has no pivot is left as it is, as LAPACK leaves it: its zero stays on the diagonal, and no NaN
//! comes of it.

use faer::dyn_stack::StackReq;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_unit_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, MatRef, Par};

use crate::columns::subtract;
use crate::scale::Scale;
use crate::vectors::vectorised;
use crate::{Element, Failure, Part, Room, Threads, bytes, stack};

/// Columns that are not halved again.
const FEW_COLUMNS: usize = 16;

/// Rows that fit where right sides are turned round.
const MOST_ROWS: usize = 32;

/// Elements from which on a product is worth a call of the library.
pub(crate) const FEW_ELEMENTS: usize = 1024;

/// Multiplications from which on work is worth being divided, some milliseconds of it. A thread that has gone to sleep, which it
/// does soon, takes long to wake up: with less, two threads were no quicker than one unless they were kept awake.
pub(crate) const WORTH_WAKING: usize = 150_000_000;

/// As many threads as work of so many multiplications is worth.
fn worth(multiplications: usize, par: Par) -> Par {
    if multiplications < WORTH_WAKING { Par::Seq } else { par }
}

/// `P A = L U`: the matrix becomes `U`, with `L` below the diagonal, and `pivots` says for each row in turn which one, counted
/// from 1, it was exchanged with. The position of the first zero on the diagonal of `U`, if there is one.
pub(crate) fn lu<T: Element>(matrix: &mut [T], order: usize, pivots: &mut [i32], threads: Threads) -> Option<usize> {
    factor(MatMut::from_column_major_slice_mut(matrix, order, order), pivots, threads.par());
    (0..order).find(|&at| matrix[at * (order + 1)] == T::default())
}

/// Bytes of room for [`solve`], and without columns for the inverse.
#[allow(clippy::extra_unused_type_parameters, reason = "it is called as the others are")]
pub(crate) fn solve_room<T: Element>([order, columns]: [usize; 2]) -> usize {
    bytes(&[StackReq::new::<i32>(order), StackReq::new::<Scale>(columns)])
}

/// `A X = B`: the matrix `A` is used up, and `right` becomes `X`, of so many columns.
pub(crate) fn solve<T: Element>(
    matrix: &mut [T],
    right: &mut [T],
    [order, columns]: [usize; 2],
    room: Room<'_>,
    threads: Threads,
) -> Result<(), Failure> {
    let scale = Scale::normalise_if_far(matrix);
    let (mut pivots, stack) = stack(room).make_with::<i32>(order, |_| 0);
    if let Some(at) = lu(matrix, order, &mut pivots, threads) {
        return Err(Failure::Singular(at));
    }
    let (scales, _) = stack.make_with(columns, |at| Scale::normalise_if_far(&mut right[at * order..][..order]));
    substitute(matrix, &pivots, right, [order, columns], threads);
    for (column, &own) in right.chunks_exact_mut(order).zip(scales.iter()) {
        own.then(scale.inverse()).restore(column);
    }
    Ok(())
}

/// Solves with the factors.
fn substitute<T: Element>(
    matrix: &[T],
    pivots: &[i32],
    right: &mut [T],
    [order, columns]: [usize; 2],
    threads: Threads,
) {
    if order * (order + columns) <= FEW_ELEMENTS {
        vectorised(
            #[inline(always)]
            || solve_few(SmallLu { factors: matrix, order, pivots }, right, |_| 0),
        );
        return;
    }
    let factors = MatRef::from_column_major_slice(matrix, order, order);
    let right = MatMut::from_column_major_slice_mut(right, order, columns);
    let parts = if order * order * columns < WORTH_WAKING { 1 } else { threads.count().min(columns) };
    substitute_in_parts(factors, pivots, right, parts);
}

/// The same by so many threads, which take some columns each: once divided, they do not wait for each other.
fn substitute_in_parts<T: Element>(factors: MatRef<'_, T>, pivots: &[i32], mut right: MatMut<'_, T>, parts: usize) {
    if parts > 1 {
        let (first, second) = (parts / 2, parts - parts / 2);
        let columns = right.ncols() * first / parts;
        let (left, right) = right.split_at_col_mut(columns);
        rayon_core::join(
            || substitute_in_parts(factors, pivots, left, first),
            || substitute_in_parts(factors, pivots, right, second),
        );
        return;
    }
    exchange(right.as_mut(), pivots);
    solve_unit_lower_triangular_in_place(factors, right.as_mut(), Par::Seq);
    solve_upper_triangular_in_place(factors, right, Par::Seq);
}

/// Right sides that are solved side by side.
const LANES: usize = 8;

/// The factors of a small matrix.
#[derive(Clone, Copy)]
pub(crate) struct SmallLu<'a, T> {
    pub(crate) factors: &'a [T],
    pub(crate) order: usize,
    /// The exchanges of rows that right sides have still to go through.
    pub(crate) pivots: &'a [i32],
}

/// `A X = B`, with the factors of a small matrix. Columns from a position on have zeros before the row that `first` says.
#[inline(always)]
pub(crate) fn solve_few<T: Element>(lu: SmallLu<'_, T>, right: &mut [T], first: impl Fn(usize) -> usize) {
    let order = lu.order;
    let mut room = [[T::default(); LANES]; MOST_ROWS];
    for (n, group) in right.chunks_mut(order * LANES).enumerate() {
        let first = first(n * LANES);
        match room.get_mut(..order) {
            Some(rows) if group.len() > 2 * order => solve_together(lu, group, rows, first),
            _ => group.chunks_exact_mut(order).for_each(|column| solve_column(lu, column, first)),
        }
    }
}

/// `A X = B` for no more columns than there are lanes, which are turned round and back, so that rows are vectors.
#[inline(always)]
fn solve_together<T: Element>(lu: SmallLu<'_, T>, right: &mut [T], rows: &mut [[T; LANES]], first: usize) {
    let SmallLu { factors, order, pivots } = lu;
    for (n, column) in right.chunks_exact(order).enumerate() {
        rows.iter_mut().zip(column).for_each(|(row, &x)| row[n] = x);
    }
    for (at, &pivot) in pivots.iter().enumerate() {
        rows.swap(at, pivot as usize - 1);
    }
    let subtract = |rows: &mut [[T; LANES]], column: &[T], times: [T; LANES]| {
        for (row, &factor) in rows.iter_mut().zip(column) {
            (0..LANES).for_each(|n| row[n] -= times[n] * factor);
        }
    };
    for (at, column) in factors.chunks_exact(order).enumerate().skip(first) {
        let times = rows[at];
        subtract(&mut rows[at + 1..], &column[at + 1..], times);
    }
    for (at, column) in factors.chunks_exact(order).enumerate().rev() {
        rows[at].iter_mut().for_each(|x| *x = x.over(column[at]));
        let times = rows[at];
        subtract(&mut rows[..at], &column[..at], times);
    }
    for (n, column) in right.chunks_exact_mut(order).enumerate() {
        rows.iter().zip(column).for_each(|(row, x)| *x = row[n]);
    }
}

/// `A x = b`, with the factors of a small matrix.
#[inline(always)]
fn solve_column<T: Element>(lu: SmallLu<'_, T>, x: &mut [T], first: usize) {
    let SmallLu { factors, order, pivots } = lu;
    for (at, &pivot) in pivots.iter().enumerate() {
        x.swap(at, pivot as usize - 1);
    }
    for (at, column) in factors.chunks_exact(order).enumerate().skip(first) {
        let (head, tail) = x.split_at_mut(at + 1);
        subtract(tail, &column[at + 1..], head[at]);
    }
    for (at, column) in factors.chunks_exact(order).enumerate().rev() {
        x[at] = x[at].over(column[at]);
        let (head, tail) = x.split_at_mut(at);
        subtract(head, &column[..at], tail[0]);
    }
}

/// Factors a matrix with at least as many rows as columns; the pivots count from 1.
fn factor<T: Element>(matrix: MatMut<'_, T>, pivots: &mut [i32], par: Par) {
    let mut matrix = matrix;
    let (rows, columns) = (matrix.nrows(), matrix.ncols());
    if columns <= FEW_COLUMNS {
        return vectorised(
            #[inline(always)]
            || factor_few(matrix, pivots),
        );
    }
    let half = (columns / 2).next_multiple_of(FEW_COLUMNS);
    factor(matrix.as_mut().subcols_mut(0, half), &mut pivots[..half], par);
    exchange(matrix.as_mut().subcols_mut(half, columns - half), &pivots[..half]);
    let (upper_left, mut upper_right, lower_left, mut lower_right) = matrix.as_mut().split_at_mut(half, half);
    let (minus_one, right) = (-T::one_impl(), columns - half);
    solve_unit_lower_triangular_in_place(
        upper_left.as_ref(),
        upper_right.as_mut(),
        worth(half * half * right / 2, par),
    );
    let par_product = worth((rows - half) * half * right, par);
    matmul(lower_right.as_mut(), Accum::Add, lower_left.as_ref(), upper_right.as_ref(), minus_one, par_product);
    factor(lower_right, &mut pivots[half..], par);
    exchange(lower_left, &pivots[half..]);
    pivots[half..].iter_mut().for_each(|pivot| *pivot += half as i32);
    debug_assert!(pivots.iter().all(|&pivot| pivot as usize <= rows));
}

/// Exchanges rows as the pivots say, one after another.
fn exchange<T: Element>(matrix: MatMut<'_, T>, pivots: &[i32]) {
    for column in matrix.col_iter_mut() {
        let Some(column) = column.try_as_col_major_mut() else { continue };
        let column = column.as_slice_mut();
        for (at, &pivot) in pivots.iter().enumerate() {
            column.swap(at, pivot as usize - 1);
        }
    }
}

/// Factors few columns, one after another.
#[inline(always)]
fn factor_few<T: Element>(matrix: MatMut<'_, T>, pivots: &mut [i32]) {
    let mut matrix = matrix;
    let (rows, columns) = (matrix.nrows(), matrix.ncols());
    for at in 0..columns {
        let pivot = pivot(matrix.as_ref().col(at), at);
        pivots[at] = pivot as i32 + 1;
        if pivot != at {
            for column in 0..columns {
                let (a, b) = (matrix[(at, column)], matrix[(pivot, column)]);
                (matrix[(at, column)], matrix[(pivot, column)]) = (b, a);
            }
        }
        let value = matrix[(at, at)];
        if value == T::default() {
            continue;
        }
        let (_, upper, lower, rest) = matrix.as_mut().split_at_mut(at + 1, at + 1);
        let mut column = lower.col_mut(at);
        divide(column.as_mut(), value);
        if (rows - at) * (columns - at) > FEW_ELEMENTS {
            let row = upper.as_ref().row(at).as_mat();
            matmul(rest, Accum::Add, column.as_ref().as_mat(), row, -T::one_impl(), Par::Seq);
            continue;
        }
        let Some(column) = column.as_ref().try_as_col_major() else { continue };
        for (n, target) in rest.col_iter_mut().enumerate() {
            if let Some(target) = target.try_as_col_major_mut() {
                subtract(target.as_slice_mut(), column.as_slice(), upper[(at, n)]);
            }
        }
    }
}

/// The position, from `at` on, of the element with the greatest magnitude; of the first that is NaN, if one is.
#[inline(always)]
fn pivot<T: Element>(column: faer::ColRef<'_, T>, at: usize) -> usize {
    let size = |x: T| {
        let [re, im] = x.parts();
        re.magnitude_of() + im.magnitude_of()
    };
    let (mut best, mut greatest) = (at, size(column[at]));
    for row in at + 1..column.nrows() {
        let candidate = size(column[row]);
        if candidate > greatest || (candidate.is_nan() && !greatest.is_nan()) {
            (best, greatest) = (row, candidate);
        }
    }
    best
}

/// Divides a column by its pivot.
#[inline(always)]
fn divide<T: Element>(column: faer::ColMut<'_, T>, pivot: T) {
    let Some(column) = column.try_as_col_major_mut() else { return };
    let inverse = T::of(T::Part::from_count(1), T::Part::default()).over(pivot);
    let column = column.as_slice_mut();
    if inverse.magnitude().is_a_number() && inverse != T::default() {
        column.iter_mut().for_each(|x| *x *= inverse);
    } else {
        // The pivot is too small, or too large, to have an inverse.
        column.iter_mut().for_each(|x| *x = x.over(pivot));
    }
}
