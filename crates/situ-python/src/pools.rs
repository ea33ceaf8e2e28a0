//! The memory pools, seen from Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use situ_runtime::Context;
use situ_runtime::pool::{PoolLimit, Usage};
use situ_types::UsmKind;

use crate::args::type_name;
use crate::errors::Raised;
use crate::interface::Described;
use crate::place::{default_queue, queue_of};

/// The context whose pools a `device` argument means.
fn context(py: Python<'_>, device: Option<&Bound<'_, PyAny>>) -> PyResult<Context> {
    let queue = match device {
        Some(device) if !device.is_none() => queue_of(device, "device")?,
        _ => default_queue(Some(py))?,
    };
    Ok(queue.context().clone())
}

fn usage<'py>(py: Python<'py>, usage: &Usage) -> PyResult<Bound<'py, PyDict>> {
    let entries = PyDict::new(py);
    for (name, value) in usage.entries() {
        entries.set_item(name, value)?;
    }
    Ok(entries)
}

/// What the pools of a context hold.
#[pyfunction]
#[pyo3(signature = (device=None))]
fn pool_stats<'py>(py: Python<'py>, device: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyDict>> {
    let context = context(py, device)?;
    let stats = py.detach(|| context.pool_stats()).map_err(Raised::from)?;
    let report = PyDict::new(py);
    for kind in UsmKind::ALL {
        report.set_item(kind.name(), usage(py, stats.kind(kind))?)?;
    }
    report.set_item("total", usage(py, &stats.total)?)?;
    Ok(report)
}

/// What a context has copied from and to memory that is not its own.
#[pyfunction]
#[pyo3(signature = (device=None))]
fn transfer_stats<'py>(py: Python<'py>, device: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyDict>> {
    let entries = PyDict::new(py);
    for (name, value) in context(py, device)?.transfer_stats().entries() {
        entries.set_item(name, value)?;
    }
    Ok(entries)
}

/// Gives everything unused back to the driver.
#[pyfunction]
#[pyo3(signature = (device=None))]
fn pool_trim(py: Python<'_>, device: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let context = context(py, device)?;
    Ok(py.detach(|| context.trim_pools()).map_err(Raised::from)?)
}

/// Limits what the pools keep unused.
#[pyfunction]
#[pyo3(signature = (nbytes, device=None))]
fn pool_set_limit(py: Python<'_>, nbytes: Option<usize>, device: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let context = context(py, device)?;
    let limit = nbytes.map_or_else(PoolLimit::from_env, |bytes| Ok(PoolLimit::Bytes(bytes))).map_err(Raised::from)?;
    Ok(py.detach(|| context.set_pool_limit(limit)).map_err(Raised::from)?)
}

/// The kind of an object's USM memory.
#[pyfunction]
fn usm_kind_of(obj: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let described = Described::of(obj)?.ok_or_else(|| {
        PyValueError::new_err(format!("expected an object with __sycl_usm_array_interface__, got {}", type_name(obj)))
    })?;
    Ok(described.buffer.kind().name())
}

/// Puts the functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(pool_stats, module)?)?;
    module.add_function(wrap_pyfunction!(pool_trim, module)?)?;
    module.add_function(wrap_pyfunction!(transfer_stats, module)?)?;
    module.add_function(wrap_pyfunction!(pool_set_limit, module)?)?;
    module.add_function(wrap_pyfunction!(usm_kind_of, module)?)
}
