//! The Cholesky factorisation.

use faer::MatMut;
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization, cholesky_in_place, cholesky_in_place_scratch};

use crate::vectors::vectorised;
use crate::{Element, Failure, Part, Room, Threads, bytes, stack};

/// Orders up to which a plain loop is the quickest.
const SMALL_ORDER: usize = 12;

/// Bytes of room for [`cholesky`].
pub(crate) fn cholesky_room<T: Element>(order: usize, threads: Threads) -> usize {
    bytes(&[cholesky_in_place_scratch::<T>(order, threads.par(), Default::default())])
}

/// `A = L L^H`: the matrix, of which what is above the diagonal is not looked at, becomes `L`, with zeros there.
pub(crate) fn cholesky<T: Element>(
    matrix: &mut [T],
    order: usize,
    room: Room<'_>,
    threads: Threads,
) -> Result<(), Failure> {
    if order <= SMALL_ORDER {
        vectorised(
            #[inline(always)]
            || small(matrix, order),
        )?;
    } else {
        large(matrix, order, room, threads)?;
    }
    (1..order).for_each(|at| matrix[at * order..][..at].fill(T::default()));
    Ok(())
}

/// By the library, above the diagonal with anything.
fn large<T: Element>(matrix: &mut [T], order: usize, room: Room<'_>, threads: Threads) -> Result<(), Failure> {
    // The library takes the diagonal for real numbers without looking, but a NaN there for a positive one.
    let whole = MatMut::from_column_major_slice_mut(matrix, order, order);
    let zero = T::Part::default();
    let none = LltRegularization { dynamic_regularization_delta: zero, dynamic_regularization_epsilon: zero };
    let factored = cholesky_in_place(whole, none, threads.par(), stack(room), Default::default());
    if let Err(LltError::NonPositivePivot { index }) = factored {
        return Err(Failure::NotPositive(index));
    }
    match (0..order).find(|&at| !is_positive(matrix[at * (order + 1)])) {
        Some(at) => Err(Failure::NotPositive(at)),
        None => Ok(()),
    }
}

fn is_positive<T: Element>(x: T) -> bool {
    let [re, _] = x.parts();
    re > T::Part::default() && re.is_a_number()
}

/// One column after another, above the diagonal with anything.
#[inline(always)]
fn small<T: Element>(matrix: &mut [T], order: usize) -> Result<(), Failure> {
    for at in 0..order {
        let (done, rest) = matrix.split_at_mut(at * order);
        let column = &mut rest[at..order];
        for before in done.chunks_exact(order) {
            let factor = before[at].conjugate();
            column.iter_mut().zip(&before[at..]).for_each(|(x, &y)| *x -= y * factor);
        }
        let [pivot, _] = column[0].parts();
        if !is_positive(T::of(pivot, T::Part::default())) {
            return Err(Failure::NotPositive(at));
        }
        let root = pivot.root();
        let inverse = T::Part::from_count(1) / root;
        column[0] = T::of(root, T::Part::default());
        column[1..].iter_mut().for_each(|x| *x = x.times(inverse));
    }
    Ok(())
}
