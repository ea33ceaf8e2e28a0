//! Factorisations that say something about matrices.

use situ_runtime::{Problem, SingularVectors};
use situ_types::DType;

use super::problem::{Asked, NOT_FINITE, only};
use super::stack::{Stack, columns, filled, identities, inexact, rows};
use crate::{Error, Item, Result, Slice, Tensor};

fn not_converged(status: i32) -> String {
    match status {
        NOT_FINITE => "has elements that are NaN or infinite, and so no answer; replace them first".into(),
        _ => "has no answer: the iteration did not converge".into(),
    }
}

/// How much of a QR factorisation is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QrMode {
    /// As many columns of `Q`, and rows of `R`, as the lesser of rows and columns.
    Reduced,
    /// All columns of `Q`, and rows of `R`.
    Complete,
    /// `R`, reduced, alone.
    R,
}

/// `A = Q R` for each matrix: `Q`, if it is wanted, with orthonormal columns, and `R` upper triangular.
pub fn qr(x: &Tensor, mode: QrMode) -> Result<(Option<Tensor>, Tensor)> {
    const NAME: &str = "qr";
    let stack = Stack::of(NAME, "x", x)?;
    let dtype = inexact(NAME, "x", x)?;
    let (m, n) = (stack.rows, stack.columns);
    let kept = if mode == QrMode::Complete { m } else { m.min(n) };
    if x.size() == 0 {
        let r = filled(NAME, x, &stack.with([kept, n]), 0.0, dtype)?;
        let q = match mode {
            QrMode::R => None,
            QrMode::Complete => Some(identities(NAME, x, &stack, m, dtype)?),
            QrMode::Reduced => Some(filled(NAME, x, &stack.with([m, kept]), 0.0, dtype)?),
        };
        return Ok((q, r));
    }
    let matrix = columns(x, dtype)?;
    let mut asked = Asked::on(x.queue(), NAME, &stack, dtype, x.kind())?;
    let address = asked.uses(&matrix)?;
    let q = match mode {
        QrMode::R => None,
        _ => Some((kept, asked.makes(&[kept, m], dtype)?)),
    };
    let (status, mut made) = asked.solve(Problem::Qr { rows: m, columns: n, matrix: address, q })?;
    status.ignore();
    let q = made.pop().map(|q| q.matrix_transposed()).transpose()?;
    let rows = Slice { stop: Some(kept as isize), ..Slice::ALL };
    let r = matrix.matrix_transposed()?.index(&[Item::Ellipsis, Item::Slice(rows), Item::Slice(Slice::ALL)])?;
    Ok((q, r.triangle(true, 0)?))
}

/// Singular values and vectors: `U S V^H`.
#[derive(Clone, Debug)]
pub struct Svd {
    /// `U`, with orthonormal columns.
    pub u: Tensor,
    /// The singular values, in descending order.
    pub s: Tensor,
    /// `V^H`, with orthonormal rows.
    pub vh: Tensor,
}

/// `A = U S V^H` for each matrix, with square `U` and `V` if the full ones are wanted.
///
/// ```
/// use situ_tensor::{Tensor, linalg};
///
/// let a = Tensor::from_slice(&[0.0, 3.0, -4.0, 0.0])?.reshape(&[2, 2])?;
/// assert_eq!(linalg::svd(&a, true)?.s.to_vec::<f64>()?, [4.0, 3.0]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn svd(x: &Tensor, full_matrices: bool) -> Result<Svd> {
    singular_vectors("svd", x, full_matrices)
}

/// The same under another function's name.
pub(super) fn singular_vectors(name: &'static str, x: &Tensor, full_matrices: bool) -> Result<Svd> {
    let stack = Stack::of(name, "x", x)?;
    let dtype = inexact(name, "x", x)?;
    let (m, n) = (stack.rows, stack.columns);
    let least = m.min(n);
    if x.size() == 0 {
        let [u, vh] = if full_matrices {
            [identities(name, x, &stack, m, dtype)?, identities(name, x, &stack, n, dtype)?]
        } else {
            let empty = |shape: [usize; 2]| filled(name, x, &stack.with(shape), 0.0, dtype);
            [empty([m, least])?, empty([least, n])?]
        };
        return Ok(Svd { u, s: filled(name, x, &stack.with([least]), 0.0, dtype.real_part())?, vh });
    }
    let tall = Tall::of(x, &stack, dtype)?;
    let left_columns = if full_matrices { tall.stack.rows } else { least };
    let mut asked = Asked::on(x.queue(), name, &tall.stack, dtype, x.kind())?;
    let matrix = asked.uses(&tall.matrix)?;
    let values = asked.makes(&[least], dtype.real_part())?;
    let left = asked.makes(&[left_columns, tall.stack.rows], dtype)?;
    let right = asked.makes(&[least, least], dtype)?;
    let vectors = Some(SingularVectors { left_columns, left, right });
    let problem = Problem::Svd { rows: tall.stack.rows, columns: least, matrix, values, vectors };
    let (status, made) = asked.solve(problem)?;
    status.check_finite(x, not_converged)?;
    let Ok([s, left, right]) = <[Tensor; 3]>::try_from(made) else {
        return Err(Error::LinAlg(format!("{name}: not all results were made")));
    };
    // Both lie column after column. Of a transpose, the vectors of either side are those of the other.
    if tall.is_transposed {
        return Ok(Svd { u: right, s, vh: left });
    }
    Ok(Svd { u: left.matrix_transposed()?, s, vh: right.matrix_transposed()? })
}

/// The singular values of each matrix, in descending order.
pub fn svdvals(x: &Tensor) -> Result<Tensor> {
    const NAME: &str = "svdvals";
    singular_values(NAME, x)
}

/// The same under another function's name.
pub(super) fn singular_values(name: &'static str, x: &Tensor) -> Result<Tensor> {
    let stack = Stack::of(name, "x", x)?;
    let dtype = inexact(name, "x", x)?;
    let least = stack.rows.min(stack.columns);
    if x.size() == 0 {
        return filled(name, x, &stack.with([least]), 0.0, dtype.real_part());
    }
    let tall = Tall::of(x, &stack, dtype)?;
    let mut asked = Asked::on(x.queue(), name, &tall.stack, dtype, x.kind())?;
    let matrix = asked.uses(&tall.matrix)?;
    let values = asked.makes(&[least], dtype.real_part())?;
    let problem = Problem::Svd { rows: tall.stack.rows, columns: least, matrix, values, vectors: None };
    let (status, made) = asked.solve(problem)?;
    status.check_finite(x, not_converged)?;
    only(name, made)
}

/// A dense copy of matrices with at least as many rows as columns: transposed where that makes them so.
struct Tall {
    matrix: Tensor,
    stack: Stack,
    is_transposed: bool,
}

impl Tall {
    fn of(x: &Tensor, stack: &Stack, dtype: DType) -> Result<Tall> {
        // Of square matrices, whatever is copied without turning it round.
        let is_transposed = stack.rows < stack.columns || (stack.rows == stack.columns && x.layout().is_c_contiguous());
        if is_transposed {
            let stack = Stack { batch: stack.batch.clone(), rows: stack.columns, columns: stack.rows };
            return Ok(Tall { matrix: rows(x, dtype)?, stack, is_transposed });
        }
        Ok(Tall { matrix: columns(x, dtype)?, stack: stack.clone(), is_transposed })
    }
}

/// Eigenvalues, in ascending order, and orthonormal eigenvectors of each matrix, which is Hermitian. Only its lower triangle is
/// looked at.
///
/// ```
/// use situ_tensor::{Tensor, linalg};
///
/// let a = Tensor::from_slice(&[2.0, 1.0, 1.0, 2.0])?.reshape(&[2, 2])?;
/// let (values, vectors) = linalg::eigh(&a)?;
/// assert!((values.to_vec::<f64>()?[1] - 3.0).abs() < 1e-14);
/// assert_eq!(vectors.shape(), [2, 2]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn eigh(x: &Tensor) -> Result<(Tensor, Tensor)> {
    let (values, vectors) = hermitian("eigh", x, true)?;
    Ok((values, vectors.matrix_transposed()?))
}

/// The eigenvalues, in ascending order, of each matrix, which is Hermitian.
pub fn eigvalsh(x: &Tensor) -> Result<Tensor> {
    Ok(hermitian("eigvalsh", x, false)?.0)
}

fn hermitian(name: &'static str, x: &Tensor, wants_vectors: bool) -> Result<(Tensor, Tensor)> {
    let stack = Stack::square(name, "x", x)?;
    let dtype = inexact(name, "x", x)?;
    let matrix = columns(x, dtype)?;
    if x.size() == 0 {
        return Ok((filled(name, x, &stack.with([stack.rows]), 0.0, dtype.real_part())?, matrix));
    }
    let mut asked = Asked::on(x.queue(), name, &stack, dtype, x.kind())?;
    let problem = Problem::Eigh {
        order: stack.rows,
        matrix: asked.uses(&matrix)?,
        values: asked.makes(&[stack.rows], dtype.real_part())?,
        wants_vectors,
    };
    let (status, made) = asked.solve(problem)?;
    // Only that triangle counts.
    status.check_finite(&x.triangle(false, 0)?, not_converged)?;
    Ok((only(name, made)?, matrix))
}

/// Eigenvalues and eigenvectors of length 1 of each matrix. Both are complex.
pub fn eig(x: &Tensor) -> Result<(Tensor, Tensor)> {
    let (values, vectors) = general("eig", x, true)?;
    let vectors = vectors.ok_or_else(|| Error::LinAlg("eig: no result was made".into()))?;
    Ok((values, vectors.matrix_transposed()?))
}

/// The eigenvalues of each matrix. They are complex.
pub fn eigvals(x: &Tensor) -> Result<Tensor> {
    Ok(general("eigvals", x, false)?.0)
}

fn general(name: &'static str, x: &Tensor, wants_vectors: bool) -> Result<(Tensor, Option<Tensor>)> {
    let stack = Stack::square(name, "x", x)?;
    let dtype = inexact(name, "x", x)?;
    let complex = if matches!(dtype, DType::F32 | DType::C64) { DType::C64 } else { DType::C128 };
    let order = stack.rows;
    if x.size() == 0 {
        let empty = |shape: &[usize]| filled(name, x, shape, 0.0, complex);
        return Ok((empty(&stack.with([order]))?, Some(empty(&stack.with([order, order]))?)));
    }
    // A transpose has the same eigenvalues, but of triangles only the upper ones are exact.
    let matrix = columns(x, dtype)?;
    let mut asked = Asked::on(x.queue(), name, &stack, dtype, x.kind())?;
    let (matrix, values) = (asked.uses(&matrix)?, asked.makes(&[order], complex)?);
    let vectors = if wants_vectors { Some(asked.makes(&[order, order], complex)?) } else { None };
    let (status, made) = asked.solve(Problem::Eig { order, matrix, values, vectors })?;
    status.check_finite(x, not_converged)?;
    let mut made = made.into_iter();
    let values = made.next().ok_or_else(|| Error::LinAlg(format!("{name}: no result was made")))?;
    Ok((values, made.next()))
}
