//! Linear algebra over stacks of matrices, the last two axes of an array.
//!
//! * `stack`: which arrays are matrices, in which dtype they are computed with, and the dense copies that problems work in.
//! * `problem`: from such copies to a queue, and what became of each matrix.
//! * `equations`: `solve`, `inv`, `det`, `slogdet`, `cholesky`, and those over several axes.
//! * `decompose`: `qr`, `svd`, `eigh`, `eig` and their values alone.
//! * `norms`, `least_squares`, `products`, `diagonals`: functions composed of these.
//!
//! Results lie in memory as they were computed, which for vectors is one column after another.

mod decompose;
mod diagonals;
mod equations;
mod least_squares;
mod norms;
mod problem;
mod products;
mod stack;

pub use self::decompose::{QrMode, Svd, eig, eigh, eigvals, eigvalsh, qr, svd, svdvals};
pub use self::diagonals::{diagonal, trace};
pub use self::equations::{cholesky, det, inv, slogdet, solve, tensorinv, tensorsolve};
pub use self::least_squares::{LeastSquares, Tolerance, lstsq, matrix_rank, pinv};
pub use self::norms::{MatrixNorm, cond, matrix_norm, norm, vector_norm};
pub use self::products::{cross, matrix_power, multi_dot, outer};
