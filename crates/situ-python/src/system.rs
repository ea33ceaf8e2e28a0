//! What there is on this machine, and the end of the process.

use std::path::PathBuf;

use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use situ_runtime::{Device, Queue};
use situ_types::{Aspect, BackendKind, DeviceType};

use crate::args::{shown, type_name};
use crate::context::PyContext;
use crate::device::{self, PyDevice};
use crate::errors::Outcome;
use crate::platform::PyPlatform;
use crate::queue::PyQueue;
use crate::wait;

/// The visible, unpartitioned devices.
#[pyfunction]
fn devices() -> Outcome<Vec<PyDevice>> {
    Ok(situ_runtime::devices()?.into_iter().map(PyDevice).collect())
}

/// The platforms with a visible device.
#[pyfunction]
fn platforms() -> Outcome<Vec<PyPlatform>> {
    Ok(situ_runtime::platforms()?.into_iter().map(PyPlatform).collect())
}

/// Each backend's name with the reason why it has no device here, or None.
#[pyfunction]
fn availability(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let found: Outcome<_> = situ_runtime::availability().map_err(Into::into);
    let reasons = PyDict::new(py);
    for (backend, reason) in found? {
        reasons.set_item(backend.name(), reason)?;
    }
    Ok(reasons)
}

/// What a backend found and does not offer, with the reasons, or why it found nothing.
#[pyfunction]
fn left_out(backend: &str) -> Outcome<Vec<String>> {
    Ok(BackendKind::from_name(backend).map_or(Ok(Vec::new()), situ_runtime::left_out)?)
}

/// The best device of a type, by its name.
#[pyfunction]
fn device_of_type(name: &str) -> PyResult<PyDevice> {
    let device_type = DeviceType::from_name(name)
        .ok_or_else(|| PyValueError::new_err(format!("{name:?} is not a type of device")))?;
    let found: Outcome<Device> = Device::of_type(device_type).map_err(Into::into);
    Ok(PyDevice(found?))
}

fn aspect(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Aspect> {
    if !object.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(format!("{what}: {} is not the name of an aspect", shown(object))));
    }
    let name: String = object.extract()?;
    Aspect::from_name(&name).ok_or_else(|| {
        let known: Vec<&str> = Aspect::ALL.iter().map(|aspect| aspect.name()).collect();
        PyAttributeError::new_err(format!("{what}: {name:?} is not one of {}", known.join(", ")))
    })
}

/// The aspects of an argument: one name, or a sequence of them.
fn aspects(object: Option<&Bound<'_, PyAny>>, what: &str) -> PyResult<Vec<Aspect>> {
    let Some(object) = object else { return Ok(Vec::new()) };
    if object.is_instance_of::<PyString>() {
        return Ok(vec![aspect(object, what)?]);
    }
    let Ok(items) = object.try_iter() else {
        return Err(PyTypeError::new_err(format!(
            "{what}: expected the name of an aspect or a sequence of them, got {}",
            type_name(object)
        )));
    };
    items.map(|item| aspect(&item?, what)).collect()
}

/// The best device that has every required aspect and none of the excluded ones.
#[pyfunction]
fn device_with_aspects(
    required_aspects: &Bound<'_, PyAny>,
    excluded_aspects: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyDevice> {
    let required = aspects(Some(required_aspects), "required_aspects")?;
    let excluded = aspects(excluded_aspects, "excluded_aspects")?;
    let found: Outcome<Device> = Device::with_aspects(&required, &excluded).map_err(Into::into);
    Ok(PyDevice(found?))
}

/// *The* queue of a whole device, a selector string, or a (context, device) pair.
#[pyfunction]
fn cached_queue(py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<PyQueue> {
    let wrong = || {
        PyTypeError::new_err(format!(
            "key: expected a Device, a selector string or a (Context, Device) pair, got {}",
            type_name(key)
        ))
    };
    if let Ok(pair) = key.cast::<PyTuple>() {
        let (context, device) = pair
            .extract::<(PyRef<'_, PyContext>, PyRef<'_, PyDevice>)>()
            .map(|(context, device)| (context.0.clone(), device.0.clone()))
            .map_err(|_| wrong())?;
        let queue: Outcome<Queue> = py.detach(|| Ok(context.cached_queue(&device)?));
        return Ok(PyQueue(queue?));
    }
    let device = device::named(Some(key))?.ok_or_else(wrong)?;
    if device.parent().is_some() {
        return Err(PyValueError::new_err(format!(
            "key: {} is a sub-device, for which there is no default queue; create one with situ.Queue(device)",
            device.label()
        )));
    }
    let queue: Outcome<Queue> = py.detach(|| Ok(Queue::cached(&device)?));
    Ok(PyQueue(queue?))
}

/// Waits until every queue of the process has nothing left to do.
#[pyfunction]
fn finish_all(py: Python<'_>) {
    py.detach(situ_runtime::finish_all);
}

/// Median times in seconds of a fork-join of empty chunks: as it is, and with every core taking exactly one. None on a
/// single core.
#[pyfunction]
fn measure_fork_join(py: Python<'_>) -> Option<(f64, f64)> {
    let measured = py.detach(|| situ_runtime::diagnostics::fork_join(5000));
    measured.map(|measured| (measured.dealt.as_secs_f64(), measured.shared.as_secs_f64()))
}

/// Puts the functions into the module, and tells the runtime where packages are that bring compilers.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let path: Vec<Bound<'_, PyAny>> = module.py().import("sys")?.getattr("path")?.extract()?;
    situ_runtime::search_libraries_in(path.iter().filter_map(|folder| folder.extract::<PathBuf>().ok()));
    wait::listen_for_signals();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(devices, module)?)?;
    module.add_function(wrap_pyfunction!(platforms, module)?)?;
    module.add_function(wrap_pyfunction!(availability, module)?)?;
    module.add_function(wrap_pyfunction!(left_out, module)?)?;
    module.add_function(wrap_pyfunction!(device_of_type, module)?)?;
    module.add_function(wrap_pyfunction!(device_with_aspects, module)?)?;
    module.add_function(wrap_pyfunction!(cached_queue, module)?)?;
    module.add_function(wrap_pyfunction!(measure_fork_join, module)?)?;
    module.add_function(wrap_pyfunction!(finish_all, module)?)
}
