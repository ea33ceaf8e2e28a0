//! Null queues: what a command waits for, and what it does.

use std::mem;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use situ_types::QueueProperties;

use super::compute;
use super::event::{FirstError, Task, Work, finish};
use super::indexing::{self, Way, transfer};
use super::{Call, Latency, STATE, faults, fft, launch, random, sort};
use crate::{Command, Completion, Event, HalError, Queue, Result};

#[derive(Debug)]
pub(super) struct NullQueue {
    properties: QueueProperties,
    order: Mutex<Order>,
    first_error: FirstError,
}

impl NullQueue {
    pub(super) fn new(properties: QueueProperties) -> NullQueue {
        NullQueue { properties, order: Mutex::default(), first_error: FirstError::default() }
    }
}

impl Queue for NullQueue {
    unsafe fn submit(&self, command: &Command, after: &[Arc<dyn Event>]) -> Result<Completion> {
        faults::pass(Call::Submit).map_err(|fault| fault.error(command.name(), 0))?;
        if matches!(command, Command::Linalg(_)) {
            return Err(HalError::no_library(command.name()));
        }
        let after = after.iter().map(Task::of).collect::<Option<Vec<_>>>();
        let after = after.ok_or_else(|| HalError::Unsupported {
            operation: command.name(),
            detail: "it was to wait for an event of another backend; wait for that event first".into(),
        })?;
        let is_fence = self.properties.in_order || matches!(command, Command::Barrier);
        let task = self.order.lock().append(is_fence, |behind| {
            let work = Work { command: command.clone(), after, behind };
            Task::new(work, self.properties.profiling, self.first_error.clone())
        });
        if STATE.lock().latency == Latency::Immediate {
            finish(vec![task.clone()]);
            if task.error().is_none() && !self.properties.profiling {
                return Ok(Completion::Done);
            }
        }
        Ok(Completion::Event(task))
    }

    fn wait(&self, _limit: Option<Duration>) -> bool {
        let submitted = self.order.lock().last.clone();
        finish(submitted);
        true
    }

    fn take_error(&self) -> Option<HalError> {
        self.first_error.lock().take()
    }
}

/// What the next command has to wait for.
///
/// A fence is a command that waits for everything before it and that everything after it waits for: a barrier, or any
/// command of an in-order queue. Fences say when, not whether: only the failure of something in its own wait list keeps
/// a command from running, or else one failure would spoil an in-order queue for ever.
#[derive(Debug, Default)]
struct Order {
    fence: Option<Arc<Task>>,
    /// Tasks that, once over, leave nothing of the queue running.
    last: Vec<Arc<Task>>,
    /// The length of `last` from which it is worth looking for tasks that are over.
    prune_at: usize,
}

impl Order {
    /// Adds the task that is made from what the queue puts before it.
    fn append(&mut self, is_fence: bool, make: impl FnOnce(Vec<Arc<Task>>) -> Task) -> Arc<Task> {
        if self.last.len() >= self.prune_at {
            self.last.retain(|task| !task.is_over());
            self.prune_at = 16 + 2 * self.last.len();
        }
        let behind = if is_fence { mem::take(&mut self.last) } else { self.fence.iter().cloned().collect() };
        let task = Arc::new(make(behind));
        if is_fence {
            self.fence = Some(task.clone());
        }
        self.last.push(task.clone());
        task
    }
}

/// Does what the command says.
///
/// # Safety
///
/// Every address in the command is valid for its access, and nothing else accesses that memory meanwhile.
pub(super) unsafe fn perform(command: &Command) -> Result<()> {
    let computed = match *command {
        // SAFETY: the caller's promise, for each.
        Command::Elementwise(ref command) => unsafe { compute::elementwise(command) },
        // SAFETY: as above.
        Command::Join(ref command) => unsafe { compute::join(command) },
        // SAFETY: as above.
        Command::Reduce(ref command) => unsafe { compute::reduce(command) },
        // SAFETY: as above.
        Command::Scan(ref command) => unsafe { compute::scan(command) },
        // SAFETY: as above.
        Command::Sort(ref command) => unsafe { sort::sort(command) },
        // SAFETY: as above.
        Command::Search(ref command) => unsafe { sort::search(command) },
        // SAFETY: as above.
        Command::RunCount(ref command) => unsafe { sort::run_count(command) },
        // SAFETY: as above.
        Command::RunSelect(ref command) => unsafe { sort::run_select(command) },
        // SAFETY: as above.
        Command::Product(ref command) => unsafe { compute::product(command) },
        // SAFETY: as above.
        Command::Random(ref command) => unsafe { random::random(command) },
        // SAFETY: as above.
        Command::Fft(ref command) => unsafe { fft::fft(command) },
        // SAFETY: as above.
        Command::Launch(ref command) => unsafe { launch::launch(command) },
        // It has no language of its own.
        Command::RawLaunch(_) => None,
        // Refused when it was submitted.
        Command::Linalg(_) => None,
        ref command => {
            // SAFETY: as above.
            unsafe { perform_move(command) };
            Some(())
        }
    };
    computed.ok_or_else(|| HalError::Failed {
        operation: command.name(),
        detail: "the command is not well formed; this is a bug in situ".into(),
    })
}

/// What moves bytes, or does nothing.
///
/// # Safety
///
/// As for [`perform`].
unsafe fn perform_move(command: &Command) {
    match *command {
        Command::Copy { dst, src, bytes } => {
            // SAFETY: the caller says both places are valid, and a copy's places do not overlap.
            unsafe { ptr::copy_nonoverlapping(src.0, dst.0, bytes) };
        }
        Command::Fill { dst, ref pattern, width, count } => {
            for n in 0..count {
                // SAFETY: the caller says `width * count` bytes from `dst` are valid, which the n-th piece is part of;
                // the pattern has at least `width` bytes and lies in the command, not in the filled memory.
                unsafe { ptr::copy_nonoverlapping(pattern.as_ptr(), dst.0.add(n * width), width) };
            }
        }
        // SAFETY: the caller's promise, for each.
        Command::Gather(ref command) => unsafe { transfer(command, Way::FromArray) },
        // SAFETY: as above.
        Command::Scatter(ref command) => unsafe { transfer(command, Way::ToArray) },
        // SAFETY: as above.
        Command::IndexCheck(ref command) => unsafe { indexing::check(command) },
        // SAFETY: as above.
        Command::MaskCount(ref command) => unsafe { indexing::count(command) },
        // SAFETY: as above.
        Command::MaskSelect(ref command) => unsafe { indexing::select(command) },
        // SAFETY: as above.
        Command::MaskExpand(ref command) => unsafe { indexing::expand(command) },
        // SAFETY: as above.
        Command::Repeat(ref command) => unsafe { indexing::repeat(command) },
        Command::Barrier
        | Command::Marker
        | Command::Prefetch { .. }
        | Command::Advise { .. }
        | Command::Elementwise(_)
        | Command::Join(_)
        | Command::Reduce(_)
        | Command::Scan(_)
        | Command::Sort(_)
        | Command::Search(_)
        | Command::RunCount(_)
        | Command::RunSelect(_)
        | Command::Product(_)
        | Command::Linalg(_)
        | Command::Random(_)
        | Command::Fft(_)
        | Command::Launch(_)
        | Command::RawLaunch(_) => {}
    }
}
