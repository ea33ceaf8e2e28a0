//! `situ.Queue`.

mod arguments;
mod transfers;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_runtime::{Context, Device, Event, Queue};
use situ_types::{ErrorKind, QueueProperties};

use crate::args::type_name;
use crate::context::{PyContext, capsule};
use crate::device::{self, PyDevice, enums};
use crate::errors::{DeviceCreationError, Outcome, QueueCreationError, Raised};
use crate::event::{Held, PyEvent, events};
use crate::wait;
use transfers::after;

/// A stream of commands to one device.
///
/// `Queue()`, `Queue("cpu")`, `Queue(device)` or `Queue(context, device)`. The property is "in_order",
/// "enable_profiling", or a list of both. Two queues are equal only if they are the same stream.
///
/// >>> import situ
/// >>> queue = situ.Queue("cpu", property=["in_order", "enable_profiling"])
/// >>> queue.is_in_order, queue.has_enable_profiling, queue == situ.Queue("cpu")
/// (True, True, False)
#[pyclass(name = "Queue", module = "situ", frozen, eq, hash, subclass, weakref)]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PyQueue(pub(crate) Queue);

/// The device and, where it is named, the context that a constructor's arguments stand for.
fn place(args: &Bound<'_, PyTuple>) -> PyResult<(Option<Context>, Device)> {
    let py = args.py();
    let first = args.get_item(0).ok();
    if args.len() == 2 {
        let (context, device) = (args.get_item(0)?, args.get_item(1)?);
        return match (context.cast::<PyContext>(), device.cast::<PyDevice>()) {
            (Ok(context), Ok(device)) => Ok((Some(context.get().0.clone()), device.get().0.clone())),
            _ => Err(PyTypeError::new_err(format!(
                "expected Queue(context, device), got ({}, {})",
                type_name(&context),
                type_name(&device)
            ))),
        };
    }
    let found = device::named(first.as_ref()).map_err(|error| {
        let missing = error.is_instance_of::<DeviceCreationError>(py);
        if missing { QueueCreationError::new_err(error.value(py).to_string()) } else { error }
    })?;
    found.map(|device| (None, device)).ok_or_else(|| {
        PyTypeError::new_err(format!(
            "expected a selector string, a Device, a Context with a Device, or a capsule, got {}",
            first.as_ref().map(type_name).unwrap_or_default()
        ))
    })
}

/// A new queue; whatever the backend's trouble, it is a queue that cannot be created.
fn create(context: Option<Context>, device: &Device, properties: QueueProperties) -> Outcome<Queue> {
    let made = match context {
        Some(context) => Queue::new(&context, device, properties),
        None => Context::for_device(device).and_then(|context| Queue::new(&context, device, properties)),
    };
    made.map_err(|error| {
        let error = Raised::from(error);
        let is_backend = matches!(error.kind(), ErrorKind::Device | ErrorKind::ContextCreation);
        if is_backend { error.into_kind(ErrorKind::QueueCreation) } else { error }
    })
}

#[pymethods]
impl PyQueue {
    #[new]
    #[pyo3(signature = (*args, property=None))]
    fn new(args: &Bound<'_, PyTuple>, property: Option<&Bound<'_, PyAny>>) -> PyResult<PyQueue> {
        if args.len() > 2 {
            return Err(PyTypeError::new_err(format!(
                "Queue takes at most 2 positional arguments, got {}",
                args.len()
            )));
        }
        let properties = arguments::properties(property)?;
        if args.len() == 1
            && let Some(queue) = capsule::open(&args.get_item(0)?)?
        {
            return Ok(PyQueue(queue));
        }
        let (context, device) = place(args)?;
        Ok(PyQueue(args.py().detach(|| create(context, &device, properties))?))
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        "SyclQueue"
    }

    /// The context of its memory.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> queue.sycl_context.device_count
    /// 1
    #[getter(sycl_context)]
    fn context(&self) -> PyContext {
        PyContext(self.0.context().clone())
    }

    /// The device its commands run on.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> queue.sycl_device.filter_string
    /// 'native:cpu:0'
    #[getter(sycl_device)]
    fn device(&self) -> PyDevice {
        PyDevice(self.0.device().clone())
    }

    /// The context of its memory.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> queue.get_sycl_context() == queue.sycl_context
    /// True
    fn get_sycl_context(&self) -> PyContext {
        self.context()
    }

    /// The device its commands run on.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> queue.get_sycl_device() == situ.Device("cpu")
    /// True
    fn get_sycl_device(&self) -> PyDevice {
        self.device()
    }

    /// The backend of its device, a `backend_type`.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> queue.backend.name
    /// 'native'
    #[getter]
    fn backend<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        enums::backend(py, self.0.backend())
    }

    /// The name of its device.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> queue.name == queue.sycl_device.name
    /// True
    #[getter]
    fn name(&self) -> &str {
        &self.0.device().info().name
    }

    /// The version of its device's driver.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> queue.driver_version == queue.sycl_device.driver_version
    /// True
    #[getter]
    fn driver_version(&self) -> &str {
        &self.0.device().info().driver_version
    }

    /// Whether commands run strictly in the order of submission.
    ///
    /// >>> import situ
    /// >>> situ.Queue("cpu").is_in_order, situ.Queue("cpu", property="in_order").is_in_order
    /// (False, True)
    #[getter]
    fn is_in_order(&self) -> bool {
        self.0.properties().in_order
    }

    /// Whether events record when their command was submitted, started and ended.
    ///
    /// >>> import situ
    /// >>> situ.Queue("cpu", property="enable_profiling").has_enable_profiling
    /// True
    #[getter]
    fn has_enable_profiling(&self) -> bool {
        self.0.properties().profiling
    }

    /// Whether both have the same context, device and properties, so that a command may go to either.
    ///
    /// >>> import situ
    /// >>> one, other = situ.Queue(), situ.Queue()
    /// >>> one == other, one.is_equivalent(other)
    /// (False, True)
    fn is_equivalent(&self, other: PyRef<'_, PyQueue>) -> bool {
        self.0.is_equivalent(&other.0)
    }

    /// Waits until everything submitted so far is over; a failure since the last look is an exception.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> event = queue.submit_barrier()
    /// >>> queue.wait()
    /// >>> event.execution_status.name
    /// 'complete'
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        wait::for_queue(py, &self.0)
    }

    /// Prints what its device says about itself.
    ///
    /// >>> import situ
    /// >>> situ.Queue("cpu").print_device_info()
    ///     Name            ...
    fn print_device_info(&self, py: Python<'_>) -> PyResult<()> {
        Bound::new(py, self.device())?.call_method0("print_device_info").map(drop)
    }

    /// An event that is over after the given events or, without any, after everything submitted so far.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> queue.submit_barrier().wait()
    #[pyo3(signature = (dependent_events=None))]
    fn submit_barrier(&self, py: Python<'_>, dependent_events: Option<&Bound<'_, PyAny>>) -> PyResult<PyEvent> {
        let given = dependent_events.map(|object| events(object, "dependent_events")).transpose()?;
        // An empty sequence is no constraint, so it means the same as none.
        let given = given.filter(|given| !given.is_empty());
        let event: Outcome<Event> = py.detach(|| Ok(self.0.barrier(given.as_deref())?));
        Ok(event?.into())
    }

    /// Launches a kernel of `situ.dpctl.program` over a range of work-items; its event.
    ///
    /// `gS` and `lS` are the sizes of the range and of its groups, in SYCL's order: the last is that of OpenCL's axis 0.
    ///
    /// >>> import situ
    /// >>> situ.Queue("cpu").submit("not a kernel", [], [1])
    /// Traceback (most recent call last):
    /// ...
    /// TypeError: submit: kernel must be one of situ.dpctl.program, got ...
    #[pyo3(signature = (kernel, args, gS, lS=None, dEvents=None))]
    #[allow(non_snake_case, reason = "dpctl's own names")]
    fn submit<'py>(
        slf: &Bound<'py, Self>,
        kernel: &Bound<'py, PyAny>,
        args: &Bound<'py, PyAny>,
        gS: &Bound<'py, PyAny>,
        lS: Option<&Bound<'py, PyAny>>,
        dEvents: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Ok(launch) = kernel.getattr("_launch_on") else {
            let given = crate::args::shown(kernel);
            return Err(PyTypeError::new_err(format!("submit: kernel must be one of situ.dpctl.program, got {given}")));
        };
        launch.call1((slf, args, gS, lS, dEvents))
    }

    /// Copies bytes between USM memory and objects with the buffer protocol, and waits for it.
    ///
    /// >>> import situ
    /// >>> copy = bytearray(5)
    /// >>> situ.Queue().memcpy(copy, b"hello", 5)
    /// >>> bytes(copy)
    /// b'hello'
    fn memcpy(&self, dest: &Bound<'_, PyAny>, src: &Bound<'_, PyAny>, count: usize) -> PyResult<()> {
        let event = self.copy_bytes(dest, src, count, &[])?;
        wait::for_event(dest.py(), &event.0)
    }

    /// Begins to copy bytes between USM memory and objects with the buffer protocol, after the given events.
    ///
    /// Both objects are kept alive until the copy is over. Leave host memory alone until then.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> memory = situ.memory.MemoryUSMShared(4, queue=queue)
    /// >>> queue.memcpy_async(memory, b"situ", 4).wait()
    /// >>> bytes(memory)
    /// b'situ'
    #[pyo3(signature = (dest, src, count, dEvents=None))]
    #[allow(non_snake_case, reason = "the keyword is dpctl's")]
    fn memcpy_async(
        &self,
        dest: &Bound<'_, PyAny>,
        src: &Bound<'_, PyAny>,
        count: usize,
        dEvents: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyEvent> {
        self.copy_bytes(dest, src, count, &after(dEvents)?)
    }

    /// Sets bytes of USM memory to a value, and waits for it.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> memory = situ.memory.MemoryUSMShared(4, queue=queue)
    /// >>> queue.memset(memory, 7, 4)
    /// >>> bytes(memory)
    /// b'\x07\x07\x07\x07'
    #[pyo3(signature = (mem, val, count))]
    fn memset(&self, py: Python<'_>, mem: &Bound<'_, PyAny>, val: u8, count: usize) -> PyResult<()> {
        wait::for_event(py, &self.fill_pattern(mem, &[val], count, &[])?.0)
    }

    /// Begins to set bytes of USM memory to a value, after the given events.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> memory = situ.memory.MemoryUSMShared(4, queue=queue)
    /// >>> queue.memset_async(memory, 0, 4).wait()
    /// >>> bytes(memory)
    /// b'\x00\x00\x00\x00'
    #[pyo3(signature = (mem, val, count, dEvents=None))]
    #[allow(non_snake_case, reason = "the keyword is dpctl's")]
    fn memset_async(
        &self,
        mem: &Bound<'_, PyAny>,
        val: u8,
        count: usize,
        dEvents: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyEvent> {
        self.fill_pattern(mem, &[val], count, &after(dEvents)?)
    }

    /// Fills USM memory with a pattern of 1, 2, 4, 8 or 16 bytes, repeated, and waits for it.
    ///
    /// >>> import situ, situ.memory
    /// >>> queue = situ.Queue()
    /// >>> memory = situ.memory.MemoryUSMShared(6, queue=queue)
    /// >>> queue.fill(memory, b"ab", 3)
    /// >>> bytes(memory)
    /// b'ababab'
    fn fill(&self, mem: &Bound<'_, PyAny>, pattern: &Bound<'_, PyAny>, count: usize) -> PyResult<()> {
        let event = self.fill_pattern(mem, &arguments::pattern(pattern)?, count, &[])?;
        wait::for_event(mem.py(), &event.0)
    }

    /// Begins to fill USM memory with a repeated pattern, after the given events.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> memory = situ.memory.MemoryUSMShared(4, queue=queue)
    /// >>> queue.fill_async(memory, b"ab", 2).wait()
    /// >>> bytes(memory)
    /// b'abab'
    #[pyo3(signature = (mem, pattern, count, dEvents=None))]
    #[allow(non_snake_case, reason = "the keyword is dpctl's")]
    fn fill_async(
        &self,
        mem: &Bound<'_, PyAny>,
        pattern: &Bound<'_, PyAny>,
        count: usize,
        dEvents: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyEvent> {
        self.fill_pattern(mem, &arguments::pattern(pattern)?, count, &after(dEvents)?)
    }

    /// Hints that the first bytes of USM memory will be used on the device soon; all of them without a count.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> memory = situ.memory.MemoryUSMShared(4, queue=queue)
    /// >>> queue.prefetch(memory)
    #[pyo3(signature = (mem, count=0))]
    fn prefetch(&self, mem: &Bound<'_, PyAny>, count: i64) -> PyResult<()> {
        wait::for_event(mem.py(), &self.hint_prefetch(mem, count, &[])?.0)
    }

    /// `prefetch` without waiting for it, after the given events.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> memory = situ.memory.MemoryUSMShared(4, queue=queue)
    /// >>> queue.prefetch_async(memory).wait()
    #[pyo3(signature = (mem, count=0, dEvents=None))]
    #[allow(non_snake_case, reason = "the keyword is dpctl's")]
    fn prefetch_async(
        &self,
        mem: &Bound<'_, PyAny>,
        count: i64,
        dEvents: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyEvent> {
        self.hint_prefetch(mem, count, &after(dEvents)?)
    }

    /// Hints how the first bytes of USM memory will be used; the number is the backend's own, 0 takes hints back.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> memory = situ.memory.MemoryUSMShared(4, queue=queue)
    /// >>> queue.mem_advise(memory, 4, 0)
    fn mem_advise(&self, mem: &Bound<'_, PyAny>, count: i64, advice: i32) -> PyResult<()> {
        wait::for_event(mem.py(), &self.hint_advice(mem, count, advice, &[])?.0)
    }

    /// `mem_advise` without waiting for it, after the given events.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> memory = situ.memory.MemoryUSMShared(4, queue=queue)
    /// >>> queue.mem_advise_async(memory, 4, 0).wait()
    #[pyo3(signature = (mem, count, advice, dEvents=None))]
    #[allow(non_snake_case, reason = "the keyword is dpctl's")]
    fn mem_advise_async(
        &self,
        mem: &Bound<'_, PyAny>,
        count: i64,
        advice: i32,
        dEvents: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyEvent> {
        self.hint_advice(mem, count, advice, &after(dEvents)?)
    }

    /// An event after the given ones that keeps objects alive until it is over.
    fn _submit_keep_args_alive(&self, args: &Bound<'_, PyAny>, events: &Bound<'_, PyAny>) -> PyResult<PyEvent> {
        let until = crate::event::events(events, "events")?;
        let event: Outcome<Event> = args.py().detach(|| Ok(self.0.barrier(Some(&until))?));
        let event = event?;
        Ok(PyEvent::holding(event.clone(), Held::new(vec![event], Vec::new(), vec![args.clone().unbind()])))
    }

    /// A number that tells this queue from every other one alive.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> queue.addressof_ref() != situ.Queue("cpu").addressof_ref()
    /// True
    fn addressof_ref(&self) -> usize {
        self.0.id()
    }

    fn _get_capsule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        capsule::seal(py, self.0.clone())
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        let QueueProperties { in_order, profiling } = slf.get().0.properties();
        let names: Vec<&str> = [(in_order, "'in_order'"), (profiling, "'enable_profiling'")]
            .into_iter()
            .filter_map(|(is_set, name)| is_set.then_some(name))
            .collect();
        let property = if names.is_empty() { String::new() } else { format!(", property=[{}]", names.join(", ")) };
        let queue = &slf.get().0;
        format!("<situ.Queue {:#x} on {}{property}>", queue.id(), queue.device().label())
    }
}

/// Puts the class into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyQueue>()
}
