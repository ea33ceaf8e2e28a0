//! A stream of commands to a GPU.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use situ_codegen::{Work, small_matrices, work_for};
use situ_hal::{
    Address, Command, Completion, Event, Fft, HalError, Lane, Linalg, Product, Queue, Result, ScratchSource,
};
use situ_types::QueueProperties;

use crate::cublas::WORKSPACE;
use crate::device::CudaDevice;
use crate::driver::Handle;
use crate::event::{CudaEvent, Reference, Times};
use crate::fft::Transform;
use crate::gemm::Gemm;
use crate::stream::{DriverEvent, Stream};
use crate::{copy, cusolver, work};

#[derive(Debug)]
pub(crate) struct CudaQueue {
    stream: Arc<Stream>,
    properties: QueueProperties,
    reference: Mutex<Option<Arc<Reference>>>,
    scratch: Arc<dyn ScratchSource>,
    /// Whether the end of the device has been reported.
    reported: AtomicBool,
}

impl CudaQueue {
    pub(crate) fn new(
        device: Arc<CudaDevice>,
        properties: QueueProperties,
        scratch: Arc<dyn ScratchSource>,
    ) -> Result<CudaQueue> {
        Ok(CudaQueue {
            stream: Arc::new(Stream::new(device)?),
            properties,
            reference: Mutex::default(),
            scratch,
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
    unsafe fn accept(&self, command: &Command, after: &[Arc<dyn Event>]) -> Result<Completion> {
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
        // SAFETY: the caller's promise, for every arm; what must come before has been made to.
        unsafe {
            match *command {
                // Order is the stream's.
                Command::Barrier | Command::Marker => self.record(|_| Ok(())),
                Command::Copy { dst, src, bytes } => self.record(|stream| copy::copy(stream, dst, src, bytes)),
                Command::Fill { dst, pattern, width, count } if copy::can_fill(pattern, width) => {
                    self.record(|stream| copy::fill(stream, dst, pattern, width, count))
                }
                Command::Prefetch { address, bytes } => self.record(|stream| copy::prefetch(stream, address, bytes)),
                Command::Advise { address, bytes, advice } => {
                    self.record(|stream| copy::advise(stream, address, bytes, advice))
                }
                Command::Product(ref product) => match self.multiply(product)? {
                    Some(done) => Ok(done),
                    None => self.compute(command),
                },
                Command::Fft(ref command) => self.transform(command),
                Command::Linalg(ref linalg) => self.solve(linalg),
                _ => self.compute(command),
            }
        }
    }

    /// Multiplies matrices by cuBLAS, if it is there and can do it.
    ///
    /// # Safety
    ///
    /// As for [`Queue::submit`]. The device has been entered.
    unsafe fn multiply(&self, command: &Product) -> Result<Option<Completion>> {
        let (stream, cublas) = (&self.stream, &self.stream.device.cublas);
        let Some(gemm) = Gemm::of(command).filter(|_| cublas.is_usable()) else { return Ok(None) };
        let mut is_done = false;
        let done = self.scratch.with(Some(stream.lane), WORKSPACE, &mut |workspace| {
            self.record(|stream| {
                // SAFETY: the caller's promise; the workspace is the calls' own until the stream has come past them.
                is_done = unsafe { cublas.multiply(stream, &gemm, workspace) }?;
                Ok(())
            })
        });
        match done {
            Ok(done) => Ok(is_done.then_some(done)),
            // A kernel of our own needs no memory.
            Err(HalError::OutOfMemory { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Transforms sequences by cuFFT.
    ///
    /// # Safety
    ///
    /// As for [`Queue::submit`]. The device has been entered.
    unsafe fn transform(&self, command: &Fft) -> Result<Completion> {
        let transform = Transform::new(&self.stream, command)?;
        let submit = |room: Address| {
            // SAFETY: the caller's promise; the room is the transform's own until the stream has come past it.
            self.record(|stream| unsafe { transform.submit(stream, room) })
        };
        match transform.scratch() {
            0 => submit(Address(std::ptr::null_mut())),
            bytes => self.scratch.with(Some(self.stream.lane), bytes, &mut |room| submit(room)),
        }
    }

    /// Does linear algebra, of small matrices by kernels and of others by cuSOLVER.
    ///
    /// # Safety
    ///
    /// As for [`Queue::submit`]. The device has been entered.
    unsafe fn solve(&self, command: &Linalg) -> Result<Completion> {
        if let Some(work) = cusolver::has_kernels().then(|| small_matrices(command)).flatten() {
            // SAFETY: the work is the command's, for which the caller vouches.
            return unsafe { self.launch(&work) };
        }
        let (stream, cusolver) = (&self.stream, &self.stream.device.cusolver);
        let mut prepared = cusolver.prepare(stream, command)?;
        let done = self.scratch.with(Some(stream.lane), prepared.bytes(), &mut |room| {
            // SAFETY: the caller's promise; the room is the calls' own until the stream has come past them, and the memory of
            // the host is kept below.
            self.record(|stream| unsafe { cusolver.submit(stream, command, &mut prepared, room) })
        })?;
        cusolver.keep(stream, prepared);
        Ok(done)
    }

    /// Runs a command by kernels.
    ///
    /// # Safety
    ///
    /// As for [`Queue::submit`]. The device has been entered.
    unsafe fn compute(&self, command: &Command) -> Result<Completion> {
        let limits = &self.stream.device.facts.limits;
        let work = work_for(command, limits)?;
        // SAFETY: the work is the command's, for which the caller vouches.
        match unsafe { self.launch(&work) } {
            // Somebody else needs the memory. Whatever has been done is done again.
            Err(HalError::OutOfMemory { .. }) if work.has_leaner => {
                // SAFETY: as above.
                unsafe { self.launch(&work_for(command, &limits.without_scratch())?) }
            }
            done => done,
        }
    }

    /// # Safety
    ///
    /// The operands of the work are valid for what it does with them until the stream has come past it. The device has
    /// been entered.
    unsafe fn launch(&self, work: &Work) -> Result<Completion> {
        if work.scratch == 0 {
            // SAFETY: the caller's promise; no scratch memory is asked for.
            return self.record(|stream| unsafe { work::launch_all(stream, work, 0) });
        }
        self.scratch.with(Some(self.stream.lane), work.scratch, &mut |room| {
            // SAFETY: the caller's promise; the room is the work's.
            self.record(|stream| unsafe { work::run(stream, work, room) })
        })
    }

    /// Submits something to the stream, and gives it a number.
    fn record(&self, submit: impl FnOnce(&Stream) -> Result<()>) -> Result<Completion> {
        let stream = &self.stream;
        let begin = |()| Times::begin(stream, self.reference()?);
        let times = self.properties.profiling.then_some(()).map(begin).transpose();
        let submitted = times.and_then(|times| {
            submit(stream)?;
            times.map(|times| times.finish(stream).map(Box::new)).transpose()
        });
        let times = submitted.inspect_err(|_| {
            // Part of it may be on its way, and nobody will hear of it.
            stream.wait_bluntly(None);
        })?;
        Ok(Completion::Event(Arc::new(CudaEvent { number: stream.advance(), stream: stream.clone(), times })))
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

impl Queue for CudaQueue {
    unsafe fn submit(&self, command: &Command, after: &[Arc<dyn Event>]) -> Result<Completion> {
        // SAFETY: the caller's promise.
        unsafe { self.accept(command, after) }.map_err(|error| during(command, error))
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
