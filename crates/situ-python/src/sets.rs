//! Sets: distinct elements, and membership.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;
use situ_tensor::{Tensor, is_in};

use crate::args::type_name;
use crate::array::PyArray;
use crate::creation::from_numpy_like;
use crate::errors::ExecutionPlacementError;
use crate::gil;
use crate::operands::{Operand, tensor};
use crate::sort::named;

type Object<'a, 'py> = &'a Bound<'py, PyAny>;

/// The distinct elements of an array, in their order.
///
/// What is not a number differs from everything, also from itself.
///
/// Parameters:
///     x (ndarray): The array, of any shape.
///
/// Returns:
///     ndarray: A new array of one dimension.
///
/// >>> from situ import tensor
/// >>> tensor.unique_values(tensor.asarray([3, 1, 3]))
/// ndarray([1, 3])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn unique_values<'py>(x: Object<'_, 'py>) -> PyResult<Bound<'py, PyArray>> {
    let (py, tensor) = (x.py(), tensor(x, "unique_values", "x")?);
    PyArray::new(gil::released_if(gil::is_long_with(tensor), py, || Ok(tensor.unique_values()?))?).into_object(py)
}

/// The distinct elements of an array, in their order, and how often each occurs.
///
/// Parameters:
///     x (ndarray): The array, of any shape.
///
/// Returns:
///     UniqueCountsResult: The `values` and their `counts`, of dtype int64.
///
/// >>> from situ import tensor
/// >>> values, counts = tensor.unique_counts(tensor.asarray([3, 1, 3]))
/// >>> print(values, counts)
/// [1 3] [1 2]
#[pyfunction]
#[pyo3(signature = (x, /))]
fn unique_counts<'py>(x: Object<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let (py, tensor) = (x.py(), tensor(x, "unique_counts", "x")?);
    let found = gil::released_if(gil::is_long_with(tensor), py, || Ok(tensor.unique_counts()?))?;
    named(py, "UniqueCountsResult", [found.values, found.counts])
}

/// The distinct elements of an array, in their order, and which of them each element is.
///
/// Parameters:
///     x (ndarray): The array, of any shape.
///
/// Returns:
///     UniqueInverseResult: The `values`, and the `inverse_indices` into them that give back the array.
///
/// >>> from situ import tensor
/// >>> values, inverse = tensor.unique_inverse(tensor.asarray([3, 1, 3]))
/// >>> print(values[inverse])
/// [3 1 3]
#[pyfunction]
#[pyo3(signature = (x, /))]
fn unique_inverse<'py>(x: Object<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let (py, tensor) = (x.py(), tensor(x, "unique_inverse", "x")?);
    let found = gil::released_if(gil::is_long_with(tensor), py, || Ok(tensor.unique_inverse()?))?;
    named(py, "UniqueInverseResult", [found.values, found.inverse_indices])
}

/// The distinct elements of an array, in their order, and all that can be said about them.
///
/// Parameters:
///     x (ndarray): The array, of any shape.
///
/// Returns:
///     UniqueAllResult: The `values`, the `indices` at which each occurs first in C order, the `inverse_indices` into the
///         values that give back the array, and the `counts` of each.
///
/// >>> from situ import tensor
/// >>> tensor.unique_all(tensor.asarray([3, 1, 3])).indices
/// ndarray([1, 0])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn unique_all<'py>(x: Object<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let (py, tensor) = (x.py(), tensor(x, "unique_all", "x")?);
    let found = gil::released_if(gil::is_long_with(tensor), py, || Ok(tensor.unique_all()?))?;
    named(py, "UniqueAllResult", [found.values, found.indices, found.inverse_indices, found.counts])
}

/// An operand of [`isin`]: also a number that only offers its memory, as those of ctypes do.
fn member<'a, 'py>(object: Object<'a, 'py>, name: &str, near: &Tensor) -> PyResult<Operand<'a, 'py>> {
    match Operand::parse(object, near)? {
        Some(operand) => Ok(operand),
        None if PyMemoryView::from(object).is_ok() => from_numpy_like(object, near).map(Operand::Brought),
        None => Err(PyTypeError::new_err(format!(
            "isin: {name} must be an array or a number, got {}; convert it with situ.tensor.asarray first",
            type_name(object)
        ))),
    }
}

/// For each element of an array whether it is among others.
///
/// What is not a number is equal to nothing, and so never among others.
///
/// Parameters:
///     x (ndarray | ArrayOperand): The elements that are looked for.
///     test_elements (ndarray | ArrayOperand): The elements among which; one of the two is an array of situ.
///     invert (bool): Whether to tell which are not among them.
///
/// Returns:
///     ndarray: A new array of truth values, of the shape of `x`.
///
/// >>> from situ import tensor
/// >>> tensor.isin(tensor.arange(5), tensor.asarray([1, 3]))
/// ndarray([False,  True, False,  True, False])
#[pyfunction]
#[pyo3(signature = (x, test_elements, /, *, invert=false))]
fn isin<'py>(x: Object<'_, 'py>, test_elements: Object<'_, 'py>, invert: bool) -> PyResult<Bound<'py, PyArray>> {
    let py = x.py();
    let Some(near) = [x, test_elements].into_iter().find_map(|object| object.cast::<PyArray>().ok()) else {
        return Err(ExecutionPlacementError::new_err(
            "isin: one of x and test_elements must be an array of situ, which says where to compute; convert with \
             situ.tensor.asarray first",
        ));
    };
    let near = near.get().tensor();
    let (x, test_elements) = (member(x, "x", near)?, member(test_elements, "test_elements", near)?);
    let (x, test_elements) = (x.arg(), test_elements.arg());
    let takes_long = gil::is_long(&[x, test_elements]);
    let found = gil::released_if(takes_long, py, || Ok(is_in(x, test_elements, invert)?))?;
    PyArray::new(found).into_object(py)
}

/// Puts the functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(unique_values, module)?)?;
    module.add_function(wrap_pyfunction!(unique_counts, module)?)?;
    module.add_function(wrap_pyfunction!(unique_inverse, module)?)?;
    module.add_function(wrap_pyfunction!(unique_all, module)?)?;
    module.add_function(wrap_pyfunction!(isin, module)?)
}
