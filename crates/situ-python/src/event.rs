//! `situ.Event`.

use std::sync::{Arc, Mutex};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use situ_runtime::{Buffer, Device, Event, EventStatus, Timer, TimerMode};

use crate::args::type_name;
use crate::context::capsule;
use crate::device::enums;
use crate::errors::{Outcome, Raised};
use crate::queue::PyQueue;
use crate::wait;

/// The fate of a command.
///
/// `Event()` is one that is already complete. Events are equal only to themselves.
///
/// >>> import situ
/// >>> queue = situ.Queue()
/// >>> event = queue.submit_barrier()
/// >>> event.wait()
/// >>> event.execution_status
/// <event_status_type.complete: 4>
#[pyclass(name = "Event", module = "situ", frozen, subclass)]
#[derive(Clone, Debug)]
pub(crate) struct PyEvent(pub(crate) Event, Option<Arc<Mutex<Option<Held>>>>);

/// What must stay alive until an event is over, whoever still looks at the event.
#[derive(Debug)]
pub(crate) struct Held {
    until: Vec<Event>,
    _buffers: Vec<Buffer>,
    _objects: Vec<Py<PyAny>>,
}

impl Held {
    fn is_over(&self) -> bool {
        self.until.iter().all(|event| event.status().is_over())
    }

    pub(crate) fn new(until: Vec<Event>, buffers: Vec<Buffer>, objects: Vec<Py<PyAny>>) -> Held {
        Held { until, _buffers: buffers, _objects: objects }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.is_over() {
            return;
        }
        // A failure is its queue's to report; here only the end of the command matters.
        let settle = || self.until.iter().for_each(|event| drop(event.wait()));
        if Python::try_attach(|py| py.detach(settle)).is_none() {
            settle();
        }
    }
}

impl From<Event> for PyEvent {
    fn from(event: Event) -> PyEvent {
        PyEvent(event, None)
    }
}

impl PyEvent {
    /// An event that keeps things alive until it is over.
    pub(crate) fn holding(event: Event, held: Held) -> PyEvent {
        PyEvent(event, Some(Arc::new(Mutex::new(Some(held)))))
    }

    /// Waits until the command is over, and then lets go of what it needed.
    fn settle(&self, py: Python<'_>) -> PyResult<()> {
        let outcome = wait::for_event(py, &self.0);
        self.release();
        outcome
    }

    /// Lets go of what the command needed, if it is over.
    fn release(&self) {
        let Some(held) = &self.1 else { return };
        let done = held.try_lock().ok().and_then(|mut held| held.take_if(|held| held.is_over()));
        drop(done);
    }
}

/// The events of a sequence argument.
pub(crate) fn events(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<Event>> {
    Ok(waited_for(object, what)?.into_iter().map(|event| event.0).collect())
}

fn waited_for(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<PyEvent>> {
    let wrong = |found: &Bound<'_, PyAny>| {
        PyTypeError::new_err(format!("{what}: expected a sequence of Event, got {}", type_name(found)))
    };
    let items = object.try_iter().map_err(|_| wrong(object))?;
    items
        .map(|item| {
            let item = item?;
            let event = item.cast::<PyEvent>().map(|event| event.get().clone());
            event.map_err(|_| {
                PyTypeError::new_err(format!("{what}: expected a sequence of Event, but it holds {}", type_name(&item)))
            })
        })
        .collect()
}

#[pymethods]
impl PyEvent {
    #[new]
    #[pyo3(signature = (arg=None, /))]
    fn new(arg: Option<&Bound<'_, PyAny>>) -> PyResult<PyEvent> {
        let Some(arg) = arg else {
            let device: Outcome<Device> = Device::default_device().map_err(Into::into);
            return Ok(Event::complete(device?.backend()).into());
        };
        capsule::open::<Event>(arg)?.map(Into::into).ok_or_else(|| {
            PyTypeError::new_err(format!("expected nothing or a SyclEventRef capsule, got {}", type_name(arg)))
        })
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        "SyclEvent"
    }

    /// Waits until the command is over; its failure is an exception.
    ///
    /// >>> import situ
    /// >>> situ.Queue("cpu").submit_barrier().wait()
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        self.settle(py)
    }

    /// Waits for one event, or for each of a sequence.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> situ.Event.wait_for([queue.submit_barrier(), queue.submit_barrier()])
    #[staticmethod]
    fn wait_for(event: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = event.py();
        if let Ok(one) = event.cast::<PyEvent>() {
            return one.get().settle(py);
        }
        waited_for(event, "event")?.iter().try_for_each(|event| event.settle(py))
    }

    /// How far the command has come, an `event_status_type`. One that failed is complete too.
    ///
    /// >>> import situ
    /// >>> event = situ.Queue("cpu").submit_barrier()
    /// >>> event.wait()
    /// >>> event.execution_status
    /// <event_status_type.complete: 4>
    #[getter]
    fn execution_status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.release();
        let name = match self.0.status() {
            EventStatus::Submitted => "submitted",
            EventStatus::Running => "running",
            EventStatus::Complete | EventStatus::Failed => "complete",
        };
        enums::member(py, "event_status_type", name)
    }

    /// The backend whose command this is, a `backend_type`.
    ///
    /// >>> import situ
    /// >>> situ.Queue("cpu").submit_barrier().backend.name
    /// 'native'
    #[getter]
    fn backend<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        enums::backend(py, self.0.backend())
    }

    /// The events the command was told to wait for.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu")
    /// >>> first = queue.submit_barrier()
    /// >>> len(queue.submit_barrier([first]).get_wait_list())
    /// 1
    fn get_wait_list(&self) -> Vec<PyEvent> {
        self.0.wait_list().iter().cloned().map(Into::into).collect()
    }

    /// When the command was submitted, in nanoseconds; 0 if its queue does not record times. Waits for the command.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu", property="enable_profiling")
    /// >>> event = queue.submit_barrier()
    /// >>> event.profiling_info_submit > 0
    /// True
    #[getter]
    fn profiling_info_submit(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.profile(py)?.submit)
    }

    /// When the command started, in nanoseconds; 0 if its queue does not record times. Waits for the command.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu", property="enable_profiling")
    /// >>> event = queue.submit_barrier()
    /// >>> event.profiling_info_start > 0
    /// True
    #[getter]
    fn profiling_info_start(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.profile(py)?.start)
    }

    /// When the command ended, in nanoseconds; 0 if its queue does not record times. Waits for the command.
    ///
    /// >>> import situ
    /// >>> queue = situ.Queue("cpu", property="enable_profiling")
    /// >>> event = queue.submit_barrier()
    /// >>> event.profiling_info_end > 0
    /// True
    #[getter]
    fn profiling_info_end(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.profile(py)?.end)
    }

    /// The address of this object's handle to the event.
    ///
    /// >>> import situ
    /// >>> situ.Event().addressof_ref() > 0
    /// True
    fn addressof_ref(&self) -> usize {
        &raw const self.0 as usize
    }

    fn _get_capsule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        capsule::seal(py, self.0.clone())
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        format!("<situ.Event at {:#x}>", slf.as_ptr() as usize)
    }
}

impl PyEvent {
    fn profile(&self, py: Python<'_>) -> PyResult<situ_runtime::Profile> {
        self.settle(py)?;
        Ok(self.0.profile().map_err(Raised::from)?)
    }
}

/// The event that brackets a timed block on one side.
#[pyfunction]
fn timer_edge(py: Python<'_>, queue: PyRef<'_, PyQueue>, by_barrier: bool) -> PyResult<PyEvent> {
    let queue = queue.0.clone();
    let mode = if by_barrier { TimerMode::QueueBarrier } else { TimerMode::OrderManager };
    let edge: Outcome<Event> = py.detach(|| Ok(Timer::edge(mode, &queue)?));
    Ok(edge?.into())
}

/// Seconds between two edges on the device.
#[pyfunction]
fn timer_span(py: Python<'_>, start: PyRef<'_, PyEvent>, end: PyRef<'_, PyEvent>) -> PyResult<f64> {
    wait::for_event(py, &start.0)?;
    wait::for_event(py, &end.0)?;
    Ok(Timer::span(&start.0, &end.0).map_err(Raised::from)?.as_secs_f64())
}

/// Puts the class and the timer's functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyEvent>()?;
    module.add_function(wrap_pyfunction!(timer_edge, module)?)?;
    module.add_function(wrap_pyfunction!(timer_span, module)?)
}
