//! Singular values of real bidiagonal matrices, with and without vectors.

mod values;
mod vectors;

pub(crate) use self::values::singular_values;
pub(crate) use self::vectors::singular_vectors;
