//! Singular values and vectors.

mod alone;
mod steps;

use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::svd::{self as library, ComputeSvdVectors, SvdParams};
use faer::{Auto, MatMut, MatRef, Spec};

use crate::columns::sum_of_squares;
use crate::order::{arrange, is_ordered};
use crate::probe;
use crate::scale::Scale;
use crate::vectors::vectorised;
use crate::{Element, Failure, Part, Room, Threads, bytes, stack};

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

/// From so many times as many rows as columns on, a QR factorisation comes first.
const TALL: f64 = 11.0 / 6.0;

/// Columns up to which vectors are turned by plain loops, which are quicker than the library there.
const FEW_COLUMNS: usize = 96;

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
        None => bytes(&[whole.or(alone::values_needs::<T>([rows, columns], threads))]),
        Some(left_columns) if columns <= FEW_COLUMNS => {
            bytes(&[whole.or(steps::steps_needs::<T>([rows, columns], left_columns, threads))])
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
        && alone::values_alone(matrix, [rows, columns], values, room, threads).is_ok()
        && check(matrix, values).is_ok()
    {
        scale.restore(values);
        return Ok(());
    }
    let mut vectors = vectors;
    if let Some(vectors) = vectors.as_mut().filter(|_| columns <= FEW_COLUMNS)
        && steps::by_steps(matrix, [rows, columns], values, vectors, room, threads).is_ok()
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
                arrange::<T>(values, &mut [], |x, y| x > y);
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
                arrange(values, &mut [(rows, left), (columns, &mut v)], |x, y| x > y);
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
