//! Linear algebra of small matrices: a block for each.
//!
//! Libraries are made for large matrices. Many small ones take them longer than the arithmetic does by an order of magnitude,
//! and singular values of middling ones, one after another, by two. So Cholesky factors are found row by row in a block's own
//! memory, and eigenvalues and singular values by Jacobi's method, whose rotations are independent of each other for half of
//! all columns at a time. It is also the most exact of methods.
//!
//! * `cholesky`, `eigh`, `svd`: the kernels. `size`: for which sizes there are texts.

mod cholesky;
mod eigh;
mod size;
mod svd;

use situ_hal::{Linalg, Problem};
use situ_types::DType;

pub use cholesky::CholeskyKernel;
pub use eigh::EighKernel;
pub use svd::SvdKernel;

use crate::dialect::type_name;
use crate::group;
use crate::signature::Role;
use crate::work::Work;

/// After so many sweeps Jacobi's method has not converged. Six to ten are usual.
const MOST_SWEEPS: u32 = 40;

/// What a problem of linear algebra comes to, if its matrices are small; others need a library, and so do those of other
/// problems.
pub fn small_matrices(command: &Linalg) -> Option<Work> {
    match command.problem {
        // A grid has no more blocks.
        _ if i32::try_from(command.count).is_err() => None,
        Problem::Cholesky { order, matrix } => cholesky::plan(command, order, matrix),
        Problem::Eigh { order, matrix, values, wants_vectors } => {
            eigh::plan(command, order, [matrix, values], wants_vectors)
        }
        Problem::Svd { rows, columns, matrix, values, vectors } => {
            svd::plan(command, [rows, columns], [matrix, values], vectors)
        }
        _ => None,
    }
}

/// The type that an operand of a kernel is made of.
fn pointee(dtype: DType, role: Role) -> String {
    match role {
        Role::Values => type_name(dtype.real_part()).into(),
        Role::Status => "i32".into(),
        _ => type_name(dtype).into(),
    }
}

/// A function that finds the largest of the threads' numbers.
fn largest_of(dtype: DType, threads: u32) -> String {
    let fold = |of| group::Combination { name: "larger", of, expression: "a < b ? b : a" }.fold(threads);
    fold(type_name(dtype.real_part()))
}

/// Names that a text uses, each with what it stands for, so that texts of all dtypes are one.
fn names(dtype: DType) -> String {
    let (of, real) = (type_name(dtype), type_name(dtype.real_part()));
    format!("typedef {of} number;\n\ntypedef {real} real;\n\n")
}
