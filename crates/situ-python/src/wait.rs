//! Waiting without holding the interpreter, and without deafness to Ctrl-C.

use std::time::Duration;

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
