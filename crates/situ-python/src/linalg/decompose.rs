//! Factorisations that say something about matrices.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use situ_tensor::linalg::{self, QrMode, Svd};

use super::{Array, Object, made, worked};
use crate::array::PyArray;
use crate::operands::tensor;
use crate::sort::named;

/// Eigenvalues and eigenvectors of matrices.
///
/// Parameters:
///     x (ndarray): The matrices, square, in the last two axes.
///
/// Returns:
///     EigResult: The `eigenvalues`, complex and in any order, and the `eigenvectors`, complex columns of length 1.
///
/// >>> from situ import tensor
/// >>> values, vectors = tensor.linalg.eig(tensor.asarray([[0.0, 1.0], [-4.0, 0.0]]))
/// >>> print(tensor.sort(values.imag))
/// [-2.  2.]
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(super) fn eig<'py>(x: Object<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let source = tensor(x, "eig", "x")?;
    let (values, vectors) = worked(x.py(), source, || linalg::eig(source))?;
    named(x.py(), "EigResult", [values, vectors])
}

/// Eigenvalues and eigenvectors of matrices that are Hermitian.
///
/// Parameters:
///     x (ndarray): The matrices, in the last two axes. Only the lower triangle is looked at.
///
/// Returns:
///     EighResult: The `eigenvalues`, in ascending order, and the `eigenvectors`, orthonormal columns.
///
/// >>> from situ import tensor
/// >>> values, vectors = tensor.linalg.eigh(tensor.asarray([[2.0, 0.0], [0.0, 1.0]]))
/// >>> print(values)
/// [1. 2.]
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(super) fn eigh<'py>(x: Object<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let source = tensor(x, "eigh", "x")?;
    let (values, vectors) = worked(x.py(), source, || linalg::eigh(source))?;
    named(x.py(), "EighResult", [values, vectors])
}

/// Eigenvalues of matrices.
///
/// Parameters:
///     x (ndarray): The matrices, square, in the last two axes.
///
/// Returns:
///     ndarray: A new complex array, without the last axis, in any order.
///
/// >>> from situ import tensor
/// >>> print(tensor.sort(tensor.linalg.eigvals(tensor.asarray([[1.0, 5.0], [0.0, 2.0]])).real))
/// [1. 2.]
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(super) fn eigvals<'py>(x: Object<'_, 'py>) -> Array<'py> {
    let source = tensor(x, "eigvals", "x")?;
    made(x.py(), source, || linalg::eigvals(source))
}

/// Eigenvalues of matrices that are Hermitian.
///
/// Parameters:
///     x (ndarray): The matrices, in the last two axes. Only the lower triangle is looked at.
///
/// Returns:
///     ndarray: A new real array, without the last axis, in ascending order.
///
/// >>> from situ import tensor
/// >>> print(tensor.linalg.eigvalsh(tensor.asarray([[2.0, 0.0], [0.0, 1.0]])))
/// [1. 2.]
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(super) fn eigvalsh<'py>(x: Object<'_, 'py>) -> Array<'py> {
    let source = tensor(x, "eigvalsh", "x")?;
    made(x.py(), source, || linalg::eigvalsh(source))
}

/// QR factorisations: matrices as products of orthonormal columns and an upper triangle.
///
/// Parameters:
///     x (ndarray): The matrices, in the last two axes.
///     mode (str): 'reduced' for as many columns of `Q` as the lesser of rows and columns, 'complete' for as many as rows, 'r'
///         for `R` alone.
///
/// Returns:
///     QRResult: `Q` and `R`; with mode 'r' an array, `R`.
///
/// >>> from situ import tensor
/// >>> q, r = tensor.linalg.qr(tensor.asarray([[3.0], [4.0]]))
/// >>> print(tensor.abs(r))
/// [[5.]]
#[pyfunction]
#[pyo3(signature = (x, /, *, mode="reduced"))]
pub(super) fn qr<'py>(x: Object<'_, 'py>, mode: &str) -> PyResult<Bound<'py, PyAny>> {
    let (py, source) = (x.py(), tensor(x, "qr", "x")?);
    let mode = match mode {
        "reduced" => QrMode::Reduced,
        "complete" => QrMode::Complete,
        "r" => QrMode::R,
        other => {
            return Err(PyValueError::new_err(format!("qr: mode must be 'reduced', 'complete' or 'r', got {other:?}")));
        }
    };
    match worked(py, source, || linalg::qr(source, mode))? {
        (Some(q), r) => named(py, "QRResult", [q, r]),
        (None, r) => Ok(PyArray::new(r).into_object(py)?.into_any()),
    }
}

/// Singular value decompositions: matrices as `U * S @ Vh`.
///
/// Parameters:
///     x (ndarray): The matrices, in the last two axes.
///     full_matrices (bool): Whether `U` and `Vh` are square, rather than no larger than the product needs.
///
/// Returns:
///     SVDResult: `U`, with orthonormal columns, the singular values `S`, in descending order, and `Vh`, with orthonormal rows.
///
/// >>> from situ import tensor
/// >>> tensor.linalg.svd(tensor.asarray([[0.0, 3.0], [-4.0, 0.0]])).S
/// ndarray([4., 3.])
#[pyfunction]
#[pyo3(signature = (x, /, *, full_matrices=true))]
pub(super) fn svd<'py>(x: Object<'_, 'py>, full_matrices: bool) -> PyResult<Bound<'py, PyAny>> {
    let source = tensor(x, "svd", "x")?;
    let Svd { u, s, vh } = worked(x.py(), source, || linalg::svd(source, full_matrices))?;
    named(x.py(), "SVDResult", [u, s, vh])
}

/// Singular values of matrices.
///
/// Parameters:
///     x (ndarray): The matrices, in the last two axes.
///
/// Returns:
///     ndarray: A new real array, in descending order along its last axis.
///
/// >>> from situ import tensor
/// >>> print(tensor.linalg.svdvals(tensor.asarray([[0.0, 3.0], [-4.0, 0.0]])))
/// [4. 3.]
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(super) fn svdvals<'py>(x: Object<'_, 'py>) -> Array<'py> {
    let source = tensor(x, "svdvals", "x")?;
    made(x.py(), source, || linalg::svdvals(source))
}
