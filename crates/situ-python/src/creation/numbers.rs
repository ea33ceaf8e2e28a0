//! Numbers that say what a new array holds.

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};
use situ_tensor::Weak;
use situ_types::{DType, DTypeKind};

use super::Object;
use crate::args::{numpy, shown, type_name, weak, wide_integer};

/// A Python number that will be stored with a dtype, or with one of its own; `None` for anything else.
///
/// An integer of any size becomes a float where the dtype is one.
pub(super) fn number_for(object: Object<'_, '_>, dtype: Option<DType>, what: &str) -> PyResult<Option<Weak>> {
    if object.is_exact_instance_of::<PyFloat>() || !object.is_instance_of::<PyInt>() || wide_integer(object).is_ok() {
        return weak(object);
    }
    match dtype.map(DType::kind) {
        Some(DTypeKind::Float | DTypeKind::Complex) => Ok(Some(Weak::Float(object.extract()?))),
        Some(DTypeKind::Bool) => Ok(Some(Weak::Bool(true))),
        Some(DTypeKind::Integer) | None => Err(too_large(object, dtype, what)),
    }
}

/// The error for an integer that no array can hold.
pub(super) fn too_large(object: Object<'_, '_>, dtype: Option<DType>, what: &str) -> PyErr {
    let target = dtype.map_or("any integer dtype", DType::name);
    let remedy = "give a floating-point dtype to store it rounded";
    PyOverflowError::new_err(format!("{what}: Python integer {} does not fit in {target}; {remedy}", shown(object)))
}

/// A number argument of `arange` or `linspace`: of Python or of NumPy.
pub(super) fn number(object: Object<'_, '_>, function: &str, name: &str) -> PyResult<Weak> {
    let what = format!("{function}: {name}");
    if let Some(value) = number_for(object, None, &what)? {
        return Ok(value);
    }
    let generic = numpy(object.py())?.getattr("generic")?;
    if object.is_instance(&generic)?
        && let Some(value) = weak(&object.call_method0("item")?)?
    {
        return Ok(value);
    }
    Err(PyValueError::new_err(format!("{what} must be a number, got {}", type_name(object))))
}
