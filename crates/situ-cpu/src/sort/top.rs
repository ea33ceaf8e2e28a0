//! The first few elements of a sequence: candidates are kept, and what comes behind all of them is passed over.

use situ_hal::Sort;
use situ_ir::order::Ordered;

use super::rows::{Crew, Shared, Task, pair_bytes};

/// Elements that are looked at together.
const BLOCK: usize = 32;

/// Candidates beyond those that are wanted, before the last of them are dropped.
const SURPLUS: usize = 512;

/// More are not kept as candidates.
const MOST: usize = 1 << 14;

/// Whether so few are wanted that the rest need not be sorted.
pub(super) fn suits(command: &Sort) -> bool {
    command.length() >= 128 && command.count <= MOST.min(command.length() / 16)
}

fn capacity(count: usize) -> usize {
    2 * count + SURPLUS
}

/// Bytes of scratch memory for so many threads.
pub(super) fn bytes(command: &Sort, threads: usize) -> usize {
    let pieces = if threads == 1 { 1 } else { 4 * threads };
    let parts = if pieces == 1 { 1 } else { pieces + 1 };
    capacity(command.count).saturating_mul(parts).saturating_mul(pair_bytes(command.dtype))
}

/// Finds the first elements of a sequence.
///
/// # Safety
///
/// As for [`super::rows::sort`], with as much scratch memory as [`bytes`] says.
pub(super) unsafe fn sort<T: Ordered>(task: &Task<T>, crew: &Crew<'_>, scratch: *mut u8) {
    let (candidates, room) = (Shared(scratch.cast::<(T::Key, u64)>()), capacity(task.count));
    let mut held = vec![0usize; crew.pieces()];
    let places = Shared(held.as_mut_ptr());
    // SAFETY: the caller's promise; each piece has room of its own, and writes where it belongs.
    unsafe {
        crew.spread(task.length, &|piece, from, to| {
            *places.at(piece) = best(task, from, to, candidates.at(piece * room));
        });
        let mut sum = 0;
        for (piece, &count) in held.iter().enumerate() {
            std::ptr::copy(candidates.at(piece * room), candidates.at(sum), count);
            sum += count;
        }
        let found = std::slice::from_raw_parts_mut(candidates.at(0), sum);
        if sum > task.count {
            found.select_nth_unstable(task.count - 1);
        }
        let found = &mut found[..task.count];
        found.sort_unstable();
        found.iter().enumerate().for_each(|(n, (_, position))| task.put(n, *position as usize));
    }
}

/// Writes down the first of the elements `from..to`, in any order: how many there are.
///
/// # Safety
///
/// The elements can be read, and as many candidates written as there is room for.
unsafe fn best<T: Ordered>(task: &Task<T>, from: usize, to: usize, candidates: *mut (T::Key, u64)) -> usize {
    let (wanted, room) = (task.count, capacity(task.count));
    let mut held = 0;
    let mut last = None;
    // SAFETY: the caller's promise; there is always room for a block.
    unsafe {
        let mut start = from;
        while start < to {
            let end = to.min(start + BLOCK);
            // Later elements that are equal to the last candidate come behind it.
            let is_before = |key: T::Key| last.is_none_or(|last| key < last);
            if (start..end).fold(false, |any, n| any | is_before(task.key(n))) {
                for n in start..end {
                    let key = task.key(n);
                    if is_before(key) {
                        candidates.add(held).write((key, n as u64));
                        held += 1;
                    }
                }
                if held + BLOCK > room {
                    let all = std::slice::from_raw_parts_mut(candidates, held);
                    last = Some(all.select_nth_unstable(wanted - 1).1.0);
                    held = wanted;
                }
            }
            start = end;
        }
        if held > wanted {
            std::slice::from_raw_parts_mut(candidates, held).select_nth_unstable(wanted - 1);
            held = wanted;
        }
    }
    held
}
