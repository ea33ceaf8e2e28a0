//! Problems of linear algebra: equations, factorisations, eigenvalues.

use situ_types::DType;

use crate::Address;

/// The same problem for each of some matrices.
///
/// Matrices are dense, one column after another, and follow each other without gaps, as LAPACK and its relatives take them;
/// vectors follow each other, too. No two operands overlap, and no length and no count is 0. Problems are those of LAPACK and
/// have its answers, but for the signs and phases that it leaves open.
#[derive(Clone, Debug)]
pub struct Linalg {
    /// The dtype of the matrices: float32, float64, complex64 or complex128. What is real by nature, such as singular
    /// values, has its [real part's](DType::real_part).
    pub dtype: DType,
    /// How many matrices there are.
    pub count: usize,
    /// What is asked about each.
    pub problem: Problem,
    /// Where an int32 for each matrix goes: 0, or a positive number if there is no answer, of which the results then hold
    /// anything. It says of LU factors and equations which diagonal element of `U` is zero, counted from 1; of a Cholesky
    /// factorisation which leading minor is not positive; and of others that an iteration did not converge. What becomes of
    /// elements that are not finite is left open. A QR factorisation always has an answer.
    pub status: Address,
}

/// What is asked about a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// `P A = L U`, by exchanging rows. A singular matrix may have such factors as well, with zeros on the diagonal of `U`, or
    /// none.
    Lu {
        /// Rows and columns.
        order: usize,
        /// `A`; then `U`, with `L` below its diagonal, whose own ones are left out.
        matrix: Address,
        /// Where the int32s go that say which row, counted from 1, each row in turn was exchanged with.
        pivots: Address,
    },
    /// `A X = B`, by exchanging rows.
    Solve {
        /// Rows and columns of `A`, and rows of `B`.
        order: usize,
        /// Columns of `B`.
        columns: usize,
        /// `A`; then anything.
        matrix: Address,
        /// `B`; then `X`.
        right: Address,
    },
    /// `A X = 1`, by exchanging rows.
    Inverse {
        /// Rows and columns.
        order: usize,
        /// `A`; then anything.
        matrix: Address,
        /// Where `X` goes.
        inverse: Address,
    },
    /// `A = L L^H` of a Hermitian matrix that is positive definite.
    Cholesky {
        /// Rows and columns.
        order: usize,
        /// `A`, of which the part above the diagonal is not looked at; then `L`, with zeros above it.
        matrix: Address,
    },
    /// `A = Q R`, by reflections.
    Qr {
        /// Rows of `A` and `Q`.
        rows: usize,
        /// Columns of `A`.
        columns: usize,
        /// `A`; then `R`, and anything below its diagonal.
        matrix: Address,
        /// Columns of `Q`, between the lesser of `rows` and `columns`, and `rows`, and where it goes; none where `R` will do.
        q: Option<(usize, Address)>,
    },
    /// `A = U S V^H` of a matrix with at least as many rows as columns.
    Svd {
        /// Rows of `A` and `U`.
        rows: usize,
        /// Columns of `A`.
        columns: usize,
        /// `A`; then anything.
        matrix: Address,
        /// Where the singular values go, in descending order.
        values: Address,
        /// Where the vectors go, if they are wanted.
        vectors: Option<SingularVectors>,
    },
    /// `A V = V W` of a Hermitian matrix.
    Eigh {
        /// Rows and columns.
        order: usize,
        /// `A`, of which the part above the diagonal is not looked at; then `V`, orthonormal, or anything.
        matrix: Address,
        /// Where the eigenvalues go, in ascending order.
        values: Address,
        /// Whether `V` is wanted.
        wants_vectors: bool,
    },
    /// `A V = V W` of any matrix.
    Eig {
        /// Rows and columns.
        order: usize,
        /// `A`; then anything.
        matrix: Address,
        /// Where the eigenvalues go, complex, in any order.
        values: Address,
        /// Where `V` goes, if it is wanted: complex columns of length 1.
        vectors: Option<Address>,
    },
}

/// Where singular vectors go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingularVectors {
    /// Columns of `U`: as many as `A` has columns, or as it has rows.
    pub left_columns: usize,
    /// `U`.
    pub left: Address,
    /// `V^H`.
    pub right: Address,
}

impl Problem {
    /// What to call it in an error.
    pub fn name(&self) -> &'static str {
        match self {
            Problem::Lu { .. } => "LU factorisation",
            Problem::Solve { .. } => "linear equations",
            Problem::Inverse { .. } => "inverse matrices",
            Problem::Cholesky { .. } => "Cholesky factorisation",
            Problem::Qr { .. } => "QR factorisation",
            Problem::Svd { .. } => "singular value decomposition",
            Problem::Eigh { .. } => "eigenvalues of Hermitian matrices",
            Problem::Eig { .. } => "eigenvalues",
        }
    }
}
