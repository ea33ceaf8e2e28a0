//! Events: the fate of a command.

use std::sync::Arc;
use std::time::Duration;

use situ_hal::{EventStatus, Profile};
use situ_types::BackendKind;

use crate::{Error, Result, interrupt};

pub(crate) type HalEvent = Arc<dyn situ_hal::Event>;

impl crate::hazard::Fate for HalEvent {
    fn is_complete(&self) -> bool {
        self.status() == EventStatus::Complete
    }

    fn is_failed(&self) -> bool {
        self.status() == EventStatus::Failed
    }

    fn supersedes(&self, earlier: &Self) -> bool {
        self.lane().is_some_and(|lane| earlier.lane() == Some(lane))
    }
}

/// The fate of a command.
#[derive(Clone, Debug)]
pub struct Event {
    backend: BackendKind,
    /// `None` for a command that was done when it was submitted.
    pub(crate) hal: Option<HalEvent>,
    /// One level deep: what those waited for in turn is history.
    after: Arc<[Event]>,
}

impl Event {
    /// An event that is already complete.
    pub fn complete(backend: BackendKind) -> Event {
        Event { backend, hal: None, after: Arc::default() }
    }

    pub(crate) fn new(backend: BackendKind, hal: Option<HalEvent>, after: &[Event]) -> Event {
        let flat = |event: &Event| Event { backend: event.backend, hal: event.hal.clone(), after: Arc::default() };
        Event { backend, hal, after: after.iter().map(flat).collect() }
    }

    /// The backend whose command this is.
    pub fn backend(&self) -> BackendKind {
        self.backend
    }

    /// How far the command has come.
    pub fn status(&self) -> EventStatus {
        self.hal.as_ref().map_or(EventStatus::Complete, |event| event.status())
    }

    /// Waits until the command is over; its failure is an error.
    pub fn wait(&self) -> Result<()> {
        interrupt::wait(self.backend, |limit| self.wait_for(limit), || self.interrupt())
    }

    /// Waits until the command is over or the time has passed; whether it is over. Its failure is an error.
    pub fn wait_for(&self, limit: Option<Duration>) -> Result<bool> {
        let Some(event) = &self.hal else { return Ok(true) };
        if !event.status().is_over() {
            crate::fork::check()?;
        }
        let over = event.wait(limit);
        match event.error() {
            Some(error) => Err(Error::Hal(error)),
            None => Ok(over),
        }
    }

    /// [Interrupts](crate::Queue::interrupt) the queue that the command was submitted to.
    pub fn interrupt(&self) {
        if let Some(event) = &self.hal {
            event.interrupt();
        }
    }

    /// The events the command was told to wait for.
    pub fn wait_list(&self) -> &[Event] {
        &self.after
    }

    /// When the command was submitted, started and ended; zeros if its queue does not record times. Waits for it.
    pub fn profile(&self) -> Result<Profile> {
        self.wait()?;
        Ok(self.hal.as_ref().and_then(|event| event.profile()).unwrap_or_default())
    }
}
