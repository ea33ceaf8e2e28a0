//! Each thread's own store of small blocks, so that the usual allocation takes no lock.
//!
//! A thread holds its pools weakly and by number: a pool may die first, and its blocks with it, so the lists that
//! remain are dropped unread. While a list is borrowed nothing runs that could come back here.

use std::cell::RefCell;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};

use situ_hal::Address;
use situ_types::UsmKind;

use super::class::{self, CLASSES};
use super::tally::Tally;
use super::{Block, Pool};
use crate::buffer::Record;
use crate::counted::{Last, Shell};

thread_local! {
    static STORES: RefCell<Vec<Store>> = const { RefCell::new(Vec::new()) };
}

/// One thread's blocks of one pool.
struct Store {
    pool_id: u64,
    pool: Weak<Pool>,
    /// The pool's count of trims when this store was last emptied for one.
    trims_seen: u64,
    tally: Arc<Tally>,
    bins: [[Vec<Address>; CLASSES]; 3],
    /// Room for what goes with a block.
    shells: Vec<Shell<Record>>,
}

/// Shells that a store keeps.
const SHELLS: usize = 64;

/// Blocks on their way back to the pool's slabs.
pub(super) struct Returned {
    pub(super) kind: UsmKind,
    pub(super) class: usize,
    pub(super) blocks: Vec<Address>,
}

/// What a block was until now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Was {
    InUse,
    Waiting,
}

/// A block of the class, if this thread has one.
#[inline(always)]
pub(super) fn take(pool: &Pool, kind: UsmKind, class: usize) -> Option<Address> {
    with_current(pool, |store| {
        let block = store.bins[kind as usize][class].pop()?;
        store.tally.allocated(kind, class::size(class), true);
        Some(block)
    })?
}

/// The same, with a shell for its record.
#[inline(always)]
pub(super) fn take_with_shell(pool: &Pool, kind: UsmKind, class: usize) -> Option<(Address, Option<Shell<Record>>)> {
    with_current(pool, |store| {
        let block = store.bins[kind as usize][class].pop()?;
        store.tally.allocated(kind, class::size(class), true);
        Some((block, store.shells.pop()))
    })?
}

/// Keeps a block of the class for this thread; `false` if there is no room.
#[inline]
pub(super) fn put(pool: &Pool, block: &Block, class: usize, was: Was) -> bool {
    with_current(pool, |store| store.put(block, class, was)).unwrap_or(false)
}

/// The same for a block that nobody uses and its record, whose contents are forgotten; the record if there is no room.
#[inline(always)]
pub(super) fn put_with_record(pool: &Pool, block: &Block, class: usize, record: Last<Record>) -> Option<Last<Record>> {
    let mut record = Some(record);
    with_current(pool, |store| {
        if store.shells.len() < SHELLS.min(store.shells.capacity()) && store.put(block, class, Was::InUse) {
            store.shells.extend(record.take().map(Last::vacate));
        }
    });
    record
}

/// Keeps blocks of the class for this thread, makes room for them if there is none, and returns what has to leave:
/// the blocks least recently used, or all of them if there is no thread-local storage any more.
pub(super) fn stock(pool: &Pool, kind: UsmKind, class: usize, mut blocks: Vec<Address>) -> Vec<Address> {
    let capacity = class::local_capacity(class);
    with(pool, |store| {
        let bin = &mut store.bins[kind as usize][class];
        bin.reserve_exact(capacity.saturating_sub(bin.len()));
        let overflow = (bin.len() + blocks.len()).saturating_sub(capacity);
        let leaving = if overflow == 0 { 0 } else { overflow.max(class::batch(class)).min(bin.len()) };
        let left = bin.drain(..leaving).collect();
        bin.append(&mut blocks);
        left
    })
    .unwrap_or(blocks)
}

/// Counts on this thread's tally, with an eye on the others where an allocation may set a new peak.
pub(super) fn count(pool: &Pool, refresh: bool, count: impl Fn(&Tally)) {
    let counted = with(pool, |store| {
        if refresh {
            pool.tallies.refresh(&store.tally);
        }
        count(&store.tally);
    });
    if counted.is_none() {
        pool.tallies.with_the_rest(count);
    }
}

/// Takes everything this thread has of the pool.
pub(super) fn empty(pool: &Pool) -> Vec<Returned> {
    with(pool, |store| {
        store.trims_seen = pool.trims.load(Relaxed);
        store.drain()
    })
    .unwrap_or_default()
}

/// Whether the pool was trimmed since this thread last emptied its store.
pub(super) fn is_stale(pool: &Pool) -> bool {
    with(pool, |store| store.trims_seen != pool.trims.load(Relaxed)).unwrap_or(false)
}

/// Drops this thread's store of a pool that is being dropped.
pub(super) fn forget(pool_id: u64) {
    let store = STORES.try_with(|stores| {
        let mut stores = stores.try_borrow_mut().ok()?;
        let at = stores.iter().position(|s| s.pool_id == pool_id)?;
        Some(stores.swap_remove(at))
    });
    drop(store);
}

/// Number of pools this thread has a store of.
#[cfg(test)]
pub(super) fn pools() -> usize {
    STORES.with(|stores| stores.borrow().len())
}

/// This thread's store, if it exists and no trim has asked for its contents since.
#[inline(always)]
fn with_current<R>(pool: &Pool, act: impl FnOnce(&mut Store) -> R) -> Option<R> {
    STORES
        .try_with(|stores| {
            let mut stores = stores.try_borrow_mut().ok()?;
            let store = find(&mut stores, pool.id)?;
            (store.trims_seen == pool.trims.load(Relaxed)).then(|| act(store))
        })
        .ok()?
}

/// This thread's store, made if need be; `None` while it is borrowed or the thread's storage is gone.
fn with<R>(pool: &Pool, act: impl FnOnce(&mut Store) -> R) -> Option<R> {
    STORES
        .try_with(|stores| {
            let mut stores = stores.try_borrow_mut().ok()?;
            if find(&mut stores, pool.id).is_none() {
                stores.retain(|s| s.pool.strong_count() > 0);
                stores.push(Store::new(pool));
            }
            find(&mut stores, pool.id).map(act)
        })
        .ok()?
}

#[inline]
fn find(stores: &mut [Store], pool_id: u64) -> Option<&mut Store> {
    let at = stores.iter().position(|s| s.pool_id == pool_id)?;
    stores.get_mut(at)
}

impl Store {
    fn new(pool: &Pool) -> Store {
        Store {
            pool_id: pool.id,
            pool: pool.this.clone(),
            trims_seen: pool.trims.load(Relaxed),
            tally: pool.tallies.enlist(),
            bins: std::array::from_fn(|_| std::array::from_fn(|_| Vec::new())),
            shells: Vec::with_capacity(SHELLS),
        }
    }

    #[inline(always)]
    fn put(&mut self, block: &Block, class: usize, was: Was) -> bool {
        let bin = &mut self.bins[block.kind as usize][class];
        // The capacity was reserved when the bin was first filled; never growing keeps this path short.
        if bin.len() >= class::local_capacity(class) || bin.len() == bin.capacity() {
            return false;
        }
        bin.push(block.address);
        if was == Was::InUse {
            self.tally.freed(block.kind, block.bytes);
        }
        true
    }

    fn drain(&mut self) -> Vec<Returned> {
        let mut returned = Vec::new();
        for kind in UsmKind::ALL {
            for (class, bin) in self.bins[kind as usize].iter_mut().enumerate() {
                if !bin.is_empty() {
                    returned.push(Returned { kind, class, blocks: std::mem::take(bin) });
                }
            }
        }
        returned
    }
}

impl Drop for Store {
    /// A thread that ends leaves its blocks and counts to the pool, if the pool is still there.
    fn drop(&mut self) {
        // In a forked child the pool's locks may be held by threads that are not there.
        if crate::fork::is_child() {
            return;
        }
        if let Some(pool) = self.pool.upgrade() {
            pool.tallies.retire(&self.tally);
            pool.take_back(self.drain());
        }
    }
}
