//! Matrices and grids of a certain form.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_tensor::Tensor;

use super::{Object, Optional, Place, made, named_dtype};
use crate::args::{self, shown};
use crate::array::PyArray;
use crate::errors::Outcome;
use crate::operands;

/// The number of a diagonal; one that is too far out for any matrix may as well be a little nearer.
struct Diagonal(isize);

impl<'py> FromPyObject<'_, 'py> for Diagonal {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Diagonal> {
        let wrong = |_| PyTypeError::new_err(format!("k must be an integer, got {}", shown(&object)));
        let index = object.call_method0("__index__").map_err(wrong)?;
        Ok(Diagonal(match index.extract::<isize>() {
            Ok(k) => k.max(-isize::MAX),
            Err(_) if index.lt(0)? => -isize::MAX,
            Err(_) => isize::MAX,
        }))
    }
}

fn rows(n: Object<'_, '_>) -> PyResult<usize> {
    match args::shape(n)?[..] {
        [n] => Ok(n),
        _ => Err(PyTypeError::new_err(format!("eye: the numbers of rows and columns are integers, got {}", shown(n)))),
    }
}

/// Ones on a diagonal, zeros elsewhere.
///
/// Parameters:
///     n_rows (SupportsIndex): The number of rows.
///     n_cols (SupportsIndex | None): The number of columns; None for as many as rows.
///     k (SupportsIndex): Which diagonal: 0 is the main one, those above are positive.
#[doc = parameter!(dtype)]
#[doc = parameter!(dense_order)]
#[doc = parameter!(place)]
///
/// Returns:
///     ndarray: A new matrix.
///
/// >>> from situ import tensor
/// >>> tensor.eye(2, 3, k=1)
/// ndarray([[0., 1., 0.],
///          [0., 0., 1.]])
#[pyfunction]
#[pyo3(
    signature = (n_rows, n_cols=None, /, *, k=Diagonal(0), dtype=None, order="C", device=None, usm_type=None,
                 sycl_queue=None, queue=None),
    text_signature = "(n_rows, n_cols=None, /, *, k=0, dtype=None, order='C', device=None, usm_type=None, \
                      sycl_queue=None, queue=None)"
)]
#[allow(clippy::too_many_arguments, reason = "the Array API's signature, and the keywords of placement")]
fn eye<'py>(
    n_rows: Object<'_, 'py>,
    n_cols: Optional<'_, '_>,
    k: Diagonal,
    dtype: Optional<'_, '_>,
    order: &str,
    device: Optional<'_, '_>,
    usm_type: Optional<'_, '_>,
    sycl_queue: Optional<'_, '_>,
    queue: Optional<'_, '_>,
) -> PyResult<Bound<'py, PyArray>> {
    let py = n_rows.py();
    let place = Place { device, usm_type, sycl_queue, queue };
    let shape = [rows(n_rows)?, rows(n_cols.unwrap_or(n_rows))?];
    let order = args::order(order, "CF")?;
    let (dtype, kind, queue) = (named_dtype(dtype)?, place.kind_or_device()?, place.queue(py)?);
    let dtype = dtype.unwrap_or_else(|| queue.device().float_support().default_float());
    made(py, move || Ok(Tensor::eye(shape, k.0, dtype, order, kind, &queue)?))
}

fn triangle<'py>(x: Object<'_, 'py>, Diagonal(k): Diagonal, upper: bool) -> PyResult<Bound<'py, PyArray>> {
    let name = if upper { "triu" } else { "tril" };
    let tensor = operands::tensor(x, name, "x")?;
    made(x.py(), || Ok(tensor.triangle(upper, k)?))
}

/// The lower triangle of each matrix, with its k-th diagonal; zeros above.
///
/// Parameters:
///     x (ndarray): A matrix, or a stack of them.
///     k (SupportsIndex): Which diagonal: 0 is the main one, those above are positive.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> tensor.tril(tensor.asarray([[0, 1, 2], [3, 4, 5], [6, 7, 8]]))
/// ndarray([[0, 0, 0],
///          [3, 4, 0],
///          [6, 7, 8]])
#[pyfunction]
#[pyo3(signature = (x, /, *, k=Diagonal(0)), text_signature = "(x, /, *, k=0)")]
fn tril<'py>(x: Object<'_, 'py>, k: Diagonal) -> PyResult<Bound<'py, PyArray>> {
    triangle(x, k, false)
}

/// The upper triangle of each matrix, with its k-th diagonal; zeros below.
///
/// Parameters:
///     x (ndarray): A matrix, or a stack of them.
///     k (SupportsIndex): Which diagonal: 0 is the main one, those above are positive.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> tensor.triu(tensor.asarray([[0, 1, 2], [3, 4, 5], [6, 7, 8]]))
/// ndarray([[0, 1, 2],
///          [0, 4, 5],
///          [0, 0, 8]])
#[pyfunction]
#[pyo3(signature = (x, /, *, k=Diagonal(0)), text_signature = "(x, /, *, k=0)")]
fn triu<'py>(x: Object<'_, 'py>, k: Diagonal) -> PyResult<Bound<'py, PyArray>> {
    triangle(x, k, true)
}

/// The coordinates of every point of a grid, one array for each axis.
///
/// Parameters:
///     arrays (ndarray): The coordinates along each axis.
///     indexing (str): 'xy' for a first axis that goes down, as in images and NumPy's matrices of plots, 'ij' for axes in
///         the order of the arguments.
///
/// Returns:
///     tuple[ndarray, ...]: As many arrays as were given.
///
/// >>> from situ import tensor
/// >>> tensor.meshgrid(tensor.arange(3), tensor.arange(2))
/// (ndarray([[0, 1, 2],
///          [0, 1, 2]]), ndarray([[0, 0, 0],
///          [1, 1, 1]]))
#[pyfunction]
#[pyo3(signature = (*arrays, indexing="xy"))]
fn meshgrid<'py>(arrays: &Bound<'py, PyTuple>, indexing: &str) -> PyResult<Bound<'py, PyTuple>> {
    let py = arrays.py();
    let cartesian = match indexing {
        "xy" => true,
        "ij" => false,
        _ => return Err(PyValueError::new_err(format!("meshgrid: indexing is 'xy' or 'ij', not {indexing:?}"))),
    };
    let mut tensors = Vec::with_capacity(arrays.len());
    for (i, array) in arrays.iter().enumerate() {
        tensors.push(operands::array(&array, "meshgrid", &format!("arrays[{i}]"))?.get().tensor().clone());
    }
    let grids: Outcome<Vec<Tensor>> = py.detach(|| {
        let borrowed: Vec<&Tensor> = tensors.iter().collect();
        Ok(Tensor::meshgrid(&borrowed, cartesian)?)
    });
    let grids: Vec<_> = grids?.into_iter().map(|grid| PyArray::new(grid).into_object(py)).collect::<PyResult<_>>()?;
    PyTuple::new(py, grids)
}

/// Puts the functions into the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(eye, module)?)?;
    module.add_function(wrap_pyfunction!(tril, module)?)?;
    module.add_function(wrap_pyfunction!(triu, module)?)?;
    module.add_function(wrap_pyfunction!(meshgrid, module)?)
}
