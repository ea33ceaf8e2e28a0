//! Eigenvalues of real symmetric tridiagonal matrices, with and without vectors.

mod values;
mod vectors;

pub(crate) use self::values::eigenvalues;
pub(crate) use self::vectors::eigenvectors;
