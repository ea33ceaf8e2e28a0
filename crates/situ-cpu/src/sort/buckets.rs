//! Many keys in order, by all threads: halved until there are parts for every thread, or divided by their leading bits into
//! buckets. Parts are sorted one by one, each by one thread.

use super::quick::Sortable;
use super::rows::{Crew, Shared};
use crate::isa::Isa;

/// From how many keys on they are divided into buckets first, where they are not halved.
pub(super) const WORTHWHILE: usize = 1 << 18;

/// Whether so many keys that lie in memory are halved, and not divided into buckets: if they are few, or vectors halve them
/// and threads are so few that the first half does not keep many waiting.
pub(super) fn are_halved(isa: Isa, threads: usize, count: usize) -> bool {
    count < WORTHWHILE || isa == Isa::Avx512 && threads <= 4
}

/// From how many keys on several threads are worth their while.
const HALVED: usize = 1 << 13;

/// Keys that one thread sorts, even if they are a large part of all.
const FEW: usize = 1 << 14;

/// Sorts keys by halves, and calls `finish(from, to)` for parts of them that are in order.
///
/// # Safety
///
/// So many initialised keys can be read and written. The processor has the instruction set.
pub(super) unsafe fn sort_halves<K: Sortable>(
    keys: *mut K,
    count: usize,
    crew: &Crew<'_>,
    finish: &(dyn Fn(usize, usize) + Sync),
) {
    let keys = Shared(keys);
    let mut borders = vec![0, count];
    // Halves, quarters and so on, until there are some for every thread; those of one round at the same time. Many keys get
    // more parts, because halves are not quite equal.
    let parts = if count < WORTHWHILE { 2 } else { 8 } * crew.threads;
    while borders.len() <= parts && crew.threads > 1 && count >= HALVED {
        let mut halves = vec![0; borders.len() - 1];
        let found = Shared(halves.as_mut_ptr());
        (crew.fork)(borders.len() - 1, &|n| {
            let (from, to) = (borders[n], borders[n + 1]);
            // SAFETY: parts lie apart, and each has a place of its own for what it finds.
            unsafe { *found.at(n) = from + K::split(crew.isa, keys.at(from), to - from) };
        });
        borders.extend(halves);
        borders.sort_unstable();
    }
    (crew.fork)(borders.len() - 1, &|n| {
        let (from, to) = (borders[n], borders[n + 1]);
        // SAFETY: parts lie apart.
        unsafe { K::sort(crew.isa, keys.at(from), to - from) };
        finish(from, to);
    });
}

/// Where keys come from.
pub(super) trait Source<K>: Sync {
    /// The n-th key.
    ///
    /// # Safety
    ///
    /// There are more than `n`.
    unsafe fn key(&self, n: usize) -> K;
}

/// Keys in memory.
struct Keys<K>(Shared<K>);

impl<K: Sortable> Source<K> for Keys<K> {
    #[inline(always)]
    unsafe fn key(&self, n: usize) -> K {
        // SAFETY: the caller's promise.
        unsafe { *self.0.at(n) }
    }
}

/// How many keys are looked at to find out how close together they are.
const SAMPLE: usize = 1 << 12;

/// How keys are divided into buckets: by their leading bits into cells, and those with many keys by the next bits, too. Half
/// of all normally distributed floating-point numbers have one of three exponents.
struct Division<K> {
    least: K,
    shift: u32,
    cells: Vec<Cell>,
    buckets: usize,
}

#[derive(Clone, Copy)]
struct Cell {
    /// The number of its first bucket.
    first: usize,
    /// The bits of a key below those that tell its buckets apart.
    shift: u32,
    /// The greatest number within it.
    most: usize,
}

impl<K: Sortable> Division<K> {
    /// # Safety
    ///
    /// There are so many keys.
    unsafe fn of(source: &impl Source<K>, (least, greatest): (K, K), count: usize) -> Division<K> {
        let range = greatest.widened() - least.widened();
        // About a hundred keys in a bucket, as long as the buckets' ends stay in the first-level cache.
        let bits = (usize::BITS - count.leading_zeros()).saturating_sub(7).clamp(6, 11);
        let shift = (u128::BITS - range.leading_zeros()).saturating_sub(bits);
        let whole = Cell { first: 0, shift, most: 0 };
        let cells = vec![whole; (range >> shift) as usize + 1];
        let mut division = Division { least, shift, cells, buckets: 0 };
        let step = count.div_ceil(SAMPLE).max(1);
        let mut drawn = vec![0usize; division.cells.len()];
        for n in (0..count).step_by(step) {
            // SAFETY: the caller's promise.
            drawn[division.cell(unsafe { source.key(n) })] += 1;
        }
        let all = count.div_ceil(step).max(1);
        for (cell, drawn) in division.cells.iter_mut().zip(drawn) {
            let bits = ((drawn << bits) / all).checked_ilog2().unwrap_or(0).min(shift);
            *cell = Cell { first: division.buckets, shift: shift - bits, most: (1 << bits) - 1 };
            division.buckets += 1 << bits;
        }
        division
    }

    #[inline(always)]
    fn cell(&self, key: K) -> usize {
        key.steps_from(self.least, self.shift).min(self.cells.len() - 1)
    }

    #[inline(always)]
    fn bucket(&self, key: K) -> usize {
        let cell = &self.cells[self.cell(key)];
        cell.first + (key.steps_from(self.least, cell.shift) & cell.most)
    }

    /// Whether keys of one bucket are equal.
    fn is_exact(&self) -> bool {
        self.shift == 0
    }
}

/// Sorts so many keys of a source, none of which is outside of a range, into `keys`, and calls `finish(from, to)` for parts of
/// them that are in order. `spare` is as much memory again.
///
/// Whoever shares the memory of the source may write it meanwhile. Keys that are then outside of the range, or others than
/// when they were counted, are put somewhere or left out, and what is in their places is anything.
///
/// # Safety
///
/// So many keys can be written at both places, neither of which the source reads from. The processor has the instruction set.
pub(super) unsafe fn sort<K: Sortable>(
    source: &impl Source<K>,
    (least, greatest): (K, K),
    count: usize,
    (keys, spare): (*mut K, *mut K),
    crew: &Crew<'_>,
    finish: &(dyn Fn(usize, usize) + Sync),
) {
    // SAFETY: the caller's promise.
    let division = unsafe { Division::of(source, (least, greatest), count) };
    let (buckets, pieces) = (division.buckets, crew.pieces());
    let bucket_of = |key: K| division.bucket(key);
    let mut counts = vec![0usize; pieces * buckets];
    let tallies = Shared(counts.as_mut_ptr());
    crew.spread(count, &|piece, from, to| {
        let tally = tallies.at(piece * buckets);
        // SAFETY: each piece has counters of its own, one for every bucket.
        (from..to).for_each(|n| unsafe { *tally.add(bucket_of(source.key(n))) += 1 });
    });
    let mut starts = Vec::with_capacity(buckets + 1);
    let mut sum = 0;
    for bucket in 0..buckets {
        starts.push(sum);
        for piece in 0..pieces {
            sum += std::mem::replace(&mut counts[piece * buckets + bucket], sum);
        }
    }
    starts.push(sum);
    let (keys, spare, places) = (Shared(keys), Shared(spare), Shared(counts.as_mut_ptr()));
    crew.spread(count, &|piece, from, to| {
        let next = places.at(piece * buckets);
        for n in from..to {
            // SAFETY: each piece has places of its own, one for each key that it has counted. Where keys have changed since,
            // they may be those of others, but lie inside.
            unsafe {
                let key = source.key(n);
                let place = next.add(bucket_of(key));
                if *place < count {
                    keys.at(*place).write(key);
                }
                *place += 1;
            }
        }
    });
    let is_large = |bucket: usize| {
        let size = starts[bucket + 1] - starts[bucket];
        crew.threads > 1 && size > FEW && size > count / (2 * crew.threads)
    };
    let in_order = |from: usize, to: usize| {
        // SAFETY: these keys have been written.
        division.is_exact() || unsafe { std::slice::from_raw_parts(keys.at(from), to - from) }.is_sorted()
    };
    (crew.fork)(buckets, &|bucket| {
        let (from, to) = (starts[bucket], starts[bucket + 1]);
        if from == to || is_large(bucket) {
            return;
        }
        if !in_order(from, to) {
            // SAFETY: buckets lie apart.
            unsafe { K::sort(crew.isa, keys.at(from), to - from) };
        }
        finish(from, to);
    });
    // A bucket with a large part of all keys is divided once more, by all threads: its keys differ in fewer bits.
    for large in (0..buckets).filter(|&bucket| is_large(bucket)) {
        let (from, to) = (starts[large], starts[large + 1]);
        if !in_order(from, to) {
            // SAFETY: the caller's promise.
            unsafe {
                let held = std::slice::from_raw_parts(keys.at(from), to - from);
                let start = (K::MAX, K::default());
                let range = held.iter().fold(start, |(least, most), &key| (least.min(key), most.max(key)));
                sort(&Keys(Shared(keys.at(from))), range, to - from, (spare.at(from), keys.at(from)), crew, &|_, _| {});
                crew.spread(to - from, &|_, first, last| {
                    std::ptr::copy_nonoverlapping(spare.at(from + first), keys.at(from + first), last - first);
                });
            }
        }
        finish(from, to);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Small keys as often as it is asked so many times, then others.
    struct Changing(AtomicUsize, u64);

    impl Source<u64> for Changing {
        unsafe fn key(&self, n: usize) -> u64 {
            let is_late =
                self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err();
            if is_late { self.1 } else { 1000 + n as u64 % 1000 }
        }
    }

    #[test]
    fn keys_that_change_stay_inside() {
        let crew = Crew { isa: Isa::Baseline, threads: 2, fork: &|count, body| (0..count).for_each(body) };
        let (count, guard) = (5000, 100_000);
        for others in [0, 1000, 1999, 1 << 40, u64::MAX] {
            for early in [0, count / 2, count, count + count / 3] {
                let (mut keys, mut spare) = (vec![7u64; count + guard], vec![7u64; count]);
                let source = Changing(AtomicUsize::new(early), others);
                // SAFETY: there is room for as many keys.
                unsafe {
                    let places = (keys.as_mut_ptr(), spare.as_mut_ptr());
                    sort(&source, (1000, 1999), count, places, &crew, &|_, _| {});
                }
                assert!(keys[count..].iter().all(|&key| key == 7), "{others} {early}");
            }
        }
    }
}
