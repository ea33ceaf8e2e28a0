//! What equations without a single solution come to.

use situ_runtime::placement::{self, Placed, Rule};
use situ_types::{DType, DTypeKind, Order};

use super::decompose::{Svd, singular_values, singular_vectors};
use super::stack::{Stack, filled, inexact};
use crate::{Arg, Error, Item, Result, Slice, Tensor, matmul, select};

/// Up to which size, as a part of the greatest, a singular value counts as zero.
#[derive(Clone, Copy, Debug, Default)]
pub enum Tolerance<'a> {
    /// As many times the precision as the matrix has rows or columns.
    #[default]
    Precision,
    /// This part.
    Number(f64),
    /// A part for each matrix.
    Each(&'a Tensor),
}

impl Tolerance<'_> {
    /// The size itself for each matrix, with an axis of length 1 for its singular values.
    fn sizes(self, name: &str, x: &Tensor, values: &Tensor) -> Result<Tensor> {
        let greatest = values.max(-1isize)?.expand_dims(&[-1])?;
        match self {
            Tolerance::Precision => {
                let stack = Stack::of(name, "x", x)?;
                greatest.multiply(precision(values.dtype()) * stack.rows.max(stack.columns) as f64)
            }
            Tolerance::Number(part) => greatest.multiply(part),
            Tolerance::Each(parts) if parts.dtype().kind() == DTypeKind::Complex => {
                Err(Error::Type(format!("{name}: rtol has dtype {}, but must be real", parts.dtype())))
            }
            Tolerance::Each(parts) => greatest.multiply(&parts.expand_dims(&[-1])?),
        }
    }
}

/// The distance from 1 to the next number of a dtype.
fn precision(dtype: DType) -> f64 {
    if dtype.real_part() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// How many singular values of each matrix do not count as zero.
///
/// ```
/// use situ_tensor::{Tensor, linalg};
///
/// let x = Tensor::from_slice(&[1.0, 2.0, 2.0, 4.0])?.reshape(&[2, 2])?;
/// assert_eq!(linalg::matrix_rank(&x, Default::default())?.to_vec::<i64>()?, [1]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn matrix_rank(x: &Tensor, tolerance: Tolerance<'_>) -> Result<Tensor> {
    const NAME: &str = "matrix_rank";
    let stack = Stack::of(NAME, "x", x)?;
    let values = singular_values(NAME, x)?;
    if x.size() == 0 {
        return filled(NAME, x, &stack.batch, 0.0, DType::I64);
    }
    let zero = tolerance.sizes(NAME, x, &values)?;
    values.greater(&zero)?.sum(-1isize)
}

/// The pseudo-inverse of each matrix, of Moore and Penrose: it solves equations in the sense of least squares.
pub fn pinv(x: &Tensor, tolerance: Tolerance<'_>) -> Result<Tensor> {
    const NAME: &str = "pinv";
    let stack = Stack::of(NAME, "x", x)?;
    let dtype = inexact(NAME, "x", x)?;
    if x.size() == 0 {
        return filled(NAME, x, &stack.with([stack.columns, stack.rows]), 0.0, dtype);
    }
    let Svd { u, s, vh } = singular_vectors(NAME, x, false)?;
    let inverse = inverses(&s, &tolerance.sizes(NAME, x, &s)?)?;
    let right = adjoint(&vh)?.multiply(&inverse.expand_dims(&[-2])?)?;
    matmul(&right, &adjoint(&u)?, &Default::default())
}

/// One over each singular value, and zero for those that count as zero.
fn inverses(values: &Tensor, zero: &Tensor) -> Result<Tensor> {
    // A tolerance may be negative, but nothing is divided by zero.
    let counts = values.greater(zero)?.logical_and(&values.not_equal(0)?)?;
    let safe = select(&counts, Arg::Array(values), 1.0.into(), Order::K)?;
    select(&counts, Arg::Array(&safe.reciprocal()?), 0.0.into(), Order::K)
}

/// The conjugate transpose of each matrix.
fn adjoint(x: &Tensor) -> Result<Tensor> {
    let transposed = x.matrix_transposed()?;
    if x.dtype().real_part() == x.dtype() { Ok(transposed) } else { transposed.conj() }
}

/// What solving in the sense of least squares gives.
#[derive(Clone, Debug)]
pub struct LeastSquares {
    /// The solution; of several the shortest.
    pub x: Tensor,
    /// The squared lengths of what is left of each column of the right side, if the matrix has more rows than columns and
    /// full rank; else nothing.
    pub residuals: Tensor,
    /// How many singular values do not count as zero.
    pub rank: Tensor,
    /// The singular values.
    pub s: Tensor,
}

/// The squared length of each column.
fn squared_lengths(x: &Tensor) -> Result<Tensor> {
    x.abs()?.square()?.sum(0isize)
}

/// Solves `A x = b`, one matrix and one or more right sides, so that what is left is as short as possible. A tolerance that is not
/// between 0 and 1 means half of the distance from 1 to the next number, as in LAPACK.
pub fn lstsq(a: &Tensor, b: &Tensor, tolerance: Tolerance<'_>) -> Result<LeastSquares> {
    const NAME: &str = "lstsq";
    let placed = [("a", a), ("b", b)].map(|(name, x)| Placed { name, queue: x.queue(), kind: x.kind() });
    placement::resolve(NAME, placed.into_iter(), Rule::SameQueue)?;
    let stack = Stack::of(NAME, "a", a)?;
    let dtype = situ_types::promote(inexact(NAME, "a", a)?, inexact(NAME, "b", b)?);
    let tolerance = match tolerance {
        Tolerance::Number(part) if part.is_nan() => {
            return Err(Error::Value(format!("{NAME}: rcond is NaN; give a number between 0 and 1, or none")));
        }
        // LAPACK's words for its own precision, half of the distance from 1 to the next number.
        Tolerance::Number(part) if part <= 0.0 || part >= 1.0 => Tolerance::Number(precision(dtype) / 2.0),
        other => other,
    };
    let is_vector = b.layout().ndim() == 1;
    if !stack.batch.is_empty() || b.layout().ndim() > 2 || b.layout().ndim() == 0 {
        return Err(Error::LinAlg(format!("{NAME}: a must have 2 dimensions and b 1 or 2; multiply by pinv for more")));
    }
    if b.shape()[0] != stack.rows {
        return Err(Error::LinAlg(format!(
            "{NAME}: a has {} rows, but b {}; the two must be equal",
            stack.rows,
            b.shape()[0]
        )));
    }
    let b = if is_vector { b.expand_dims(&[1])? } else { b.clone() };
    let (m, n, k) = (stack.rows, stack.columns, b.shape()[1]);
    let converted = |x: &Tensor| if x.dtype() == dtype { Ok(x.clone()) } else { x.astype(dtype, Order::K) };
    let (a, b) = (converted(a)?, converted(&b)?);
    let column = |x: Tensor| if is_vector { x.squeeze(-1isize) } else { Ok(x) };
    if a.size() == 0 {
        let empty = |shape: &[usize], dtype: DType| filled(NAME, &a, shape, 0.0, dtype);
        return Ok(LeastSquares {
            x: column(empty(&[n, k], dtype)?)?,
            // Without columns, nothing is taken from the right side.
            residuals: if n == 0 && m > 0 { squared_lengths(&b)? } else { empty(&[0], dtype.real_part())? },
            rank: empty(&[], DType::I64)?,
            s: empty(&[m.min(n)], dtype.real_part())?,
        });
    }
    let Svd { u, s, vh } = singular_vectors(NAME, &a, false)?;
    let zero = tolerance.sizes(NAME, &a, &s)?;
    let rank = s.greater(&zero)?.sum(-1isize)?;
    let times = |x: &Tensor, y: &Tensor| matmul(x, y, &Default::default());
    let along = times(&adjoint(&u)?, &b)?.multiply(&inverses(&s, &zero)?.expand_dims(&[-1])?)?;
    let x = times(&adjoint(&vh)?, &along)?;
    let has_residuals = m > n && rank.item(&[])? == situ_types::Scalar::I64(n as i64);
    let residuals = if has_residuals {
        squared_lengths(&b.subtract(&times(&a, &x)?)?)?
    } else {
        let none = Slice { stop: Some(0), ..Slice::ALL };
        s.index(&[Item::Slice(none)])?.copy(Order::C)?
    };
    Ok(LeastSquares { x: column(x)?, residuals, rank, s })
}
