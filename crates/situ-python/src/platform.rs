//! `situ.Platform`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use situ_runtime::{Context, Platform};

use crate::args::type_name;
use crate::context::PyContext;
use crate::device::{self, PyDevice, enums};
use crate::errors::{DeviceCreationError, Outcome};

/// One driver and the devices it reaches.
///
/// `Platform()` is the platform of the default device, `Platform("cpu")` that of the device a selector names.
///
/// >>> import situ
/// >>> situ.Platform("native") == situ.Device("native").sycl_platform
/// True
#[pyclass(name = "Platform", module = "situ", frozen, eq, hash, subclass)]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PyPlatform(pub(crate) Platform);

#[pymethods]
impl PyPlatform {
    #[new]
    #[pyo3(signature = (arg=None, /))]
    fn new(py: Python<'_>, arg: Option<&Bound<'_, PyAny>>) -> PyResult<PyPlatform> {
        let of_selector = arg.is_none_or(|arg| arg.is_instance_of::<PyString>());
        let found = if of_selector { device::named(arg) } else { Ok(None) };
        let found = found.map_err(|error| {
            let missing = error.is_instance_of::<DeviceCreationError>(py);
            if missing { PyValueError::new_err(error.value(py).to_string()) } else { error }
        })?;
        found.map(|device| PyPlatform(device.platform().clone())).ok_or_else(|| {
            PyValueError::new_err(format!(
                "expected a selector string such as \"native:cpu\", got {}; a Device has `sycl_platform`",
                arg.map(type_name).unwrap_or_default()
            ))
        })
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        "SyclPlatform"
    }

    /// The name of the platform.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").sycl_platform.name
    /// 'situ native'
    #[getter]
    fn name(&self) -> &str {
        &self.0.info().name
    }

    /// The vendor of the driver.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").sycl_platform.vendor
    /// 'situ'
    #[getter]
    fn vendor(&self) -> &str {
        &self.0.info().vendor
    }

    /// The version of the driver.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").sycl_platform.version == situ.__version__
    /// True
    #[getter]
    fn version(&self) -> &str {
        &self.0.info().version
    }

    /// The family of driver, a `backend_type`.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").sycl_platform.backend
    /// <backend_type.native: ...>
    #[getter]
    fn backend<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        enums::backend(py, self.0.backend())
    }

    /// The context over all its devices that is used where none is given.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").sycl_platform.default_context.device_count
    /// 1
    #[getter]
    fn default_context(&self, py: Python<'_>) -> PyResult<PyContext> {
        let made: Outcome<Context> = py.detach(|| Ok(self.0.default_context()?));
        Ok(PyContext(made?))
    }

    /// Its whole devices, all of them or those of a type.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").sycl_platform.get_devices() == [situ.Device("cpu")]
    /// True
    #[pyo3(signature = (device_type=None))]
    fn get_devices<'py>(
        slf: &Bound<'py, Self>,
        device_type: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let devices: Outcome<_> = slf.get().0.devices().map_err(Into::into);
        let devices: Vec<PyDevice> = devices?.into_iter().map(PyDevice).collect();
        slf.py().import("situ._devices")?.call_method1("_of_type", (devices, device_type))
    }

    /// Its composite devices; none, as no backend of situ has any.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").sycl_platform.get_composite_devices()
    /// []
    fn get_composite_devices(&self) -> Vec<PyDevice> {
        Vec::new()
    }

    /// Prints the platform as `lsplatform` does.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").sycl_platform.print_platform_info()
    /// situ native ...
    #[pyo3(signature = (verbosity=0))]
    fn print_platform_info(slf: &Bound<'_, Self>, verbosity: i64) -> PyResult<()> {
        slf.py().import("situ._listing")?.call_method1("print_platform", (slf, verbosity)).map(drop)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        let info = slf.get().0.info();
        let address = slf.as_ptr() as usize;
        format!("<situ.Platform [{}, {}, {}] at {address:#x}>", info.name, info.vendor, info.version)
    }
}

/// Puts the class into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyPlatform>()
}
