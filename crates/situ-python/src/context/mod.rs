//! `situ.Context`.

pub(crate) mod capsule;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use situ_runtime::{Context, Device};
use situ_types::ErrorKind;

use crate::args::type_name;
use crate::device::{self, PyDevice};
use crate::errors::{DeviceCreationError, Outcome, Raised};

/// A set of devices that share allocations.
///
/// `Context()`, `Context("cpu")` and `Context(device)` are the default context of the device's platform; a list of
/// devices, or a sub-device, gets a new one. Two objects for the same context are equal.
///
/// >>> import situ
/// >>> situ.Context() == situ.Queue().sycl_context
/// True
/// >>> situ.Context([situ.Device("cpu")]) == situ.Context("cpu")
/// False
#[pyclass(name = "Context", module = "situ", frozen, eq, hash, subclass)]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PyContext(pub(crate) Context);

/// The devices of a list or tuple, if the object is one.
fn several(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<Device>>> {
    if !object.is_instance_of::<PyList>() && !object.is_instance_of::<PyTuple>() {
        return Ok(None);
    }
    let devices = object.try_iter()?.map(|item| {
        let item = item?;
        let device = item.cast::<PyDevice>().map(|device| device.get().0.clone());
        device
            .map_err(|_| PyTypeError::new_err(format!("expected a list of Device, but it holds {}", type_name(&item))))
    });
    let devices = devices.collect::<PyResult<Vec<Device>>>()?;
    if devices.is_empty() {
        return Err(PyTypeError::new_err("the list of devices is empty; a context needs at least one"));
    }
    Ok(Some(devices))
}

/// The same failure, as one to create a context.
fn as_context_error(py: Python<'_>, error: PyErr) -> PyErr {
    if error.is_instance_of::<DeviceCreationError>(py) {
        return crate::errors::ContextCreationError::new_err(error.value(py).to_string());
    }
    error
}

#[pymethods]
impl PyContext {
    #[new]
    #[pyo3(signature = (arg=None, /))]
    fn new(py: Python<'_>, arg: Option<&Bound<'_, PyAny>>) -> PyResult<PyContext> {
        if let Some(arg) = arg {
            if let Ok(context) = arg.cast::<PyContext>() {
                return Ok(context.get().clone());
            }
            if let Some(devices) = several(arg)? {
                let made: Outcome<Context> = py.detach(|| Ok(Context::new(&devices)?));
                return Ok(PyContext(made.map_err(created)?));
            }
            if let Some(context) = capsule::open(arg)? {
                return Ok(PyContext(context));
            }
        }
        let Some(device) = device::named(arg).map_err(|error| as_context_error(py, error))? else {
            let given = arg.map(type_name).unwrap_or_default();
            return Err(PyTypeError::new_err(format!(
                "expected a selector string, a Device, a list of Device, a Context or a capsule, got {given}"
            )));
        };
        let made: Outcome<Context> = py.detach(|| Ok(Context::for_device(&device)?));
        Ok(PyContext(made.map_err(created)?))
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        "SyclContext"
    }

    /// Its devices.
    ///
    /// >>> import situ
    /// >>> situ.Context(situ.Device("cpu")).get_devices() == [situ.Device("cpu")]
    /// True
    fn get_devices(&self) -> Vec<PyDevice> {
        self.0.devices().iter().cloned().map(PyDevice).collect()
    }

    /// The number of its devices.
    ///
    /// >>> import situ
    /// >>> situ.Context("cpu").device_count
    /// 1
    #[getter]
    fn device_count(&self) -> usize {
        self.0.devices().len()
    }

    /// The address of this object's handle to the context.
    ///
    /// >>> import situ
    /// >>> situ.Context("cpu").addressof_ref() > 0
    /// True
    fn addressof_ref(&self) -> usize {
        &raw const self.0 as usize
    }

    fn _get_capsule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        capsule::seal(py, self.0.clone())
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        let address = slf.as_ptr() as usize;
        match slf.get().0.devices().len() {
            1 => format!("<situ.Context at {address:#x}>"),
            several => format!("<situ.Context for {several} devices at {address:#x}>"),
        }
    }
}

/// A failure below, as one to create a context: memory and argument trouble keep their own kinds.
fn created(error: Raised) -> Raised {
    match error.kind() {
        ErrorKind::Device => error.into_kind(ErrorKind::ContextCreation),
        _ => error,
    }
}

/// Puts the class into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyContext>()
}
