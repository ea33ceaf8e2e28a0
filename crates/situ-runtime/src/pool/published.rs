//! Blocks whose addresses were told to others, who may come back with nothing else.
//!
//! Only such a block is found by its address, so that neither memory that was freed nor a range that goes on into
//! somebody else's block passes for an array. Who came by the address alone holds a [`Pin`]; until the last one is
//! dropped, the block is not freed, even if its owner has let go.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use situ_hal::Address;
use situ_types::UsmKind;

use super::waiting::Events;
use super::{Block, Pool};

#[derive(Debug)]
struct Entry {
    kind: UsmKind,
    /// As many as its owner asked for: the block may be longer.
    bytes: usize,
    pins: usize,
    /// What to free, and after what, once the pins are gone: its owner has let go.
    left: Option<(Block, Events)>,
}

/// The published blocks of a pool, by address.
#[derive(Debug, Default)]
pub(super) struct Published(Mutex<BTreeMap<Address, Entry>>);

/// Keeps a block from being freed, although its owner may let go.
#[derive(Debug)]
pub struct Pin {
    pool: Arc<Pool>,
    base: Address,
}

impl Pool {
    /// Makes a block of so many bytes known by its address.
    pub(crate) fn publish(&self, kind: UsmKind, base: Address, bytes: usize) {
        let entry = Entry { kind, bytes, pins: 0, left: None };
        self.published.0.lock().entry(base).or_insert(entry);
    }

    /// Keeps the published block that a range lies in; also its kind. `None` if there is none with all of the range.
    pub(crate) fn pin(&self, address: Address, bytes: usize) -> Option<(UsmKind, Pin)> {
        let pool = self.this.upgrade()?;
        let mut published = self.published.0.lock();
        let (&base, entry) = published.range_mut(..=address).next_back()?;
        let end = address.value().checked_add(bytes)?;
        if end > base.value() + entry.bytes {
            return None;
        }
        entry.pins += 1;
        Some((entry.kind, Pin { pool, base }))
    }

    /// Takes a published block back once every event is over and nobody has pinned it any more.
    ///
    /// # Safety
    ///
    /// As for [`free_after`](Self::free_after).
    pub(crate) unsafe fn withdraw(&self, block: Block, events: Events) {
        let mut published = self.published.0.lock();
        if let Some(entry) = published.get_mut(&block.address)
            && entry.pins > 0
        {
            entry.left = Some((block, events));
            return;
        }
        published.remove(&block.address);
        drop(published);
        // SAFETY: the caller's promise; nobody finds the block by its address any more.
        unsafe { self.free_after(block, events) };
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        if crate::fork::is_child() {
            // The lock may be held by a thread that does not exist here.
            return;
        }
        let mut published = self.pool.published.0.lock();
        let Some(entry) = published.get_mut(&self.base) else { return };
        entry.pins -= 1;
        if entry.pins == 0
            && let Some((block, events)) = entry.left.take()
        {
            published.remove(&self.base);
            drop(published);
            // SAFETY: the owner left the block to the last pin, with every event that it knew of; who held pins has
            // waited for their own.
            unsafe { self.pool.free_after(block, events) };
        }
    }
}
