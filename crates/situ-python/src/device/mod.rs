//! `situ.Device`.

pub(crate) mod enums;
mod facts;
mod partition;

use pyo3::exceptions::{PyDeprecationWarning, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use situ_runtime::Device;

use crate::args::{shown, type_name};
use crate::errors::Outcome;
use crate::platform::PyPlatform;

/// A processor, or a part of one.
///
/// `Device()` is the best device there is, `Device("native:cpu:0")` the one a selector string names. Two objects for
/// the same device are equal.
///
/// >>> import situ
/// >>> device = situ.Device("cpu")
/// >>> device.is_cpu, device == situ.Device(device.filter_string)
/// (True, True)
#[pyclass(name = "Device", module = "situ", frozen, eq, hash, subclass)]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PyDevice(pub(crate) Device);

/// The device that a constructor's argument names; the default one without an argument.
pub(crate) fn named(arg: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Device>> {
    let Some(arg) = arg else {
        let default: Outcome<Device> = Device::default_device().map_err(Into::into);
        return Ok(Some(default?));
    };
    if let Ok(device) = arg.cast::<PyDevice>() {
        return Ok(Some(device.get().0.clone()));
    }
    if arg.is_instance_of::<PyString>() {
        let selected: Outcome<Device> = Device::select(&arg.extract::<String>()?).map_err(Into::into);
        return Ok(Some(selected?));
    }
    Ok(None)
}

/// The other device of a question about two.
fn peer_of(object: &Bound<'_, PyAny>) -> PyResult<Device> {
    object
        .cast::<PyDevice>()
        .map(|device| device.get().0.clone())
        .map_err(|_| PyTypeError::new_err(format!("peer: expected a Device, got {}", type_name(object))))
}

#[pymethods]
impl PyDevice {
    #[new]
    #[pyo3(signature = (arg=None, /))]
    fn new(arg: Option<&Bound<'_, PyAny>>) -> PyResult<PyDevice> {
        let found = named(arg)?;
        found.map(PyDevice).ok_or_else(|| {
            let given = arg.map(type_name).unwrap_or_default();
            PyTypeError::new_err(format!(
                "expected a selector string such as \"native:cpu:0\" or a Device, got {given}"
            ))
        })
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        "SyclDevice"
    }

    /// The platform it belongs to.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").sycl_platform.name
    /// 'situ native'
    #[getter]
    fn sycl_platform(&self) -> PyPlatform {
        PyPlatform(self.0.platform().clone())
    }

    /// The number by which its driver, and thus other libraries, know the whole device.
    #[getter]
    fn _number(&self) -> usize {
        self.0.number()
    }

    /// The selector string that names exactly this device, such as "native:cpu:0"; a sub-device has none.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").filter_string
    /// 'native:cpu:0'
    #[getter(filter_string)]
    fn exact_name(&self) -> Outcome<String> {
        Ok(self.0.filter_string()?)
    }

    /// A selector string for this device without some of its parts, numbered accordingly.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").get_filter_string(include_backend=False)
    /// 'cpu:0'
    #[pyo3(signature = (include_backend=true, include_device_type=true))]
    fn get_filter_string(&self, include_backend: bool, include_device_type: bool) -> Outcome<String> {
        Ok(self.0.partial_filter_string(include_backend, include_device_type)?)
    }

    /// Its position in `get_devices()`; for a sub-device, that of its whole device.
    ///
    /// >>> import situ
    /// >>> device = situ.Device("cpu")
    /// >>> situ.get_devices()[device.get_device_id()] == device
    /// True
    fn get_device_id(&self) -> Outcome<usize> {
        Ok(self.0.id()?)
    }

    /// The address of this object's handle to the device.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").addressof_ref() > 0
    /// True
    fn addressof_ref(&self) -> usize {
        &raw const self.0 as usize
    }

    /// Prints the name, driver version, vendor and filter string.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").print_device_info()
    ///     Name            ...
    fn print_device_info(slf: &Bound<'_, Self>) -> PyResult<()> {
        slf.py().import("situ._listing")?.call_method1("print_device", (slf,)).map(drop)
    }

    /// The most work-items in a group along each of three dimensions; use `max_work_item_sizes3d`.
    ///
    /// >>> import situ
    /// >>> import warnings
    /// >>> with warnings.catch_warnings():
    /// ...     warnings.simplefilter("ignore")
    /// ...     len(situ.Device("cpu").max_work_item_sizes)
    /// 3
    #[getter]
    fn max_work_item_sizes(&self, py: Python<'_>) -> PyResult<(u64, u64, u64)> {
        let category = py.get_type::<PyDeprecationWarning>();
        PyErr::warn(py, &category, c"max_work_item_sizes is deprecated; use max_work_item_sizes3d", 1)?;
        let [x, y, z] = self.0.info().max_work_item_sizes;
        Ok((x, y, z))
    }

    /// Splits it: by a number of compute units for each part, by several of them for one part each, or by an affinity
    /// domain such as "numa" or "L3_cache" whose members form the parts.
    ///
    /// >>> import situ
    /// >>> device = situ.Device("cpu")
    /// >>> parts = device.create_sub_devices(partition=[1])
    /// >>> parts[0].max_compute_units, parts[0].parent_device == device
    /// (1, True)
    #[pyo3(signature = (*, partition))]
    fn create_sub_devices(&self, partition: &Bound<'_, PyAny>) -> PyResult<Vec<PyDevice>> {
        let how = partition::partition(partition)?;
        let parts: Outcome<Vec<Device>> = partition.py().detach(|| Ok(self.0.create_sub_devices(&how)?));
        Ok(parts?.into_iter().map(PyDevice).collect())
    }

    /// The device this one is a part of, or None.
    ///
    /// >>> import situ
    /// >>> device = situ.Device("cpu")
    /// >>> device.parent_device is None, device.create_sub_devices(partition=[1])[0].parent_device == device
    /// (True, True)
    #[getter]
    fn parent_device(&self) -> Option<PyDevice> {
        self.0.parent().cloned().map(PyDevice)
    }

    /// The whole device this one is a part of, or itself.
    ///
    /// >>> import situ
    /// >>> device = situ.Device("cpu")
    /// >>> device.create_sub_devices(partition=[1])[0].get_unpartitioned_parent_device() == device
    /// True
    fn get_unpartitioned_parent_device(&self) -> PyDevice {
        PyDevice(self.0.unpartitioned().clone())
    }

    /// The composite device this one is a component of; None, as no backend of situ has any.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").composite_device is None
    /// True
    #[getter]
    fn composite_device(&self) -> Option<PyDevice> {
        None
    }

    /// The components of a composite device; empty, as no backend of situ has any.
    ///
    /// >>> import situ
    /// >>> situ.Device("cpu").component_devices()
    /// []
    fn component_devices(&self) -> Vec<PyDevice> {
        Vec::new()
    }

    /// Whether this device reaches the memory of another directly ("access_supported"), or can even do atomic
    /// operations there ("atomics_supported").
    ///
    /// >>> import situ
    /// >>> device = situ.Device("cpu")
    /// >>> device.can_access_peer(device)
    /// False
    #[pyo3(signature = (peer, value="access_supported"))]
    fn can_access_peer(&self, peer: &Bound<'_, PyAny>, value: &str) -> PyResult<bool> {
        peer_of(peer)?;
        if !matches!(value, "access_supported" | "atomics_supported") {
            return Err(PyValueError::new_err(format!(
                "value: expected 'access_supported' or 'atomics_supported', got {value:?}"
            )));
        }
        Ok(false)
    }

    /// Lets this device reach the memory of another directly.
    ///
    /// >>> import situ
    /// >>> device = situ.Device("cpu")
    /// >>> device.enable_peer_access(device)
    /// Traceback (most recent call last):
    /// ValueError: peer: a device is not its own peer
    fn enable_peer_access(&self, peer: &Bound<'_, PyAny>) -> PyResult<()> {
        self.refuse_peer(peer)
    }

    /// Ends what `enable_peer_access` began.
    ///
    /// >>> import situ
    /// >>> device = situ.Device("cpu")
    /// >>> device.disable_peer_access(device)
    /// Traceback (most recent call last):
    /// ValueError: peer: a device is not its own peer
    fn disable_peer_access(&self, peer: &Bound<'_, PyAny>) -> PyResult<()> {
        self.refuse_peer(peer)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        let device = &slf.get().0;
        let info = device.info();
        let (backend, device_type, name) = (info.backend, info.device_type, &info.name);
        let part = if device.parent().is_some() { format!(", {},", device.label()) } else { String::new() };
        format!(
            "<situ.Device [backend_type.{backend}, device_type.{device_type},  {name}]{part} at {:#x}>",
            slf.as_ptr() as usize
        )
    }
}

impl PyDevice {
    /// No backend has peer access, and each pair of devices has its own reason why not.
    fn refuse_peer(&self, peer: &Bound<'_, PyAny>) -> PyResult<()> {
        let other = peer_of(peer)?;
        let reason = if other == self.0 {
            "a device is not its own peer".to_owned()
        } else if other.backend() != self.0.backend() {
            format!("{} and {} belong to different backends", self.0.label(), shown(peer))
        } else {
            format!("the {} backend has no peer access; copy through the host instead", self.0.backend())
        };
        Err(PyValueError::new_err(format!("peer: {reason}")))
    }
}

/// Puts the class into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyDevice>()?;
    facts::add_to(&module.py().get_type::<PyDevice>())
}
