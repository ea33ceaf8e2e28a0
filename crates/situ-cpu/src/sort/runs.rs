//! Runs of equal elements of a sorted sequence.

use std::sync::atomic::{AtomicUsize, Ordering};

use situ_hal::{RunCount, RunSelect};
use situ_ir::order::Ordered;
use smallvec::SmallVec;

use super::{by_dtype, call_with, choose_element, spread};
use crate::elementwise::{Fork, Machine, load};

/// Executes the command.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over.
#[inline(never)]
pub(crate) unsafe fn run_count(command: &RunCount, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    let total = AtomicUsize::new(0);
    spread(command.length, machine.chunks(nanoseconds), fork, &|_, from, to| {
        // SAFETY: passed on from the caller.
        let count = unsafe { by_dtype!(command.dtype, count_starts(command.sorted.0, from, to)) };
        total.fetch_add(count, Ordering::Relaxed);
    });
    // SAFETY: the caller vouches for the place of the answer.
    unsafe { command.count.0.cast::<i64>().write_unaligned(total.into_inner() as i64) };
}

/// Executes the command.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over.
#[inline(never)]
pub(crate) unsafe fn run_select(command: &RunSelect, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    // How many runs begin in each piece, then before it.
    let begins: SmallVec<[AtomicUsize; 32]> = (0..=machine.chunks(nanoseconds)).map(|_| AtomicUsize::new(0)).collect();
    spread(command.length, machine.chunks(nanoseconds), fork, &|n, from, to| {
        // SAFETY: passed on from the caller.
        let count = unsafe { by_dtype!(command.dtype, count_starts(command.sorted.0, from, to)) };
        begins[n + 1].store(count, Ordering::Relaxed);
    });
    let mut sum = 0;
    for begin in &begins {
        sum += begin.load(Ordering::Relaxed);
        begin.store(sum, Ordering::Relaxed);
    }
    let has_positions = command.positions.is_some();
    spread(command.length, machine.chunks(nanoseconds), fork, &|n, from, to| {
        let [begin, end] = [n, n + 1].map(|n| begins[n].load(Ordering::Relaxed));
        // SAFETY: passed on from the caller; each piece writes the runs that begin in it, and the numbers of its elements.
        unsafe {
            if has_positions {
                by_dtype!(command.dtype, select_part(command, from, to, begin))
            } else {
                by_dtype!(command.dtype, select_straight(command, from, to, begin, end))
            }
        };
    });
}

/// Whether a run begins at an element.
///
/// # Safety
///
/// It and the one before can be read.
#[inline(always)]
unsafe fn is_start<T: Ordered>(sorted: *const T, n: usize) -> bool {
    // SAFETY: the caller's promise.
    n == 0
        || unsafe {
            let (before, element) = (load(sorted.add(n - 1)), load(sorted.add(n)));
            before.key() != element.key() || element.is_nan()
        }
}

/// How many runs begin among the elements `from..to`.
///
/// # Safety
///
/// They and the one before can be read.
unsafe fn count_starts<T: Ordered>(sorted: *const u8, from: usize, to: usize) -> usize {
    // SAFETY: the caller's promise.
    (from..to).map(|n| usize::from(unsafe { is_start::<T>(sorted.cast(), n) })).sum()
}

/// Writes the values and lengths of the runs that begin among the elements `from..to`: those with numbers `begin..end`.
///
/// Where runs begin cannot be foretold, and so nothing depends on it but the place that is written to next.
///
/// # Safety
///
/// As for [`run_select`], and the elements are of this type.
unsafe fn select_straight<T: Ordered>(command: &RunSelect, from: usize, to: usize, begin: usize, end: usize) {
    let (sorted, length) = (command.sorted.0.cast::<T>(), command.length);
    let values = command.values.map(|address| address.0.cast::<T>());
    let counts = command.counts.map(|address| address.0.cast::<i64>());
    // The input may have changed since it was counted.
    let end = end.min(command.capacity);
    let mut runs = begin;
    // SAFETY: the caller vouches for the elements and for `capacity` runs, of which this piece writes its own.
    unsafe {
        let mut n = from;
        while n < to && runs < end {
            values.inspect(|values| values.add(runs).write(load(sorted.add(n))));
            counts.inspect(|counts| counts.add(runs).write(n as i64));
            // What is no beginning is overwritten by the next one, and so the last beginning ends the loop.
            runs += usize::from(is_start(sorted, n));
            n += 1;
        }
        if let Some(counts) = counts
            && runs > begin
        {
            let stop = (n..length).find(|&n| is_start(sorted, n)).unwrap_or(length);
            let mut next = stop as i64;
            for run in (begin..runs).rev() {
                let first = counts.add(run).read();
                counts.add(run).write(next - first);
                next = first;
            }
        }
    }
}

/// Writes the runs that begin among the elements `from..to`, before which so many begin.
///
/// # Safety
///
/// As for [`run_select`], and the elements are of this type.
unsafe fn select_part<T: Ordered>(command: &RunSelect, from: usize, to: usize, begin: usize) {
    let (sorted, length) = (command.sorted.0.cast::<T>(), command.length);
    let integers = |address: Option<situ_hal::Address>| address.map(|address| address.0.cast::<i64>());
    let (positions, firsts) = (integers(command.positions), integers(command.firsts));
    let (counts, inverse) = (integers(command.counts), integers(command.inverse));
    let values = command.values.map(|address| address.0.cast::<T>());
    // The number of the run an element is in, plus one.
    let mut runs = begin;
    let mut last = None;
    // SAFETY: the caller vouches for the elements, their positions, `capacity` runs and as many numbers as elements.
    unsafe {
        for n in from..to {
            if is_start(sorted, n) {
                if let (Some(counts), Some(last)) = (counts, last)
                    && runs <= command.capacity
                {
                    counts.add(runs - 1).write((n - last) as i64);
                }
                last = Some(n);
                if runs < command.capacity {
                    values.inspect(|values| values.add(runs).write(load(sorted.add(n))));
                    firsts
                        .zip(positions)
                        .inspect(|(firsts, positions)| firsts.add(runs).write(positions.add(n).read()));
                }
                runs += 1;
            }
            if let (Some(inverse), Some(positions)) = (inverse, positions)
                && runs <= command.capacity
            {
                // Positions are of a sort, which leaves some unwritten where its input changes meanwhile.
                let position = positions.add(n).read() as usize;
                if position < length {
                    inverse.add(position).write(runs as i64 - 1);
                }
            }
        }
        if let (Some(counts), Some(last)) = (counts, last)
            && runs <= command.capacity
        {
            let end = (to..length).find(|&n| is_start(sorted, n)).unwrap_or(length);
            counts.add(runs - 1).write((end - last) as i64);
        }
    }
}
