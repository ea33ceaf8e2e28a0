//! Functions that select by index or mask.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_tensor::OutOfRange;

use crate::array::PyArray;
use crate::gil;
use crate::operands::{self, Operand, array, tensor};

fn beyond(mode: &str, function: &str) -> PyResult<OutOfRange> {
    match mode {
        "raise" => Ok(OutOfRange::Raise),
        "wrap" => Ok(OutOfRange::Wrap),
        "clip" => Ok(OutOfRange::Clip),
        _ => Err(PyValueError::new_err(format!("{function}: mode must be 'raise', 'wrap' or 'clip', not '{mode}'"))),
    }
}

/// The elements of an array at indices along an axis; without an axis, of its elements in C order.
///
/// Parameters:
///     x (ndarray): The array.
///     indices (ndarray | ArrayLike): Integers of any shape, which takes the place of the axis in the result.
///     axis (SupportsIndex | None): The axis.
#[doc = parameter!(out)]
#[doc = parameter!(mode)]
///
/// Returns:
///     ndarray: A new array, or `out`.
///
/// >>> from situ import tensor
/// >>> tensor.take(tensor.asarray([10, 20, 30]), [2, 0, -1])
/// ndarray([30, 10, 30])
#[pyfunction]
#[pyo3(signature = (x, indices, /, *, axis=None, out=None, mode="raise"))]
fn take<'py>(
    x: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
    axis: Option<isize>,
    out: Option<&Bound<'py, PyAny>>,
    mode: &str,
) -> PyResult<Bound<'py, PyArray>> {
    let (py, mode) = (x.py(), beyond(mode, "take")?);
    let source = tensor(x, "take", "x")?;
    let indices = &operands::indices(indices, source)?;
    let Some(out) = out else {
        let taken = gil::released(py, || Ok(source.take(indices, axis, mode)?));
        return PyArray::new(taken?).into_object(py);
    };
    let target = array(out, "take", "out")?;
    let tensor = target.get().tensor();
    let written = gil::released(py, || Ok(source.take_into(indices, axis, mode, tensor)?));
    written?;
    Ok(target.clone())
}

/// Writes values to the elements of an array at indices along an axis.
///
/// Parameters:
///     x (ndarray): The array.
///     indices (ndarray | ArrayLike): Integers.
///     vals (ndarray | ArrayLike): With an axis, broadcast to the shape that `take` would return; without one, used one
///         after another and again from the first. Of several values for one element the last stays.
///     axis (SupportsIndex | None): The axis; None for the elements in C order.
#[doc = parameter!(mode)]
///
/// >>> from situ import tensor
/// >>> x = tensor.zeros(5)
/// >>> tensor.put(x, [0, 3], [1.5, 2.5])
/// >>> x
/// ndarray([1.5, 0. , 0. , 2.5, 0. ])
#[pyfunction]
#[pyo3(signature = (x, indices, vals, /, *, axis=None, mode="raise"))]
fn put(
    x: &Bound<'_, PyAny>,
    indices: &Bound<'_, PyAny>,
    vals: &Bound<'_, PyAny>,
    axis: Option<isize>,
    mode: &str,
) -> PyResult<()> {
    let mode = beyond(mode, "put")?;
    let target = tensor(x, "put", "x")?;
    let (indices, values) = (&operands::indices(indices, target)?, Operand::value(vals, target)?);
    let values = values.arg();
    gil::released(x.py(), || Ok(target.put(indices, values, axis, mode)?))
}

/// The elements of an array at indices along an axis, each index belonging to one place off the axis.
///
/// Parameters:
///     x (ndarray): The array.
///     indices (ndarray | ArrayLike): Integers in as many dimensions, which match or broadcast off the axis.
///     axis (SupportsIndex): The axis.
#[doc = parameter!(mode)]
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> tensor.take_along_axis(tensor.asarray([[10, 20], [30, 40]]), [[1], [0]])
/// ndarray([[20],
///          [30]])
#[pyfunction]
#[pyo3(
    signature = (x, indices, /, *, axis=-1, mode="raise"),
    text_signature = "(x, indices, /, *, axis=-1, mode='raise')"
)]
fn take_along_axis(x: &Bound<'_, PyAny>, indices: &Bound<'_, PyAny>, axis: isize, mode: &str) -> PyResult<PyArray> {
    let mode = beyond(mode, "take_along_axis")?;
    let source = tensor(x, "take_along_axis", "x")?;
    let indices = &operands::indices(indices, source)?;
    Ok(PyArray::new(gil::released(x.py(), || Ok(source.take_along_axis(indices, axis, mode)?))?))
}

/// Writes values, broadcast, to the elements that `take_along_axis` finds.
///
/// Parameters:
///     x (ndarray): The array.
///     indices (ndarray | ArrayLike): Integers in as many dimensions, which match or broadcast off the axis.
///     vals (ndarray | ArrayLike): The values.
///     axis (SupportsIndex): The axis.
#[doc = parameter!(mode)]
///
/// >>> from situ import tensor
/// >>> x = tensor.zeros((2, 2))
/// >>> tensor.put_along_axis(x, [[1], [0]], 5)
/// >>> x
/// ndarray([[0., 5.],
///          [5., 0.]])
#[pyfunction]
#[pyo3(
    signature = (x, indices, vals, /, *, axis=-1, mode="raise"),
    text_signature = "(x, indices, vals, /, *, axis=-1, mode='raise')"
)]
fn put_along_axis(
    x: &Bound<'_, PyAny>,
    indices: &Bound<'_, PyAny>,
    vals: &Bound<'_, PyAny>,
    axis: isize,
    mode: &str,
) -> PyResult<()> {
    let mode = beyond(mode, "put_along_axis")?;
    let target = tensor(x, "put_along_axis", "x")?;
    let (indices, values) = (&operands::indices(indices, target)?, Operand::value(vals, target)?);
    let values = values.arg();
    gil::released(x.py(), || Ok(target.put_along_axis(indices, values, axis, mode)?))
}

/// The elements of an array where a condition is not 0, both in C order.
///
/// Parameters:
///     condition (ndarray | ArrayLike): The condition, of the same size.
///     arr (ndarray): The array.
///
/// Returns:
///     ndarray: A new array of one dimension.
///
/// >>> from situ import tensor
/// >>> x = tensor.arange(6)
/// >>> tensor.extract(x % 2 == 1, x)
/// ndarray([1, 3, 5])
#[pyfunction]
fn extract(condition: &Bound<'_, PyAny>, arr: &Bound<'_, PyAny>) -> PyResult<PyArray> {
    let source = tensor(arr, "extract", "arr")?;
    let condition = &operands::indices(condition, source)?;
    Ok(PyArray::new(gil::released(arr.py(), || Ok(source.extract(condition)?))?))
}

/// Writes values, one after another and again from the first, to the elements of an array where a mask is not 0.
///
/// Parameters:
///     arr (ndarray): The array.
///     mask (ndarray | ArrayLike): The mask, of the same size.
///     vals (ndarray | ArrayLike): The values.
///
/// >>> from situ import tensor
/// >>> x = tensor.arange(6)
/// >>> tensor.place(x, x % 2 == 1, [-1, -2])
/// >>> x
/// ndarray([ 0, -1,  2, -2,  4, -1])
#[pyfunction]
fn place(arr: &Bound<'_, PyAny>, mask: &Bound<'_, PyAny>, vals: &Bound<'_, PyAny>) -> PyResult<()> {
    let target = tensor(arr, "place", "arr")?;
    let (mask, values) = (&operands::indices(mask, target)?, Operand::value(vals, target)?);
    let values = values.arg();
    gil::released(arr.py(), || Ok(target.place(mask, values)?))
}

/// Where an array is not 0: a tuple of one array of indices per axis.
///
/// Parameters:
///     arr (ndarray): The array.
///
/// Returns:
///     tuple[ndarray, ...]: The indices, in C order.
///
/// >>> from situ import tensor
/// >>> tensor.nonzero(tensor.asarray([0, 3, 0, 4]))
/// (ndarray([1, 3]),)
#[pyfunction]
#[pyo3(signature = (arr, /))]
fn nonzero<'py>(arr: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    let py = arr.py();
    let tensor = tensor(arr, "nonzero", "arr")?;
    let found = gil::released(py, || Ok(tensor.nonzero()?));
    let arrays = found?.into_iter().map(|tensor| PyArray::new(tensor).into_object(py));
    PyTuple::new(py, arrays.collect::<PyResult<Vec<_>>>()?)
}

/// Puts the functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(take, module)?)?;
    module.add_function(wrap_pyfunction!(put, module)?)?;
    module.add_function(wrap_pyfunction!(take_along_axis, module)?)?;
    module.add_function(wrap_pyfunction!(put_along_axis, module)?)?;
    module.add_function(wrap_pyfunction!(extract, module)?)?;
    module.add_function(wrap_pyfunction!(place, module)?)?;
    module.add_function(wrap_pyfunction!(nonzero, module)?)
}
