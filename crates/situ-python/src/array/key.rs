//! What a key consists of, from Python.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PySlice, PyString, PyTuple};
use situ_tensor::{Item, Slice, Tensor};

use super::PyArray;
use crate::args::{numpy, shown};
use crate::creation::from_numpy_like;

/// A part of a key, kept alive for the call.
pub(super) enum Part<'py> {
    Plain(Item<'static>),
    Array(Bound<'py, PyArray>),
    /// A NumPy array or a sequence, brought to the queue of the array that is indexed.
    Brought(Tensor),
}

impl<'py> Part<'py> {
    /// Parses a part of a key for an array.
    #[inline]
    pub(super) fn parse(object: &Bound<'py, PyAny>, beside: &Tensor) -> PyResult<Part<'py>> {
        if let Some(item) = first_axis(object)? {
            return Ok(Part::Plain(item));
        }
        if object.is_none() {
            return Ok(Part::Plain(Item::NewAxis));
        }
        if object.is(object.py().Ellipsis()) {
            return Ok(Part::Plain(Item::Ellipsis));
        }
        if let Ok(array) = object.cast::<PyArray>() {
            return Ok(Part::Array(array.clone()));
        }
        Part::parse_foreign(object, beside)
    }

    /// Parses what is neither Python's own way to index nor an array of situ.
    fn parse_foreign(object: &Bound<'py, PyAny>, beside: &Tensor) -> PyResult<Part<'py>> {
        let numpy = numpy(object.py())?;
        if object.is_instance_of::<PyBool>() || object.is_instance(&numpy.getattr("bool_")?)? {
            return Ok(Part::Plain(Item::Bool(object.is_truthy()?)));
        }
        let is_array = object.is_instance(&numpy.getattr("ndarray")?)?;
        if !is_array && object.hasattr("__index__")? {
            return integer(&object.call_method0("__index__")?).map(|index| Part::Plain(Item::Int(index)));
        }
        let is_other =
            object.is_instance_of::<PyString>() || object.is_instance_of::<PyFloat>() || !object.hasattr("__len__")?;
        let array = if is_array || is_other { object.clone() } else { numpy.call_method1("asarray", (object,))? };
        let kind = array.getattr("dtype").and_then(|dtype| dtype.getattr("kind")?.extract::<String>());
        match kind.as_deref() {
            Ok("b" | "i" | "u") if array.getattr("ndim")?.extract::<usize>()? == 0 => {
                Part::parse_foreign(&array.get_item(PyTuple::empty(object.py()))?, beside)
            }
            Ok("b" | "i" | "u") => from_numpy_like(&array, beside).map(Part::Brought),
            // An empty list has no dtype of its own; NumPy says float64.
            Ok("f") if !is_array && array.getattr("size")?.extract::<usize>()? == 0 => {
                from_numpy_like(&array.call_method1("astype", ("int64",))?, beside).map(Part::Brought)
            }
            _ => Err(PyIndexError::new_err(format!(
                "{} is not an index: a key consists of integers, slices, '...', None, and arrays of integers or truth \
                 values",
                shown(object)
            ))),
        }
    }

    /// What it is.
    #[inline]
    pub(super) fn item(&self) -> Item<'_> {
        match self {
            Part::Plain(item) => *item,
            Part::Array(array) => Item::Array(array.get().tensor()),
            Part::Brought(tensor) => Item::Array(tensor),
        }
    }
}

/// The item of a key that is one integer or one slice.
#[inline]
pub(super) fn first_axis(key: &Bound<'_, PyAny>) -> PyResult<Option<Item<'static>>> {
    if key.is_exact_instance_of::<PyInt>() {
        return integer(key).map(|index| Some(Item::Int(index)));
    }
    match key.cast_exact::<PySlice>() {
        Ok(slice) => unpacked(slice).map(|slice| Some(Item::Slice(slice))),
        Err(_) => Ok(None),
    }
}

#[inline]
fn integer(object: &Bound<'_, PyAny>) -> PyResult<isize> {
    object.extract().map_err(|_| PyIndexError::new_err(format!("index {} is too large for any axis", shown(object))))
}

/// The numbers of a slice; a step of 0 is an error of Python's own.
fn unpacked(slice: &Bound<'_, PySlice>) -> PyResult<Slice> {
    let (mut start, mut stop, mut step) = (0, 0, 0);
    // SAFETY: the object is a slice, and the three places are ours.
    let outcome = unsafe { pyo3::ffi::PySlice_Unpack(slice.as_ptr(), &mut start, &mut stop, &mut step) };
    if outcome < 0 {
        return Err(PyErr::fetch(slice.py()));
    }
    Ok(Slice { start: Some(start), stop: Some(stop), step })
}
