//! The argument of `Device.create_sub_devices`.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyString};
use situ_types::{AffinityDomain, Partition};

use crate::args::{shown, type_name};

/// How to split a device: a number of compute units, several of them, or the name of what the parts share.
pub(super) fn partition(how: &Bound<'_, PyAny>) -> PyResult<Partition> {
    if how.is_instance_of::<PyString>() {
        let name: String = how.extract()?;
        return AffinityDomain::from_name(&name).map(Partition::ByAffinity).ok_or_else(|| {
            let known: Vec<&str> = AffinityDomain::ALL.iter().map(|domain| domain.name()).collect();
            PyValueError::new_err(format!("partition: {name:?} is not one of {}", known.join(", ")))
        });
    }
    if how.is_instance_of::<PyInt>() || how.is_instance_of::<PyFloat>() {
        return Ok(Partition::Equally(count(how)?));
    }
    let Ok(counts) = how.try_iter() else {
        return Err(PyTypeError::new_err(format!(
            "partition: expected a number of compute units, a sequence of them or an affinity domain, got {}",
            type_name(how)
        )));
    };
    let counts = counts.map(|each| count(&each?)).collect::<PyResult<Vec<usize>>>()?;
    if counts.is_empty() {
        return Err(PyValueError::new_err(
            "partition: the sequence is empty; name at least one number of compute units",
        ));
    }
    Ok(Partition::ByCounts(counts))
}

/// A number of compute units. A float is one if it has no fraction.
fn count(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    let wrong = || PyTypeError::new_err(format!("partition: {} is not a number of compute units", shown(object)));
    let whole = if let Ok(float) = object.cast::<PyFloat>() {
        if float.value().fract() != 0.0 {
            return Err(PyValueError::new_err(format!(
                "partition: {} is not a whole number of compute units",
                shown(object)
            )));
        }
        object.call_method0("__int__").map_err(|_| wrong())?
    } else {
        object.call_method0("__index__").map_err(|_| wrong())?
    };
    whole
        .extract()
        .map_err(|_| PyOverflowError::new_err(format!("partition: {} compute units are out of range", shown(object))))
}
