//! Real matrices of a few rows, by plain loops.

use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::francis::Francis;
use super::substitution::Triangle;
use super::{hessenberg, unpack};
use crate::vectors::vectorised;
use crate::{Element, Failure, Number, Part};

/// What [`by_double_steps`] needs.
pub(super) fn double_steps_needs<R: Part>(order: usize, wants_vectors: bool) -> StackReq {
    let squares = if wants_vectors { 3 } else { 1 };
    StackReq::all_of(&[StackReq::new::<R>(order * order).array(squares), StackReq::new::<R>(order).array(4)])
}

/// Eigenvalues, and vectors of any length, of a real matrix of a few rows.
pub(super) fn by_double_steps<R: Element<Part = R> + Part, C: Number<Part = R>>(
    matrix: &[R],
    values: &mut [C],
    vectors: Option<&mut [C]>,
    stack: &mut MemStack,
) -> Result<(), Failure> {
    let order = values.len();
    let zero = |_| R::default();
    let squares = if vectors.is_some() { order * order } else { 0 };
    let (mut real, stack) = stack.make_with(order, zero);
    let (mut imaginary, stack) = stack.make_with(order, zero);
    let (mut factors, stack) = stack.make_with(order, zero);
    let (mut room, stack) = stack.make_with(order, zero);
    let (mut reduced, stack) = stack.make_with(order * order, |at| matrix[at]);
    let (mut basis, stack) = stack.make_with(squares, zero);
    let (mut packed, _) = stack.make_with(squares, zero);
    let mut basis = vectors.is_some().then_some(&mut basis[..]);
    vectorised(
        #[inline(always)]
        || {
            hessenberg::reduce(&mut reduced, basis.as_deref_mut(), &mut factors, &mut room);
            Francis { order, matrix: &mut reduced, basis: basis.as_deref_mut() }.iterate(&mut real, &mut imaginary)
        },
    )?;
    for (value, (&re, &im)) in values.iter_mut().zip(real.iter().zip(imaginary.iter())) {
        *value = C::of(re, im);
    }
    let (Some(vectors), Some(basis)) = (vectors, basis) else { return Ok(()) };
    vectorised(
        #[inline(always)]
        || Triangle { order, matrix: &reduced }.vectors::<C>(&imaginary, &mut packed),
    );
    // What they are in the basis takes the triangle's place.
    let whole = |slice| MatRef::from_column_major_slice(slice, order, order);
    let target = MatMut::from_column_major_slice_mut(&mut reduced[..], order, order);
    matmul(target, Accum::Replace, whole(basis), whole(&packed), R::from_count(1), Par::Seq);
    unpack(&reduced, &imaginary, vectors);
    Ok(())
}
