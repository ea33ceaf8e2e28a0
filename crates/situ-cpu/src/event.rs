//! A command in flight: its state, what waits for it and, until it runs, the command itself.
//!
//! A [`Task`] becomes ready when the last of its dependencies is over. It then goes to its device's executor, unless
//! it has nothing to execute, in which case it is over at once. A failed dependency fails the task without running
//! it.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use situ_hal::{Address, Command, Event, EventStatus, HalError, Profile};

use crate::device::CpuDevice;

/// Nanoseconds since the first call.
pub(crate) fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1
}

#[derive(Debug, Default)]
struct Times {
    submit: AtomicU64,
    start: AtomicU64,
    end: AtomicU64,
}

/// Why one task waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// It needs the other's data, and fails if the other fails.
    Data,
    /// It only comes after the other.
    Order,
}

#[derive(Debug, Default)]
struct Ending {
    error: Option<HalError>,
    /// Taken when the task is over; later arrivals need not wait.
    dependents: Vec<(Arc<Task>, Link)>,
}

/// What the tasks of one queue tell it.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    unfinished: AtomicUsize,
    failed: AtomicBool,
    first_error: Mutex<Option<HalError>>,
    /// How often it has been interrupted.
    interrupts: AtomicUsize,
}

impl Ledger {
    /// Whether every task of the queue is over.
    pub(crate) fn is_settled(&self) -> bool {
        self.unfinished.load(Ordering::Acquire) == 0
    }

    /// Whether there is a failure that nobody has asked for yet.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// The first failure since this was last asked.
    pub(crate) fn take_error(&self) -> Option<HalError> {
        if !self.has_failed() {
            return None;
        }
        let mut first = self.first_error.lock();
        self.failed.store(false, Ordering::Release);
        first.take()
    }

    /// Has the kernels of all tasks so far end early.
    pub(crate) fn interrupt(&self) {
        self.interrupts.fetch_add(1, Ordering::Relaxed);
    }

    fn report(&self, error: &HalError) {
        self.first_error.lock().get_or_insert_with(|| error.clone());
        self.failed.store(true, Ordering::Release);
    }
}

/// What a task executes.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) command: Command,
    /// The command's scratch memory, if it needs any.
    pub(crate) scratch: Address,
    pub(crate) device: Arc<CpuDevice>,
}

#[derive(Debug)]
pub(crate) struct Task {
    status: AtomicU8,
    /// Dependencies not yet over, plus one while the task is being submitted.
    missing: AtomicUsize,
    work: Mutex<Option<Work>>,
    nanoseconds: u64,
    /// How often its queue had been interrupted before.
    interrupts: usize,
    ending: Mutex<Ending>,
    over: Condvar,
    ledger: Arc<Ledger>,
    times: Option<Times>,
}

const STATUSES: [EventStatus; 4] =
    [EventStatus::Submitted, EventStatus::Running, EventStatus::Complete, EventStatus::Failed];

impl Task {
    /// A task, thought to take so many nanoseconds, that will run once [`submit`](Self::submit) has been told its
    /// dependencies.
    pub(crate) fn new(work: Work, nanoseconds: u64, profiling: bool, ledger: Arc<Ledger>) -> Arc<Task> {
        ledger.unfinished.fetch_add(1, Ordering::Relaxed);
        let times = profiling.then(Times::default);
        if let Some(times) = &times {
            times.submit.store(now(), Ordering::Relaxed);
        }
        Arc::new(Task {
            status: AtomicU8::new(EventStatus::Submitted as u8),
            missing: AtomicUsize::new(1),
            work: Mutex::new(Some(work)),
            nanoseconds,
            interrupts: ledger.interrupts.load(Ordering::Relaxed),
            ending: Mutex::default(),
            over: Condvar::new(),
            ledger,
            times,
        })
    }

    /// An event for a command that has already run between the two times.
    pub(crate) fn finished(submit: u64, start: u64, end: u64) -> Arc<Task> {
        Arc::new(Task {
            status: AtomicU8::new(EventStatus::Complete as u8),
            missing: AtomicUsize::new(0),
            work: Mutex::new(None),
            nanoseconds: 0,
            interrupts: 0,
            ending: Mutex::default(),
            over: Condvar::new(),
            ledger: Arc::default(),
            times: Some(Times { submit: submit.into(), start: start.into(), end: end.into() }),
        })
    }

    /// How long one thread would take for it, roughly.
    pub(crate) fn nanoseconds(&self) -> u64 {
        self.nanoseconds
    }

    /// Whether its queue has been interrupted since it was submitted.
    #[inline]
    pub(crate) fn is_interrupted(&self) -> bool {
        self.ledger.interrupts.load(Ordering::Relaxed) != self.interrupts
    }

    /// The device it is going to run on, until it does.
    fn device(&self) -> Option<Arc<CpuDevice>> {
        self.work.lock().as_ref().map(|work| work.device.clone())
    }

    /// Hands the task its dependencies. It may run before this returns.
    pub(crate) fn submit<'a>(self: &Arc<Task>, after: impl Iterator<Item = (&'a Task, Link)>) {
        for (dependency, link) in after {
            let mut ending = dependency.ending.lock();
            if !dependency.status().is_over() {
                self.missing.fetch_add(1, Ordering::Relaxed);
                ending.dependents.push((self.clone(), link));
            } else if let (Some(error), Link::Data) = (&ending.error, link) {
                self.inherit(error.clone());
            }
        }
        self.clone().release_one();
    }

    /// A dependency is over (or submission is).
    fn release_one(self: Arc<Task>) {
        let mut ready = vec![self];
        // A chain of tasks with nothing to execute would recurse as deep as it is long; walk it instead.
        while let Some(task) = ready.pop() {
            if task.missing.fetch_sub(1, Ordering::AcqRel) != 1 {
                continue;
            }
            let failed = task.ending.lock().error.is_some();
            let device = match &*task.work.lock() {
                Some(Work { command: Command::Barrier | Command::Marker, .. }) | None => None,
                Some(_) if failed => None,
                Some(work) => Some(work.device.clone()),
            };
            match device {
                Some(device) => device.executor().push(task),
                None => {
                    task.start();
                    ready.append(&mut task.finish(None));
                }
            }
        }
    }

    fn inherit(&self, error: HalError) {
        self.ending.lock().error.get_or_insert(error);
    }

    /// Takes the work to execute it.
    pub(crate) fn start(&self) -> Option<Work> {
        self.status.store(EventStatus::Running as u8, Ordering::Release);
        if let Some(times) = &self.times {
            times.start.store(now(), Ordering::Relaxed);
        }
        self.work.lock().take()
    }

    /// Ends the task and lets go of everything that waited for it.
    pub(crate) fn complete(&self, error: Option<HalError>) {
        for dependent in self.finish(error) {
            dependent.release_one();
        }
    }

    fn finish(&self, error: Option<HalError>) -> Vec<Arc<Task>> {
        if let Some(times) = &self.times {
            times.end.store(now(), Ordering::Relaxed);
        }
        let (dependents, error) = {
            let mut ending = self.ending.lock();
            if let Some(error) = error {
                ending.error.get_or_insert(error);
            }
            let status = if ending.error.is_some() { EventStatus::Failed } else { EventStatus::Complete };
            // Before anybody can see that the task is over: who then asks the queue must find the failure.
            if let Some(error) = &ending.error {
                self.ledger.report(error);
            }
            self.status.store(status as u8, Ordering::Release);
            self.over.notify_all();
            (std::mem::take(&mut ending.dependents), ending.error.clone())
        };
        if let Some(error) = error {
            for (dependent, _) in dependents.iter().filter(|(_, link)| *link == Link::Data) {
                dependent.inherit(error.clone());
            }
        }
        self.ledger.unfinished.fetch_sub(1, Ordering::Release);
        dependents.into_iter().map(|(task, _)| task).collect()
    }
}

impl Event for Task {
    fn status(&self) -> EventStatus {
        STATUSES[self.status.load(Ordering::Acquire) as usize]
    }

    fn wait(&self, limit: Option<Duration>) -> bool {
        let deadline = limit.map(|limit| Instant::now() + limit);
        if let Some(device) = self.device() {
            device.executor().lend_a_hand(self, deadline, || device.hosts_caller());
        }
        let mut ending = self.ending.lock();
        while !self.status().is_over() {
            match deadline {
                None => self.over.wait(&mut ending),
                Some(deadline) => {
                    if self.over.wait_until(&mut ending, deadline).timed_out() {
                        return self.status().is_over();
                    }
                }
            }
        }
        true
    }

    fn interrupt(&self) {
        self.ledger.interrupt();
    }

    fn error(&self) -> Option<HalError> {
        if self.status() == EventStatus::Failed { self.ending.lock().error.clone() } else { None }
    }

    fn profile(&self) -> Option<Profile> {
        let times = self.times.as_ref().filter(|_| self.status().is_over())?;
        Some(Profile {
            submit: times.submit.load(Ordering::Relaxed),
            start: times.start.load(Ordering::Relaxed),
            end: times.end.load(Ordering::Relaxed),
        })
    }
}
