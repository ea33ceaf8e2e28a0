//! Elements with their positions: 32 leading bits of a key and 32 bits of a position are one integer, and sorting integers
//! that are all different keeps equal keys in their order. Where keys have more bits, runs that agree in the leading ones are
//! sorted once more by the next.

use situ_ir::order::{Key, Ordered};
use situ_types::DType;

use super::buckets::{self, Source};
use super::quick::Sortable;
use super::rows::{Crew, Shared, Task, pair_bytes};
use crate::isa::Isa;

/// The bits of a position.
const POSITION: u64 = u32::MAX as u64;

/// The position that a code says, which is inside whatever the code: where the input changes while it is sorted, there may be
/// codes that nobody has written.
#[inline(always)]
fn position<T>(task: &Task<T>, code: u64) -> usize {
    ((code & POSITION) as usize).min(task.length - 1)
}

/// Runs of so many are sorted by insertion.
const SHORT: usize = 16;

/// Bytes of scratch memory to sort so many elements.
pub(super) fn bytes(length: usize, dtype: DType) -> usize {
    length.saturating_mul(if length > u32::MAX as usize { pair_bytes(dtype) } else { 2 * size_of::<u64>() })
}

/// Sorts a sequence.
///
/// # Safety
///
/// As for [`super::rows::sort`], with as much scratch memory as [`bytes`] says.
pub(super) unsafe fn sort<T: Ordered>(task: &Task<T>, crew: &Crew<'_>, scratch: *mut u8) {
    let length = task.length;
    if length > u32::MAX as usize {
        // SAFETY: the caller's promise.
        return unsafe { sort_pairs(task, crew, scratch.cast()) };
    }
    let codes = Shared(scratch.cast::<u64>());
    // SAFETY: the caller's promise, for all of these.
    unsafe {
        let source = Codes { task, leading: Leading::of(task, crew, &|n| n, length) };
        let finish = |from: usize, to: usize| {
            if source.leading.shift > 0 {
                settle(task, crew.isa, codes.at(from), to - from);
            }
            (from..to.min(task.count)).for_each(|n| task.put(n, position(task, *codes.at(n))));
        };
        if crew.threads == 1 && length < buckets::WORTHWHILE {
            (0..length).for_each(|n| codes.at(n).write(source.key(n)));
            u64::sort(crew.isa, codes.at(0), length);
            finish(0, length);
        } else {
            // Codes that agree in the leading bits of keys are in one bucket.
            let range = (0, source.leading.greatest | POSITION);
            buckets::sort(&source, range, length, (codes.at(0), codes.at(length)), crew, &finish);
        }
    }
}

/// Leading bits and positions of a sequence's elements.
struct Codes<'a, T> {
    task: &'a Task<T>,
    leading: Leading,
}

impl<T: Ordered> Source<u64> for Codes<'_, T> {
    #[inline(always)]
    unsafe fn key(&self, n: usize) -> u64 {
        // SAFETY: the caller's promise.
        self.leading.code(unsafe { self.task.key(n) }) | n as u64
    }
}

/// Which bits of keys lead: those above `shift` of the distance from the least one.
#[derive(Clone, Copy, Debug)]
struct Leading {
    least: u128,
    shift: u32,
    /// The greatest of them, above the bits of a position.
    greatest: u64,
}

impl Leading {
    /// The leading bits of the keys at these positions.
    ///
    /// # Safety
    ///
    /// The elements can be read.
    unsafe fn of<T: Ordered>(
        task: &Task<T>,
        crew: &Crew<'_>,
        position: &(impl Fn(usize) -> usize + Sync),
        count: usize,
    ) -> Leading {
        if size_of::<T::Key>() <= size_of::<u32>() {
            return Leading { least: 0, shift: 0, greatest: (T::Key::MAX.widened() as u64) << u32::BITS };
        }
        let mut found = vec![(T::Key::MAX, T::Key::default()); crew.pieces()];
        let places = Shared(found.as_mut_ptr());
        crew.spread(count, &|piece, from, to| {
            // SAFETY: the caller's promise; each piece has a place of its own.
            unsafe {
                *places.at(piece) = (from..to).fold((T::Key::MAX, T::Key::default()), |(least, greatest), n| {
                    let key = task.key(position(n));
                    (least.min(key), greatest.max(key))
                });
            }
        });
        let all = found.into_iter().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let (least, greatest) = all.map_or((0, 0), |(least, greatest)| (least.widened(), greatest.widened()));
        let bits = u128::BITS - (greatest - least).leading_zeros();
        let shift = bits.saturating_sub(u32::BITS);
        Leading { least, shift, greatest: (((greatest - least) >> shift) as u64) << u32::BITS }
    }

    /// The leading bits of a key, above those of a position.
    #[inline(always)]
    fn code<K: Key>(self, key: K) -> u64 {
        if size_of::<K>() <= size_of::<u64>() {
            ((key.widened() as u64).wrapping_sub(self.least as u64) >> self.shift) << u32::BITS
        } else {
            ((key.widened().wrapping_sub(self.least) >> self.shift) as u64) << u32::BITS
        }
    }
}

/// Sorts runs of codes that agree in the leading bits of keys by the bits that follow.
///
/// # Safety
///
/// The codes are of elements that can be read. The processor has the instruction set.
unsafe fn settle<T: Ordered>(task: &Task<T>, isa: Isa, codes: *mut u64, count: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut start = 0;
        while start < count {
            let leading = *codes.add(start) >> u32::BITS;
            let mut end = start + 1;
            while end < count && *codes.add(end) >> u32::BITS == leading {
                end += 1;
            }
            if end - start > 1 {
                settle_run(task, isa, codes.add(start), end - start);
            }
            start = end;
        }
    }
}

/// # Safety
///
/// As for [`settle`].
#[inline(never)]
unsafe fn settle_run<T: Ordered>(task: &Task<T>, isa: Isa, codes: *mut u64, count: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let key = |code: u64| task.key(position(task, code));
        if count <= SHORT {
            for n in 1..count {
                let (code, mut at) = (*codes.add(n), n);
                while at > 0 && key(*codes.add(at - 1)) > key(code) {
                    *codes.add(at) = *codes.add(at - 1);
                    at -= 1;
                }
                *codes.add(at) = code;
            }
            return;
        }
        let alone = Crew { isa, threads: 1, fork: &|count, body| (0..count).for_each(body) };
        let run = Shared(codes);
        let leading = Leading::of(task, &alone, &|n| position(task, *run.at(n)), count);
        for n in 0..count {
            let code = *codes.add(n);
            *codes.add(n) = leading.code(key(code)) | code & POSITION;
        }
        u64::sort(isa, codes, count);
        if leading.shift > 0 {
            settle(task, isa, codes, count);
        }
    }
}

/// Sorts more elements than positions of 32 bits can tell apart.
///
/// # Safety
///
/// As for [`sort`].
unsafe fn sort_pairs<T: Ordered>(task: &Task<T>, crew: &Crew<'_>, pairs: *mut (T::Key, u64)) {
    let pairs = Shared(pairs);
    // SAFETY: the caller's promise; pieces write pairs of their own.
    unsafe {
        crew.spread(task.length, &|_, from, to| {
            (from..to).for_each(|n| pairs.at(n).write((task.key(n), n as u64)));
        });
        std::slice::from_raw_parts_mut(pairs.at(0), task.length).sort_unstable();
        task.emit(crew, &|n| (*pairs.at(n)).1 as usize);
    }
}
