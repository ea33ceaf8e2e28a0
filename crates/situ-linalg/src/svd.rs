//! Singular values and vectors.

use std::cmp::Ordering;

use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch, recommended_block_size};
use faer::linalg::svd::bidiag::{bidiag_in_place, bidiag_in_place_scratch};
use faer::linalg::svd::{self as library, ComputeSvdVectors, SvdParams};
use faer::linalg::{temp_mat_scratch, temp_mat_zeroed};
use faer::mat::AsMatMut;
use faer::{Auto, Conj, MatMut, MatRef, Spec};

use crate::bidiagonal::{singular_values, singular_vectors};
use crate::columns::phase;
use crate::order::{is_ordered, order};
use crate::probe;
use crate::rotations::{Columns, ROWS, Rotation};
use crate::scale::Scale;
use crate::vectors::vectorised;
use crate::{Element, Failure, Number, Part, Room, Threads, bytes, stack};

/// Where singular vectors go.
#[derive(Debug)]
pub struct SingularVectors<'a, T> {
    /// Columns of `U`: as many as the matrix has columns, or as it has rows.
    pub left_columns: usize,
    /// `U`.
    pub left: &'a mut [T],
    /// `V^H`.
    pub right: &'a mut [T],
}

/// Columns below which matrices are not divided: the library's own limit. Lower ones are quicker, but then singular matrices in single
/// precision come out wrong.
const INDIVISIBLE: usize = 128;

fn how<T: Element>(indivisible: usize) -> Spec<SvdParams, T> {
    SvdParams { recursion_threshold: indivisible, ..Auto::<T>::auto() }.into()
}

/// Bytes of room for [`svd`] with so many columns of `U`, if it is wanted.
pub(crate) fn svd_room<T: Element>(
    [rows, columns]: [usize; 2],
    left_columns: Option<usize>,
    threads: Threads,
) -> usize {
    let [left, right] = match left_columns {
        None => [ComputeSvdVectors::No; 2],
        Some(left) if left > columns => [ComputeSvdVectors::Full, ComputeSvdVectors::Thin],
        Some(_) => [ComputeSvdVectors::Thin; 2],
    };
    let needs = library::svd_scratch::<T>(rows, columns, left, right, threads.par(), how(INDIVISIBLE));
    let transposed = left_columns.map_or(0, |_| columns * columns);
    let probe = probe::needs::<T>(rows);
    let whole = StackReq::all_of(&[needs.or(probe), StackReq::new::<T>(columns), StackReq::new::<T>(transposed)]);
    match left_columns {
        None => bytes(&[whole.or(values_needs::<T>([rows, columns], threads))]),
        Some(left_columns) if columns < INDIVISIBLE => {
            bytes(&[whole.or(steps_needs::<T>([rows, columns], left_columns, threads))])
        }
        Some(_) => bytes(&[whole]),
    }
}

/// `A = U S V^H` of a matrix with at least as many rows as columns, which is used up. The singular values descend.
pub(crate) fn svd<T: Element>(
    matrix: &mut [T],
    [rows, columns]: [usize; 2],
    values: &mut [T::Part],
    vectors: Option<SingularVectors<'_, T>>,
    room: Room<'_>,
    threads: Threads,
) -> Result<(), Failure> {
    let scale = Scale::normalise(matrix).ok_or(Failure::NotConverged)?;
    let room = stack(room);
    if vectors.is_none()
        && values_alone(matrix, [rows, columns], values, room, threads).is_ok()
        && check(matrix, values).is_ok()
    {
        scale.restore(values);
        return Ok(());
    }
    let mut vectors = vectors;
    if let Some(vectors) = vectors.as_mut().filter(|_| columns < INDIVISIBLE)
        && by_steps(matrix, [rows, columns], values, vectors, room, threads).is_ok()
        && check(matrix, values).is_ok()
    {
        scale.restore(values);
        return Ok(());
    }
    let (mut diagonal, stack) = room.make_with(columns, |_| T::default());
    let whole = MatRef::from_column_major_slice(&*matrix, rows, columns);
    let par = threads.par();
    match vectors {
        None => {
            library::svd(whole, DiagMut::from_slice_mut(&mut diagonal[..]), None, None, par, stack, how(usize::MAX))
                .map_err(|_| Failure::NotConverged)?;
            take_values(&diagonal, values, None);
            if !is_ordered(values, |x, y| x > y) {
                order::<T>(values, &mut [], |x, y| x > y);
            }
        }
        Some(SingularVectors { left_columns, left, right }) => {
            let (mut v, stack) = stack.make_with(columns * columns, |_| T::default());
            // Divide and conquer may come to an answer that does not hold. Iterations without it take longer.
            let is_found = [INDIVISIBLE, usize::MAX].into_iter().any(|indivisible| {
                // The library takes for granted that what it does not write is zero.
                left.fill(T::default());
                let u = MatMut::from_column_major_slice_mut(&mut *left, rows, left_columns);
                let v_columns = MatMut::from_column_major_slice_mut(&mut v[..], columns, columns);
                let room = DiagMut::from_slice_mut(&mut diagonal[..]);
                let done = library::svd(whole, room, Some(u), Some(v_columns), par, stack, how(indivisible));
                take_values(&diagonal, values, Some(&mut v));
                done.is_ok() && (columns < INDIVISIBLE || holds(matrix, rows, values, left, &v, stack))
            });
            if !is_found {
                return Err(Failure::NotConverged);
            }
            if !is_ordered(values, |x, y| x > y) {
                order(values, &mut [(rows, left), (columns, &mut v)], |x, y| x > y);
            }
            for (n, column) in right.chunks_exact_mut(columns).enumerate() {
                column.iter_mut().zip(v[n..].iter().step_by(columns)).for_each(|(x, y)| *x = y.conjugate());
            }
        }
    }
    check(matrix, values)?;
    scale.restore(values);
    Ok(())
}

/// From so many times as many rows as columns on, a QR factorisation comes first.
const TALL: f64 = 11.0 / 6.0;

fn values_needs<T: Element>([rows, columns]: [usize; 2], threads: Threads) -> StackReq {
    let (par, block) = (threads.par(), recommended_block_size::<T>(rows, columns));
    let first = StackReq::any_of(&[
        qr_in_place_scratch::<T>(rows, columns, block, par, Default::default()),
        bidiag_in_place_scratch::<T>(rows, columns, par, Default::default()),
    ]);
    let real = StackReq::new::<T::Part>(columns).array(3);
    let copy = temp_mat_scratch::<T>(rows, columns);
    StackReq::all_of(&[copy, temp_mat_scratch::<T>(block, columns).array(2), real, first])
}

/// The singular values without vectors, in descending order, of a matrix that stays as it is.
fn values_alone<T: Element>(
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
    if rows as f64 > columns as f64 * TALL {
        qr_in_place(reduced.as_mut(), left.as_mut(), par, stack, Default::default());
        reduced = reduced.subrows_mut(0, columns);
        (0..columns)
            .for_each(|at| reduced.as_mut().col_mut(at).subrows_mut(at + 1, columns - at - 1).fill(T::zero_impl()));
    }
    let right = right.as_mut().subcols_mut(0, columns - 1);
    bidiag_in_place(reduced.as_mut(), left.as_mut(), right, par, stack, Default::default());
    let zero = |_| T::Part::default();
    let (mut above, stack) = stack.make_with(columns - 1, zero);
    let (mut next_diagonal, stack) = stack.make_with(columns, zero);
    let (mut next_above, _) = stack.make_with(columns - 1, zero);
    for at in 0..columns {
        values[at] = reduced[(at, at)].length();
        if at + 1 < columns {
            above[at] = reduced[(at, at + 1)].length();
        }
    }
    singular_values(values, &mut above, [&mut next_diagonal, &mut next_above])?;
    values.sort_unstable_by(|x, y| y.partial_cmp(x).unwrap_or(Ordering::Equal));
    Ok(())
}

fn steps_needs<T: Element>([rows, columns]: [usize; 2], left_columns: usize, threads: Threads) -> StackReq {
    let (par, block) = (threads.par(), recommended_block_size::<T>(rows, columns));
    let padded = columns.next_multiple_of(ROWS);
    let work = StackReq::any_of(&[
        qr_in_place_scratch::<T>(rows, columns, block, par, Default::default()),
        bidiag_in_place_scratch::<T>(rows, columns, par, Default::default()),
        apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(rows, block, left_columns),
        apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(columns, block, columns),
    ]);
    StackReq::all_of(&[
        temp_mat_scratch::<T>(rows, columns).array(2),
        temp_mat_scratch::<T>(block, columns).array(3),
        StackReq::new::<T>(columns * columns),
        StackReq::new::<T>(columns).array(2),
        StackReq::new::<T::Part>(columns),
        StackReq::new::<T::Part>(padded * columns).array(2),
        StackReq::new::<Rotation<T::Part>>(columns).array(2),
        work,
    ])
}

/// Singular values, descending, and vectors of a matrix of a few columns, which stays as it is.
fn by_steps<T: Element>(
    matrix: &[T],
    [rows, columns]: [usize; 2],
    values: &mut [T::Part],
    vectors: &mut SingularVectors<'_, T>,
    stack: &mut MemStack,
    threads: Threads,
) -> Result<(), Failure> {
    let (par, block) = (threads.par(), recommended_block_size::<T>(rows, columns));
    let (mut whole, stack) = temp_mat_zeroed::<T, _, _>(rows, columns, stack);
    let (mut triangle, stack) = temp_mat_zeroed::<T, _, _>(rows, columns, stack);
    let (mut factors, stack) = temp_mat_zeroed::<T, _, _>(block, columns, stack);
    let (mut left_factors, stack) = temp_mat_zeroed::<T, _, _>(block, columns, stack);
    let (mut right_factors, stack) = temp_mat_zeroed::<T, _, _>(block, columns - 1, stack);
    let (mut v, stack) = stack.make_with(columns * columns, |_| T::default());
    let (mut whole, mut triangle, mut factors) = (whole.as_mat_mut(), triangle.as_mat_mut(), factors.as_mat_mut());
    let (mut left_factors, mut right_factors) = (left_factors.as_mat_mut(), right_factors.as_mat_mut());
    whole.copy_from(MatRef::from_column_major_slice(matrix, rows, columns));
    let is_tall = rows as f64 > columns as f64 * TALL;
    let mut reduced = if is_tall {
        qr_in_place(whole.as_mut(), factors.as_mut(), par, stack, Default::default());
        let mut triangle = triangle.as_mut().subrows_mut(0, columns);
        triangle.copy_from_triangular_upper(whole.as_ref().subrows(0, columns));
        triangle
    } else {
        triangle.copy_from(whole.as_ref());
        triangle.as_mut()
    };
    bidiag_in_place(reduced.as_mut(), left_factors.as_mut(), right_factors.as_mut(), par, stack, Default::default());
    let left_columns = vectors.left_columns;
    turned(reduced.as_ref(), values, [vectors.left, &mut v], [rows, columns], stack)?;
    // Columns of `U` beyond those of the matrix.
    (columns..left_columns).for_each(|at| vectors.left[at * (rows + 1)] = T::one());
    let apply = apply_block_householder_sequence_on_the_left_in_place_with_conj;
    let mut left = MatMut::from_column_major_slice_mut(&mut *vectors.left, rows, left_columns);
    let own_rows = reduced.nrows();
    apply(reduced.as_ref(), left_factors.as_ref(), Conj::No, left.as_mut().subrows_mut(0, own_rows), par, stack);
    if is_tall {
        apply(whole.as_ref(), factors.as_ref(), Conj::No, left, par, stack);
    }
    if columns > 1 {
        // Reflections of the right side are columns of the transpose.
        let right = MatMut::from_column_major_slice_mut(&mut v[..], columns, columns).subrows_mut(1, columns - 1);
        let mut reflectors = whole.subrows_mut(0, columns);
        reflectors.copy_from(reduced.as_ref().subrows(0, columns).transpose());
        let reflectors = reflectors.as_ref().submatrix(1, 0, columns - 1, columns - 1);
        apply(reflectors, right_factors.as_ref(), Conj::Yes, right, par, stack);
    }
    for (value, column) in values.iter_mut().zip(v.chunks_exact_mut(columns)) {
        if *value < T::Part::default() {
            *value = -*value;
            column.iter_mut().for_each(|x| *x = -*x);
        }
    }
    if !is_ordered(values, |x, y| x > y) {
        order(values, &mut [(rows, &mut *vectors.left), (columns, &mut v)], |x, y| x > y);
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

/// The singular values, none of them negative: a sign goes over to the vector.
fn take_values<T: Element>(diagonal: &[T], values: &mut [T::Part], mut v: Option<&mut [T]>) {
    for (n, (value, found)) in values.iter_mut().zip(diagonal.iter()).enumerate() {
        let [found, _] = found.parts();
        *value = found.magnitude_of();
        if found < T::Part::default() {
            let columns = diagonal.len();
            let column = v.as_deref_mut().map_or(&mut [][..], |v| &mut v[n * columns..][..columns]);
            column.iter_mut().for_each(|x| *x = -*x);
        }
    }
}

/// Whether a vector becomes the same by the factors as by the matrix, and their columns are orthonormal.
fn holds<T: Element>(matrix: &[T], rows: usize, values: &[T::Part], left: &[T], v: &[T], stack: &mut MemStack) -> bool {
    let columns = values.len();
    probe::room(
        rows,
        stack,
        #[inline(always)]
        |[x, y, z]: [&mut [T]; 3]| {
            if !probe::are_orthonormal(left, rows, [x, y, z]) || !probe::are_orthonormal(v, columns, [x, y, z]) {
                return false;
            }
            // The vector is still there.
            let (x, moved) = (&mut x[..columns], &mut y[..columns]);
            probe::apply_adjoint(v, x, moved);
            moved.iter_mut().zip(values).for_each(|(x, &value)| *x = x.times(value));
            probe::apply(&left[..rows * columns], moved, z);
            probe::apply(matrix, x, y);
            probe::agree(y, z, sum_of_squares(matrix).root())
        },
    )
}

/// The squares of the singular values add up to those of the elements.
fn check<T: Element>(matrix: &[T], values: &[T::Part]) -> Result<(), Failure> {
    let elements = vectorised(
        #[inline(always)]
        || sum_of_squares(matrix),
    );
    let found = sum_of_squares(values);
    let tolerance = elements * T::Part::EPSILON * T::Part::from_count(1000 + 10 * matrix.len());
    // So that NaN does not pass.
    if (elements - found).magnitude_of() <= tolerance { Ok(()) } else { Err(Failure::NotConverged) }
}

/// The sum of the squared magnitudes of elements.
#[inline(always)]
pub(crate) fn sum_of_squares<T: Number>(elements: &[T]) -> T::Part {
    // Sums side by side become vectors, and those of pieces lose fewer digits than long ones.
    const LANES: usize = 8;
    let square = |x: T| x.parts().into_iter().fold(T::Part::default(), |sum, part| sum + part * part);
    let mut whole = T::Part::default();
    for piece in elements.chunks(256 * LANES) {
        let (rows, rest) = piece.as_chunks::<LANES>();
        let mut sums = [T::Part::default(); LANES];
        for row in rows {
            for lane in 0..LANES {
                sums[lane] += square(row[lane]);
            }
        }
        let sum = rest.iter().fold(T::Part::default(), |sum, &x| sum + square(x));
        whole += sums.into_iter().fold(sum, |sum, lane| sum + lane);
    }
    whole
}
