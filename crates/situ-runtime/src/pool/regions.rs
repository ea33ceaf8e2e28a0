//! Unused regions of large blocks, found by size to reuse them and by age to give them up.

use std::collections::BTreeMap;

use situ_hal::Address;
use situ_types::UsmKind;

use super::span::Span;

/// Memory as the driver gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) kind: UsmKind,
    pub(super) base: Address,
    pub(super) bytes: usize,
}

/// Every unused region of a pool.
#[derive(Debug, Default)]
pub(super) struct Regions {
    by_size: BTreeMap<(UsmKind, usize, u64), Address>,
    by_age: BTreeMap<u64, (UsmKind, usize)>,
    clock: u64,
    bytes: [usize; 3],
}

impl Regions {
    /// Keeps a region for later.
    pub(super) fn keep(&mut self, region: Region) {
        self.clock += 1;
        self.by_size.insert((region.kind, region.bytes, self.clock), region.base);
        self.by_age.insert(self.clock, (region.kind, region.bytes));
        self.bytes[region.kind as usize] += region.bytes;
    }

    /// The region that fits best, and of those of its size the one used last, whose pages are likeliest to be warm.
    pub(super) fn reuse(&mut self, kind: UsmKind, span: &Span) -> Option<Region> {
        let (&(_, bytes, _), _) = self.by_size.range((kind, span.least, 0)..=(kind, span.most, u64::MAX)).next()?;
        let (&key, _) = self.by_size.range((kind, bytes, 0)..=(kind, bytes, u64::MAX)).next_back()?;
        self.remove(key)
    }

    /// The region that has been unused longest.
    pub(super) fn oldest(&mut self) -> Option<Region> {
        let (&stamp, &(kind, bytes)) = self.by_age.first_key_value()?;
        self.remove((kind, bytes, stamp))
    }

    /// Bytes of one kind kept here.
    pub(super) fn bytes(&self, kind: UsmKind) -> usize {
        self.bytes[kind as usize]
    }

    /// Bytes of all kinds kept here.
    pub(super) fn total_bytes(&self) -> usize {
        self.bytes.iter().sum()
    }

    fn remove(&mut self, key: (UsmKind, usize, u64)) -> Option<Region> {
        let base = self.by_size.remove(&key)?;
        let (kind, bytes, stamp) = key;
        self.by_age.remove(&stamp);
        self.bytes[kind as usize] -= bytes;
        Some(Region { kind, base, bytes })
    }
}
