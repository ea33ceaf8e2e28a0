//! The fate of one command.

use std::sync::Arc;
use std::time::Duration;

use situ_hal::{Event, EventStatus, HalError, Lane, Profile, Result};

use crate::device::CudaDevice;
use crate::stream::{DriverEvent, Stream, now};

/// A command, by its number in its stream.
#[derive(Debug)]
pub(crate) struct CudaEvent {
    pub(crate) stream: Arc<Stream>,
    pub(crate) number: u64,
    /// In a box, because few events have any and every command makes an event.
    pub(crate) times: Option<Box<Times>>,
}

/// When a command ran.
#[derive(Debug)]
pub(crate) struct Times {
    submit: u64,
    reference: Arc<Reference>,
    start: DriverEvent,
    end: DriverEvent,
}

/// A moment that both clocks know: the driver tells times between two events only.
#[derive(Debug)]
pub(crate) struct Reference {
    event: DriverEvent,
    /// The moment on the host's clock.
    at: u64,
}

impl Reference {
    /// How long one is good for, in nanoseconds: the driver's differences are single-precision numbers.
    const LIFETIME: u64 = 1_000_000_000;

    /// This very moment. The device has been entered.
    pub(crate) fn take(device: &Arc<CudaDevice>) -> Result<Reference> {
        let event = DriverEvent::new(device, true)?;
        let idle = Stream::new(device.clone())?;
        event.record(idle.handle)?;
        event.wait()?;
        Ok(Reference { event, at: now() })
    }

    pub(crate) fn is_stale(&self) -> bool {
        now().saturating_sub(self.at) > Self::LIFETIME
    }

    /// The moment of an event that is over, on the host's clock.
    fn moment(&self, event: &DriverEvent, device: &CudaDevice) -> Option<u64> {
        Some(self.at.saturating_add_signed(elapsed(device, &self.event, event)?))
    }
}

/// Nanoseconds from one event to another, both of which are over.
fn elapsed(device: &CudaDevice, from: &DriverEvent, to: &DriverEvent) -> Option<i64> {
    let mut milliseconds = 0.0;
    // SAFETY: writes one number; both events exist.
    let code = unsafe { (device.driver.api.cuEventElapsedTime)(&raw mut milliseconds, from.handle, to.handle) };
    device.check(code, "read a time").ok()?;
    Some((f64::from(milliseconds) * 1e6) as i64)
}

impl Times {
    /// Begins to take a command's times, just before it is submitted. The device has been entered.
    pub(crate) fn begin(stream: &Stream, reference: Arc<Reference>) -> Result<Times> {
        let (start, end) = (DriverEvent::new(&stream.device, true)?, DriverEvent::new(&stream.device, true)?);
        let times = Times { submit: now(), reference, start, end };
        times.start.record(stream.handle)?;
        Ok(times)
    }

    /// Takes the other time, just after the command was submitted.
    pub(crate) fn finish(self, stream: &Stream) -> Result<Times> {
        self.end.record(stream.handle)?;
        Ok(self)
    }
}

impl Event for CudaEvent {
    fn lane(&self) -> Option<Lane> {
        Some(self.stream.lane)
    }

    fn status(&self) -> EventStatus {
        if self.stream.has_completed(self.number) {
            EventStatus::Complete
        } else if self.stream.device.lost().is_some() {
            EventStatus::Failed
        } else {
            EventStatus::Running
        }
    }

    fn wait(&self, limit: Option<Duration>) -> bool {
        self.stream.wait(self.number, limit).unwrap_or_else(|_| self.stream.wait_bluntly(limit))
    }

    fn error(&self) -> Option<HalError> {
        let lost = self.stream.device.lost()?;
        (!self.stream.has_completed(self.number)).then(|| lost.clone())
    }

    fn profile(&self) -> Option<Profile> {
        let times = self.times.as_ref()?;
        let device = &self.stream.device;
        let _entered = device.enter().ok()?;
        let start = times.reference.moment(&times.start, device)?.max(times.submit);
        // From one to the other, because the driver tells long times less exactly.
        let taken = elapsed(device, &times.start, &times.end)?.max(0) as u64;
        Some(Profile { submit: times.submit, start, end: start + taken })
    }
}
