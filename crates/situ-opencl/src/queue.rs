//! A stream of commands to a device.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use situ_codegen::{Kernel, RawText, Work, work_for};
use situ_hal::{Command, Completion, Event, HalError, Lane, Queue, RawFacts, RawKernel, Result, ScratchSource};
use situ_types::QueueProperties;
use smallvec::SmallVec;

use crate::context::Place;
use crate::event::OpenClEvent;
use crate::stream::{Stream, Turn};
use crate::{copy, work};

#[derive(Debug)]
pub(crate) struct OpenClQueue {
    stream: Arc<Stream>,
    properties: QueueProperties,
    scratch: Arc<dyn ScratchSource>,
}

/// What a command waits for.
type After = SmallVec<[(Arc<Stream>, u64); 4]>;

impl OpenClQueue {
    pub(crate) fn new(
        place: Arc<Place>,
        properties: QueueProperties,
        scratch: Arc<dyn ScratchSource>,
    ) -> Result<OpenClQueue> {
        Ok(OpenClQueue { stream: Stream::new(place, properties)?, properties, scratch })
    }

    /// # Safety
    ///
    /// As for [`Queue::submit`].
    unsafe fn accept(&self, command: &Command, after: &[Arc<dyn Event>]) -> Result<Completion> {
        if let Some(lost) = self.stream.place.device.lost() {
            return Err(lost.clone());
        }
        let own = |event: &Arc<dyn Event>| {
            let any: &dyn Any = &**event;
            any.downcast_ref::<OpenClEvent>().map(|event| (event.stream.clone(), event.number))
        };
        let after: After = after.iter().filter_map(own).collect();
        // SAFETY: the caller's promise, for every arm; what must come before is passed on.
        unsafe {
            match *command {
                // Order is the stream's.
                Command::Barrier | Command::Marker => self.record(&after, |_| Ok(())),
                Command::Copy { dst, src, bytes } => self.record(&after, |turn| copy::copy(turn, dst, src, bytes)),
                Command::Fill { dst, pattern, width, count } => {
                    self.record(&after, |turn| copy::fill(turn, dst, pattern, width, count))
                }
                Command::Prefetch { address, bytes } => {
                    self.record(&after, |turn| copy::prefetch(turn, address, bytes))
                }
                Command::Advise { address, bytes, advice } => {
                    self.record(&after, |turn| copy::advise(turn, address, bytes, advice))
                }
                // There are kernels for small matrices, but what a device can do should not depend on a size.
                Command::Linalg(_) => Err(HalError::no_library(command.name())),
                _ => self.compute(command, &after),
            }
        }
    }

    /// Runs a command by kernels.
    ///
    /// # Safety
    ///
    /// As for [`Queue::submit`].
    unsafe fn compute(&self, command: &Command, after: &After) -> Result<Completion> {
        let limits = &self.stream.place.device.facts.limits;
        let work = work_for(command, limits)?;
        // SAFETY: the work is the command's, for which the caller vouches.
        match unsafe { self.launch(&work, after) } {
            // Somebody else needs the memory. Whatever has been done is done again.
            Err(HalError::OutOfMemory { .. }) if work.has_leaner => {
                // SAFETY: as above.
                unsafe { self.launch(&work_for(command, &limits.without_scratch())?, after) }
            }
            done => done,
        }
    }

    /// # Safety
    ///
    /// The operands of the work are valid for what it does with them until the stream has come past it.
    unsafe fn launch(&self, work: &Work, after: &After) -> Result<Completion> {
        // Compiled before anything is enqueued, because it takes long and may fail.
        let functions = self.stream.place.functions(work)?;
        if work.scratch == 0 {
            // SAFETY: the caller's promise; no scratch memory is asked for.
            return self
                .record(after, |turn| unsafe { work::launch_all(turn, work, &functions, std::ptr::null_mut()) });
        }
        self.scratch.with(Some(self.stream.lane), work.scratch, &mut |room| {
            // SAFETY: the caller's promise; the room is the work's.
            self.record(after, |turn| unsafe { work::run(turn, work, &functions, room) })
        })
    }

    /// Submits something to the stream, and gives it a number.
    fn record(&self, after: &After, enqueue: impl FnOnce(&mut Turn<'_>) -> Result<()>) -> Result<Completion> {
        let submitted = self.stream.submit(after, enqueue)?;
        let times = self.properties.profiling.then(|| Box::new([submitted.first, submitted.last]));
        let (stream, number) = (self.stream.clone(), submitted.number);
        Ok(Completion::Event(Arc::new(OpenClEvent { stream, number, times })))
    }
}

/// The same failure, said of the command.
fn during(command: &Command, error: HalError) -> HalError {
    let operation = command.name();
    match error {
        HalError::Failed { detail, .. } => HalError::Failed { operation, detail },
        HalError::OutOfMemory { bytes, detail, .. } => HalError::OutOfMemory { operation, bytes, detail },
        HalError::Unsupported { detail, .. } => HalError::Unsupported { operation, detail },
        HalError::Compile { detail, .. } => HalError::Compile { operation, detail },
    }
}

impl Queue for OpenClQueue {
    unsafe fn submit(&self, command: &Command, after: &[Arc<dyn Event>]) -> Result<Completion> {
        // SAFETY: the caller's promise.
        unsafe { self.accept(command, after) }.map_err(|error| during(command, error))
    }

    fn wait(&self, limit: Option<Duration>) -> bool {
        self.stream.wait_for_all(limit)
    }

    fn is_idle(&self) -> bool {
        self.stream.is_idle()
    }

    fn lane(&self) -> Option<Lane> {
        Some(self.stream.lane)
    }

    fn inspect(&self, kernel: &Arc<RawKernel>) -> Result<RawFacts> {
        let place = &self.stream.place;
        Ok(place.function(&Kernel::Raw(RawText::new(kernel.clone())))?.facts(place))
    }

    fn take_error(&self) -> Option<HalError> {
        self.stream.take_error()
    }
}
