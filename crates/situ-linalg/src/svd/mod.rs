//! Singular values and vectors.

mod alone;
mod steps;

use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::linalg::svd::{self as library, ComputeSvdVectors, SvdParams};
use faer::linalg::{temp_mat_scratch, temp_mat_zeroed};
use faer::mat::AsMatMut;
use faer::{Auto, Conj, MatMut, MatRef, Spec};

use crate::columns::sum_of_squares;
use crate::householder::{factor, factor_needs};
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

fn is_tall([rows, columns]: [usize; 2]) -> bool {
    rows as f64 > columns as f64 * TALL
}

/// Bytes of room for [`svd`] with so many columns of `U`, if it is wanted.
pub(crate) fn svd_room<T: Element>(lengths: [usize; 2], left_columns: Option<usize>, threads: Threads) -> usize {
    bytes(&[if is_tall(lengths) {
        tall_needs::<T>(lengths, left_columns, threads)
    } else {
        needs::<T>(lengths, left_columns, threads)
    }])
}

/// `A = U S V^H` of a matrix with at least as many rows as columns, which is used up. The singular values descend.
pub(crate) fn svd<T: Element>(
    matrix: &mut [T],
    lengths: [usize; 2],
    values: &mut [T::Part],
    vectors: Option<SingularVectors<'_, T>>,
    room: Room<'_>,
    threads: Threads,
) -> Result<(), Failure> {
    let scale = Scale::normalise(matrix).ok_or(Failure::NotConverged)?;
    if is_tall(lengths) {
        tall(matrix, lengths, values, vectors, stack(room), threads)?;
    } else {
        decompose(matrix, lengths, values, vectors, stack(room), threads)?;
    }
    scale.restore(values);
    Ok(())
}

fn tall_needs<T: Element>([rows, columns]: [usize; 2], left_columns: Option<usize>, threads: Threads) -> StackReq {
    let block = recommended_block_size::<T>(rows, columns);
    let square = left_columns.map(|_| columns);
    let apply = apply_block_householder_sequence_on_the_left_in_place_scratch::<T>;
    StackReq::all_of(&[
        temp_mat_scratch::<T>(block, columns),
        StackReq::new::<T>(columns * columns).array(1 + left_columns.iter().count()),
        StackReq::any_of(&[
            factor_needs::<T>([rows, columns], block),
            needs::<T>([columns; 2], square, threads),
            apply(rows, block, left_columns.unwrap_or(0)),
        ]),
    ])
}

/// By way of a triangle, of a matrix with many more rows than columns.
fn tall<T: Element>(
    matrix: &mut [T],
    [rows, columns]: [usize; 2],
    values: &mut [T::Part],
    vectors: Option<SingularVectors<'_, T>>,
    stack: &mut MemStack,
    threads: Threads,
) -> Result<(), Failure> {
    let (par, block) = (threads.par(), recommended_block_size::<T>(rows, columns));
    let (mut factors, stack) = temp_mat_zeroed::<T, _, _>(block, columns, stack);
    let mut factors = factors.as_mat_mut();
    let mut whole = MatMut::from_column_major_slice_mut(matrix, rows, columns);
    factor(whole.as_mut(), factors.as_mut(), par, stack);
    let (mut triangle, stack) = stack.make_with(columns * columns, |_| T::default());
    MatMut::from_column_major_slice_mut(&mut triangle[..], columns, columns)
        .copy_from_triangular_upper(whole.as_ref().subrows(0, columns));
    let Some(SingularVectors { left_columns, left, right }) = vectors else {
        return decompose(&triangle, [columns; 2], values, None, stack, threads);
    };
    let (mut square, stack) = stack.make_with(columns * columns, |_| T::default());
    let own = SingularVectors { left_columns: columns, left: &mut square[..], right };
    decompose(&triangle, [columns; 2], values, Some(own), stack, threads)?;
    left.fill(T::default());
    for (column, own) in left.chunks_exact_mut(rows).zip(square.chunks_exact(columns)) {
        column[..columns].copy_from_slice(own);
    }
    (columns..left_columns).for_each(|at| left[at * (rows + 1)] = T::one());
    let left = MatMut::from_column_major_slice_mut(left, rows, left_columns);
    apply_block_householder_sequence_on_the_left_in_place_with_conj(
        whole.as_ref(),
        factors.as_ref(),
        Conj::No,
        left,
        par,
        stack,
    );
    Ok(())
}

fn needs<T: Element>([rows, columns]: [usize; 2], left_columns: Option<usize>, threads: Threads) -> StackReq {
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
        None => whole.or(alone::values_needs::<T>([rows, columns], threads)),
        Some(left_columns) if columns <= FEW_COLUMNS => {
            whole.or(steps::steps_needs::<T>([rows, columns], left_columns, threads))
        }
        Some(_) => whole,
    }
}

/// Of a matrix near 1, with not many more rows than columns.
fn decompose<T: Element>(
    matrix: &[T],
    [rows, columns]: [usize; 2],
    values: &mut [T::Part],
    vectors: Option<SingularVectors<'_, T>>,
    room: &mut MemStack,
    threads: Threads,
) -> Result<(), Failure> {
    if vectors.is_none()
        && alone::values_alone(matrix, [rows, columns], values, room, threads).is_ok()
        && check(matrix, values).is_ok()
    {
        return Ok(());
    }
    let mut vectors = vectors;
    if let Some(vectors) = vectors.as_mut().filter(|_| columns <= FEW_COLUMNS)
        && steps::by_steps(matrix, [rows, columns], values, vectors, room, threads).is_ok()
        && check(matrix, values).is_ok()
    {
        return Ok(());
    }
    let (mut diagonal, stack) = room.make_with(columns, |_| T::default());
    let whole = MatRef::from_column_major_slice(matrix, rows, columns);
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
    check(matrix, values)
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
    let tolerance = elements * probe::tolerance::<T::Part>(matrix.len() / values.len());
    // So that NaN does not pass.
    if (elements - found).magnitude_of() <= tolerance { Ok(()) } else { Err(Failure::NotConverged) }
}
