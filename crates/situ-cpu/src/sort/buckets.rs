//! Keys in order, by all threads: divided by their leading bits into buckets, which are sorted one by one.

use super::quick::Sortable;
use super::rows::{Crew, Shared};

/// The leading bits that make a bucket.
const BITS: u32 = 10;

/// Keys that one thread sorts, even if they are a large part of all.
const FEW: usize = 1 << 14;

/// Sorts keys from one place into another; what was in the first is lost.
///
/// # Safety
///
/// So many keys can be read and written at both places, which lie apart, and those at the first are initialised. The processor
/// has the instruction set.
pub(super) unsafe fn sort<K: Sortable>(count: usize, spare: *mut K, keys: *mut K, crew: &Crew<'_>) {
    let pieces = crew.pieces();
    let (keys, spare) = (Shared(keys), Shared(spare));
    // SAFETY: the caller's promise; keys are read before anything is written there.
    let source = |from: usize, to: usize| unsafe { std::slice::from_raw_parts(spare.at(from), to - from) };
    let (least, greatest) = extremes(count, &source, crew);
    let range = greatest.widened() - least.widened();
    let shift = (u128::BITS - range.leading_zeros()).saturating_sub(BITS);
    let buckets = (range >> shift) as usize + 1;
    let bucket = |key: K| key.steps_from(least, shift);
    let mut counts = vec![0usize; pieces * buckets];
    let tallies = Shared(counts.as_mut_ptr());
    crew.spread(count, &|piece, from, to| {
        for &key in source(from, to) {
            // SAFETY: each piece has counters of its own, one for every bucket.
            unsafe { *tallies.at(piece * buckets + bucket(key)) += 1 };
        }
    });
    let mut starts = Vec::with_capacity(buckets + 1);
    let mut sum = 0;
    for bucket in 0..buckets {
        starts.push(sum);
        for piece in 0..pieces {
            let held = std::mem::replace(&mut counts[piece * buckets + bucket], sum);
            sum += held;
        }
    }
    starts.push(sum);
    let places = Shared(counts.as_mut_ptr());
    crew.spread(count, &|piece, from, to| {
        for &key in source(from, to) {
            // SAFETY: each piece has places of its own, one for each key that it has counted.
            unsafe {
                let place = places.at(piece * buckets + bucket(key));
                keys.at(*place).write(key);
                *place += 1;
            }
        }
    });
    let is_large = |bucket: usize| {
        let size = starts[bucket + 1] - starts[bucket];
        size > FEW && size > count / (2 * crew.threads)
    };
    (crew.fork)(buckets, &|bucket| {
        let (start, end) = (starts[bucket], starts[bucket + 1]);
        if end - start > 1 && shift > 0 && !is_large(bucket) {
            // SAFETY: buckets lie apart.
            unsafe { K::sort(crew.isa, keys.at(start), end - start, spare.at(start)) };
        }
    });
    // A bucket with a large part of all keys is divided once more, by all threads: its keys differ in fewer bits.
    for large in (0..buckets).filter(|&bucket| shift > 0 && is_large(bucket)) {
        let (start, size) = (starts[large], starts[large + 1] - starts[large]);
        // SAFETY: the caller's promise.
        unsafe {
            sort(size, keys.at(start), spare.at(start), crew);
            crew.spread(size, &|_, from, to| {
                std::ptr::copy_nonoverlapping(spare.at(start + from), keys.at(start + from), to - from);
            });
        }
    }
}

/// The least and the greatest key.
fn extremes<'a, K: Sortable>(
    count: usize,
    source: &(impl Fn(usize, usize) -> &'a [K] + Sync),
    crew: &Crew<'_>,
) -> (K, K) {
    let mut found = vec![(K::MAX, K::default()); crew.pieces()];
    let places = Shared(found.as_mut_ptr());
    crew.spread(count, &|piece, from, to| {
        let start = (K::MAX, K::default());
        let both = source(from, to).iter().fold(start, |(least, greatest), &key| (least.min(key), greatest.max(key)));
        // SAFETY: each piece has a place of its own.
        unsafe { *places.at(piece) = both };
    });
    found.into_iter().fold((K::MAX, K::default()), |a, b| (a.0.min(b.0), a.1.max(b.1)))
}
