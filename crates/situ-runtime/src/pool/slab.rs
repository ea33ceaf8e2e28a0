//! Slabs: regions of the driver's memory cut into small blocks of one class.
//!
//! The lists live outside the memory they describe, because the host may not look into device memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use situ_hal::Address;

use super::class::{self, SLAB_BYTES};

#[derive(Debug)]
struct Slab {
    base: Address,
    first: Address,
    capacity: usize,
    /// Blocks cut so far; the rest of the slab has not been touched.
    cut: usize,
    /// Blocks that came back, by number.
    free: Vec<u16>,
}

impl Slab {
    fn new(base: Address, class: usize) -> Slab {
        let skip = base.value().next_multiple_of(class::slab_align(class)) - base.value();
        let capacity = (SLAB_BYTES - skip) / class::size(class);
        Slab { base, first: base.offset(skip as isize), capacity, cut: 0, free: Vec::new() }
    }

    fn is_unused(&self) -> bool {
        self.cut == self.free.len()
    }

    fn is_full(&self) -> bool {
        self.cut == self.capacity && self.free.is_empty()
    }

    fn take(&mut self, size: usize) -> Option<Address> {
        let number = match self.free.pop() {
            Some(number) => number as usize,
            None if self.cut < self.capacity => {
                self.cut += 1;
                self.cut - 1
            }
            None => return None,
        };
        Some(self.first.offset((number * size) as isize))
    }

    fn give(&mut self, address: Address, size: usize) {
        self.free.push(((address.value() - self.first.value()) / size) as u16);
    }
}

/// The slabs of one kind and size class.
#[derive(Debug)]
pub(super) struct Slabs {
    class: usize,
    by_base: BTreeMap<usize, Slab>,
    /// Bases of the slabs that are not full.
    open: Vec<usize>,
}

impl Slabs {
    pub(super) fn new(class: usize) -> Slabs {
        Slabs { class, by_base: BTreeMap::new(), open: Vec::new() }
    }

    /// Takes up to `count` blocks; `unused` counts the bytes of wholly unused slabs.
    pub(super) fn take(&mut self, count: usize, unused: &AtomicUsize) -> Vec<Address> {
        let size = class::size(self.class);
        let mut blocks = Vec::with_capacity(count);
        while blocks.len() < count
            && let Some(slab) = self.open.last().and_then(|base| self.by_base.get_mut(base))
        {
            if slab.is_unused() {
                unused.fetch_sub(SLAB_BYTES, Relaxed);
            }
            while blocks.len() < count
                && let Some(block) = slab.take(size)
            {
                blocks.push(block);
            }
            if slab.is_full() {
                self.open.pop();
            }
        }
        blocks
    }

    /// Takes blocks back; says whether a slab became wholly unused.
    pub(super) fn give(&mut self, blocks: &[Address], unused: &AtomicUsize) -> bool {
        let size = class::size(self.class);
        let mut emptied = false;
        for block in blocks {
            let Some((&base, slab)) = self.by_base.range_mut(..=block.value()).next_back() else {
                debug_assert!(false, "a block came back to a pool that never gave it");
                continue;
            };
            if slab.is_full() {
                self.open.push(base);
            }
            slab.give(*block, size);
            if slab.is_unused() {
                // Starting afresh hands the blocks out in address order again.
                slab.free = Vec::new();
                slab.cut = 0;
                unused.fetch_add(SLAB_BYTES, Relaxed);
                emptied = true;
            }
        }
        emptied
    }

    /// Adds a region of [`SLAB_BYTES`].
    pub(super) fn add(&mut self, base: Address, unused: &AtomicUsize) {
        self.by_base.insert(base.value(), Slab::new(base, self.class));
        self.open.push(base.value());
        unused.fetch_add(SLAB_BYTES, Relaxed);
    }

    /// Removes one wholly unused slab.
    pub(super) fn remove_unused(&mut self, unused: &AtomicUsize) -> Option<Address> {
        let at = self.open.iter().position(|base| self.by_base.get(base).is_some_and(Slab::is_unused))?;
        let slab = self.by_base.remove(&self.open.swap_remove(at))?;
        unused.fetch_sub(SLAB_BYTES, Relaxed);
        Some(slab.base)
    }

    /// Removes every slab, used or not.
    pub(super) fn remove_all(&mut self) -> Vec<Address> {
        self.open.clear();
        std::mem::take(&mut self.by_base).into_values().map(|slab| slab.base).collect()
    }
}
