//! Which of the library's functions a problem takes.
//!
//! Everything here is a matter of speed, and decided by sizes alone. `SITU_CUSOLVER_METHOD` overrules it where functions are to
//! be compared, with words such as `svd=polar,eigh=jacobi`; it is for measuring, and promises nothing.

use std::sync::OnceLock;

use situ_types::DType;

/// Matrices up to this many rows and columns fit a block of the device as a whole; functions for many of them are made for
/// such, and that for singular values takes no others.
const SMALL: usize = 32;
/// From here on QR iterations take longer than eigenvalues of a matrix twice as large.
const MEDIUM: usize = 128;
/// Larger matrices keep a device busy one at a time.
const LARGE: usize = 512;
/// A few matrices that are not small are faster one after another.
const FEW: usize = 8;

/// How matrices are factorised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Factorisation {
    /// One after another.
    Each,
    /// All by one call.
    Together,
}

/// How singular values are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Svd {
    /// Those of many small matrices by Jacobi's method (`gesvdjBatched`).
    JacobiTogether,
    /// By Jacobi's method (`gesvdj`).
    Jacobi,
    /// By QR iteration (`Xgesvd`).
    Iteration,
    /// Values alone, as eigenvalues of a Hermitian matrix (`Xsyevd`).
    Eigenvalues,
    /// By way of the polar decomposition (`Xgesvdp`).
    Polar,
}

/// How eigenvalues of Hermitian matrices are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Eigh {
    /// Those of many matrices by one call (`XsyevBatched`).
    Together,
    /// Those of many small matrices by Jacobi's method (`syevjBatched`).
    JacobiTogether,
    /// One after another, by divide and conquer (`Xsyevd`).
    Each,
}

/// For LU and Cholesky factorisations.
pub(super) fn factorisation(order: usize, count: usize) -> Factorisation {
    let is_small = order <= SMALL && count > 1;
    match told("factorise") {
        Some("each") => Factorisation::Each,
        Some("together") => Factorisation::Together,
        _ if is_small || (order < LARGE && count > FEW) => Factorisation::Together,
        _ => Factorisation::Each,
    }
}

/// Jacobi's method gives vectors of large matrices that are hundreds of roundings from orthonormal, and takes longer. By way of the
/// polar decomposition, values come in half the time, but those of matrices without full rank are off by thousands of roundings.
pub(super) fn svd([rows, columns]: [usize; 2], count: usize, wants_vectors: bool) -> Svd {
    match told("svd") {
        Some("jacobi") => Svd::Jacobi,
        Some("iteration") => Svd::Iteration,
        Some("polar") => Svd::Polar,
        _ if rows <= SMALL && count > 1 => Svd::JacobiTogether,
        _ if !wants_vectors && columns >= MEDIUM && rows <= 2 * columns => Svd::Eigenvalues,
        _ => Svd::Iteration,
    }
}

/// `has_batched` says whether the library has `XsyevBatched`.
pub(super) fn eigh(dtype: DType, order: usize, count: usize, has_batched: bool) -> Eigh {
    // The function has been seen to give wrong vectors of complex64 (CUDA 12.6).
    let is_batched = has_batched && dtype != DType::C64;
    match told("eigh") {
        Some("together") if is_batched => Eigh::Together,
        Some("jacobi") => Eigh::JacobiTogether,
        Some("each") => Eigh::Each,
        _ if count == 1 => Eigh::Each,
        _ if order < SMALL => Eigh::JacobiTogether,
        _ if is_batched && order <= LARGE => Eigh::Together,
        _ if order == SMALL => Eigh::JacobiTogether,
        _ => Eigh::Each,
    }
}

/// Whether kernels of situ's own may take part: for small matrices, and for long tables of addresses. A driver without kernels has
/// `kernels=off`.
pub(crate) fn has_kernels() -> bool {
    told("kernels") != Some("off")
}

/// What the variable says about a problem.
fn told(problem: &str) -> Option<&'static str> {
    static TOLD: OnceLock<Option<String>> = OnceLock::new();
    let told = TOLD.get_or_init(|| std::env::var("SITU_CUSOLVER_METHOD").ok()).as_deref()?;
    word(told, problem)
}

fn word<'a>(told: &'a str, problem: &str) -> Option<&'a str> {
    told.split(',').filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == problem).map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_small_matrices_are_factorised_together() {
        use Factorisation::{Each, Together};
        for (order, count, wanted) in [
            (1, 1, Each),
            (4, 1, Each),
            (4, 2, Together),
            (32, 10_000, Together),
            (33, 8, Each),
            (33, 9, Together),
            (128, 100, Together),
            (512, 100, Each),
            (4096, 1, Each),
        ] {
            assert_eq!(factorisation(order, count), wanted, "{count} of order {order}");
        }
    }

    #[test]
    fn singular_values_of_many_small_matrices_are_found_together() {
        for (rows, columns, count, wants_vectors, wanted) in [
            (4, 4, 1, false, Svd::Iteration),
            (4, 4, 10_000, true, Svd::JacobiTogether),
            (32, 32, 2, false, Svd::JacobiTogether),
            (33, 33, 2, false, Svd::Iteration),
            (1024, 1024, 1, true, Svd::Iteration),
            (1024, 1024, 1, false, Svd::Eigenvalues),
            (5000, 1024, 1, false, Svd::Iteration),
        ] {
            assert_eq!(svd([rows, columns], count, wants_vectors), wanted, "{count} of {rows} by {columns}");
        }
    }

    #[test]
    fn eigenvalues_of_batches_take_the_newest_function_there_is() {
        for (dtype, order, count, has_batched, wanted) in [
            (DType::F64, 1024, 1, true, Eigh::Each),
            (DType::F64, 1024, 2, true, Eigh::Each),
            (DType::F64, 128, 100, true, Eigh::Together),
            (DType::F32, 32, 100, true, Eigh::Together),
            (DType::F32, 4, 10_000, true, Eigh::JacobiTogether),
            (DType::C64, 4, 10_000, true, Eigh::JacobiTogether),
            (DType::C64, 32, 100, true, Eigh::JacobiTogether),
            (DType::C64, 128, 100, true, Eigh::Each),
            (DType::F64, 32, 10_000, false, Eigh::JacobiTogether),
            (DType::F64, 33, 100, false, Eigh::Each),
        ] {
            assert_eq!(eigh(dtype, order, count, has_batched), wanted, "{count} of order {order}, {dtype}");
        }
    }

    #[test]
    fn a_method_can_be_asked_for() {
        assert_eq!(word("svd=polar,eigh=each", "eigh"), Some("each"));
        assert_eq!(word("svd=polar", "eigh"), None);
        assert_eq!(word("svd", "svd"), None);
    }
}
