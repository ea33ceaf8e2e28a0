//! Singular values and vectors.

use faer::diag::DiagMut;
use faer::dyn_stack::StackReq;
use faer::linalg::svd::{self as library, ComputeSvdVectors};
use faer::{MatMut, MatRef};

use crate::order::{is_ordered, order};
use crate::scale::Scale;
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
    let needs = library::svd_scratch::<T>(rows, columns, left, right, threads.par(), Default::default());
    let transposed = left_columns.map_or(0, |_| columns * columns);
    bytes(&[needs, StackReq::new::<T>(columns), StackReq::new::<T>(transposed)])
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
    let (mut diagonal, stack) = stack(room).make_with(columns, |_| T::default());
    let whole = MatRef::from_column_major_slice(&*matrix, rows, columns);
    let (par, how) = (threads.par(), Default::default());
    match vectors {
        None => {
            library::svd(whole, DiagMut::from_slice_mut(&mut diagonal[..]), None, None, par, stack, how)
                .map_err(|_| Failure::NotConverged)?;
            take_values(&diagonal, values, None);
            if !is_ordered(values, |x, y| x > y) {
                order::<T>(values, &mut [], |x, y| x > y);
            }
        }
        Some(SingularVectors { left_columns, left, right }) => {
            let (mut v, stack) = stack.make_with(columns * columns, |_| T::default());
            // The library takes for granted that what it does not write is zero.
            left.fill(T::default());
            let u = MatMut::from_column_major_slice_mut(&mut *left, rows, left_columns);
            let v_columns = MatMut::from_column_major_slice_mut(&mut v[..], columns, columns);
            library::svd(whole, DiagMut::from_slice_mut(&mut diagonal[..]), Some(u), Some(v_columns), par, stack, how)
                .map_err(|_| Failure::NotConverged)?;
            take_values(&diagonal, values, Some(&mut v));
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

/// The squares of the singular values add up to those of the elements.
fn check<T: Element>(matrix: &[T], values: &[T::Part]) -> Result<(), Failure> {
    let elements = sum_of_squares(matrix);
    let found = sum_of_squares(values);
    let tolerance = elements * T::Part::EPSILON * T::Part::from_count(1000 + 10 * matrix.len());
    // So that NaN does not pass.
    if (elements - found).magnitude_of() <= tolerance { Ok(()) } else { Err(Failure::NotConverged) }
}

/// The sum of the squared magnitudes of elements.
pub(crate) fn sum_of_squares<T: Number>(elements: &[T]) -> T::Part {
    // In pieces, whose sums lose fewer digits than one long one.
    let square = |x: &T| x.parts().into_iter().fold(T::Part::default(), |sum, part| sum + part * part);
    let pieces = elements.chunks(256).map(|piece| piece.iter().fold(T::Part::default(), |sum, x| sum + square(x)));
    pieces.fold(T::Part::default(), |sum, piece| sum + piece)
}
