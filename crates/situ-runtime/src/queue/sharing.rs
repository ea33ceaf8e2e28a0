//! Memory that other libraries use, too, in streams of their own on the same device.
//!
//! Order is kept where memory changes hands. Who gets it waits for us ([`Queue::lend`]); when it comes back, we wait
//! for them ([`Queue::take_back`]). What either does in between is its own affair.

use situ_hal::{Command, Completion};

use super::Queue;
use crate::buffer::{Access, Buffer};
use crate::event::HalEvent;
use crate::{Error, Result, hazard};

impl Queue {
    /// The driver's own handle of the stream behind it, by which other libraries that use the same driver know it.
    pub fn native_stream(&self) -> Option<usize> {
        self.0.hal.native_stream()
    }

    /// Makes another library's stream wait until it may access a buffer.
    pub fn lend(&self, buffer: &Buffer, access: Access, stream: usize) -> Result<()> {
        self.check()?;
        let pending = buffer.tracker().pending(access);
        if let Some(cause) = pending.iter().find_map(|event| event.error()) {
            return Err(Error::Poisoned { cause });
        }
        Ok(self.0.hal.lead(stream, &pending)?)
    }

    /// Makes every command that touches a buffer from now on wait for what another library has submitted to a stream,
    /// or to any stream at all where none is named.
    pub fn take_back(&self, buffer: &Buffer, access: Access, stream: Option<usize>) -> Result<()> {
        self.owns("take back", buffer)?;
        // Failures of earlier commands are not for whoever lets go of memory to hear of.
        crate::fork::check()?;
        self.0.hal.follow(stream)?;
        self.stamp(buffer, access)
    }

    /// The same for what has been submitted to another queue of the same backend.
    pub fn take_back_from(&self, buffer: &Buffer, access: Access, other: &Queue) -> Result<()> {
        self.owns("take back", buffer)?;
        crate::fork::check()?;
        let behind = other.mark(&[])?;
        let mark = |waits: &[HalEvent]| self.mark(&waits.iter().chain(&behind).cloned().collect::<Vec<_>>());
        hazard::in_order(std::iter::once((buffer.tracker(), access)), mark).map(|_| ())
    }

    /// Makes every command that touches a buffer from now on wait for what this queue's next command would wait for,
    /// and that one for the commands that touch the buffer now: as if the queue had accessed it.
    ///
    /// The access may be a writing one even if the memory was lent for reading: it stands for what its owner does.
    pub fn stamp(&self, buffer: &Buffer, access: Access) -> Result<()> {
        self.owns("stamp", buffer)?;
        crate::fork::check()?;
        let mark = |waits: &[HalEvent]| self.mark(waits);
        hazard::in_order(std::iter::once((buffer.tracker(), access)), mark).map(|_| ())
    }

    /// The event of a command that does nothing, behind others.
    fn mark(&self, waits: &[HalEvent]) -> Result<Option<HalEvent>> {
        if let Some(cause) = waits.iter().find_map(|event| event.error()) {
            return Err(Error::Poisoned { cause });
        }
        // SAFETY: the command touches no memory.
        Ok(match unsafe { self.0.hal.submit(&Command::Marker, waits) }? {
            Completion::Done => None,
            Completion::Event(event) => Some(event),
        })
    }

    /// An event behind everything submitted to this queue's lane so far, if it has one and that is not over already.
    pub(crate) fn mark_in_lane(&self) -> Option<HalEvent> {
        self.lane()?;
        self.mark(&[]).unwrap_or_else(|_| {
            self.settle();
            None
        })
    }

    /// An event behind everything that any library has submitted to the device, if that is not over already.
    pub(crate) fn mark_behind_all(&self) -> Result<Option<HalEvent>> {
        self.0.hal.follow(None)?;
        self.mark(&[])
    }
}
