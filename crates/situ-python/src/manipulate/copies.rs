//! Functions that arrange elements in a new array.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PySequence, PyString, PyTuple};
use situ_tensor::Tensor;
use smallvec::SmallVec;

use super::{Axis, Object, Optional, axes, held, integers};
use crate::args::{shown, type_name};
use crate::array::PyArray;
use crate::errors::Outcome;
use crate::gil;
use crate::operands::{indices_named, tensor};
use crate::reduce::{integer, one_axis};

type Array<'py> = PyResult<Bound<'py, PyArray>>;

/// So many arrays are not worth holding the GIL for.
const MANY: usize = 64;

/// A new array made of others.
pub(crate) fn joined<'py>(
    function: &str,
    arrays: Object<'_, 'py>,
    join: impl FnOnce(&[&Tensor]) -> Outcome<Tensor> + Send,
) -> Array<'py> {
    let py = arrays.py();
    let arrays = listed(function, arrays)?;
    let mut tensors: SmallVec<[&Tensor; 8]> = SmallVec::with_capacity(arrays.len());
    for (n, object) in arrays.iter().enumerate() {
        tensors.push(match object.cast::<PyArray>() {
            Ok(array) => array.get().tensor(),
            Err(_) => tensor(object, function, &format!("arrays[{n}]"))?,
        });
    }
    let takes_long = tensors.len() > MANY || tensors.iter().any(|tensor| gil::is_long_with(tensor));
    PyArray::new(gil::released_if(takes_long, py, || join(&tensors))?).into_object(py)
}

/// The objects of a sequence.
fn listed<'py>(function: &str, objects: Object<'_, 'py>) -> PyResult<SmallVec<[Bound<'py, PyAny>; 8]>> {
    if let Ok(list) = objects.cast_exact::<PyList>() {
        return Ok(list.iter().collect());
    }
    if let Ok(tuple) = objects.cast_exact::<PyTuple>() {
        return Ok(tuple.iter().collect());
    }
    let sequence = objects.cast::<PySequence>().ok().filter(|objects| !objects.is_instance_of::<PyString>());
    let sequence = sequence.ok_or_else(|| {
        PyTypeError::new_err(format!("{function}: arrays must be a sequence of arrays, got {}", type_name(objects)))
    })?;
    // One after another, because what says how long it is may have no end to it.
    let mut listed = SmallVec::new();
    for (n, object) in sequence.try_iter()?.enumerate() {
        let object = object?;
        tensor(&object, function, &format!("arrays[{n}]"))?;
        listed.push(object);
    }
    Ok(listed)
}

/// A new array made of one.
fn made<'py>(py: Python<'py>, takes_long: bool, make: impl FnOnce() -> Outcome<Tensor> + Send) -> Array<'py> {
    PyArray::new(gil::released_if(takes_long, py, make)?).into_object(py)
}

/// Joins arrays along an axis.
///
/// Parameters:
///     arrays (Sequence[ndarray]): The arrays, alike in shape but for the axis. They are converted to a common dtype.
///     axis (SupportsIndex | None): The axis, counted from either end. With None all elements are joined, in C order,
///         whatever the shapes.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> tensor.concat([tensor.arange(3), tensor.ones(2, dtype="int64")])
/// ndarray([0, 1, 2, 1, 1])
#[pyfunction]
#[pyo3(signature = (arrays, /, *, axis=Axis(None)), text_signature = "(arrays, /, *, axis=0)")]
fn concat<'py>(arrays: Object<'_, 'py>, axis: Axis<'py>) -> Array<'py> {
    let is_none = axis.0.as_ref().is_some_and(|axis| axis.is_none());
    let axis = if is_none { None } else { Some(axis.or("concat", 0)?) };
    joined("concat", arrays, |arrays| Ok(Tensor::concat(arrays, axis)?))
}

/// Joins arrays of one shape along a new axis.
///
/// Parameters:
///     arrays (Sequence[ndarray]): The arrays. They are converted to a common dtype.
///     axis (SupportsIndex): Where the new axis is in the result, counted from either end.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> tensor.stack([tensor.arange(3), tensor.ones(3, dtype="int64")])
/// ndarray([[0, 1, 2],
///          [1, 1, 1]])
#[pyfunction]
#[pyo3(signature = (arrays, /, *, axis=Axis(None)), text_signature = "(arrays, /, *, axis=0)")]
fn stack<'py>(arrays: Object<'_, 'py>, axis: Axis<'py>) -> Array<'py> {
    let axis = axis.or("stack", 0)?;
    joined("stack", arrays, |arrays| Ok(Tensor::stack(arrays, axis)?))
}

/// The elements of an array moved along axes; those that fall off one end come in at the other.
///
/// Parameters:
///     x (ndarray): The array.
///     shift (SupportsIndex | Sequence[SupportsIndex]): How far, one integer for each axis or one for all.
///     axis (SupportsIndex | Sequence[SupportsIndex] | None): The axes, counted from either end; None to move the elements
///         in C order, as if there were one axis.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> tensor.roll(tensor.arange(5), 2)
/// ndarray([3, 4, 0, 1, 2])
#[pyfunction]
#[pyo3(signature = (x, /, shift, *, axis=None))]
fn roll<'py>(x: Object<'_, 'py>, shift: Object<'_, 'py>, axis: Optional<'_, 'py>) -> Array<'py> {
    let source = tensor(x, "roll", "x")?;
    let (shifts, axes) = (shifts(shift)?, axes("roll", axis)?);
    made(x.py(), gil::is_long_with(source), || Ok(source.roll(&shifts, axes)?))
}

/// How far to roll: an integer of any size, or a sequence of them.
fn shifts(object: Object<'_, '_>) -> PyResult<SmallVec<[i128; 4]>> {
    let object = &held(object)?;
    match object.cast::<PySequence>() {
        Ok(several) if !object.is_instance_of::<PyString>() => {
            several.try_iter()?.map(|each| one_shift(&each?)).collect()
        }
        _ => Ok(SmallVec::from_iter([one_shift(object)?])),
    }
}

fn one_shift(object: Object<'_, '_>) -> PyResult<i128> {
    if object.is_instance_of::<PySequence>() && !object.is_instance_of::<PyString>() {
        return Err(PyValueError::new_err(format!(
            "roll: shift must be an integer or a flat sequence, got {}",
            shown(object)
        )));
    }
    let index = object.call_method0("__index__").map_err(|_| {
        PyTypeError::new_err(format!("roll: shift must be an integer or a sequence of them, got {}", type_name(object)))
    })?;
    index.extract().map_err(|_| PyValueError::new_err(format!("roll: shift {} is out of range", shown(object))))
}

/// An array several times beside itself along each axis.
///
/// Parameters:
///     x (ndarray): The array.
///     repetitions (SupportsIndex | Sequence[SupportsIndex]): How many times along each axis, the last for the last axis.
///
/// Returns:
///     ndarray: A new array; it has as many axes as there are repetitions, if those are more.
///
/// >>> from situ import tensor
/// >>> tensor.tile(tensor.asarray([1, 2]), (2, 2))
/// ndarray([[1, 2, 1, 2],
///          [1, 2, 1, 2]])
#[pyfunction]
#[pyo3(signature = (x, repetitions, /))]
fn tile<'py>(x: Object<'_, 'py>, repetitions: Object<'_, 'py>) -> Array<'py> {
    let source = tensor(x, "tile", "x")?;
    let given = integers("tile", "repetitions", repetitions)?;
    let times = given.iter().map(|&times| natural("tile", "repetitions", times)).collect::<PyResult<Vec<_>>>()?;
    let takes_long = times.iter().fold(1, |all: usize, &times| all.saturating_mul(times)) > MANY;
    made(x.py(), takes_long || gil::is_long_with(source), || Ok(source.tile(&times)?))
}

fn natural(function: &str, name: &str, number: isize) -> PyResult<usize> {
    usize::try_from(number)
        .map_err(|_| PyValueError::new_err(format!("{function}: {name} must not be negative, got {number}")))
}

/// Each element of an array several times, one after another.
///
/// Parameters:
///     x (ndarray): The array.
///     repeats (SupportsIndex | ndarray | ArrayLike): How many times: an integer, or one for each position along the axis.
///     axis (SupportsIndex | None): The axis, counted from either end; None for the elements in C order.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> tensor.repeat(tensor.asarray([1, 2]), 2), tensor.repeat(tensor.asarray([1, 2]), [3, 1])
/// (ndarray([1, 1, 2, 2]), ndarray([1, 1, 1, 2]))
#[pyfunction]
#[pyo3(signature = (x, repeats, /, *, axis=None))]
fn repeat<'py>(x: Object<'_, 'py>, repeats: Object<'_, 'py>, axis: Optional<'_, 'py>) -> Array<'py> {
    let (py, source) = (x.py(), tensor(x, "repeat", "x")?);
    let axis = axis.map(|axis| one_axis("repeat", axis)).transpose()?;
    if repeats.is_instance_of::<PyInt>() {
        let times = natural("repeat", "repeats", integer("repeat", "repeats", repeats, "")?)?;
        return made(py, times > MANY || gil::is_long_with(source), || Ok(source.repeat(times, axis)?));
    }
    let counts = &indices_named(repeats, source, "repeat: repeats")?;
    made(py, true, || Ok(source.repeat_each(counts, axis)?))
}

/// Puts the functions into the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(concat, module)?)?;
    module.add_function(wrap_pyfunction!(stack, module)?)?;
    module.add_function(wrap_pyfunction!(roll, module)?)?;
    module.add_function(wrap_pyfunction!(tile, module)?)?;
    module.add_function(wrap_pyfunction!(repeat, module)?)
}
