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
    /// Those let go last, the latest at the end: a loop asks again for what it has just let go.
    recent: Vec<Region>,
    by_size: BTreeMap<(UsmKind, usize, u64), Address>,
    by_age: BTreeMap<u64, (UsmKind, usize)>,
    clock: u64,
    bytes: [usize; 3],
}

/// The most regions that are looked through one by one.
const RECENT: usize = 8;

impl Regions {
    /// Keeps a region for later.
    pub(super) fn keep(&mut self, region: Region) {
        if self.recent.len() == RECENT {
            let earliest = self.recent.remove(0);
            self.file(earliest);
        }
        self.recent.push(region);
        self.bytes[region.kind as usize] += region.bytes;
    }

    /// The region used last, whose pages are likeliest to be warm, of those that have the very size that would be asked
    /// for, or else of those that fit best.
    pub(super) fn reuse(&mut self, kind: UsmKind, span: &Span) -> Option<Region> {
        let is_ideal = |region: &Region| region.kind == kind && region.bytes == span.ideal;
        if let Some(at) = self.recent.iter().rposition(is_ideal) {
            let region = self.recent.remove(at);
            self.bytes[kind as usize] -= region.bytes;
            return Some(region);
        }
        self.file_all();
        let (&(_, bytes, _), _) = self.by_size.range((kind, span.least, 0)..=(kind, span.most, u64::MAX)).next()?;
        let (&key, _) = self.by_size.range((kind, bytes, 0)..=(kind, bytes, u64::MAX)).next_back()?;
        self.remove(key)
    }

    /// The region that has been unused longest.
    pub(super) fn oldest(&mut self) -> Option<Region> {
        self.file_all();
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

    /// Makes the recent regions known by size and age.
    fn file_all(&mut self) {
        let mut recent = std::mem::take(&mut self.recent);
        recent.drain(..).for_each(|region| self.file(region));
        self.recent = recent;
    }

    fn file(&mut self, region: Region) {
        self.clock += 1;
        self.by_size.insert((region.kind, region.bytes, self.clock), region.base);
        self.by_age.insert(self.clock, (region.kind, region.bytes));
    }

    fn remove(&mut self, key: (UsmKind, usize, u64)) -> Option<Region> {
        let base = self.by_size.remove(&key)?;
        let (kind, bytes, stamp) = key;
        self.by_age.remove(&stamp);
        self.bytes[kind as usize] -= bytes;
        Some(Region { kind, base, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(number: usize, bytes: usize) -> Region {
        Region { kind: UsmKind::Device, base: Address((number << 20) as *mut u8), bytes }
    }

    fn numbers(regions: impl IntoIterator<Item = Region>) -> Vec<usize> {
        regions.into_iter().map(|region| region.base.value() >> 20).collect()
    }

    #[test]
    fn recent_and_earlier_regions_are_one_row() {
        let span = Span::new(100_000, 64, 2 << 20, false).unwrap();
        let kept = |count: usize| {
            let mut regions = Regions::default();
            (1..=count).for_each(|number| regions.keep(region(number, span.ideal)));
            assert_eq!(regions.bytes(UsmKind::Device), count * span.ideal);
            regions
        };
        for count in [1, RECENT - 1, RECENT, RECENT + 1, 3 * RECENT] {
            let mut regions = kept(count);
            let reused = std::iter::from_fn(|| regions.reuse(UsmKind::Device, &span));
            assert_eq!(numbers(reused), (1..=count).rev().collect::<Vec<_>>(), "the warmest first");
            assert_eq!(regions.total_bytes(), 0);
            let mut regions = kept(count);
            assert_eq!(numbers(std::iter::from_fn(|| regions.oldest())), (1..=count).collect::<Vec<_>>());
            assert_eq!(regions.total_bytes(), 0);
        }
    }

    #[test]
    fn the_size_to_ask_for_comes_before_a_closer_fit_and_never_from_another_kind() {
        let span = Span::new(100_000, 64, 2 << 20, false).unwrap();
        let mut regions = Regions::default();
        regions.keep(region(1, span.least));
        regions.file_all();
        regions.keep(region(2, span.ideal));
        regions.keep(Region { kind: UsmKind::Host, ..region(3, span.ideal) });
        let reused = std::iter::from_fn(|| regions.reuse(UsmKind::Device, &span));
        assert_eq!(numbers(reused), [2, 1]);
        assert_eq!(numbers(regions.reuse(UsmKind::Host, &span)), [3]);
    }

    #[test]
    fn without_one_of_the_size_to_ask_for_the_best_fit_is_found_among_recent_regions_too() {
        let span = Span::new(100_000, 64, 2 << 20, false).unwrap();
        assert!(span.least < span.ideal - 64 && span.most >= span.ideal);
        let mut regions = Regions::default();
        for (number, bytes) in [(1, span.least - 64), (2, span.ideal - 64), (3, span.least), (4, span.most + 64)] {
            regions.keep(region(number, bytes));
        }
        let reused = std::iter::from_fn(|| regions.reuse(UsmKind::Device, &span));
        assert_eq!(numbers(reused), [3, 2]);
        assert_eq!(numbers(std::iter::from_fn(|| regions.oldest())), [1, 4]);
    }
}
