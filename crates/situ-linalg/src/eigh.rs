//! Eigenvalues and eigenvectors of Hermitian matrices.

use faer::diag::DiagMut;
use faer::dyn_stack::StackReq;
use faer::linalg::evd::{self as library, ComputeEigenvectors, SelfAdjointEvdParams};
use faer::{Auto, MatMut, MatRef, Spec};

use crate::order::is_ordered;
use crate::scale::Scale;
use crate::svd::sum_of_squares;
use crate::{Element, Failure, Part, Room, Threads, bytes, stack};

/// Bytes of room for [`eigh`].
pub(crate) fn eigh_room<T: Element>(order: usize, wants_vectors: bool, threads: Threads) -> usize {
    let vectors = if wants_vectors { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let needs = library::self_adjoint_evd_scratch::<T>(order, vectors, threads.par(), Default::default());
    let copy = if wants_vectors { order * order } else { 0 };
    bytes(&[needs, StackReq::new::<T>(order), StackReq::new::<T>(copy)])
}

/// `A V = V W`: the matrix, of which what is above the diagonal is not looked at, becomes `V`, if it is wanted. The eigenvalues
/// ascend.
pub(crate) fn eigh<T: Element>(
    matrix: &mut [T],
    order: usize,
    values: &mut [T::Part],
    wants_vectors: bool,
    room: Room<'_>,
    threads: Threads,
) -> Result<(), Failure> {
    // What is not looked at may be anything.
    (0..order).for_each(|at| matrix[at * order..][..at].fill(T::default()));
    let scale = Scale::normalise(matrix).ok_or(Failure::NotConverged)?;
    let (mut diagonal, stack) = stack(room).make_with(order, |_| T::default());
    let (mut vectors, stack) = stack.make_with(if wants_vectors { order * order } else { 0 }, |_| T::default());
    // Divide and conquer may come to an answer that does not hold. Iterations without it take longer.
    let plain = SelfAdjointEvdParams { recursion_threshold: usize::MAX, ..Auto::<T>::auto() };
    let ways: [Spec<SelfAdjointEvdParams, T>; 2] = [Default::default(), plain.into()];
    let is_found = ways.into_iter().any(|how| {
        let whole = MatRef::from_column_major_slice(&*matrix, order, order);
        let room = wants_vectors.then(|| MatMut::from_column_major_slice_mut(&mut vectors[..], order, order));
        let diagonal_room = DiagMut::from_slice_mut(&mut diagonal[..]);
        let done = library::self_adjoint_evd(whole, diagonal_room, room, threads.par(), stack, how);
        values.iter_mut().zip(diagonal.iter()).for_each(|(value, found)| *value = found.parts()[0]);
        done.is_ok() && holds(matrix, order, values)
    });
    if !is_found {
        return Err(Failure::NotConverged);
    }
    if !is_ordered(values, |x, y| x < y) {
        let mut columns = [(order, &mut vectors[..])];
        crate::order::order(values, &mut columns[..usize::from(wants_vectors)], |x, y| x < y);
    }
    if wants_vectors {
        matrix.copy_from_slice(&vectors);
    }
    scale.restore(values);
    Ok(())
}

/// The eigenvalues add up to the diagonal, and their squares to those of all elements, of which the matrix has the lower half.
fn holds<T: Element>(matrix: &[T], order: usize, values: &[T::Part]) -> bool {
    let zero = T::Part::default();
    let diagonal = || (0..order).map(|at| matrix[at * (order + 1)].parts()[0]);
    let half = sum_of_squares(matrix);
    let squares = half + half - diagonal().fold(zero, |sum, x| sum + x * x);
    let trace = diagonal().fold(zero, |sum, x| sum + x);
    let sum = values.iter().fold(zero, |sum, &x| sum + x);
    let tolerance = T::Part::EPSILON * T::Part::from_count(1000 + 10 * matrix.len());
    let count = T::Part::from_count(order).root();
    (squares - sum_of_squares(values)).magnitude_of() <= squares * tolerance
        && (trace - sum).magnitude_of() <= squares.root() * count * tolerance
}
