//! Sizes of matrices, and equations without a single solution.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use situ_tensor::linalg::{self, LeastSquares, MatrixNorm, Tolerance};
use situ_tensor::{Axes, Tensor};

use super::{Array, Object, Optional, larger, made, worked};
use crate::args::{shown, type_name};
use crate::array::PyArray;
use crate::operands::tensor;
use crate::reduce::axes;
use crate::sort::named;

/// An `ord` argument that is a number.
fn number(function: &str, name: &str, object: Object<'_, '_>, or: &str) -> PyResult<f64> {
    object.extract().map_err(|_| {
        PyTypeError::new_err(format!("{function}: {name} must be a number{or}, got {}", type_name(object)))
    })
}

/// An `ord` argument for matrices.
fn matrix_order(function: &str, name: &str, object: Object<'_, '_>) -> PyResult<MatrixNorm> {
    let Ok(word) = object.cast::<PyString>() else {
        return number(function, name, object, ", 'fro' or 'nuc'").map(MatrixNorm::Order);
    };
    match &*word.to_cow()? {
        "fro" => Ok(MatrixNorm::Frobenius),
        "nuc" => Ok(MatrixNorm::Nuclear),
        _ => Err(PyValueError::new_err(format!(
            "{function}: {name} must be a number, 'fro' or 'nuc', got {}",
            shown(object)
        ))),
    }
}

/// An `rtol` argument.
fn tolerance<'a>(function: &str, object: Optional<'a, '_>) -> PyResult<Tolerance<'a>> {
    let Some(object) = object else { return Ok(Tolerance::Precision) };
    if object.is_instance_of::<PyArray>() {
        return tensor(object, function, "rtol").map(Tolerance::Each);
    }
    number(function, "rtol", object, " or an array").map(Tolerance::Number)
}

/// Condition numbers of matrices: how much a relative error may grow when their equations are solved.
///
/// Parameters:
///     x (ndarray): The matrices, in the last two axes.
///     p (str | float | None): The norm: None or 2 for the quotient of the greatest and the least singular value, -2 for its
///         inverse, or one of 'fro', 'nuc', 1, -1, inf and -inf.
///
/// Returns:
///     ndarray: A new array, without these axes.
///
/// >>> from situ import tensor
/// >>> print(tensor.linalg.cond(tensor.asarray([[8.0, 0.0], [0.0, 2.0]])))
/// 4.0
#[pyfunction]
#[pyo3(signature = (x, p=None))]
pub(super) fn cond<'py>(x: Object<'_, 'py>, p: Optional<'_, '_>) -> Array<'py> {
    let source = tensor(x, "cond", "x")?;
    let norm = p.map_or(Ok(MatrixNorm::Order(2.0)), |p| matrix_order("cond", "p", p))?;
    made(x.py(), source, || linalg::cond(source, norm))
}

/// Solves equations so that what is left of their right sides is as short as possible.
///
/// Parameters:
///     a (ndarray): The matrix of the equations, of 2 dimensions.
///     b (ndarray): The right sides: a vector, or the columns of a matrix.
///     rcond (float | None): Up to which part of the greatest a singular value counts as zero; None for the precision times
///         the greater of rows and columns. A number that is not between 0 and 1 means half of the precision, as in LAPACK.
///
/// Returns:
///     LstsqResult: The solution `x`, the squared lengths of what is left as `residuals` (nothing where the matrix has no
///         more rows than columns, or not full rank), the `rank`, and the singular values `s`.
///
/// >>> from situ import tensor
/// >>> a = tensor.asarray([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
/// >>> slope, offset = tensor.linalg.lstsq(a, tensor.asarray([1.0, 3.0, 5.0])).x
/// >>> print(round(float(slope), 6), round(float(offset), 6))
/// 2.0 1.0
#[pyfunction]
#[pyo3(signature = (a, b, rcond=None))]
pub(super) fn lstsq<'py>(
    a: Object<'_, 'py>,
    b: Object<'_, 'py>,
    rcond: Optional<'_, '_>,
) -> PyResult<Bound<'py, PyAny>> {
    let (matrix, right) = (tensor(a, "lstsq", "a")?, tensor(b, "lstsq", "b")?);
    let zero = match rcond {
        None => Tolerance::Precision,
        Some(part) => Tolerance::Number(number("lstsq", "rcond", part, " or None")?),
    };
    let LeastSquares { x, residuals, rank, s } =
        worked(a.py(), larger(matrix, right), || linalg::lstsq(matrix, right, zero))?;
    named(a.py(), "LstsqResult", [x, residuals, rank, s])
}

/// Sizes of matrices.
///
/// Parameters:
///     x (ndarray): The matrices, in the last two axes.
///     keepdims (bool): Whether these axes stay, with length 1.
///     ord (str | float): 'fro' for the root of the sum of squares, 'nuc' for the sum of the singular values, 2 and -2 for the
///         greatest and the least of them; 1 and -1 for the greatest and the least sum of a column's magnitudes, inf and -inf
///         of a row's.
///
/// Returns:
///     ndarray: A new real array.
///
/// >>> from situ import tensor
/// >>> print(tensor.linalg.matrix_norm(tensor.asarray([[3.0, 0.0], [0.0, 4.0]])))
/// 5.0
#[pyfunction]
#[pyo3(signature = (x, /, *, keepdims=false, ord=None))]
#[pyo3(text_signature = "(x, /, *, keepdims=False, ord='fro')")]
pub(super) fn matrix_norm<'py>(x: Object<'_, 'py>, keepdims: bool, ord: Optional<'_, '_>) -> Array<'py> {
    let source = tensor(x, "matrix_norm", "x")?;
    let norm = ord.map_or(Ok(MatrixNorm::Frobenius), |ord| matrix_order("matrix_norm", "ord", ord))?;
    made(x.py(), source, || linalg::matrix_norm(source, keepdims, norm))
}

/// Ranks of matrices: how many singular values do not count as zero.
///
/// Parameters:
///     x (ndarray): The matrices, in the last two axes.
///     rtol (float | ndarray | None): Up to which part of the greatest a singular value counts as zero, for all matrices or
///         each; None for the precision times the greater of rows and columns.
///
/// Returns:
///     ndarray: A new array of dtype int64, without these axes.
///
/// >>> from situ import tensor
/// >>> print(tensor.linalg.matrix_rank(tensor.asarray([[1.0, 2.0], [2.0, 4.0]])))
/// 1
#[pyfunction]
#[pyo3(signature = (x, /, *, rtol=None))]
pub(super) fn matrix_rank<'py>(x: Object<'_, 'py>, rtol: Optional<'_, '_>) -> Array<'py> {
    let source = tensor(x, "matrix_rank", "x")?;
    let zero = tolerance("matrix_rank", rtol)?;
    made(x.py(), source, || linalg::matrix_rank(source, zero))
}

/// Sizes of vectors or matrices, as NumPy's function of this name takes its arguments.
///
/// Parameters:
///     x (ndarray): The array.
///     ord (str | float | None): The norm, as `vector_norm` and `matrix_norm` have them; None for the root of the sum of
///         squares.
///     axis (SupportsIndex | tuple[SupportsIndex, ...] | None): The axis of vectors, or the two of matrices; None for the whole
///         array, which with an `ord` has one axis or two.
///     keepdims (bool): Whether these axes stay, with length 1.
///
/// Returns:
///     ndarray: A new real array.
///
/// >>> from situ import tensor
/// >>> x = tensor.asarray([[3.0, 4.0], [6.0, 8.0]])
/// >>> print(tensor.linalg.norm(x, axis=1))
/// [ 5. 10.]
#[pyfunction]
#[pyo3(signature = (x, ord=None, axis=None, keepdims=false))]
pub(super) fn norm<'py>(
    x: Object<'_, 'py>,
    ord: Optional<'_, '_>,
    axis: Optional<'_, '_>,
    keepdims: bool,
) -> Array<'py> {
    let source = tensor(x, "norm", "x")?;
    let order = ord.map(|ord| matrix_order("norm", "ord", ord)).transpose()?;
    let axes = axes("norm", axis)?;
    made(x.py(), source, || linalg::norm(source, order, &axes, keepdims))
}

/// Pseudo-inverses of matrices, of Moore and Penrose.
///
/// Parameters:
///     x (ndarray): The matrices, in the last two axes.
///     rtol (float | ndarray | None): Up to which part of the greatest a singular value counts as zero, for all matrices or
///         each; None for the precision times the greater of rows and columns.
///
/// Returns:
///     ndarray: A new array, with rows for columns.
///
/// >>> from situ import tensor
/// >>> print(tensor.linalg.pinv(tensor.asarray([[2.0, 0.0], [0.0, 0.0]])))
/// [[0.5 0. ]
///  [0.  0. ]]
#[pyfunction]
#[pyo3(signature = (x, /, *, rtol=None))]
pub(super) fn pinv<'py>(x: Object<'_, 'py>, rtol: Optional<'_, '_>) -> Array<'py> {
    let source = tensor(x, "pinv", "x")?;
    let zero = tolerance("pinv", rtol)?;
    made(x.py(), source, || linalg::pinv(source, zero))
}

/// Sizes of vectors.
///
/// Parameters:
///     x (ndarray): The array.
///     axis (SupportsIndex | tuple[SupportsIndex, ...] | None): The axis or axes that vectors lie along; None for the whole
///         array as one vector.
///     keepdims (bool): Whether these axes stay, with length 1.
///     ord (float): The root, and the power, of the sum of magnitudes; inf and -inf for the greatest and the least of them, 0
///         for how many differ from zero.
///
/// Returns:
///     ndarray: A new real array.
///
/// >>> from situ import tensor
/// >>> print(tensor.linalg.vector_norm(tensor.asarray([3.0, -4.0])))
/// 5.0
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=None, keepdims=false, ord=None))]
#[pyo3(text_signature = "(x, /, *, axis=None, keepdims=False, ord=2)")]
pub(super) fn vector_norm<'py>(
    x: Object<'_, 'py>,
    axis: Optional<'_, '_>,
    keepdims: bool,
    ord: Optional<'_, '_>,
) -> Array<'py> {
    let source: &Tensor = tensor(x, "vector_norm", "x")?;
    let order = ord.map_or(Ok(2.0), |ord| number("vector_norm", "ord", ord, ""))?;
    let axes: Axes = axes("vector_norm", axis)?;
    made(x.py(), source, || linalg::vector_norm(source, axes, keepdims, order))
}
