//! A stream of commands to a GPU.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use situ_hal::{Command, Completion, Event, HalError, Lane, Queue, Result};
use situ_types::QueueProperties;

use crate::device::CudaDevice;
use crate::driver::Handle;
use crate::event::{CudaEvent, Reference, Times};
use crate::scratch::Scratch;
use crate::stream::{DriverEvent, Stream};
use crate::{copy, work};

#[derive(Debug)]
pub(crate) struct CudaQueue {
    stream: Arc<Stream>,
    properties: QueueProperties,
    reference: Mutex<Option<Arc<Reference>>>,
    scratch: Scratch,
    /// Whether the end of the device has been reported.
    reported: AtomicBool,
}

impl CudaQueue {
    pub(crate) fn new(device: Arc<CudaDevice>, properties: QueueProperties) -> Result<CudaQueue> {
        Ok(CudaQueue {
            stream: Arc::new(Stream::new(device)?),
            properties,
            reference: Mutex::default(),
            scratch: Scratch::default(),
            reported: AtomicBool::new(false),
        })
    }

    /// A moment to count times from.
    fn reference(&self) -> Result<Arc<Reference>> {
        let mut slot = self.reference.lock();
        match &*slot {
            Some(reference) if !reference.is_stale() => Ok(reference.clone()),
            _ => Ok(slot.insert(Arc::new(Reference::take(&self.stream.device)?)).clone()),
        }
    }

    /// # Safety
    ///
    /// As for [`Queue::submit`].
    unsafe fn execute(&self, command: &Command) -> Result<()> {
        let stream = &*self.stream;
        // SAFETY: the caller's promise, for every arm.
        unsafe {
            match command {
                // Order is the stream's.
                Command::Barrier | Command::Marker => Ok(()),
                &Command::Copy { dst, src, bytes } => copy::copy(stream, dst, src, bytes),
                &Command::Fill { dst, pattern, width, count } if copy::fill(stream, dst, pattern, width, count)? => {
                    Ok(())
                }
                &Command::Prefetch { address, bytes } => copy::prefetch(stream, address, bytes),
                &Command::Advise { address, bytes, advice } => copy::advise(stream, address, bytes, advice),
                command => work::run(stream, &self.scratch, command),
            }
        }
    }

    /// # Safety
    ///
    /// As for [`Queue::submit`].
    unsafe fn accept(&self, command: &Command, after: &[Arc<dyn Event>]) -> Result<CudaEvent> {
        if let Some(lost) = self.stream.device.lost() {
            return Err(lost.clone());
        }
        let _entered = self.stream.device.enter()?;
        for event in after {
            let any: &dyn Any = &**event;
            if let Some(event) = any.downcast_ref::<CudaEvent>() {
                self.stream.wait_for(&event.stream, event.number)?;
            }
        }
        let begin = |()| Times::begin(&self.stream, self.reference()?);
        let times = self.properties.profiling.then_some(()).map(begin).transpose()?;
        // SAFETY: the caller's promise; what must come before has been made to.
        let submitted = unsafe { self.execute(command) }
            .and_then(|()| times.map(|times| times.finish(&self.stream).map(Box::new)).transpose());
        let times = submitted.inspect_err(|_| {
            // Part of it may be on its way, and nobody will hear of it.
            self.stream.wait_bluntly(None);
        })?;
        Ok(CudaEvent { number: self.stream.advance(), stream: self.stream.clone(), times })
    }
}

/// The same failure, said of the command.
fn during(command: &Command, error: HalError) -> HalError {
    let operation = command.name();
    match error {
        HalError::Failed { detail, .. } => HalError::Failed { operation, detail },
        HalError::OutOfMemory { bytes, detail, .. } => HalError::OutOfMemory { operation, bytes, detail },
        HalError::Unsupported { detail, .. } => HalError::Unsupported { operation, detail },
    }
}

impl Queue for CudaQueue {
    unsafe fn submit(&self, command: &Command, after: &[Arc<dyn Event>]) -> Result<Completion> {
        // SAFETY: the caller's promise.
        match unsafe { self.accept(command, after) } {
            Ok(event) => Ok(Completion::Event(Arc::new(event))),
            Err(error) => Err(during(command, error)),
        }
    }

    fn wait(&self, limit: Option<Duration>) -> bool {
        self.stream.wait_for_all(limit).unwrap_or_else(|_| self.stream.wait_bluntly(limit))
    }

    fn lane(&self) -> Option<Lane> {
        Some(self.stream.lane)
    }

    fn native_stream(&self) -> Option<usize> {
        Some(self.stream.handle as usize)
    }

    fn follow(&self, stream: Option<usize>) -> Result<()> {
        let device = &self.stream.device;
        let _entered = device.enter()?;
        let event = DriverEvent::new(device, false)?;
        match stream {
            Some(stream) => event.record(stream as Handle)?,
            None if event.record_behind_all() => {}
            None => return device.wait_for_all(),
        }
        event.hold(self.stream.handle)
    }

    fn lead(&self, stream: usize, after: &[Arc<dyn Event>]) -> Result<()> {
        let _entered = self.stream.device.enter()?;
        for event in after {
            let any: &dyn Any = &**event;
            let Some(event) = any.downcast_ref::<CudaEvent>() else { continue };
            let mark = {
                let _entered = event.stream.device.enter()?;
                event.stream.mark_behind(event.number)?
            };
            if let Some(mark) = mark {
                mark.hold(stream as Handle)?;
            }
        }
        Ok(())
    }

    fn take_error(&self) -> Option<HalError> {
        let lost = self.stream.device.lost()?;
        (!self.reported.swap(true, Ordering::AcqRel)).then(|| lost.clone())
    }
}
