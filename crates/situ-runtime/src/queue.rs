//! Queues: where commands are submitted.

mod handle;
mod memory;
mod sharing;

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use situ_hal::{Command, Completion, Lane, RawFacts, RawKernel, SmallStep};
use situ_types::{BackendKind, QueueProperties, UsmKind};
use smallvec::SmallVec;

pub(crate) use self::handle::WeakQueue;

use self::handle::Handle;
use crate::buffer::{Access, Buffer, Written};
use crate::event::HalEvent;
use crate::pool::Pool;
use crate::{Context, Device, Error, Event, Result, hazard, interrupt, registry};

#[derive(Debug)]
pub(crate) struct QueueInner {
    hal: Arc<dyn situ_hal::Queue>,
    context: Context,
    device: Device,
    pool: Arc<Pool>,
    properties: QueueProperties,
    backend: BackendKind,
    lane: Option<Lane>,
    is_remote: bool,
    runs_inline: bool,
}

impl QueueInner {
    /// The pool its buffers come from.
    #[inline]
    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    fn new(context: &Context, device: &Device, properties: QueueProperties) -> Result<QueueInner> {
        crate::fork::check()?;
        let Some(pool) = context.pool(device).cloned() else {
            return Err(Error::QueueCreation(format!("{} does not belong to the context", device.label())));
        };
        crate::fork::watch();
        let hal = context.0.hal.create_queue(&device.0.hal, properties, pool.clone())?;
        let (lane, is_remote, runs_inline) = (hal.lane(), !context.reaches_host(), hal.runs_inline());
        let (context, device, backend) = (context.clone(), device.clone(), device.backend());
        Ok(QueueInner { hal, context, device, pool, properties, backend, lane, is_remote, runs_inline })
    }
}

/// A stream of commands to one device. Two handles are equal only if they name the same stream.
///
/// ```
/// use situ_runtime::{Device, Queue};
/// let queue = Queue::on(&Device::default_device()?)?;
/// assert_eq!(queue, queue.clone());
/// assert_ne!(queue, Queue::on(queue.device())?);
/// # Ok::<(), situ_runtime::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Queue(Handle);

impl PartialEq for Queue {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(&*self.0, &*other.0)
    }
}
impl Eq for Queue {}
impl Hash for Queue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl Queue {
    /// A new queue on a device of a context.
    pub fn new(context: &Context, device: &Device, properties: QueueProperties) -> Result<Queue> {
        let inner = QueueInner::new(context, device, properties)?;
        Ok(registry::remember(Queue(Handle::Counted(Arc::new(inner)))))
    }

    /// A new queue with default properties that lives as long as the process.
    pub(crate) fn for_ever(context: &Context, device: &Device) -> Result<Queue> {
        let inner = QueueInner::new(context, device, QueueProperties::default())?;
        Ok(registry::remember(Queue(Handle::Kept(Box::leak(Box::new(inner))))))
    }

    /// A new queue with default properties in the device's usual context.
    pub fn on(device: &Device) -> Result<Queue> {
        Queue::new(&Context::for_device(device)?, device, QueueProperties::default())
    }

    /// *The* queue on a whole device that everything uses where none is given.
    pub fn cached(device: &Device) -> Result<Queue> {
        Context::for_device(device)?.cached_queue(device)
    }

    /// *The* queue on the default device.
    pub fn of_default_device() -> Result<Queue> {
        static FOUND: OnceLock<Queue> = OnceLock::new();
        if let Some(queue) = FOUND.get() {
            return Ok(queue.clone());
        }
        let queue = Queue::cached(&Device::default_device()?)?;
        Ok(FOUND.get_or_init(|| queue).clone())
    }

    pub(crate) fn downgrade(&self) -> WeakQueue {
        match &self.0 {
            Handle::Counted(inner) => WeakQueue::Counted(Arc::downgrade(inner)),
            Handle::Kept(inner) => WeakQueue::Kept(inner),
        }
    }

    /// The queue itself, if it lives as long as the process.
    #[inline]
    pub(crate) fn kept(&self) -> Option<&'static QueueInner> {
        match self.0 {
            Handle::Kept(inner) => Some(inner),
            Handle::Counted(_) => None,
        }
    }

    /// The pool its buffers come from.
    #[inline]
    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.0.pool
    }

    /// The order its commands keep to, if they do.
    #[inline]
    pub(crate) fn lane(&self) -> Option<Lane> {
        self.0.lane
    }

    /// Whether its device is not the processor itself, so that even small commands go a long way.
    #[inline]
    pub fn is_remote(&self) -> bool {
        self.0.is_remote
    }

    /// Whether new memory for it may have to wait until commands are over with memory that was let go.
    pub fn may_wait_for_memory(&self) -> bool {
        self.pool().may_wait()
    }

    /// Whether small work may be done before a call returns.
    #[inline]
    pub fn runs_inline(&self) -> bool {
        self.0.runs_inline
    }

    /// The context of its memory.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// The device its commands run on.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// How it behaves.
    pub fn properties(&self) -> QueueProperties {
        self.0.properties
    }

    /// The backend of its device.
    pub fn backend(&self) -> BackendKind {
        self.0.backend
    }

    /// A number that tells this queue from every other one alive.
    pub fn id(&self) -> usize {
        std::ptr::from_ref::<QueueInner>(&self.0) as usize
    }

    /// Whether both have the same context, device and properties, so that a command may go to either.
    pub fn is_equivalent(&self, other: &Queue) -> bool {
        self.context() == other.context() && self.device() == other.device() && self.properties() == other.properties()
    }

    /// An error if an accepted command has failed since the last look, or the process cannot use the queue.
    #[inline]
    pub fn check(&self) -> Result<()> {
        crate::fork::check()?;
        match self.0.hal.take_error() {
            Some(error) => Err(Error::Hal(error)),
            None => Ok(()),
        }
    }

    /// Submits a command in its place among all others that touch the same buffers.
    ///
    /// # Safety
    ///
    /// `accesses` names every buffer whose memory the command touches, with the strongest access; each lies in this
    /// queue's context, and the command stays inside them. Other memory it touches outlives the returned event.
    pub unsafe fn submit(&self, command: &Command, accesses: &[(&Buffer, Access)], after: &[Event]) -> Result<Event> {
        self.check()?;
        let extra = self.bring_over(after)?;
        // SAFETY: the caller's promise.
        let event = unsafe { self.submit_in_order(command, accesses.iter().copied(), &extra) }?;
        Ok(Event::new(self.backend(), event, after))
    }

    /// Runs a small step inline, if it can be and nothing it reads is being written; whether it did.
    ///
    /// # Safety
    ///
    /// As for [`situ_hal::Queue::run_inline`], but for what has to be waited for: the small step reads from these buffers,
    /// which are in the queue's context, and what it writes is nobody else's.
    #[inline(always)]
    pub(crate) unsafe fn run_inline(
        &self,
        small_step: &SmallStep,
        read: &Buffer,
        others: [Option<&Buffer>; 2],
    ) -> bool {
        hazard::reading(read.tracker(), others.map(|other| other.map(Buffer::tracker)), || {
            // SAFETY: the caller's promise; the trackers say that there is nothing to wait for.
            unsafe { self.0.hal.run_inline(small_step) }
        })
    }

    /// Submits a command whose event its buffers are told of, and the [fresh memory](crate::FreshMemory) it writes: who
    /// needs to wait waits for a buffer.
    ///
    /// # Safety
    ///
    /// As for [`submit`](Self::submit), and the command touches nothing but its buffers and fresh memory of this queue.
    #[inline(always)]
    pub unsafe fn run<'a>(
        &self,
        command: &Command,
        accesses: impl Iterator<Item = (&'a Buffer, Access)> + Clone,
    ) -> Result<Written> {
        self.check()?;
        // SAFETY: the caller's promise. Nobody else has seen fresh memory, so that it has nothing to wait for and needs no
        // lock.
        unsafe { self.submit_in_order(command, accesses, &[]) }.map(Written)
    }

    /// # Safety
    ///
    /// As for [`submit`](Self::submit).
    #[inline(always)]
    unsafe fn submit_in_order<'a>(
        &self,
        command: &Command,
        accesses: impl Iterator<Item = (&'a Buffer, Access)> + Clone,
        extra: &[HalEvent],
    ) -> Result<Option<HalEvent>> {
        may_write(command, accesses.clone())?;
        let trackers = accesses.map(|(buffer, access)| (buffer.tracker(), access));
        hazard::in_order(trackers, |waits: &[HalEvent]| {
            if let Some(cause) = waits.iter().find_map(|event| event.error()) {
                return Err(Error::Poisoned { cause });
            }
            let completion = if extra.is_empty() {
                // SAFETY: the caller names every buffer the command touches, `waits` holds their hazards, and each
                // buffer's memory stays allocated until the commands recorded in it are over.
                unsafe { self.0.hal.submit(command, waits) }?
            } else {
                let all: SmallVec<[HalEvent; 8]> = waits.iter().chain(extra).cloned().collect();
                // SAFETY: as above.
                unsafe { self.0.hal.submit(command, &all) }?
            };
            Ok(match completion {
                Completion::Done => None,
                Completion::Event(event) => Some(event),
            })
        })
    }

    /// Submits a command in its place among all others that touch the same buffers, of whatever backend those are, and
    /// waits for it. Nobody else gets at the buffers meanwhile.
    ///
    /// # Safety
    ///
    /// As for [`submit`](Self::submit), except that buffers may lie in host memory of any context.
    pub(crate) unsafe fn submit_and_wait(&self, command: &Command, accesses: [(&Buffer, Access); 2]) -> Result<()> {
        self.check()?;
        may_write(command, accesses.into_iter())?;
        let trackers = accesses.into_iter().map(|(buffer, access)| (buffer.tracker(), access));
        hazard::in_order(trackers, |waits: &[HalEvent]| {
            for event in waits {
                event.wait(None);
                if let Some(cause) = event.error() {
                    return Err(Error::Poisoned { cause });
                }
            }
            // SAFETY: the caller's promise; nothing is left to wait for.
            if let Completion::Event(event) = unsafe { self.0.hal.submit(command, &[]) }? {
                event.wait(None);
                if let Some(error) = event.error() {
                    return Err(Error::Hal(error));
                }
            }
            Ok(None)
        })
        .map(|_| ())
    }

    /// The events a command of this queue can wait for itself; those of other backends are waited for here.
    fn bring_over(&self, after: &[Event]) -> Result<SmallVec<[HalEvent; 4]>> {
        let mut own = SmallVec::new();
        for event in after {
            if event.backend() == self.backend() {
                own.extend(event.hal.clone());
            } else {
                event.wait()?;
            }
        }
        Ok(own)
    }

    /// An event that is over after the given events or, without any, after everything submitted so far; everything
    /// submitted later then waits for it.
    pub fn barrier(&self, after: Option<&[Event]>) -> Result<Event> {
        let command = if after.is_none() { Command::Barrier } else { Command::Marker };
        // SAFETY: neither command touches memory.
        unsafe { self.submit(&command, &[], after.unwrap_or_default()) }
    }

    /// Waits until everything submitted so far is over; a failure since the last look is an error.
    pub fn wait(&self) -> Result<()> {
        interrupt::wait(self.backend(), |limit| self.wait_for(limit), || self.interrupt())
    }

    /// Waits until everything submitted so far is over or the time has passed; whether it is over. A failure since the
    /// last look is an error, once everything is over.
    pub fn wait_for(&self, limit: Option<Duration>) -> Result<bool> {
        crate::fork::check()?;
        let over = self.0.hal.wait(limit);
        if over {
            self.check()?;
        }
        Ok(over)
    }

    /// Has kernels that were launched on it end early, where a device can do that. What they write is left unfinished, and
    /// everything else on the queue goes on as if they had ended by themselves.
    pub fn interrupt(&self) {
        self.0.hal.interrupt();
    }

    /// Whether it is known, without looking far, that everything submitted so far is over.
    pub fn is_idle(&self) -> bool {
        self.0.hal.is_idle()
    }

    /// Compiles a kernel in its device's own language, and says what it is.
    pub fn inspect(&self, kernel: &Arc<RawKernel>) -> Result<RawFacts> {
        self.check()?;
        Ok(self.0.hal.inspect(kernel)?)
    }

    /// Waits until everything submitted so far is over, ignoring failures.
    pub(crate) fn settle(&self) {
        self.0.hal.wait(None);
    }

    /// The same at the end of the process.
    pub(crate) fn finish(&self) {
        let _ = interrupt::wait(self.backend(), |limit| Ok(self.0.hal.wait(limit)), || self.interrupt());
    }

    /// Whether its commands can use a buffer of its context where it lies.
    pub fn reaches(&self, buffer: &Buffer) -> bool {
        let is_near = || self.device() == buffer.device() || buffer.kind() != UsmKind::Device;
        buffer.context() == self.context() && (is_near() || self.context().0.hal.devices_share())
    }

    fn owns(&self, operation: &str, buffer: &Buffer) -> Result<()> {
        if buffer.context() == self.context() {
            return Ok(());
        }
        Err(Error::Value(format!(
            "{operation}: the memory belongs to another context than the queue on {}; copy it over with \
             copy_from_device, or use a queue of its own context",
            self.device().label()
        )))
    }
}

/// An error if a command would write to memory that was lent for reading only.
#[inline(always)]
fn may_write<'a>(command: &Command, mut accesses: impl Iterator<Item = (&'a Buffer, Access)>) -> Result<()> {
    if accesses.any(|(buffer, access)| access != Access::Read && buffer.is_read_only()) {
        let operation = command.name();
        return Err(Error::Value(format!("{operation}: the memory was lent for reading only; write to a copy of it")));
    }
    Ok(())
}
