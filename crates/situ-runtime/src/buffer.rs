//! USM memory that remembers who uses it.

use std::any::Any;
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use situ_types::UsmKind;

use crate::counted::{Last, Shell};
use crate::event::HalEvent;
pub use crate::hazard::Access;
use crate::hazard::Tracker;
use crate::pool::Block;
use crate::sync::AtomicUsize;
use crate::{Address, Context, Counted, Device, Error, Queue, Result, SmallStep, deferred_drop, interrupt};

/// Whatever keeps memory valid that situ did not allocate.
pub type Owner = Box<dyn Any + Send + Sync>;

/// How many handles of a buffer there are at a time.
#[repr(transparent)]
#[derive(Debug)]
pub struct OwnerCount(AtomicUsize);

impl OwnerCount {
    fn of(owners: &AtomicUsize) -> &OwnerCount {
        // SAFETY: the one is nothing but the other.
        unsafe { &*std::ptr::from_ref(owners).cast() }
    }

    /// The number.
    pub fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Who gives the memory back.
enum Source {
    Pool(Block),
    Foreign(ManuallyDrop<Owner>),
    /// As before, and only to be read: writing it may be a fault of the processor.
    Lent(ManuallyDrop<Owner>),
}

/// Other libraries may use the memory in ways that nobody can name.
const EXPOSED: u8 = 1;
/// The pool finds the memory by its address.
const PUBLISHED: u8 = 2;

/// What is known of a piece of memory.
pub(crate) struct Record {
    address: Address,
    bytes: usize,
    kind: UsmKind,
    /// Who else knows of it: [`EXPOSED`] and [`PUBLISHED`].
    known: AtomicU8,
    /// The queue it was allocated for.
    queue: Queue,
    source: Source,
    tracker: Tracker<HalEvent>,
}

/// A piece of USM memory, shared by everything that looks at it and given back when the last one lets go and the last
/// command that touches it is over.
#[derive(Clone)]
pub struct Buffer(ManuallyDrop<Counted<Record>>);

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes of {} memory at {:#x})", self.0.bytes, self.0.kind, self.0.address.value())
    }
}

impl PartialEq for Buffer {
    fn eq(&self, other: &Self) -> bool {
        Counted::is_same(&self.0, &other.0)
    }
}
impl Eq for Buffer {}

impl Buffer {
    /// Uninitialised memory of a kind, on the queue's device and in its context. `align` is a power of two or 0.
    pub fn allocate(queue: &Queue, kind: UsmKind, bytes: usize, align: usize) -> Result<Buffer> {
        crate::fork::check()?;
        if align != 0 && !align.is_power_of_two() {
            return Err(Error::Value(format!("alignment {align} is not a power of two")));
        }
        // The host may write it before any command does.
        let block = queue.pool().allocate(kind, bytes, align.max(64))?;
        Ok(Self::new(queue, kind, block.address(), bytes, Source::Pool(block), Tracker::new()))
    }

    /// Memory of a kind that holds what a small step computes, if memory is at hand and the small step can run inline; `None` if
    /// not. Where the small step's results go is set here.
    ///
    /// # Safety
    ///
    /// The small step has results of `bytes` bytes and stays inside the buffers it reads, one to three, which are in the
    /// queue's context; its step is for its dtypes.
    #[inline(always)]
    pub unsafe fn filled_at_once(
        queue: &Queue,
        kind: UsmKind,
        bytes: usize,
        read: &Buffer,
        others: [Option<&Buffer>; 2],
        small_step: &mut SmallStep,
    ) -> Option<Buffer> {
        if crate::fork::is_child() {
            return None;
        }
        let (block, shell) = queue.pool().at_hand(kind, bytes)?;
        let shell = shell.unwrap_or_else(Shell::new);
        let record = Record {
            address: block.address(),
            bytes,
            kind,
            known: AtomicU8::new(0),
            queue: queue.clone(),
            source: Source::Pool(block),
            tracker: Tracker::new(),
        };
        let buffer = Buffer(ManuallyDrop::new(Counted::new_in(shell, record)));
        small_step.out = buffer.address();
        // SAFETY: the caller's promise. Nobody else has seen the memory.
        unsafe { queue.run_inline(small_step, read, others) }.then_some(buffer)
    }

    fn new(
        queue: &Queue,
        kind: UsmKind,
        address: Address,
        bytes: usize,
        source: Source,
        tracker: Tracker<HalEvent>,
    ) -> Buffer {
        let known = AtomicU8::new(0);
        let record = Record { address, bytes, kind, known, queue: queue.clone(), source, tracker };
        Buffer(ManuallyDrop::new(Counted::new(record)))
    }

    /// Memory that somebody else owns, reachable from the queue's context.
    ///
    /// # Safety
    ///
    /// `address` is valid for reads and writes of `bytes` bytes from the queue's context as long as the owner lives,
    /// and whoever else touches it does so only while no command on this buffer is in flight.
    pub unsafe fn foreign(queue: &Queue, kind: UsmKind, address: Address, bytes: usize, owner: Owner) -> Buffer {
        Self::new(queue, kind, address, bytes, Source::Foreign(ManuallyDrop::new(owner)), Tracker::new())
    }

    /// Memory that somebody else owns and lends for reading only. Commands that would write it are refused.
    ///
    /// # Safety
    ///
    /// As for [`foreign`](Self::foreign), but for reads only.
    pub unsafe fn lent(queue: &Queue, kind: UsmKind, address: Address, bytes: usize, owner: Owner) -> Buffer {
        Self::new(queue, kind, address, bytes, Source::Lent(ManuallyDrop::new(owner)), Tracker::new())
    }

    /// Whether commands may read it only.
    #[inline]
    pub fn is_read_only(&self) -> bool {
        matches!(self.0.source, Source::Lent(_))
    }

    /// Says that another library has its address and may use it on any stream as long as it lives: when it goes, its
    /// memory is not used again before everything that is then on the device is over.
    pub fn expose(&self) {
        self.0.known.fetch_or(EXPOSED, Ordering::Relaxed);
    }

    /// Its first byte, for somebody who may come back with the address alone: [`Context::pin`] finds it.
    pub fn publish(&self) -> Address {
        let record = &**self.0;
        if matches!(record.source, Source::Pool(_)) && record.known.load(Ordering::Acquire) & PUBLISHED == 0 {
            record.queue.pool().publish(record.kind, record.address, record.bytes);
            record.known.fetch_or(PUBLISHED, Ordering::Release);
        }
        record.address
    }

    /// Whatever keeps the memory valid, if situ did not allocate it.
    #[inline]
    pub fn owner(&self) -> Option<&(dyn Any + Send + Sync)> {
        match &self.0.source {
            Source::Pool(_) => None,
            Source::Foreign(owner) | Source::Lent(owner) => Some(&***owner),
        }
    }

    /// How many handles of this buffer there are: it stays where it is as long as one of them lives.
    pub fn owner_count(&self) -> &OwnerCount {
        OwnerCount::of(self.0.owners())
    }

    /// Its first byte.
    #[inline]
    pub fn address(&self) -> Address {
        self.0.address
    }

    /// Its length.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// Where it lives.
    #[inline]
    pub fn kind(&self) -> UsmKind {
        self.0.kind
    }

    /// The queue it was allocated for.
    #[inline]
    pub fn queue(&self) -> &Queue {
        &self.0.queue
    }

    /// The context it belongs to.
    pub fn context(&self) -> &Context {
        self.0.queue.context()
    }

    /// The device it was allocated for.
    pub fn device(&self) -> &Device {
        self.0.queue.device()
    }

    #[inline]
    pub(crate) fn tracker(&self) -> &Tracker<HalEvent> {
        &self.0.tracker
    }

    /// Waits until every command that touches it is over, so that the host may read and write it directly.
    pub fn settle(&self) -> Result<()> {
        self.wait_before(Access::Update)
    }

    /// Waits until the host may access it directly.
    pub fn wait_before(&self, access: Access) -> Result<()> {
        interrupt::wait(self.device().backend(), |limit| self.wait_for(access, limit), || self.interrupt())
    }

    /// Waits until the host may access it directly, or for each command until the time has passed; whether it may.
    pub fn wait_for(&self, access: Access, limit: Option<Duration>) -> Result<bool> {
        for event in self.0.tracker.pending(access) {
            if !event.status().is_over() {
                crate::fork::check()?;
            }
            if !event.wait(limit) {
                return Ok(false);
            }
            if let Some(cause) = event.error() {
                return Err(Error::Poisoned { cause });
            }
        }
        Ok(true)
    }

    /// [Interrupts](crate::Queue::interrupt) the queues of the commands that touch it.
    pub fn interrupt(&self) {
        for event in self.0.tracker.pending(Access::Update) {
            event.interrupt();
        }
    }

    /// Whether every command that touches it is over.
    pub fn is_idle(&self) -> bool {
        self.0.tracker.pending(Access::Update).iter().all(|event| event.status().is_over())
    }

    /// How a command that writes so many bytes of it accesses it.
    pub(crate) fn write_access(&self, bytes: usize) -> Access {
        if bytes >= self.0.bytes { Access::Write } else { Access::Update }
    }

    /// The address of a range, checked to lie inside.
    pub(crate) fn range(&self, what: &str, from: usize, bytes: usize) -> Result<Address> {
        match from.checked_add(bytes) {
            Some(end) if end <= self.0.bytes => Ok(self.0.address.offset(from as isize)),
            _ => Err(Error::Value(format!(
                "{what}: {bytes} bytes from position {from} do not fit in an allocation of {} bytes",
                self.0.bytes
            ))),
        }
    }
}

/// Memory that nobody has seen yet and that a command is about to write.
#[derive(Debug)]
pub struct FreshMemory<'q> {
    queue: &'q Queue,
    bytes: usize,
    block: Block,
}

impl<'q> FreshMemory<'q> {
    /// Uninitialised memory of a kind, on the queue's device and in its context.
    #[inline(always)]
    pub fn allocate(queue: &'q Queue, kind: UsmKind, bytes: usize) -> Result<FreshMemory<'q>> {
        crate::fork::check()?;
        Ok(FreshMemory { queue, bytes, block: queue.pool().allocate_in(queue.lane(), kind, bytes, 64)? })
    }

    /// Its first byte.
    #[inline]
    pub fn address(&self) -> Address {
        self.block.address()
    }

    /// The buffer it becomes once the command that writes it first has been accepted.
    ///
    /// # Safety
    ///
    /// The command was submitted to this memory's queue since it was allocated, and stays inside it and the buffers it
    /// named.
    #[inline(always)]
    pub unsafe fn into_buffer(self, written: &Written) -> Buffer {
        let FreshMemory { queue, bytes, block } = *ManuallyDrop::new(self);
        let tracker = Tracker::written_by(written.0.clone());
        Buffer::new(queue, block.kind(), block.address(), bytes, Source::Pool(block), tracker)
    }
}

/// Says that a command has been accepted, and when what it writes is there.
#[derive(Clone, Debug)]
pub struct Written(pub(crate) Option<HalEvent>);

impl Drop for FreshMemory<'_> {
    fn drop(&mut self) {
        // Memory that a lane inherited may still be used by earlier commands of the lane.
        let users = self.queue.mark_in_lane();
        // SAFETY: the block came from this pool, and no command that uses it was accepted since; what was accepted
        // before is over when these events are.
        unsafe { self.queue.pool().free_after(self.block, users.into_iter().collect()) };
    }
}

impl Drop for Buffer {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: taken once, here, and never used again.
        let record = unsafe { ManuallyDrop::take(&mut self.0) };
        if let Some(last) = record.into_last() {
            retire(last);
        }
    }
}

/// Gives a record and its memory back. Small memory that nobody uses, which is most of what there is, goes a short way.
#[inline(never)]
fn retire(mut record: Last<Record>) {
    let is_quiet = record.tracker.is_clear() && *record.known.get_mut() == 0 && !crate::fork::is_child();
    if is_quiet
        && let Source::Pool(block) = record.source
        && let Some(queue) = record.queue.kept()
    {
        // SAFETY: the block came from this pool, this is its only owner, and no command touches it. Of the record's
        // parts only the tracker and the queue would have something to let go of, and the one is clear, the other kept.
        record = match unsafe { queue.pool().free_with_record(block, record) } {
            None => return,
            Some(record) => record,
        };
    }
    drop(record);
}

impl Drop for Record {
    fn drop(&mut self) {
        if crate::fork::is_child() {
            // The pool's locks may be held by threads that do not exist here; the parent owns the memory anyway.
            return;
        }
        let mut unfinished = self.tracker.unfinished();
        let known = *self.known.get_mut();
        if known & EXPOSED != 0 {
            match self.queue.mark_behind_all() {
                Ok(mark) => unfinished.extend(mark),
                // Nobody can say when the others are done with it: better lost than given to somebody else.
                Err(_) => return,
            }
        }
        match &mut self.source {
            Source::Pool(block) => {
                let pool = self.queue.pool();
                if known & PUBLISHED != 0 {
                    // SAFETY: the block came from this pool, this is its only owner but for pins, and the pool keeps it
                    // until the commands are over.
                    unsafe { pool.withdraw(*block, unfinished.into_iter().collect()) }
                } else if unfinished.is_empty() {
                    // SAFETY: the block came from this pool, this is its only owner, and no command touches it.
                    unsafe { pool.free(*block) }
                } else {
                    // SAFETY: as above; the pool keeps the block until the commands are over.
                    unsafe { pool.free_after(*block, unfinished.into_iter().collect()) }
                }
            }
            Source::Foreign(owner) | Source::Lent(owner) => {
                // SAFETY: taken once, here, and never used again.
                let owner = unsafe { ManuallyDrop::take(owner) };
                if self.queue.native_stream().is_some() {
                    deferred_drop::after(owner, unfinished);
                } else {
                    for event in unfinished {
                        event.wait(None);
                    }
                    drop(owner);
                }
            }
        }
    }
}
