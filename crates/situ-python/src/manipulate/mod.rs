//! The same elements in another arrangement.

mod copies;
mod views;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PySequence};
use situ_tensor::Axes;
use smallvec::SmallVec;

use crate::args::type_name;
use crate::reduce::{integer, one_axis};

type Object<'a, 'py> = &'a Bound<'py, PyAny>;
type Optional<'a, 'py> = Option<Object<'a, 'py>>;
type Integers = SmallVec<[isize; 4]>;

pub(crate) use self::copies::joined;
pub(crate) use self::views::reshaped;

/// An integer, or a sequence of them.
pub(crate) fn integers(function: &str, name: &str, object: Object<'_, '_>) -> PyResult<Integers> {
    if object.is_exact_instance_of::<PyInt>() {
        return Ok(Integers::from_slice(&[integer(function, name, object, "")?]));
    }
    let object = &held(object)?;
    if let Ok(several) = object.cast::<PySequence>() {
        return several.try_iter()?.map(|each| integer(function, name, &each?, "")).collect();
    }
    if object.hasattr("__index__")? {
        return Ok(Integers::from_slice(&[integer(function, name, object, "")?]));
    }
    let found = type_name(object);
    Err(PyTypeError::new_err(format!("{function}: {name} must be an integer or a sequence of integers, got {found}")))
}

/// What an array of any library holds, as Python's own numbers; anything else as it is. An array is asked once, because
/// what it answers with may be another that never ends.
fn held<'py>(object: Object<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let is_plain = object.is_instance_of::<PyInt>() || object.is_instance_of::<PySequence>();
    if is_plain || !object.hasattr("tolist")? { Ok(object.clone()) } else { object.call_method0("tolist") }
}

/// An `axis` argument that is something else if it is left out than if it is None.
pub(crate) struct Axis<'py>(pub(crate) Option<Bound<'py, PyAny>>);

impl<'py> FromPyObject<'_, 'py> for Axis<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Axis<'py>> {
        Ok(Axis(Some(object.to_owned())))
    }
}

impl Axis<'_> {
    /// The axis, or another where it was left out.
    pub(crate) fn or(&self, function: &str, other: isize) -> PyResult<isize> {
        self.0.as_ref().map_or(Ok(other), |axis| one_axis(function, axis))
    }
}

/// An `axis` argument: none, one, or a sequence of several.
fn axes(function: &str, axis: Optional<'_, '_>) -> PyResult<Axes> {
    axis.map_or(Ok(Axes::All), |axis| integers(function, "axis", axis).map(Axes::Some))
}

/// Puts the functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    views::register(module)?;
    copies::register(module)
}
