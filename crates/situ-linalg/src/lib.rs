//! Linear algebra of one matrix in host memory.
//!
//! The factorisations are those of `faer`, which is as fast as the best of LAPACK, behind what it leaves to its callers: matrices
//! whose numbers are far from 1 are scaled by a power of two first, singular ones have factors without NaN, eigenvectors
//! neither overflow nor go without a length, and before values and vectors are given they are looked at: sums that they must
//! keep to (the trace, the squares), and what the factors make of a vector. Small matrices have plain loops of their own.
//!
//! Matrices are slices, one column after another without gaps, and [`Matrices`] has the functions. What one needs beside its
//! arguments it takes from `room`, of which it wants as many bytes as the function of the same name that ends in `_room` says;
//! nothing is allocated. Whoever allows more than one thread calls from inside a rayon pool, whose threads are then used.
//!
//! * `lu`: equations, by exchanging rows; `inverse`; `cholesky`, `qr`: the factorisations of these names.
//! * `reflector`: reflections of a few rows, of which `qr` makes small factorisations; `householder`: blocks of them, for large ones.
//! * `svd`, `eigh`, `eig`: singular values, and eigenvalues of Hermitian matrices and of any.
//! * `bidiagonal`, `tridiagonal`: the same of real matrices with two diagonals, or three; `rotations`: what they turn vectors by.
//! * `scale`, `order`, `probe`: what answers have in common.
//! * `columns`: sums over columns; `vectors`: loops compiled for the processor at hand.

mod bidiagonal;
mod cholesky;
mod columns;
mod eig;
mod eigh;
mod element;
mod householder;
mod inverse;
mod lu;
mod matrices;
mod order;
mod probe;
mod qr;
mod reflector;
mod rotations;
mod scale;
mod svd;
#[cfg(test)]
mod tests;
mod tridiagonal;
mod vectors;

use std::mem::MaybeUninit;

use faer::Par;
use faer::dyn_stack::{MemStack, StackReq};

pub use self::eig::General;
pub use self::element::{Element, Number, Part};
pub use self::matrices::Matrices;
pub use self::svd::SingularVectors;

/// The functions before they are compiled for an element.
mod generic {
    pub(crate) use crate::cholesky::{cholesky, cholesky_room};
    pub(crate) use crate::eig::{eig, eig_room};
    pub(crate) use crate::eigh::{eigh, eigh_room};
    pub(crate) use crate::inverse::invert;
    pub(crate) use crate::lu::{lu, solve, solve_room};
    pub(crate) use crate::qr::{qr, qr_room};
    pub(crate) use crate::svd::{svd, svd_room};
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The diagonal element of `U` at this position is zero.
    Singular(usize),
    /// The leading minor that ends at this position is not positive.
    NotPositive(usize),
    /// An iteration did not converge.
    NotConverged,
}

impl Failure {
    /// The failure as LAPACK counts it: positions from 1.
    pub fn status(self) -> i32 {
        match self {
            Failure::Singular(at) | Failure::NotPositive(at) => i32::try_from(at + 1).unwrap_or(i32::MAX),
            Failure::NotConverged => 1,
        }
    }
}

/// How many threads of the rayon pool that the caller is in may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// The caller's own.
    One,
    /// So many.
    Pool(usize),
}

impl Threads {
    /// How many.
    fn count(self) -> usize {
        match self {
            Threads::One => 1,
            Threads::Pool(count) => count.max(1),
        }
    }

    fn par(self) -> Par {
        match self {
            Threads::One | Threads::Pool(0 | 1) => Par::Seq,
            Threads::Pool(count) => Par::rayon(count),
        }
    }
}

/// Memory that a function may use while it runs.
pub type Room<'a> = &'a mut [MaybeUninit<u8>];

fn stack(room: Room<'_>) -> &mut MemStack {
    MemStack::new(room)
}

/// Bytes for all of these, wherever they begin.
fn bytes(requests: &[StackReq]) -> usize {
    StackReq::all_of(requests).unaligned_bytes_required()
}
