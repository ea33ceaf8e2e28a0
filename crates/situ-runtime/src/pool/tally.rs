//! Counting blocks in use without a shared counter.
//!
//! Each thread has a tally per pool that only it writes, with plain loads and stores; a block freed by another thread
//! than allocated it makes one tally negative, and the sum is still right.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use parking_lot::Mutex;
use situ_types::UsmKind;

/// A count with a single writer at a time.
#[derive(Debug, Default)]
struct Count(AtomicI64);

impl Count {
    fn get(&self) -> i64 {
        self.0.load(Relaxed)
    }

    fn set(&self, value: i64) {
        self.0.store(value, Relaxed);
    }

    fn add(&self, more: i64) -> i64 {
        let sum = self.get() + more;
        self.set(sum);
        sum
    }
}

/// Bytes in use of one kind, or of all kinds.
#[derive(Debug, Default)]
struct Level {
    bytes: Count,
    /// What the other tallies held when last looked at.
    elsewhere: Count,
    peak: Count,
}

impl Level {
    fn raise(&self, bytes: i64) {
        let level = self.bytes.add(bytes) + self.elsewhere.get();
        if level > self.peak.get() {
            self.peak.set(level);
        }
    }
}

/// One thread's share of a pool's counts; on cache lines of its own, so that writing it disturbs nobody.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Tally {
    total: Level,
    kinds: [Level; 3],
    blocks: [Count; 3],
    hits: [Count; 3],
}

impl Tally {
    /// Notes an allocation; `hit` says whether the pool had the memory already.
    #[inline]
    pub(super) fn allocated(&self, kind: UsmKind, bytes: usize, hit: bool) {
        let k = kind as usize;
        self.kinds[k].raise(bytes as i64);
        self.total.raise(bytes as i64);
        self.blocks[k].add(1);
        self.hits[k].add(hit.into());
    }

    /// Notes that a block was freed.
    #[inline]
    pub(super) fn freed(&self, kind: UsmKind, bytes: usize) {
        let k = kind as usize;
        self.kinds[k].bytes.add(-(bytes as i64));
        self.total.bytes.add(-(bytes as i64));
        self.blocks[k].add(-1);
    }

    fn levels(&self) -> impl Iterator<Item = &Level> {
        self.kinds.iter().chain([&self.total])
    }

    /// Takes over everything another tally holds.
    fn absorb(&self, other: &Tally) {
        for (mine, theirs) in self.levels().zip(other.levels()) {
            mine.bytes.add(theirs.bytes.get());
            mine.peak.set(mine.peak.get().max(theirs.peak.get()));
        }
        for k in 0..3 {
            self.blocks[k].add(other.blocks[k].get());
            self.hits[k].add(other.hits[k].get());
        }
    }
}

/// What all tallies say together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) bytes: [usize; 3],
    pub(super) blocks: [usize; 3],
    pub(super) hits: [u64; 3],
    pub(super) peak: [usize; 3],
    pub(super) total_peak: usize,
}

/// The tallies of one pool.
#[derive(Debug, Default)]
pub(super) struct Tallies(Mutex<Register>);

#[derive(Debug, Default)]
struct Register {
    of_threads: Vec<Arc<Tally>>,
    /// For threads that are gone, and for those so far gone that they have no thread-local storage; written under the
    /// register's lock.
    of_the_rest: Tally,
}

impl Tallies {
    /// A tally for one more thread.
    pub(super) fn enlist(&self) -> Arc<Tally> {
        let tally = Arc::new(Tally::default());
        self.0.lock().of_threads.push(tally.clone());
        tally
    }

    /// Keeps what the tally holds when its thread goes.
    pub(super) fn retire(&self, tally: &Arc<Tally>) {
        let mut register = self.0.lock();
        if let Some(at) = register.of_threads.iter().position(|t| Arc::ptr_eq(t, tally)) {
            register.of_threads.swap_remove(at);
            register.of_the_rest.absorb(tally);
        }
    }

    /// Number of threads that have a tally.
    #[cfg(test)]
    pub(super) fn threads(&self) -> usize {
        self.0.lock().of_threads.len()
    }

    /// Counts on behalf of a thread without a tally.
    pub(super) fn with_the_rest(&self, count: impl FnOnce(&Tally)) {
        let register = self.0.lock();
        register.look_around(&register.of_the_rest);
        count(&register.of_the_rest);
    }

    /// Tells a tally, on its own thread, what the others hold now.
    pub(super) fn refresh(&self, tally: &Tally) {
        self.0.lock().look_around(tally);
    }

    /// Adds everything up.
    pub(super) fn sums(&self) -> Sums {
        let register = self.0.lock();
        let all = Tally::default();
        for tally in register.all() {
            all.absorb(tally);
        }
        let positive = |count: &Count| usize::try_from(count.get()).unwrap_or(0);
        Sums {
            bytes: std::array::from_fn(|k| positive(&all.kinds[k].bytes)),
            blocks: std::array::from_fn(|k| positive(&all.blocks[k])),
            hits: std::array::from_fn(|k| positive(&all.hits[k]) as u64),
            peak: std::array::from_fn(|k| positive(&all.kinds[k].peak)),
            total_peak: positive(&all.total.peak),
        }
    }
}

impl Register {
    fn all(&self) -> impl Iterator<Item = &Tally> {
        self.of_threads.iter().map(|t| &**t).chain([&self.of_the_rest])
    }

    fn look_around(&self, tally: &Tally) {
        for (n, level) in tally.levels().enumerate() {
            let all: i64 = self.all().filter_map(|t| t.levels().nth(n)).map(|l| l.bytes.get()).sum();
            level.elsewhere.set(all - level.bytes.get());
        }
    }
}
