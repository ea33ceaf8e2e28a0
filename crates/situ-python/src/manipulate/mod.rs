//! The same elements in another arrangement.

mod copies;
mod views;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PySequence};
use situ_tensor::Axes;
use smallvec::SmallVec;

use crate::args::type_name;
use crate::reduce::integer;

type Object<'a, 'py> = &'a Bound<'py, PyAny>;
type Optional<'a, 'py> = Option<Object<'a, 'py>>;
type Integers = SmallVec<[isize; 4]>;

pub(crate) use self::views::reshaped;

/// An integer, or a sequence of them.
fn integers(function: &str, name: &str, object: Object<'_, '_>) -> PyResult<Integers> {
    if object.is_exact_instance_of::<PyInt>() {
        return Ok(Integers::from_slice(&[integer(function, name, object, "")?]));
    }
    if let Ok(several) = object.cast::<PySequence>() {
        return several.try_iter()?.map(|each| integer(function, name, &each?, "")).collect();
    }
    if let Ok(list) = object.call_method0("tolist") {
        return integers(function, name, &list);
    }
    if object.hasattr("__index__")? {
        return Ok(Integers::from_slice(&[integer(function, name, object, "")?]));
    }
    let found = type_name(object);
    Err(PyTypeError::new_err(format!("{function}: {name} must be an integer or a sequence of integers, got {found}")))
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
