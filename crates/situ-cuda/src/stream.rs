//! A CUDA stream, and how far it has come.
//!
//! Commands of a stream are numbered as they are submitted, and run in that order. Nothing is recorded in the stream
//! when a command is submitted, because that costs about as much as the command. Only where somebody wants to know
//! whether a command is over is the driver asked to record a *mark* behind everything submitted so far; when a mark is
//! over, so is everything before it.

use std::collections::VecDeque;
use std::num::NonZeroU64;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use situ_hal::{Lane, Result};

use crate::device::CudaDevice;
use crate::driver::{Handle, code};

/// A stream does not wait for the driver's default one.
const NON_BLOCKING: u32 = 1;
/// An event that keeps no time is cheaper.
const DISABLE_TIMING: u32 = 2;
/// How often the driver is asked about marks while somebody only looks, in [`ticks`].
const LOOK_EVERY: u64 = 400_000;
/// How long a wait with a limit keeps asking before it sleeps in between.
const EAGER: Duration = Duration::from_millis(20);
/// Marks kept for reuse.
const SPARE_MARKS: usize = 16;

/// Nanoseconds since the first call.
pub(crate) fn now() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_nanos() as u64
}

/// A counter that grows by one to four thousand in a microsecond. Most commands ask for it several times, so that a
/// clock would be a good part of a small one.
#[inline]
fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has the instruction.
    return unsafe { std::arch::x86_64::_rdtsc() };
    #[cfg(not(target_arch = "x86_64"))]
    return now() * 2;
}

/// Asks again and again until the answer is yes or the time has passed; the last answer.
fn poll(limit: Option<Duration>, is_over: impl Fn() -> Result<bool>) -> Result<bool> {
    let begin = Instant::now();
    while !is_over()? {
        match begin.elapsed() {
            elapsed if limit.is_some_and(|limit| elapsed >= limit) => return Ok(false),
            elapsed if elapsed < EAGER => std::thread::yield_now(),
            _ => std::thread::sleep(Duration::from_micros(100)),
        }
    }
    Ok(true)
}

/// An event of the driver.
#[derive(Debug)]
pub(crate) struct DriverEvent {
    pub(crate) handle: Handle,
    device: Arc<CudaDevice>,
}

// SAFETY: the driver lets every thread use its events; this one is destroyed once, when nobody has it any more.
unsafe impl Send for DriverEvent {}
// SAFETY: as above.
unsafe impl Sync for DriverEvent {}

impl DriverEvent {
    /// An event that is not recorded yet. The device has been entered.
    pub(crate) fn new(device: &Arc<CudaDevice>, timed: bool) -> Result<DriverEvent> {
        let mut handle = ptr::null_mut();
        let flags = if timed { 0 } else { DISABLE_TIMING };
        // SAFETY: writes one handle.
        device.check(unsafe { (device.driver.api.cuEventCreate)(&raw mut handle, flags) }, "create an event")?;
        Ok(DriverEvent { handle, device: device.clone() })
    }

    /// Puts it behind everything submitted to a stream so far. The device has been entered.
    pub(crate) fn record(&self, stream: Handle) -> Result<()> {
        let device = &self.device;
        // SAFETY: both exist; a stream of another library's is what its user says.
        device.check(unsafe { (device.driver.api.cuEventRecord)(self.handle, stream) }, "record an event")
    }

    /// Puts it behind everything submitted to the device so far, by whomever; false where the driver cannot. The device
    /// has been entered.
    pub(crate) fn record_behind_all(&self) -> bool {
        let driver = self.device.driver;
        let Some(record) = driver.record_context else { return false };
        let mut context = ptr::null_mut();
        // SAFETY: writes one handle; the current context is the device's, and the event belongs to it.
        unsafe {
            (driver.api.cuCtxGetCurrent)(&raw mut context) == code::SUCCESS
                && record(context, self.handle) == code::SUCCESS
        }
    }

    /// Makes everything submitted to a stream from now on wait for it. The device has been entered.
    pub(crate) fn hold(&self, stream: Handle) -> Result<()> {
        let device = &self.device;
        // SAFETY: both exist, and the driver takes note of the event's state now.
        let code = unsafe { (device.driver.api.cuStreamWaitEvent)(stream, self.handle, 0) };
        device.check(code, "wait for another stream")
    }

    /// Waits until what it was recorded behind is over.
    pub(crate) fn wait(&self) -> Result<()> {
        let _entered = self.device.enter()?;
        // SAFETY: the event exists.
        self.device.check(unsafe { (self.device.driver.api.cuEventSynchronize)(self.handle) }, "wait")
    }

    /// Whether what it was recorded behind is over.
    pub(crate) fn is_over(&self) -> Result<bool> {
        // SAFETY: the event exists.
        match unsafe { (self.device.driver.api.cuEventQuery)(self.handle) } {
            code::NOT_READY => Ok(false),
            answer => self.device.check(answer, "ask for an event").map(|()| true),
        }
    }
}

impl Drop for DriverEvent {
    fn drop(&mut self) {
        if let Ok(_entered) = self.device.enter() {
            // SAFETY: nobody else has the handle. The driver keeps what is still recorded until it is over.
            unsafe { (self.device.driver.api.cuEventDestroy_v2)(self.handle) };
        }
    }
}

#[derive(Debug)]
struct Mark {
    /// Every command up to this number came before.
    number: u64,
    event: Arc<DriverEvent>,
}

#[derive(Debug, Default)]
struct Marks {
    recorded: VecDeque<Mark>,
    spare: Vec<Arc<DriverEvent>>,
}

/// A CUDA stream.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) device: Arc<CudaDevice>,
    pub(crate) handle: Handle,
    pub(crate) lane: Lane,
    /// Number of the last command submitted. It grows after the driver has the command.
    submitted: AtomicU64,
    /// Number of the last command known to be over.
    completed: AtomicU64,
    looked: AtomicU64,
    marks: Mutex<Marks>,
}

// SAFETY: the driver lets every thread use its streams; this one is destroyed once, when nobody has it any more.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    pub(crate) fn new(device: Arc<CudaDevice>) -> Result<Stream> {
        static LANES: AtomicU64 = AtomicU64::new(1);
        let mut handle = ptr::null_mut();
        {
            let _entered = device.enter()?;
            // SAFETY: writes one handle.
            let code = unsafe { (device.driver.api.cuStreamCreate)(&raw mut handle, NON_BLOCKING) };
            device.check(code, "create queue")?;
        }
        let lane = Lane(NonZeroU64::MIN.saturating_add(LANES.fetch_add(1, Ordering::Relaxed)));
        let (submitted, completed, looked) = Default::default();
        Ok(Stream { device, handle, lane, submitted, completed, looked, marks: Mutex::default() })
    }

    /// The number of a command that the driver has just got.
    pub(crate) fn advance(&self) -> u64 {
        self.submitted.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Whether a command is known to be over. Asks the driver now and then.
    pub(crate) fn has_completed(&self, number: u64) -> bool {
        if self.completed.load(Ordering::Acquire) >= number {
            return true;
        }
        let now = ticks();
        // Processors need not agree about the time.
        if now.wrapping_sub(self.looked.load(Ordering::Relaxed)) < LOOK_EVERY {
            return false;
        }
        self.looked.store(now, Ordering::Relaxed);
        self.look().is_ok() && self.completed.load(Ordering::Acquire) >= number
    }

    /// Asks the driver about marks, and sees to it that there is one if anything is unfinished.
    fn look(&self) -> Result<()> {
        let _entered = self.device.enter()?;
        let mut marks = self.marks.lock();
        self.collect(&mut marks)?;
        if marks.recorded.is_empty() && self.completed.load(Ordering::Acquire) < self.submitted.load(Ordering::Acquire)
        {
            self.mark(&mut marks)?;
        }
        Ok(())
    }

    /// Takes note of marks that are over.
    fn collect(&self, marks: &mut Marks) -> Result<()> {
        while let Some(first) = marks.recorded.front() {
            if !first.event.is_over()? {
                break;
            }
            self.completed.fetch_max(first.number, Ordering::AcqRel);
            if let Some(mark) = marks.recorded.pop_front()
                && marks.spare.len() < SPARE_MARKS
                && Arc::strong_count(&mark.event) == 1
            {
                marks.spare.push(mark.event);
            }
        }
        Ok(())
    }

    /// Records a mark behind everything submitted so far. The device has been entered.
    fn mark(&self, marks: &mut Marks) -> Result<Arc<DriverEvent>> {
        let number = self.submitted.load(Ordering::Acquire);
        let event = match marks.spare.pop() {
            Some(event) => event,
            None => Arc::new(DriverEvent::new(&self.device, false)?),
        };
        event.record(self.handle)?;
        marks.recorded.push_back(Mark { number, event: event.clone() });
        Ok(event)
    }

    /// A mark behind a command; `None` if the command is over. The device has been entered.
    pub(crate) fn mark_behind(&self, number: u64) -> Result<Option<Arc<DriverEvent>>> {
        let mut marks = self.marks.lock();
        self.collect(&mut marks)?;
        if self.completed.load(Ordering::Acquire) >= number {
            return Ok(None);
        }
        let found = marks.recorded.iter().find(|mark| mark.number >= number).map(|mark| mark.event.clone());
        found.map_or_else(|| self.mark(&mut marks), Ok).map(Some)
    }

    /// Waits until a command is over, or until the time has passed; whether it is over.
    pub(crate) fn wait(&self, number: u64, limit: Option<Duration>) -> Result<bool> {
        if self.completed.load(Ordering::Acquire) >= number {
            return Ok(true);
        }
        let _entered = self.device.enter()?;
        let Some(mark) = self.mark_behind(number)? else { return Ok(true) };
        match limit {
            None => mark.wait()?,
            Some(_) if !poll(limit, || mark.is_over())? => return Ok(false),
            Some(_) => {}
        }
        drop(mark);
        self.collect(&mut self.marks.lock())?;
        Ok(true)
    }

    /// Waits until everything submitted so far is over, or until the time has passed; whether it is over.
    pub(crate) fn wait_for_all(&self, limit: Option<Duration>) -> Result<bool> {
        self.wait(self.submitted.load(Ordering::Acquire), limit)
    }

    /// Waits without a mark, where there could be none, until everything is over or the time has passed; whether it is
    /// over. What fails even here has ended the device, and every command.
    pub(crate) fn wait_bluntly(&self, limit: Option<Duration>) -> bool {
        let number = self.submitted.load(Ordering::Acquire);
        let over = poll(limit, || {
            let _entered = self.device.enter()?;
            // SAFETY: the stream exists.
            match unsafe { (self.device.driver.api.cuStreamQuery)(self.handle) } {
                code::NOT_READY => Ok(false),
                answer => self.device.check(answer, "wait").map(|()| true),
            }
        });
        match over {
            Ok(true) => drop(self.completed.fetch_max(number, Ordering::AcqRel)),
            Ok(false) => return false,
            Err(error) => self.device.lose(error),
        }
        true
    }

    /// Makes everything submitted to this stream from now on wait for a command of another one. The device has been
    /// entered.
    pub(crate) fn wait_for(&self, other: &Stream, number: u64) -> Result<()> {
        if self.lane == other.lane {
            return Ok(());
        }
        let mark = {
            let _entered = other.device.enter()?;
            other.mark_behind(number)?
        };
        mark.map_or(Ok(()), |mark| mark.hold(self.handle))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Ok(_entered) = self.device.enter() {
            // SAFETY: nobody else has the handle. The driver finishes what the stream still holds.
            unsafe { (self.device.driver.api.cuStreamDestroy_v2)(self.handle) };
        }
    }
}
