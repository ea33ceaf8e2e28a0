//! Timing blocks of work on the host and on the device.

use std::time::{Duration, Instant};

use crate::{Error, Event, Queue, Result};

/// How the device's time is bracketed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimerMode {
    /// A barrier before and after the block: everything on the queue counts.
    #[default]
    QueueBarrier,
    /// An empty command before and after, each ordered behind the commands so far: the order the buffers themselves
    /// impose on the block is left as it is.
    OrderManager,
}

/// Adds up the time of any number of blocks.
///
/// ```
/// use situ_runtime::{Context, Device, Queue, Timer, TimerMode};
/// use situ_types::QueueProperties;
/// let device = Device::default_device()?;
/// let context = Context::for_device(&device)?;
/// let queue = Queue::new(&context, &device, QueueProperties { profiling: true, in_order: false })?;
/// let mut timer = Timer::new(TimerMode::QueueBarrier);
/// timer.time(&queue, || ())?;
/// let (host, device) = timer.elapsed()?;
/// assert!(host.as_secs() < 60 && device.as_secs() < 60);
/// # Ok::<(), situ_runtime::Error>(())
/// ```
#[derive(Debug)]
pub struct Timer {
    mode: TimerMode,
    host: Duration,
    spans: Vec<(Event, Event)>,
}

impl Timer {
    /// A timer that has measured nothing yet.
    pub fn new(mode: TimerMode) -> Timer {
        Timer { mode, host: Duration::ZERO, spans: Vec::new() }
    }

    /// The event that brackets a block on one side.
    pub fn edge(mode: TimerMode, queue: &Queue) -> Result<Event> {
        if !queue.properties().profiling {
            return Err(Error::Value(
                "a timer needs a queue that records times: create it with property=\"enable_profiling\"".into(),
            ));
        }
        match mode {
            TimerMode::QueueBarrier => queue.barrier(None),
            TimerMode::OrderManager => {
                let before = queue.barrier(None)?;
                queue.barrier(Some(&[before]))
            }
        }
    }

    /// Seconds between two edges on the device.
    pub fn span(start: &Event, end: &Event) -> Result<Duration> {
        let (start, end) = (start.profile()?, end.profile()?);
        Ok(Duration::from_nanos(end.start.saturating_sub(start.end)))
    }

    /// Runs a block and adds its time.
    pub fn time<R>(&mut self, queue: &Queue, block: impl FnOnce() -> R) -> Result<R> {
        let start = Self::edge(self.mode, queue)?;
        let began = Instant::now();
        let result = block();
        self.host += began.elapsed();
        let end = Self::edge(self.mode, queue)?;
        self.spans.push((start, end));
        Ok(result)
    }

    /// Host time and device time of every block so far. Waits for the blocks to end.
    pub fn elapsed(&self) -> Result<(Duration, Duration)> {
        let mut device = Duration::ZERO;
        for (start, end) in &self.spans {
            device += Self::span(start, end)?;
        }
        Ok((self.host, device))
    }
}
