//! `situ.tensor.Device`, the Array API's device object, and the placement keywords of creation functions.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use situ_runtime::{Context, Device, Queue};

use crate::args::type_name;
use crate::context::PyContext;
use crate::device::PyDevice;
use crate::errors::{Outcome, Raised};
use crate::queue::PyQueue;

/// A device as arrays see it: the queue that computations on it are submitted to.
///
/// >>> from situ import tensor
/// >>> tensor.zeros(3, device="cpu").device
/// Device(native:cpu:0)
#[pyclass(name = "Device", module = "situ.tensor", frozen)]
#[derive(Clone, Debug)]
pub(crate) struct PyPlace(pub(crate) Queue);

#[pymethods]
impl PyPlace {
    /// The device for a selector, a whole device, a queue or another such device; the default one for None.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.Device.create_device("cpu")
    /// Device(native:cpu:0)
    #[staticmethod]
    #[pyo3(signature = (device=None))]
    fn create_device(device: Option<&Bound<'_, PyAny>>) -> PyResult<PyPlace> {
        match device {
            None => Ok(PyPlace(default_queue(None)?)),
            Some(device) => Ok(PyPlace(queue_of(device, "device")?)),
        }
    }

    /// The queue computations are submitted to.
    ///
    /// >>> from situ import tensor
    /// >>> x = tensor.ones(3)
    /// >>> x.device.sycl_queue == x.sycl_queue
    /// True
    #[getter]
    fn sycl_queue(&self) -> PyQueue {
        PyQueue(self.0.clone())
    }

    /// The device itself.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.ones(3, device="cpu").device.sycl_device.filter_string
    /// 'native:cpu:0'
    #[getter]
    fn sycl_device(&self) -> PyDevice {
        PyDevice(self.0.device().clone())
    }

    /// The context of its memory.
    ///
    /// >>> from situ import tensor
    /// >>> x = tensor.ones(3)
    /// >>> x.device.sycl_context == x.sycl_context
    /// True
    #[getter]
    fn sycl_context(&self) -> PyContext {
        PyContext(self.0.context().clone())
    }

    /// Waits until everything submitted to the device through this queue is done.
    ///
    /// >>> from situ import tensor
    /// >>> x = tensor.ones(3)
    /// >>> x.device.wait()
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        crate::wait::for_queue(py, &self.0)
    }

    /// Prints what the device says about itself.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.Device.create_device("cpu").print_device_info()
    ///     Name            ...
    fn print_device_info(&self, py: Python<'_>) -> PyResult<()> {
        Bound::new(py, self.sycl_device())?.call_method0("print_device_info").map(|_| ())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        if let Ok(place) = other.cast::<PyPlace>() {
            return place.get().0 == self.0;
        }
        other.cast::<PyQueue>().is_ok_and(|queue| queue.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("Device({})", self.0.device().label())
    }
}

/// The queue a `device=` argument stands for.
pub(crate) fn queue_of(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Queue> {
    if let Ok(queue) = object.cast::<PyQueue>() {
        return Ok(queue.get().0.clone());
    }
    if let Ok(place) = object.cast::<PyPlace>() {
        return Ok(place.get().0.clone());
    }
    if let Ok(device) = object.cast::<PyDevice>() {
        let device = &device.get().0;
        if device.parent().is_some() {
            return Err(PyValueError::new_err(format!(
                "{what}: {} is a sub-device, for which there is no default queue; create one with situ.Queue(device) \
                 and pass that",
                device.label()
            )));
        }
        return Ok(cached(device)?);
    }
    if let Ok(selector) = object.extract::<String>() {
        let found: Outcome<Device> = Device::select(&selector).map_err(Into::into);
        return Ok(cached(&found?)?);
    }
    Err(PyTypeError::new_err(format!(
        "{what}: expected a selector string, a Device or a Queue, got {}",
        type_name(object)
    )))
}

fn cached(device: &Device) -> Outcome<Queue> {
    Ok(Queue::cached(device)?)
}

/// The queue new arrays go to where nothing else is said: the one set for this context, else the default device's.
pub(crate) fn default_queue(py: Option<Python<'_>>) -> PyResult<Queue> {
    static CURRENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let scoped = |py: Python<'_>| -> PyResult<Option<Queue>> {
        let current = CURRENT
            .get_or_try_init(py, || Ok::<_, PyErr>(py.import("situ._scope")?.getattr("current_queue")?.unbind()))?;
        let queue = current.bind(py).call0()?;
        if queue.is_none() { Ok(None) } else { Ok(Some(queue.cast::<PyQueue>()?.get().0.clone())) }
    };
    let set = match py {
        Some(py) => scoped(py)?,
        None => Python::attach(scoped)?,
    };
    match set {
        Some(queue) => Ok(queue),
        None => Ok(Queue::of_default_device().map_err(Raised::from)?),
    }
}

/// The queue that `device=` and `sycl_queue=` agree on, or the fallback where neither is given.
pub(crate) fn placement(
    device: Option<&Bound<'_, PyAny>>,
    sycl_queue: Option<&Bound<'_, PyAny>>,
    fallback: impl FnOnce() -> PyResult<Queue>,
) -> PyResult<Queue> {
    let explicit = match sycl_queue {
        None => None,
        Some(object) => Some(
            object
                .cast::<PyQueue>()
                .map_err(|_| PyTypeError::new_err(format!("sycl_queue: expected a Queue, got {}", type_name(object))))?
                .get()
                .0
                .clone(),
        ),
    };
    match (device, explicit) {
        (None, None) => fallback(),
        (None, Some(queue)) => Ok(queue),
        (Some(device), None) => queue_of(device, "device"),
        (Some(device), Some(queue)) => {
            if queue_of(device, "device")? == queue {
                return Ok(queue);
            }
            Err(PyTypeError::new_err("device and sycl_queue name different queues; give only one of them"))
        }
    }
}

/// The context a queue or context argument stands for.
pub(crate) fn context_of(object: &Bound<'_, PyAny>) -> PyResult<Context> {
    if let Ok(queue) = object.cast::<PyQueue>() {
        return Ok(queue.get().0.context().clone());
    }
    if let Ok(context) = object.cast::<PyContext>() {
        return Ok(context.get().0.clone());
    }
    Err(PyTypeError::new_err(format!("syclobj: expected a Queue or a Context, got {}", type_name(object))))
}

/// Puts the class into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ArrayDevice", module.py().get_type::<PyPlace>())
}
