//! The memory pool: fresh memory is slow, used memory is not.
//!
//! On a CPU the page faults of a fresh 80 MB result take ten times as long as computing it, and on a GPU asking the
//! driver can stall the device. So a [`Pool`], one per context and device, keeps what was freed:
//!
//! * *Small blocks* (up to 32 KiB) are cut from slabs of 1 MiB. Each thread has a bounded store of its own, refilled
//!   from and spilled to the shared slabs in batches, so that the usual allocation takes no lock.
//! * *Large blocks* are regions of the driver, kept when freed and reused where at most an eighth would be wasted.
//!   Successive ones begin at different places modulo 4096, because operands at nearly equal ones slow each other down.
//! * A block that commands still use waits until its events are over. Nothing waits for that, except an allocation
//!   that would otherwise fail.
//! * Unused memory beyond the [`PoolLimit`] goes back to the driver, the oldest first, and all of it when memory runs
//!   short.
//!
//! | file | holds |
//! |---|---|
//! | `class.rs`, `span.rs` | sizes of small and large blocks: pure arithmetic |
//! | `slab.rs`, `local.rs` | small blocks: shared, and one thread's own |
//! | `regions.rs` | unused large regions |
//! | `waiting.rs` | blocks that commands still use |
//! | `published.rs` | blocks that others know by their address |
//! | `obtain.rs` | asking the driver, and running out |
//! | `scratch.rs` | memory that commands need beside their operands |
//! | `reclaim.rs` | giving back: free, limit, trim |
//! | `tally.rs`, `stats.rs` | counting |
//!
//! Locks are leaves: while one is held nothing else is locked and the driver is not called. The exception is the
//! waiting list's `reaping`, which is taken first and held while the driver is asked about events and blocks are
//! recycled.

mod block;
mod class;
mod limit;
mod local;
mod obtain;
mod published;
mod reclaim;
mod regions;
mod scratch;
mod slab;
mod span;
mod stats;
mod tally;
#[cfg(test)]
mod tests;
mod waiting;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use situ_hal::{Address, Context, Device, Lane, Result};
use situ_types::{DeviceType, UsmKind};

use crate::buffer::Record;
use crate::counted::Shell;

pub use self::block::Block;
pub use self::limit::PoolLimit;
pub use self::published::Pin;
pub use self::stats::{PoolStats, Usage};

use self::block::Origin;
use self::class::{CLASSES, SLAB_BYTES};
use self::obtain::{Obtained, Shortage};
use self::published::Published;
use self::regions::{Region, Regions};
use self::slab::Slabs;
use self::span::Span;
use self::tally::Tallies;
use self::waiting::Waiting;

/// How many unfinished blocks a chance look at the waiting list puts up with.
const GLANCE: usize = 4;
/// The same where the alternative is asking the driver.
const SEARCH: usize = 64;

/// The memory of one device in one context, kept for reuse.
///
/// Dropping it waits for the commands that use its freed blocks and gives everything back to the driver. Blocks in
/// use do not keep it alive; their owners do.
pub struct Pool {
    context: Arc<dyn Context>,
    device: Arc<dyn Device>,
    this: Weak<Pool>,
    /// Tells this pool from every other of the process, dead ones included.
    id: u64,
    large_block: usize,
    coloured: bool,
    limit: AtomicUsize,
    /// Bytes of freed blocks still in use by commands from which on new memory is made to wait for them.
    backlog: usize,
    slabs: [[Mutex<Slabs>; CLASSES]; 3],
    /// Bytes of slabs without any block in use.
    unused_slabs: [AtomicUsize; 3],
    regions: Mutex<Regions>,
    /// Everything held from the driver, by address.
    holdings: Mutex<BTreeMap<Address, Region>>,
    /// Large blocks so far: where the next one begins.
    turn: AtomicUsize,
    waiting: Waiting,
    published: Published,
    tallies: Tallies,
    reserved: [AtomicUsize; 3],
    misses: [AtomicU64; 3],
    trims: AtomicU64,
}

/// Every pool of the process.
static EVERYONE: Mutex<Vec<Weak<Pool>>> = Mutex::new(Vec::new());

impl Pool {
    /// An empty pool over the context's memory for the device.
    pub fn new(context: Arc<dyn Context>, device: Arc<dyn Device>, limit: PoolLimit) -> Arc<Pool> {
        static POOLS: AtomicU64 = AtomicU64::new(0);
        let pool = Arc::new_cyclic(|this| Pool {
            this: this.clone(),
            id: POOLS.fetch_add(1, Relaxed),
            large_block: context.large_block(),
            // GPUs do not compare addresses modulo 4096, and their drivers round to large blocks anyway.
            coloured: device.info().device_type != DeviceType::Gpu,
            limit: AtomicUsize::new(limit.bytes(device.info())),
            backlog: (device.info().global_mem_size / 64).max(256 << 20) as usize,
            slabs: std::array::from_fn(|_| std::array::from_fn(|class| Mutex::new(Slabs::new(class)))),
            unused_slabs: Default::default(),
            regions: Mutex::default(),
            holdings: Mutex::default(),
            turn: AtomicUsize::new(0),
            waiting: Waiting::default(),
            published: Published::default(),
            tallies: Tallies::default(),
            reserved: Default::default(),
            misses: Default::default(),
            trims: AtomicU64::new(0),
            context,
            device,
        });
        let mut everyone = EVERYONE.lock();
        everyone.retain(|pool| pool.strong_count() > 0);
        everyone.push(Arc::downgrade(&pool));
        pool
    }

    /// The other pools of the process that share this one's memory, as far as that can be told: those of its backend.
    fn neighbours(&self) -> Vec<Arc<Pool>> {
        let backend = self.device.info().backend;
        let pools: Vec<Arc<Pool>> = EVERYONE.lock().iter().filter_map(Weak::upgrade).collect();
        pools.into_iter().filter(|pool| pool.id != self.id && pool.device.info().backend == backend).collect()
    }

    /// A block of at least `bytes` bytes (0 counts as 1), aligned to `align`, a power of two, and to 64 at least.
    ///
    /// Fails with [`OutOfMemory`](situ_hal::HalError::OutOfMemory) when even waiting for blocks in use by commands, and
    /// giving everything unused back to the driver, does not free enough.
    #[inline]
    pub fn allocate(&self, kind: UsmKind, bytes: usize, align: usize) -> Result<Block> {
        self.allocate_in(None, kind, bytes, align)
    }

    /// The same for memory that only commands of a lane will touch at first: what earlier commands of that lane still
    /// use, and nobody else needs, will do.
    #[inline]
    pub fn allocate_in(&self, lane: Option<Lane>, kind: UsmKind, bytes: usize, align: usize) -> Result<Block> {
        debug_assert!(align.is_power_of_two(), "alignment {align} is not a power of two");
        let bytes = bytes.max(1);
        match class::of(bytes, align) {
            Some(class) => match local::take(self, kind, class) {
                Some(address) => Ok(Block::small(kind, class, address)),
                None => self.allocate_from_slabs(lane, kind, bytes, class),
            },
            None => self.allocate_region(lane, kind, bytes, align),
        }
    }

    /// A block that is at hand, and perhaps a shell for its record: a small one that this thread has, or a large one
    /// that nobody uses. Nobody is asked for one, and nothing is waited for.
    #[inline(always)]
    pub(crate) fn at_hand(&self, kind: UsmKind, bytes: usize) -> Option<(Block, Option<Shell<Record>>)> {
        let Some(class) = class::of(bytes.max(1), class::MIN_ALIGN) else {
            return self.region_at_hand(kind, bytes).map(|block| (block, None));
        };
        let (address, shell) = local::take_with_shell(self, kind, class)?;
        Some((Block::small(kind, class, address), shell))
    }

    #[inline(never)]
    fn region_at_hand(&self, kind: UsmKind, bytes: usize) -> Option<Block> {
        let span = Span::new(bytes, class::MIN_ALIGN, self.large_block, self.coloured)?;
        let region = self.regions.lock().reuse(kind, &span)?;
        Some(self.block_in(region, &span, true))
    }

    /// Whether an allocation may have to wait for commands to be over with what was let go.
    pub(crate) fn may_wait(&self) -> bool {
        self.waiting.len() > 0
    }

    #[cold]
    fn allocate_from_slabs(&self, lane: Option<Lane>, kind: UsmKind, bytes: usize, class: usize) -> Result<Block> {
        let fits = |block: &Block| block.kind == kind && block.origin == Origin::Slab(class as u8);
        if let Some(block) = self.waiting.inherit(lane, fits) {
            local::count(self, true, |tally| tally.allocated(kind, block.bytes, true));
            return Ok(block);
        }
        self.reap_some(GLANCE);
        if local::is_stale(self) {
            self.take_back(local::empty(self));
        }
        let slabs = &self.slabs[kind as usize][class];
        let unused = &self.unused_slabs[kind as usize];
        let draw = || {
            let blocks = slabs.lock().take(class::batch(class), unused);
            if blocks.is_empty() { None } else { Some(blocks) }
        };
        let (mut blocks, hit) = match draw() {
            Some(blocks) => (blocks, true),
            None => match self.obtain(kind, SLAB_BYTES, bytes, draw)? {
                Obtained::Reused(blocks) => (blocks, true),
                Obtained::Fresh(base) => {
                    let mut slabs = slabs.lock();
                    slabs.add(base, unused);
                    (slabs.take(class::batch(class), unused), false)
                }
            },
        };
        // Slabs hold several batches, so there is always one; and the lowest address first keeps neighbours together.
        let Some(address) = (!blocks.is_empty()).then(|| blocks.remove(0)) else {
            return Err(self.out_of_memory(kind, bytes, Shortage::default()));
        };
        blocks.reverse();
        let rest = local::stock(self, kind, class, blocks);
        self.return_to_slabs(kind, class, &rest);
        local::count(self, true, |tally| tally.allocated(kind, class::size(class), hit));
        Ok(Block::small(kind, class, address))
    }

    fn allocate_region(&self, lane: Option<Lane>, kind: UsmKind, bytes: usize, align: usize) -> Result<Block> {
        let span = Span::new(bytes, align, self.large_block, self.coloured).ok_or_else(|| {
            let available = self.context.memory_available(&self.device, kind);
            self.out_of_memory(kind, bytes, Shortage { available, said: String::new() })
        })?;
        let reuse = || self.regions.lock().reuse(kind, &span);
        let fits = |block: &Block| {
            let is_region = matches!(block.origin, Origin::Region { .. });
            block.kind == kind && is_region && (span.least..=span.most).contains(&block.footprint())
        };
        let found =
            reuse().or_else(|| self.waiting.inherit(lane, fits).and_then(|block| block.region())).or_else(|| {
                self.reap_some(SEARCH);
                reuse()
            });
        let (region, hit) = match found {
            Some(region) => (region, true),
            None => match self.obtain(kind, span.ideal, bytes, reuse)? {
                Obtained::Reused(region) => (region, true),
                Obtained::Fresh(base) => (Region { kind, base, bytes: span.ideal }, false),
            },
        };
        Ok(self.block_in(region, &span, hit))
    }

    /// The block that a region is used for; `hit` if it was there before.
    fn block_in(&self, region: Region, span: &Span, hit: bool) -> Block {
        let offset = span.offset(region.base, self.turn.fetch_add(1, Relaxed));
        local::count(self, true, |tally| tally.allocated(region.kind, region.bytes, hit));
        Block {
            address: region.base.offset(offset as isize),
            bytes: region.bytes - offset,
            kind: region.kind,
            origin: Origin::Region { offset },
        }
    }

    /// What the pool holds and has done.
    pub fn stats(&self) -> PoolStats {
        self.reap_all();
        let sums = self.tallies.sums();
        let kinds = UsmKind::ALL.map(|kind| {
            let k = kind as usize;
            let (waiting_blocks, waiting_bytes) = self.waiting.usage(k);
            Usage {
                in_use_bytes: sums.bytes[k],
                in_use_blocks: sums.blocks[k],
                peak_bytes: sums.peak[k],
                waiting_bytes,
                waiting_blocks,
                cached_bytes: self.regions.lock().bytes(kind) + self.unused_slabs[k].load(Relaxed),
                reserved_bytes: self.reserved[k].load(Relaxed),
                hits: sums.hits[k],
                misses: self.misses[k].load(Relaxed),
            }
        });
        PoolStats::new(kinds, sums.total_peak, self.trims.load(Relaxed))
    }

    /// The context whose memory this is.
    pub fn context(&self) -> &Arc<dyn Context> {
        &self.context
    }

    /// The device whose memory this is.
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("id", &self.id).field("device", &self.device.info().name).finish_non_exhaustive()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if crate::fork::is_child() {
            // Its events will never be over here, and the memory is the parent's.
            return;
        }
        local::forget(self.id);
        self.release_everything();
    }
}
