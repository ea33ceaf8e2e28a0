//! The traits a backend implements.

use std::any::Any;
use std::fmt::Debug;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use situ_types::{DeviceInfo, Partition, PlatformInfo, QueueProperties, UsmKind};

use crate::{Address, Command, HalError, RawFacts, RawKernel, Result, ScratchSource, SmallStep};

/// One driver and the devices it reaches.
pub trait Platform: Debug + Send + Sync {
    /// What it says about itself.
    fn info(&self) -> &PlatformInfo;
    /// Its unpartitioned devices, in a stable order.
    fn devices(&self) -> Vec<Arc<dyn Device>>;
    /// A new context over some of its devices or sub-devices.
    fn create_context(&self, devices: &[Arc<dyn Device>]) -> Result<Arc<dyn Context>>;
}

/// A processor, or a part of one. A backend recognises its own through `Any`.
pub trait Device: Any + Debug + Send + Sync {
    /// What it says about itself.
    fn info(&self) -> &DeviceInfo;
    /// Splits it.
    fn partition(&self, how: &Partition) -> Result<Vec<Arc<dyn Device>>>;
}

/// A set of devices that share allocations.
pub trait Context: Debug + Send + Sync {
    /// New memory, aligned to at least 64 bytes. Blocks of at least [`large_block`](Self::large_block) bytes are
    /// aligned to that.
    fn allocate(&self, device: &Arc<dyn Device>, kind: UsmKind, bytes: usize) -> Result<Address>;

    /// Gives memory back.
    ///
    /// # Safety
    ///
    /// `address` came from [`allocate`](Self::allocate) on this context with the same `kind` and `bytes`, has not
    /// been released before, and no command that touches it is incomplete.
    unsafe fn release(&self, kind: UsmKind, address: Address, bytes: usize);

    /// The size from which memory is best asked for in whole multiples of it: a large page, say.
    fn large_block(&self) -> usize;

    /// Bytes that could still be allocated on a device without hurting the system, if known.
    fn memory_available(&self, device: &Arc<dyn Device>, kind: UsmKind) -> Option<u64>;

    /// Whether the host can read and write memory of this kind where it lies, once the commands that touch it are over.
    fn host_reaches(&self, kind: UsmKind) -> bool;

    /// Whether commands can read and write any memory of the host where it lies, not only what this context allocated.
    fn reaches_host(&self) -> bool;

    /// Whether a copy can go between this context's memory and that of another context of the same backend.
    fn reaches(&self, other: &dyn Context) -> bool;

    /// The device, by its position on the platform, and the kind of memory that another user of the same driver has
    /// allocated at an address; `None` where the driver knows of none.
    fn locate(&self, _address: Address) -> Option<(usize, UsmKind)> {
        None
    }

    /// Whether commands on one of its devices can use device memory of another one where it lies.
    fn devices_share(&self) -> bool;

    /// A new queue on one of the context's devices, whose commands get scratch memory from a source.
    fn create_queue(
        &self,
        device: &Arc<dyn Device>,
        properties: QueueProperties,
        scratch: Arc<dyn ScratchSource>,
    ) -> Result<Arc<dyn Queue>>;
}

/// A stream in which commands run one after another, in the order in which they were submitted.
///
/// Who knows that two commands are in one lane need not make the second wait for the first, and may hand memory that
/// the first still uses to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lane(pub NonZeroU64);

/// A stream of commands to one device.
pub trait Queue: Debug + Send + Sync {
    /// Accepts a command that runs once every event of `after` is complete.
    ///
    /// # Safety
    ///
    /// Every address in the command is valid for its access, as the crate's contract says, until the returned
    /// completion is complete.
    unsafe fn submit(&self, command: &Command, after: &[Arc<dyn Event>]) -> Result<Completion>;

    /// Whether it ever runs a small step inline, so that it is worth making one.
    fn runs_inline(&self) -> bool {
        false
    }

    /// Runs a small step inline, on the calling thread, if that is the quickest way and nothing stands against it; whether it
    /// did.
    ///
    /// # Safety
    ///
    /// Every address in the small step is valid and aligned for its access, and nothing has to be waited for. The step can
    /// read the dtype that the small step says and returns the other one.
    unsafe fn run_inline(&self, _small_step: &SmallStep) -> bool {
        false
    }

    /// Waits until everything submitted so far is over, failed or not, or until the time has passed; whether it is
    /// over.
    fn wait(&self, limit: Option<Duration>) -> bool;

    /// Has kernels that were launched on it end early, where that is possible: what they write is left unfinished, and nothing
    /// fails.
    fn interrupt(&self) {}

    /// Whether it is known, without looking far, that everything submitted so far is over.
    fn is_idle(&self) -> bool {
        false
    }

    /// The lane of everything submitted to it, if it keeps to one.
    #[inline]
    fn lane(&self) -> Option<Lane> {
        None
    }

    /// The driver's own handle of the stream behind it, by which other libraries that use the same driver know it.
    fn native_stream(&self) -> Option<usize> {
        None
    }

    /// Compiles a kernel in its device's own language, and says what it is.
    fn inspect(&self, _kernel: &Arc<RawKernel>) -> Result<RawFacts> {
        let detail = "the device has no compiler that says anything about kernels".into();
        Err(HalError::Unsupported { operation: "inspect a kernel".into(), detail })
    }

    /// Makes everything submitted from now on wait for what another library has submitted to a stream of its own, or to
    /// any stream at all where none is named.
    fn follow(&self, _stream: Option<usize>) -> Result<()> {
        Err(no_streams("wait for a stream"))
    }

    /// Makes what another library submits to a stream of its own from now on wait for these events.
    fn lead(&self, _stream: usize, _after: &[Arc<dyn Event>]) -> Result<()> {
        Err(no_streams("lead a stream"))
    }

    /// The first failure, since this was last asked, of a command that had been accepted. Costs next to nothing when
    /// there is none.
    fn take_error(&self) -> Option<HalError>;
}

fn no_streams(operation: &'static str) -> HalError {
    let detail = "the device has no streams that other libraries could share".into();
    HalError::Unsupported { operation: operation.into(), detail }
}

/// What became of a submitted command.
#[derive(Clone, Debug)]
pub enum Completion {
    /// It is done; there is nothing to wait for.
    Done,
    /// It will be done when the event says so.
    Event(Arc<dyn Event>),
}

/// How far a command has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventStatus {
    /// Waiting for its turn.
    Submitted,
    /// Being executed.
    Running,
    /// Done.
    Complete,
    /// Over, without success.
    Failed,
}

impl EventStatus {
    /// Whether nothing more will happen.
    pub fn is_over(self) -> bool {
        matches!(self, EventStatus::Complete | EventStatus::Failed)
    }
}

/// When a command was submitted, started and ended, in nanoseconds of one clock per backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Accepted by the queue.
    pub submit: u64,
    /// Execution began.
    pub start: u64,
    /// Execution ended.
    pub end: u64,
}

/// The fate of one command. A backend recognises its own through `Any`.
pub trait Event: Any + Debug + Send + Sync {
    /// The lane its command ran in, if that keeps to an order.
    #[inline]
    fn lane(&self) -> Option<Lane> {
        None
    }
    /// How far the command has come.
    fn status(&self) -> EventStatus;
    /// Waits until it is over, or until the time has passed; whether it is over.
    fn wait(&self, limit: Option<Duration>) -> bool;
    /// Interrupts the queue that it was submitted to.
    fn interrupt(&self) {}
    /// Why it failed, once it has.
    fn error(&self) -> Option<HalError>;
    /// Its times, if the queue records them and the command is over.
    fn profile(&self) -> Option<Profile>;
}
