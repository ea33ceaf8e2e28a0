//! The fate of one command.

use std::sync::Arc;
use std::time::Duration;

use situ_hal::{Event, EventStatus, HalError, Lane, Profile};

use crate::stream::{DriverEvent, Stream};

const QUEUED: u32 = 0x1280;
const START: u32 = 0x1282;
const END: u32 = 0x1283;

/// A command, by its number in its stream.
#[derive(Debug)]
pub(crate) struct OpenClEvent {
    pub(crate) stream: Arc<Stream>,
    pub(crate) number: u64,
    /// The driver's events of its first and its last part, if their times are wanted. In a box, because few are.
    pub(crate) times: Option<Box<[Arc<DriverEvent>; 2]>>,
}

impl Event for OpenClEvent {
    fn lane(&self) -> Option<Lane> {
        Some(self.stream.lane)
    }

    fn status(&self) -> EventStatus {
        self.stream.status(self.number)
    }

    fn wait(&self, limit: Option<Duration>) -> bool {
        self.stream.wait(self.number, limit)
    }

    fn error(&self) -> Option<HalError> {
        self.stream.error(self.number)
    }

    fn profile(&self) -> Option<Profile> {
        let [first, last] = &**self.times.as_ref()?;
        let submit = first.time(QUEUED)?;
        // Some drivers give no times, or zeros, for what takes none.
        let start = first.time(START).unwrap_or(submit).max(submit);
        let end = last.time(END).unwrap_or(start).max(start);
        Some(Profile { submit, start, end })
    }
}
