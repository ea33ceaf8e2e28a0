//! Waiting without holding the interpreter, and without deafness to Ctrl-C.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use pyo3::ffi;
use pyo3::prelude::*;
use situ_runtime::{Access, Buffer, Event, Queue};

use crate::errors::{Outcome, Raised};
use crate::gil;

/// How long to sleep between looks at pending signals.
const SLICE: Duration = Duration::from_millis(100);

/// Waits for an event. An interrupt ends the wait, and kernels on the event's queue, but no other command.
pub(crate) fn for_event(py: Python<'_>, event: &Event) -> PyResult<()> {
    while !py.detach(|| event.wait_for(Some(SLICE))).map_err(Raised::from)? {
        py.check_signals().inspect_err(|_| event.interrupt())?;
    }
    Ok(())
}

/// Waits for everything on a queue. An interrupt ends the wait, and kernels on the queue, but no other command.
pub(crate) fn for_queue(py: Python<'_>, queue: &Queue) -> PyResult<()> {
    if queue.is_idle() && queue.wait_for(Some(Duration::ZERO)).map_err(Raised::from)? {
        return Ok(());
    }
    while !py.detach(|| queue.wait_for(Some(SLICE))).map_err(Raised::from)? {
        py.check_signals().inspect_err(|_| queue.interrupt())?;
    }
    Ok(())
}

/// Waits until the host may access a buffer; an interrupt as for an event.
pub(crate) fn for_buffer(py: Python<'_>, buffer: &Buffer, access: Access) -> PyResult<()> {
    while !py.detach(|| buffer.wait_for(access, Some(SLICE))).map_err(Raised::from)? {
        py.check_signals().inspect_err(|_| buffer.interrupt())?;
    }
    Ok(())
}

/// Calls `work`, which submits something to a queue and waits for it.
pub(crate) fn for_work<T: Send>(
    py: Python<'_>,
    bytes: usize,
    queue: &Queue,
    read: Option<&Buffer>,
    work: impl FnOnce() -> Outcome<T> + Send,
) -> PyResult<T> {
    if let Some(buffer) = read.filter(|buffer| !buffer.is_idle()) {
        for_buffer(py, buffer, Access::Read)?;
    }
    gil::released_if(gil::is_long_to_move(bytes, queue, read), py, work)
}

/// The thread that imports the module, which is the one that Python tells about signals.
static LISTENER: OnceLock<ThreadId> = OnceLock::new();
/// What a signal raised while something below the bindings waited, which cannot raise it.
static RAISED: Mutex<Option<PyErr>> = Mutex::new(None);

/// Has waits below the bindings look at signals as well.
pub(crate) fn listen_for_signals() {
    LISTENER.get_or_init(|| thread::current().id());
    situ_runtime::set_interrupt_check(is_interrupted);
}

/// Whether a signal wants kernels to end. What its handler raised is raised as soon as Python goes on.
fn is_interrupted() -> bool {
    if LISTENER.get() != Some(&thread::current().id()) {
        return false;
    }
    let raised = Python::try_attach(|py| py.check_signals().err()).flatten();
    let Some(error) = raised else { return false };
    *RAISED.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    // SAFETY: the function is one of the program, and wants no argument.
    unsafe { ffi::Py_AddPendingCall(Some(raise), ptr::null_mut()) };
    true
}

extern "C" fn raise(_: *mut c_void) -> c_int {
    let raised = RAISED.lock().unwrap_or_else(PoisonError::into_inner).take();
    raised.map_or(0, |error| {
        Python::attach(|py| error.restore(py));
        -1
    })
}
