//! Equations, and the factorisations that solve them.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use situ_tensor::linalg;

use super::{Array, Object, larger, made, worked};
use crate::operands::tensor;
use crate::reduce::integer;
use crate::sort::named;

/// Cholesky factors of matrices that are Hermitian and positive definite.
///
/// Parameters:
///     x (ndarray): The matrices, in the last two axes. Only the triangle that the factor is of is looked at.
///     upper (bool): Whether the factor is the upper triangle `U` of `U^H U`, rather than the lower one `L` of `L L^H`.
///
/// Returns:
///     ndarray: A new array of triangular matrices.
///
/// >>> from situ import tensor
/// >>> print(tensor.linalg.cholesky(tensor.asarray([[4.0, 2.0], [2.0, 5.0]])))
/// [[2. 0.]
///  [1. 2.]]
/// >>> tensor.linalg.cholesky(tensor.asarray([[1.0, 2.0], [2.0, 1.0]]))
/// Traceback (most recent call last):
/// numpy.linalg.LinAlgError: cholesky: the matrix is not positive definite: its leading minor of order 2 is not positive
#[pyfunction]
#[pyo3(signature = (x, /, *, upper=false))]
pub(super) fn cholesky<'py>(x: Object<'_, 'py>, upper: bool) -> Array<'py> {
    let source = tensor(x, "cholesky", "x")?;
    made(x.py(), source, || linalg::cholesky(source, upper))
}

/// Determinants of matrices.
///
/// Parameters:
///     x (ndarray): The matrices, square, in the last two axes.
///
/// Returns:
///     ndarray: A new array, without these axes.
///
/// >>> from situ import tensor
/// >>> print(tensor.linalg.det(tensor.asarray([[2.0, 0.0], [1.0, 3.0]])))
/// 6.0
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(super) fn det<'py>(x: Object<'_, 'py>) -> Array<'py> {
    let source = tensor(x, "det", "x")?;
    made(x.py(), source, || linalg::det(source))
}

/// Inverses of matrices.
///
/// Parameters:
///     x (ndarray): The matrices, square, in the last two axes.
///
/// Returns:
///     ndarray: A new array. A matrix that has no inverse is an error, which says where in a stack it is.
///
/// >>> from situ import tensor
/// >>> print(tensor.linalg.inv(tensor.asarray([[2.0, 0.0], [0.0, 4.0]])))
/// [[0.5  0.  ]
///  [0.   0.25]]
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(super) fn inv<'py>(x: Object<'_, 'py>) -> Array<'py> {
    let source = tensor(x, "inv", "x")?;
    made(x.py(), source, || linalg::inv(source))
}

/// Determinants of matrices as their sign and the logarithm of their magnitude, which do not overflow.
///
/// Parameters:
///     x (ndarray): The matrices, square, in the last two axes.
///
/// Returns:
///     SlogdetResult: The `sign`, of complex matrices the phase, and the `logabsdet`.
///
/// >>> from situ import tensor
/// >>> sign, logabsdet = tensor.linalg.slogdet(tensor.eye(400) * -10.0)
/// >>> print(sign, tensor.round(logabsdet))
/// 1.0 921.0
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(super) fn slogdet<'py>(x: Object<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let source = tensor(x, "slogdet", "x")?;
    let (sign, logabsdet) = worked(x.py(), source, || linalg::slogdet(source))?;
    named(x.py(), "SlogdetResult", [sign, logabsdet])
}

/// Solutions of linear equations.
///
/// Parameters:
///     x1 (ndarray): The matrices of the equations, square, in the last two axes.
///     x2 (ndarray): The right sides: a vector for every matrix, or matrices in the last two axes; other axes are broadcast.
///
/// Returns:
///     ndarray: A new array, of the shape of the right sides. A singular matrix is an error, which says where in a stack it is.
///
/// >>> from situ import tensor
/// >>> a = tensor.asarray([[2.0, 0.0], [0.0, 4.0]])
/// >>> print(tensor.linalg.solve(a, tensor.asarray([2.0, 8.0])))
/// [1. 2.]
/// >>> tensor.linalg.solve(a * 0.0, tensor.asarray([2.0, 8.0]))
/// Traceback (most recent call last):
/// numpy.linalg.LinAlgError: solve: the matrix is singular; lstsq and pinv solve equations that have no single answer
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
pub(super) fn solve<'py>(x1: Object<'_, 'py>, x2: Object<'_, 'py>) -> Array<'py> {
    let (a, b) = (tensor(x1, "solve", "x1")?, tensor(x2, "solve", "x2")?);
    made(x1.py(), larger(a, b), || linalg::solve(a, b))
}

/// The inverse of an array as a map from its last axes to its first ones.
///
/// Parameters:
///     a (ndarray): The array; its first axes have as many elements as the others.
///     ind (SupportsIndex): How many axes are the first ones.
///
/// Returns:
///     ndarray: A new array, with the first axes last.
///
/// >>> from situ import tensor
/// >>> tensor.linalg.tensorinv(tensor.reshape(tensor.eye(24), (4, 6, 8, 3))).shape
/// (8, 3, 4, 6)
#[pyfunction]
#[pyo3(signature = (a, ind=None))]
#[pyo3(text_signature = "(a, ind=2)")]
pub(super) fn tensorinv<'py>(a: Object<'_, 'py>, ind: Option<Object<'_, 'py>>) -> Array<'py> {
    let source = tensor(a, "tensorinv", "a")?;
    let axes = ind.map_or(Ok(2), |ind| integer("tensorinv", "ind", ind, ""))?;
    let axes = usize::try_from(axes).map_err(|_| {
        PyValueError::new_err(format!("tensorinv: ind is {axes}, but must be 1 or more; it counts the first axes of a"))
    })?;
    made(a.py(), source, || linalg::tensorinv(source, axes))
}

/// The array `x` for which `tensordot(a, x, x.ndim)` is `b`.
///
/// Parameters:
///     a (ndarray): The array of the equations: the axes of `b` first, then those of the solution.
///     b (ndarray): The right side.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> a = tensor.reshape(tensor.eye(6), (2, 3, 6))
/// >>> print(tensor.linalg.tensorsolve(a, tensor.ones((2, 3))))
/// [1. 1. 1. 1. 1. 1.]
#[pyfunction]
#[pyo3(signature = (a, b))]
pub(super) fn tensorsolve<'py>(a: Object<'_, 'py>, b: Object<'_, 'py>) -> Array<'py> {
    let (equations, right) = (tensor(a, "tensorsolve", "a")?, tensor(b, "tensorsolve", "b")?);
    made(a.py(), larger(equations, right), || linalg::tensorsolve(equations, right))
}
