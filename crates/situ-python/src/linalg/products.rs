//! Products of several arrays and of vectors, and diagonals.

use pyo3::prelude::*;
use situ_tensor::linalg;

use super::{Array, Object, Optional, larger, made};
use crate::args;
use crate::manipulate::joined;
use crate::operands::tensor;
use crate::reduce::{integer, one_axis};

/// Cross products of vectors of three elements.
///
/// Parameters:
///     x1 (ndarray): The first vectors.
///     x2 (ndarray): The second vectors.
///     axis (SupportsIndex): The axis that vectors lie along; the other axes are broadcast.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> print(tensor.linalg.cross(tensor.asarray([1, 0, 0]), tensor.asarray([0, 1, 0])))
/// [0 0 1]
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, axis=None))]
#[pyo3(text_signature = "(x1, x2, /, *, axis=-1)")]
pub(super) fn cross<'py>(x1: Object<'_, 'py>, x2: Object<'_, 'py>, axis: Optional<'_, '_>) -> Array<'py> {
    let (a, b) = (tensor(x1, "cross", "x1")?, tensor(x2, "cross", "x2")?);
    let axis = axis.map_or(Ok(-1), |axis| one_axis("cross", axis))?;
    made(x1.py(), larger(a, b), || linalg::cross(a, b, axis))
}

/// Diagonals of matrices.
///
/// Parameters:
///     x (ndarray): The matrices, in the last two axes.
///     offset (SupportsIndex): How far the diagonal is above the main one; below it, where that is negative.
///
/// Returns:
///     ndarray: A view, with the diagonal as its last axis.
///
/// >>> from situ import tensor
/// >>> x = tensor.reshape(tensor.arange(6), (2, 3))
/// >>> print(tensor.linalg.diagonal(x), tensor.linalg.diagonal(x, offset=1))
/// [0 4] [1 5]
#[pyfunction]
#[pyo3(signature = (x, /, *, offset=None))]
#[pyo3(text_signature = "(x, /, *, offset=0)")]
pub(super) fn diagonal<'py>(x: Object<'_, 'py>, offset: Optional<'_, '_>) -> Array<'py> {
    let source = tensor(x, "diagonal", "x")?;
    let offset = offset.map_or(Ok(0), |offset| integer("diagonal", "offset", offset, ""))?;
    made(x.py(), source, || linalg::diagonal(source, offset))
}

/// Matrices multiplied by themselves.
///
/// Parameters:
///     x (ndarray): The matrices, square, in the last two axes.
///     n (SupportsIndex): How many times; the inverse that many times where it is negative, and ones on the diagonal for 0.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> print(tensor.linalg.matrix_power(tensor.asarray([[1, 1], [1, 0]]), 10))
/// [[89 55]
///  [55 34]]
#[pyfunction]
#[pyo3(signature = (x, n, /))]
pub(super) fn matrix_power<'py>(x: Object<'_, 'py>, n: Object<'_, 'py>) -> Array<'py> {
    let source = tensor(x, "matrix_power", "x")?;
    let n = integer("matrix_power", "n", n, "")?;
    made(x.py(), source, || linalg::matrix_power(source, n as i64))
}

/// The product of several matrices, in the order of multiplying that takes the fewest operations.
///
/// Parameters:
///     arrays (Sequence[ndarray]): At least two; the first and the last may be vectors.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> x = tensor.ones((2, 3))
/// >>> tensor.linalg.multi_dot([x, x.T, x]).shape
/// (2, 3)
#[pyfunction]
#[pyo3(signature = (arrays))]
pub(super) fn multi_dot<'py>(arrays: Object<'_, 'py>) -> Array<'py> {
    joined("multi_dot", arrays, |tensors| Ok(linalg::multi_dot(tensors)?))
}

/// All products of an element of one vector with an element of another.
///
/// Parameters:
///     x1 (ndarray): The vector that gives the rows.
///     x2 (ndarray): The vector that gives the columns.
///
/// Returns:
///     ndarray: A new array of two dimensions.
///
/// >>> from situ import tensor
/// >>> print(tensor.linalg.outer(tensor.asarray([1, 2]), tensor.asarray([1, 10])))
/// [[ 1 10]
///  [ 2 20]]
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
pub(super) fn outer<'py>(x1: Object<'_, 'py>, x2: Object<'_, 'py>) -> Array<'py> {
    let (a, b) = (tensor(x1, "outer", "x1")?, tensor(x2, "outer", "x2")?);
    made(x1.py(), larger(a, b), || linalg::outer(a, b))
}

/// Sums of diagonals of matrices.
///
/// Parameters:
///     x (ndarray): The matrices, in the last two axes.
///     offset (SupportsIndex): How far the diagonal is above the main one; below it, where that is negative.
#[doc = parameter!(dtype)]
///
/// Returns:
///     ndarray: A new array, without these axes.
///
/// >>> from situ import tensor
/// >>> print(tensor.linalg.trace(tensor.asarray([[1, 2], [3, 4]])))
/// 5
#[pyfunction]
#[pyo3(signature = (x, /, *, offset=None, dtype=None))]
#[pyo3(text_signature = "(x, /, *, offset=0, dtype=None)")]
pub(super) fn trace<'py>(x: Object<'_, 'py>, offset: Optional<'_, '_>, dtype: Optional<'_, '_>) -> Array<'py> {
    let source = tensor(x, "trace", "x")?;
    let offset = offset.map_or(Ok(0), |offset| integer("trace", "offset", offset, ""))?;
    let dtype = dtype.map(args::dtype).transpose()?;
    made(x.py(), source, || linalg::trace(source, offset, dtype))
}
