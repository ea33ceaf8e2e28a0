//! Taking memory back, and giving it back.

use std::sync::atomic::Ordering::Relaxed;

use situ_hal::Address;
use situ_types::UsmKind;

use super::block::Origin;
use super::class::SLAB_BYTES;
use super::local::{self, Returned, Was};
use super::regions::Region;
use super::waiting::Events;
use super::{Block, GLANCE, Pool, PoolLimit};
use crate::buffer::Record;
use crate::counted::Last;

impl Pool {
    /// Takes a block back at once.
    ///
    /// # Safety
    ///
    /// The block came from this pool, has not been freed before, and no incomplete command touches it.
    #[inline]
    pub unsafe fn free(&self, block: Block) {
        self.recycle(block, Was::InUse);
    }

    /// Takes a small block back at once, and keeps its record's place beside it; the record if that cannot be.
    ///
    /// # Safety
    ///
    /// As for [`free`](Self::free); what the record holds may be forgotten.
    #[inline(always)]
    pub(crate) unsafe fn free_with_record(&self, block: Block, record: Last<Record>) -> Option<Last<Record>> {
        match block.origin {
            Origin::Slab(class) => local::put_with_record(self, &block, class.into(), record),
            Origin::Region { .. } => Some(record),
        }
    }

    /// Takes a block back once every event is over, without waiting for that here.
    ///
    /// # Safety
    ///
    /// The block came from this pool, has not been freed before, and every incomplete command that touches it is over
    /// when these events are.
    pub unsafe fn free_after(&self, block: Block, events: Events) {
        if events.is_empty() {
            self.recycle(block, Was::InUse);
        } else {
            local::count(self, false, |tally| tally.freed(block.kind, block.footprint()));
            self.waiting.push(block, events);
        }
        // If the oldest is not free yet, the others hardly are.
        self.reap_some(1);
    }

    /// Gives everything unused back to the driver, and returns how many bytes that was.
    ///
    /// Other threads keep their stores of small blocks, at most 128 KiB of each size, until they use this pool again.
    pub fn trim(&self) -> usize {
        self.reap_all();
        self.trims.fetch_add(1, Relaxed);
        // Not held back by the limit: what is emptied here is released just below, and counted there.
        for returned in local::empty(self) {
            self.return_quietly(&returned);
        }
        let mut bytes = 0;
        while let Some(region) = self.oldest_region() {
            bytes += region.bytes;
            self.release(region);
        }
        bytes + self.release_unused_slabs(0)
    }

    /// Sets how much unused memory is kept, and gives back what is beyond that.
    pub fn set_limit(&self, limit: PoolLimit) {
        self.limit.store(limit.bytes(self.device.info()), Relaxed);
        self.keep_limit();
    }

    #[inline]
    fn recycle(&self, block: Block, was: Was) {
        match block.origin {
            Origin::Slab(class) => {
                if !local::put(self, &block, class.into(), was) {
                    self.recycle_slowly(block, class.into(), was);
                }
            }
            Origin::Region { .. } => self.recycle_region(block, was),
        }
    }

    #[cold]
    fn recycle_slowly(&self, block: Block, class: usize, was: Was) {
        if was == Was::InUse {
            local::count(self, false, |tally| tally.freed(block.kind, block.bytes));
        }
        if local::is_stale(self) {
            self.take_back(local::empty(self));
        }
        let leaving = local::stock(self, block.kind, class, vec![block.address]);
        self.return_to_slabs(block.kind, class, &leaving);
        if was == Was::InUse {
            self.reap_some(GLANCE);
        }
    }

    fn recycle_region(&self, block: Block, was: Was) {
        if was == Was::InUse {
            local::count(self, false, |tally| tally.freed(block.kind, block.footprint()));
        }
        let Some(region) = block.region() else { return };
        let limit = self.limit.load(Relaxed);
        // One that is beyond the limit by itself would only push everything else out first.
        if region.bytes > limit {
            self.release(region);
            return;
        }
        let kept = {
            let mut regions = self.regions.lock();
            regions.keep(region);
            regions.total_bytes()
        };
        if kept + self.unused_slab_bytes() > limit {
            self.keep_limit();
        }
    }

    /// Takes back what a thread had in store.
    pub(super) fn take_back(&self, returned: Vec<Returned>) {
        for some in returned {
            self.return_to_slabs(some.kind, some.class, &some.blocks);
        }
    }

    /// Takes small blocks back into their slabs.
    pub(super) fn return_to_slabs(&self, kind: UsmKind, class: usize, blocks: &[Address]) {
        if blocks.is_empty() {
            return;
        }
        let emptied = self.slabs[kind as usize][class].lock().give(blocks, &self.unused_slabs[kind as usize]);
        if emptied {
            self.keep_limit();
        }
    }

    fn return_quietly(&self, returned: &Returned) {
        let k = returned.kind as usize;
        self.slabs[k][returned.class].lock().give(&returned.blocks, &self.unused_slabs[k]);
    }

    /// Frees waiting blocks whose events are over, if a short look finds any.
    pub(super) fn reap_some(&self, patience: usize) {
        self.waiting.reap_some(patience, |block| self.recycle(block, Was::Waiting));
    }

    /// Frees every waiting block whose events are over.
    pub(super) fn reap_all(&self) {
        self.waiting.reap_all(|block| self.recycle(block, Was::Waiting));
    }

    /// Gives back what is unused beyond the limit: the oldest regions first, then slabs.
    fn keep_limit(&self) {
        let limit = self.limit.load(Relaxed);
        loop {
            let region = {
                let mut regions = self.regions.lock();
                if regions.total_bytes() + self.unused_slab_bytes() <= limit {
                    return;
                }
                regions.oldest()
            };
            match region {
                Some(region) => self.release(region),
                None => break,
            }
        }
        self.release_unused_slabs(limit);
    }

    fn unused_slab_bytes(&self) -> usize {
        self.unused_slabs.iter().map(|bytes| bytes.load(Relaxed)).sum()
    }

    fn oldest_region(&self) -> Option<Region> {
        self.regions.lock().oldest()
    }

    /// Gives back unused slabs until so many bytes of them are left; returns the bytes given back.
    fn release_unused_slabs(&self, keep: usize) -> usize {
        let mut bytes = 0;
        for kind in UsmKind::ALL {
            let unused = &self.unused_slabs[kind as usize];
            for slabs in &self.slabs[kind as usize] {
                while self.unused_slab_bytes() > keep {
                    let Some(base) = slabs.lock().remove_unused(unused) else { break };
                    self.release(Region { kind, base, bytes: SLAB_BYTES });
                    bytes += SLAB_BYTES;
                }
            }
        }
        bytes
    }

    fn release(&self, region: Region) {
        let Region { kind, base, bytes } = region;
        self.holdings.lock().remove(&base);
        // SAFETY: regions and slabs are made only of what `ask` got from this context with the same kind and size.
        // This one has just left the list that held it, so it is released once; and a block is in those lists only
        // after it was freed, which promises that no incomplete command touches it.
        unsafe { self.context.release(kind, base, bytes) };
        self.reserved[kind as usize].fetch_sub(bytes, Relaxed);
    }

    /// Waits for the commands that use freed blocks, then gives everything back.
    pub(super) fn release_everything(&mut self) {
        for block in self.waiting.drain() {
            if let Some(region) = block.region() {
                self.release(region);
            }
        }
        while let Some(region) = self.oldest_region() {
            self.release(region);
        }
        for kind in UsmKind::ALL {
            for class in 0..self.slabs[kind as usize].len() {
                for base in self.slabs[kind as usize][class].get_mut().remove_all() {
                    self.release(Region { kind, base, bytes: SLAB_BYTES });
                }
            }
        }
    }
}
