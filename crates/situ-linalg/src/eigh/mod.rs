//! Eigenvalues and eigenvectors of Hermitian matrices.

mod alone;
mod steps;

use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::{self as library, ComputeEigenvectors, SelfAdjointEvdParams};
use faer::{Auto, MatMut, MatRef, Spec};

use crate::columns::sum_of_squares;
use crate::columns::{inner, subtract};
use crate::order::{arrange, is_ordered};
use crate::probe;
use crate::scale::Scale;
use crate::vectors::vectorised;
use crate::{Element, Failure, Part, Room, Threads, bytes, stack};

/// Orders below which matrices are not divided. The library's own limit is higher, and its iterations slow.
const INDIVISIBLE: usize = 48;

/// Orders up to which vectors are turned by plain loops, which are quicker than the library there.
const FEW_ROWS: usize = 96;

fn how<T: Element>(indivisible: usize) -> Spec<SelfAdjointEvdParams, T> {
    SelfAdjointEvdParams { recursion_threshold: indivisible, ..Auto::<T>::auto() }.into()
}

/// Bytes of room for [`eigh`].
pub(crate) fn eigh_room<T: Element>(order: usize, wants_vectors: bool, threads: Threads) -> usize {
    let vectors = if wants_vectors { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let needs = library::self_adjoint_evd_scratch::<T>(order, vectors, threads.par(), how(INDIVISIBLE));
    let copy = if wants_vectors { order * order } else { 0 };
    let whole =
        StackReq::all_of(&[needs.or(probe::needs::<T>(order)), StackReq::new::<T>(order), StackReq::new::<T>(copy)]);
    match wants_vectors {
        false => bytes(&[whole.or(alone::values_needs::<T>(order, threads))]),
        true if order <= FEW_ROWS => bytes(&[whole.or(steps::steps_needs::<T>(order, threads))]),
        true => bytes(&[whole]),
    }
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
    // What is not looked at may be anything, and so may the imaginary parts of the diagonal.
    for (at, column) in matrix.chunks_exact_mut(order).enumerate() {
        column[..at].fill(T::default());
        column[at] = T::of(column[at].parts()[0], T::Part::default());
    }
    let scale = Scale::normalise(matrix).ok_or(Failure::NotConverged)?;
    let room = stack(room);
    if !wants_vectors
        && alone::values_alone(matrix, order, values, room, threads).is_ok()
        && holds(matrix, order, values)
    {
        scale.restore(values);
        return Ok(());
    }
    if wants_vectors && order <= FEW_ROWS && steps::by_steps(matrix, order, values, room, threads).is_ok() {
        scale.restore(values);
        return Ok(());
    }
    let (mut diagonal, stack) = room.make_with(order, |_| T::default());
    let (mut vectors, stack) = stack.make_with(if wants_vectors { order * order } else { 0 }, |_| T::default());
    // Divide and conquer may come to an answer that does not hold. Iterations without it take longer.
    let is_found = [INDIVISIBLE, usize::MAX].into_iter().any(|indivisible| {
        let how = how(indivisible);
        let whole = MatRef::from_column_major_slice(&*matrix, order, order);
        let room = wants_vectors.then(|| MatMut::from_column_major_slice_mut(&mut vectors[..], order, order));
        let diagonal_room = DiagMut::from_slice_mut(&mut diagonal[..]);
        let done = library::self_adjoint_evd(whole, diagonal_room, room, threads.par(), stack, how);
        values.iter_mut().zip(diagonal.iter()).for_each(|(value, found)| *value = found.parts()[0]);
        done.is_ok()
            && holds(matrix, order, values)
            && (!wants_vectors || order < INDIVISIBLE || vectors_hold(matrix, values, &vectors, stack))
    });
    if !is_found {
        return Err(Failure::NotConverged);
    }
    if !is_ordered(values, |x, y| x < y) {
        let mut columns = [(order, &mut vectors[..])];
        arrange(values, &mut columns[..usize::from(wants_vectors)], |x, y| x < y);
    }
    if wants_vectors {
        matrix.copy_from_slice(&vectors);
    }
    scale.restore(values);
    Ok(())
}

/// Whether a vector becomes the same by the factors as by the matrix, of which the lower half is given, and whether the vectors are
/// orthonormal.
fn vectors_hold<T: Element>(matrix: &[T], values: &[T::Part], vectors: &[T], stack: &mut MemStack) -> bool {
    let order = values.len();
    probe::room(
        order,
        stack,
        #[inline(always)]
        |[x, y, z]: [&mut [T]; 3]| {
            if !probe::are_orthonormal(vectors, order, [x, y, z]) {
                return false;
            }
            // The vector is still there.
            probe::apply_adjoint(vectors, x, y);
            y.iter_mut().zip(values).for_each(|(x, &value)| *x = x.times(value));
            probe::apply(vectors, y, z);
            y.fill(T::default());
            for (at, column) in matrix.chunks_exact(order).enumerate() {
                let (own, below) = (T::of(column[at].parts()[0], T::Part::default()), &column[at + 1..]);
                y[at] += own * x[at] + inner(below, &x[at + 1..]);
                subtract(&mut y[at + 1..], below, -x[at]);
            }
            let half = sum_of_squares(matrix);
            probe::agree(y, z, (half + half).root())
        },
    )
}

/// The eigenvalues add up to the diagonal, and their squares to those of all elements, of which the matrix has the lower half.
fn holds<T: Element>(matrix: &[T], order: usize, values: &[T::Part]) -> bool {
    let zero = T::Part::default();
    let diagonal = || (0..order).map(|at| matrix[at * (order + 1)].parts()[0]);
    let half = vectorised(
        #[inline(always)]
        || sum_of_squares(matrix),
    );
    let squares = half + half - diagonal().fold(zero, |sum, x| sum + x * x);
    let trace = diagonal().fold(zero, |sum, x| sum + x);
    let sum = values.iter().fold(zero, |sum, &x| sum + x);
    let tolerance = probe::tolerance::<T::Part>(order);
    let count = T::Part::from_count(order).root();
    (squares - sum_of_squares(values)).magnitude_of() <= squares * tolerance
        && (trace - sum).magnitude_of() <= squares.root() * count * tolerance
}
