//! A queue of the driver, and how far it has come.
//!
//! Commands of a stream are numbered as they are submitted, and run in that order. The driver's event of each is kept until
//! it is over; then the stream has come past its number, and knows whether it failed.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU64;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use situ_hal::{EventStatus, HalError, Lane, Result};
use situ_types::QueueProperties;
use smallvec::SmallVec;

use crate::context::Place;
use crate::driver::{Driver, Handle, code, error};

const PROFILING: u64 = 2;
const EXECUTION_STATUS: u32 = 0x11D3;
const RUNNING: i32 = 1;
/// How long a wait with a limit keeps asking before it sleeps in between.
const EAGER: Duration = Duration::from_millis(20);
/// From how many commands on whoever submits takes note of those that are over.
const MANY: usize = 64;

/// An event of the driver.
#[derive(Debug)]
pub(crate) struct DriverEvent {
    pub(crate) handle: Handle,
    driver: &'static Driver,
}

// SAFETY: every thread may use an event; this one is released once, when nobody has it any more.
unsafe impl Send for DriverEvent {}
// SAFETY: as above.
unsafe impl Sync for DriverEvent {}

impl DriverEvent {
    /// How far its command is: 0 when it is over, less when it failed.
    fn progress(&self) -> i32 {
        let mut status = 0i32;
        // SAFETY: the event exists, and one integer is written.
        let code = unsafe {
            let to = (&raw mut status).cast();
            (self.driver.api.clGetEventInfo)(self.handle, EXECUTION_STATUS, size_of::<i32>(), to, ptr::null_mut())
        };
        if code == code::SUCCESS { status } else { code }
    }

    /// Waits until its command is over, failed or not.
    fn wait(&self) -> i32 {
        // SAFETY: the event exists.
        unsafe { (self.driver.api.clWaitForEvents)(1, &raw const self.handle) }
    }

    /// A time of its command, which is over, in the driver's nanoseconds.
    pub(crate) fn time(&self, which: u32) -> Option<u64> {
        let mut time = 0u64;
        // SAFETY: the event exists, and one number is written.
        let code = unsafe {
            let to = (&raw mut time).cast();
            (self.driver.api.clGetEventProfilingInfo)(self.handle, which, size_of::<u64>(), to, ptr::null_mut())
        };
        (code == code::SUCCESS).then_some(time)
    }
}

impl Drop for DriverEvent {
    fn drop(&mut self) {
        // SAFETY: nobody else has the handle. The driver keeps what it still needs of it.
        unsafe { (self.driver.api.clReleaseEvent)(self.handle) };
    }
}

/// A command of another stream, or an earlier one of the same.
type Cause = (Weak<Stream>, u64);

/// A command that is not known to be over.
#[derive(Debug)]
struct Entry {
    number: u64,
    event: Arc<DriverEvent>,
    /// What it was told to wait for: if any of it failed, so did this.
    causes: SmallVec<[Cause; 2]>,
    /// Host memory that it reads.
    _kept: Vec<Vec<i64>>,
}

#[derive(Debug, Default)]
struct Line {
    entries: VecDeque<Entry>,
    failures: BTreeMap<u64, HalError>,
    unreported: Option<HalError>,
}

/// A queue of the driver, in order.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) place: Arc<Place>,
    pub(crate) handle: Handle,
    pub(crate) lane: Lane,
    /// Number of the last command submitted.
    submitted: AtomicU64,
    /// Number of the last command known to be over, failed or not.
    completed: AtomicU64,
    /// Whether there are failures at all.
    has_failed: AtomicBool,
    line: Mutex<Line>,
    itself: Weak<Stream>,
}

// SAFETY: every thread may use a queue of the driver; it is released once, when nobody has it any more.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    pub(crate) fn new(place: Arc<Place>, properties: QueueProperties) -> Result<Arc<Stream>> {
        static LANES: AtomicU64 = AtomicU64::new(1);
        let driver = place.device.driver;
        driver.check_process("create queue")?;
        let flags = if properties.profiling { PROFILING } else { 0 };
        let made = driver.made("create queue", |code| {
            // SAFETY: context and device exist, and one code is written.
            unsafe { (driver.api.clCreateCommandQueue)(place.context.handle, place.device.handle, flags, code) }
        });
        let handle = made.map_err(|error| match (error, place.device.parent()) {
            (HalError::Failed { .. }, Some(_)) => HalError::Unsupported {
                operation: "create queue".into(),
                detail: "the driver wants the sub-device itself to be in the context; create a context of it".into(),
            },
            (error, _) => error,
        })?;
        let lane = Lane(NonZeroU64::MIN.saturating_add(LANES.fetch_add(1, Ordering::Relaxed)));
        let (submitted, completed, has_failed, line) = Default::default();
        Ok(Arc::new_cyclic(|itself| {
            let itself = itself.clone();
            Stream { place, handle, lane, submitted, completed, has_failed, line, itself }
        }))
    }

    pub(crate) fn driver(&self) -> &'static Driver {
        self.place.device.driver
    }

    /// Submits what a closure enqueues as one command; its number, and the driver's first and last event of it.
    pub(crate) fn submit(
        &self,
        after: &[(Arc<Stream>, u64)],
        enqueue: impl FnOnce(&mut Turn<'_>) -> Result<()>,
    ) -> Result<Submitted> {
        let mut turn = Turn { stream: self, waits: SmallVec::new(), first: None, last: None, kept: Vec::new() };
        let mut held: SmallVec<[Arc<DriverEvent>; 4]> = SmallVec::new();
        let mut causes = SmallVec::new();
        for (other, number) in after {
            if let Some(error) = other.error(*number) {
                return Err(error);
            }
            if other.lane == self.lane {
                if self.completed.load(Ordering::Acquire) < *number {
                    causes.push((Arc::downgrade(other), *number));
                }
            } else if !Arc::ptr_eq(&other.place.context, &self.place.context) {
                // Events of one context mean nothing in another.
                other.wait(*number, None);
                other.error(*number).map_or(Ok(()), Err)?;
            } else if let Some(event) = other.event_of(*number) {
                causes.push((Arc::downgrade(other), *number));
                turn.waits.push(event.handle);
                held.push(event);
            }
        }
        let mut line = self.line.lock();
        if line.entries.len() >= MANY {
            self.collect(&mut line);
        }
        let enqueued = enqueue(&mut turn).and_then(|()| turn.close());
        drop(held);
        let (first, event) = enqueued.inspect_err(|_| {
            // Part of it may be on its way, and nobody will hear of it.
            // SAFETY: the queue exists.
            unsafe { (self.driver().api.clFinish)(self.handle) };
        })?;
        let number = self.submitted.fetch_add(1, Ordering::AcqRel) + 1;
        let entry = Entry { number, event: event.clone(), causes, _kept: turn.kept };
        line.entries.push_back(entry);
        drop(line);
        // SAFETY: the queue exists. Without this, nothing need happen until somebody waits.
        let flushed = unsafe { (self.driver().api.clFlush)(self.handle) };
        self.place.device.check(flushed, "submit")?;
        Ok(Submitted { number, first, last: event })
    }

    /// The driver's event behind a command, unless the command is over.
    fn event_of(&self, number: u64) -> Option<Arc<DriverEvent>> {
        if self.completed.load(Ordering::Acquire) >= number {
            return None;
        }
        let mut line = self.line.lock();
        self.collect(&mut line);
        line.entries.iter().find(|entry| entry.number >= number).map(|entry| entry.event.clone())
    }

    /// Whether a command is known to be over, failed or not.
    #[inline]
    pub(crate) fn has_completed(&self, number: u64) -> bool {
        if self.completed.load(Ordering::Acquire) >= number {
            return true;
        }
        if let Some(mut line) = self.line.try_lock() {
            self.collect(&mut line);
        }
        self.completed.load(Ordering::Acquire) >= number
    }

    /// Whether everything submitted so far is known to be over.
    pub(crate) fn is_idle(&self) -> bool {
        self.has_completed(self.submitted.load(Ordering::Acquire))
    }

    pub(crate) fn status(&self, number: u64) -> EventStatus {
        if self.has_completed(number) {
            let failed = self.has_failed.load(Ordering::Acquire) && self.error(number).is_some();
            return if failed { EventStatus::Failed } else { EventStatus::Complete };
        }
        if self.place.device.lost().is_some() {
            return EventStatus::Failed;
        }
        let line = self.line.lock();
        let entry = line.entries.iter().find(|entry| entry.number == number);
        match entry.map(|entry| entry.event.progress()) {
            Some(RUNNING) => EventStatus::Running,
            _ => EventStatus::Submitted,
        }
    }

    /// Why a command failed, if it is known to have.
    pub(crate) fn error(&self, number: u64) -> Option<HalError> {
        if self.has_failed.load(Ordering::Acquire)
            && let Some(error) = self.line.lock().failures.get(&number)
        {
            return Some(error.clone());
        }
        let lost = self.place.device.lost()?;
        (!self.has_completed(number)).then(|| lost.clone())
    }

    /// The first failure since this was last asked.
    #[inline]
    pub(crate) fn take_error(&self) -> Option<HalError> {
        if !self.has_failed.load(Ordering::Acquire) {
            return None;
        }
        self.line.lock().unreported.take()
    }

    /// Takes note of commands that are over.
    fn collect(&self, line: &mut Line) {
        while let Some(first) = line.entries.front() {
            let progress = first.event.progress();
            if progress > 0 {
                break;
            }
            let Some(entry) = line.entries.pop_front() else { break };
            if let Some(error) = self.fate(&entry, progress, &line.failures) {
                line.unreported.get_or_insert_with(|| error.clone());
                line.failures.insert(entry.number, error);
                self.has_failed.store(true, Ordering::Release);
            }
            self.completed.fetch_max(entry.number, Ordering::AcqRel);
        }
    }

    /// Why a command that is over failed, if it did.
    fn fate(&self, entry: &Entry, progress: i32, failures: &BTreeMap<u64, HalError>) -> Option<HalError> {
        let of_cause = |(stream, number): &Cause| {
            if stream.ptr_eq(&self.itself) { failures.get(number).cloned() } else { stream.upgrade()?.error(*number) }
        };
        let cause = || entry.causes.iter().find_map(of_cause);
        match progress {
            code::SUCCESS if entry.causes.is_empty() => None,
            code::SUCCESS => cause(),
            code::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST => {
                cause().or_else(|| Some(error(progress, "wait for other commands")))
            }
            code => self.place.device.check(code, "run").err(),
        }
    }

    /// Waits until a command is over, failed or not, or until the time has passed; whether it is over.
    pub(crate) fn wait(&self, number: u64, limit: Option<Duration>) -> bool {
        let begin = Instant::now();
        loop {
            let Some(event) = self.event_of(number) else { return true };
            match limit {
                None => {
                    let code = event.wait();
                    let expected = [code::SUCCESS, code::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST];
                    // Whatever else it says, there is nothing left to wait for.
                    if !expected.contains(&code) {
                        self.place.device.lose(error(code, "wait"));
                        return true;
                    }
                }
                Some(limit) => match begin.elapsed() {
                    elapsed if elapsed >= limit => return false,
                    elapsed if elapsed < EAGER => std::thread::yield_now(),
                    _ => std::thread::sleep(Duration::from_micros(100)),
                },
            }
        }
    }

    /// Waits until everything submitted so far is over, or until the time has passed; whether it is over.
    pub(crate) fn wait_for_all(&self, limit: Option<Duration>) -> bool {
        self.wait(self.submitted.load(Ordering::Acquire), limit)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: nobody else has the handle. The driver finishes what the queue still holds, but what that reads must
        // not go before.
        unsafe {
            if !self.line.get_mut().entries.is_empty() {
                (self.driver().api.clFinish)(self.handle);
            }
            (self.driver().api.clReleaseCommandQueue)(self.handle);
        }
    }
}

/// What has become of a submission.
#[derive(Debug)]
pub(crate) struct Submitted {
    pub(crate) number: u64,
    pub(crate) first: Arc<DriverEvent>,
    pub(crate) last: Arc<DriverEvent>,
}

/// One command while its parts are enqueued. Nothing else is, meanwhile.
#[derive(Debug)]
pub(crate) struct Turn<'s> {
    pub(crate) stream: &'s Stream,
    /// What the first part has to wait for.
    waits: SmallVec<[Handle; 4]>,
    first: Option<Arc<DriverEvent>>,
    last: Option<Arc<DriverEvent>>,
    kept: Vec<Vec<i64>>,
}

impl Turn<'_> {
    /// Enqueues a part, by a call that is given a wait list and where the event goes.
    pub(crate) fn enqueue(
        &mut self,
        operation: &'static str,
        call: impl FnOnce(u32, *const Handle, *mut Handle) -> i32,
    ) -> Result<()> {
        let mut handle = ptr::null_mut();
        let waits = if self.waits.is_empty() { ptr::null() } else { self.waits.as_ptr() };
        let code = call(self.waits.len() as u32, waits, &raw mut handle);
        self.stream.place.device.check(code, operation)?;
        let event = Arc::new(DriverEvent { handle, driver: self.stream.driver() });
        self.first.get_or_insert_with(|| event.clone());
        self.last = Some(event);
        self.waits.clear();
        Ok(())
    }

    /// Keeps numbers that a part reads until the command is over.
    pub(crate) fn keep(&mut self, numbers: Vec<i64>) {
        self.kept.push(numbers);
    }

    /// The first and the last event. A command without parts is a marker.
    fn close(&mut self) -> Result<(Arc<DriverEvent>, Arc<DriverEvent>)> {
        if self.last.is_none() {
            let (api, queue) = (&self.stream.driver().api, self.stream.handle);
            // SAFETY: the queue and the events exist, and one handle is written.
            self.enqueue("mark", |count, after, event| unsafe {
                (api.clEnqueueMarkerWithWaitList)(queue, count, after, event)
            })?;
        }
        let nothing = || HalError::Failed { operation: "mark".into(), detail: "the driver gave no event".into() };
        self.first.clone().zip(self.last.clone()).ok_or_else(nothing)
    }
}
