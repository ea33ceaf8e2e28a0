//! A stream of commands to a set of cores.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use situ_hal::{Address, Command, Completion, Event, EventStatus, HalError, Queue, Result, ScratchSource, SmallStep};
use situ_types::QueueProperties;
use smallvec::SmallVec;

use crate::device::CpuDevice;
use crate::elementwise::run_small_step;
use crate::event::{Ledger, Link, Task, Work, now};
use crate::executor::{cost, execute, scratch};

/// Work estimated at no more nanoseconds than this runs inline, on the calling thread: handing it over would cost about
/// as much as the half of it that a helper leaves.
const INLINE_LIMIT: u64 = 300_000;

#[derive(Debug, Default)]
struct Unfinished {
    /// Tasks that may not be over; pruned when it has doubled.
    tasks: Vec<Arc<Task>>,
    prune_at: usize,
    barrier: Option<Arc<Task>>,
}

#[derive(Debug)]
pub(crate) struct CpuQueue {
    device: Arc<CpuDevice>,
    properties: QueueProperties,
    scratch: Arc<dyn ScratchSource>,
    ledger: Arc<Ledger>,
    /// Whether `unfinished.barrier` may be set, readable without the lock.
    fenced: AtomicBool,
    unfinished: Mutex<Unfinished>,
}

impl CpuQueue {
    pub(crate) fn new(
        device: Arc<CpuDevice>,
        properties: QueueProperties,
        scratch: Arc<dyn ScratchSource>,
    ) -> CpuQueue {
        CpuQueue {
            device,
            properties,
            scratch,
            ledger: Arc::default(),
            fenced: AtomicBool::new(false),
            unfinished: Mutex::default(),
        }
    }

    /// Whether nothing on this queue stands before a new command.
    fn is_clear(&self, command: &Command) -> bool {
        let ordered =
            self.properties.in_order || matches!(command, Command::Barrier) || self.fenced.load(Ordering::Acquire);
        !ordered || self.ledger.is_settled()
    }

    #[inline(never)]
    fn enqueue(&self, command: &Command, scratch: Address, nanoseconds: u64, after: &[Arc<dyn Event>]) -> Arc<Task> {
        let work = Work { command: command.clone(), scratch, device: self.device.clone() };
        let task = Task::new(work, nanoseconds, self.properties.profiling, self.ledger.clone());
        let is_barrier = matches!(command, Command::Barrier);
        let own: SmallVec<[Arc<Task>; 4]> = {
            let mut unfinished = self.unfinished.lock();
            if unfinished.tasks.len() >= unfinished.prune_at {
                unfinished.tasks.retain(|task| !task.status().is_over());
                unfinished.prune_at = 2 * unfinished.tasks.len() + 16;
            }
            let own = if is_barrier {
                unfinished.tasks.iter().cloned().collect()
            } else if self.properties.in_order {
                unfinished.tasks.last().cloned().into_iter().collect()
            } else {
                unfinished.barrier.clone().into_iter().collect()
            };
            if is_barrier {
                unfinished.barrier = Some(task.clone());
                self.fenced.store(true, Ordering::Release);
            } else if unfinished.barrier.as_ref().is_some_and(|barrier| barrier.status().is_over()) {
                unfinished.barrier = None;
                self.fenced.store(false, Ordering::Release);
            }
            unfinished.tasks.push(task.clone());
            own
        };
        let given = after.iter().filter_map(|event| {
            let any: &dyn Any = &**event;
            any.downcast_ref::<Task>().map(|task| (task, Link::Data))
        });
        task.submit(given.chain(own.iter().map(|task| (&**task, Link::Order))));
        task
    }

    /// Runs a command, or takes it on, with the scratch memory that it needs.
    ///
    /// # Safety
    ///
    /// As for [`Queue::submit`], and the scratch memory is the command's own until it is over.
    #[inline]
    unsafe fn submit_with(&self, command: &Command, scratch: Address, after: &[Arc<dyn Event>]) -> Result<Completion> {
        let nanoseconds = cost(command);
        let is_inline = nanoseconds <= INLINE_LIMIT
            && self.is_clear(command)
            && after.iter().all(|event| event.status() == EventStatus::Complete)
            && self.device.hosts_caller();
        if !is_inline {
            return Ok(Completion::Event(self.enqueue(command, scratch, nanoseconds, after)));
        }
        let submit = if self.properties.profiling { now() } else { 0 };
        // SAFETY: the caller's promise; nothing is left to wait for.
        let outcome = catch_unwind(AssertUnwindSafe(|| unsafe {
            execute(command, nanoseconds, &self.device, scratch, &|| false)
        }));
        if outcome.is_err() {
            let detail = "the command panicked; this is a bug in situ".into();
            return Err(HalError::Failed { operation: command.name(), detail });
        }
        Ok(if self.properties.profiling {
            Completion::Event(Task::finished(submit, submit, now()))
        } else {
            Completion::Done
        })
    }
}

impl Queue for CpuQueue {
    unsafe fn submit(&self, command: &Command, after: &[Arc<dyn Event>]) -> Result<Completion> {
        match scratch(command, self.device.machine()) {
            // SAFETY: passed on from the caller; no scratch memory is needed.
            0 => unsafe { self.submit_with(command, Address(std::ptr::null_mut()), after) },
            bytes => self.scratch.with(None, bytes, &mut |scratch| {
                // SAFETY: passed on from the caller; the source keeps the memory for the command until it is over.
                unsafe { self.submit_with(command, scratch, after) }
            }),
        }
    }

    fn runs_inline(&self) -> bool {
        !self.properties.profiling
    }

    // Without a net, unlike `submit`: nothing in the loops can panic but by a mistake of ours, and then the locks that
    // are held are let go on the way.
    unsafe fn run_inline(&self, small_step: &SmallStep) -> bool {
        let is_ordered = self.properties.in_order || self.fenced.load(Ordering::Acquire);
        let is_free = self.runs_inline()
            && !self.ledger.has_failed()
            && (!is_ordered || self.ledger.is_settled())
            && self.device.hosts_caller();
        // SAFETY: passed on from the caller.
        is_free && unsafe { run_small_step(small_step, self.device.machine()) }
    }

    fn wait(&self, limit: Option<Duration>) -> bool {
        if self.ledger.is_settled() {
            return true;
        }
        let deadline = limit.map(|limit| Instant::now() + limit);
        let tasks = self.unfinished.lock().tasks.clone();
        tasks.iter().all(|task| task.wait(deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))))
    }

    fn interrupt(&self) {
        self.ledger.interrupt();
    }

    fn is_idle(&self) -> bool {
        self.ledger.is_settled()
    }

    fn take_error(&self) -> Option<HalError> {
        self.ledger.take_error()
    }
}
