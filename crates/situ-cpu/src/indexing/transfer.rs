//! Gather and scatter.

use situ_hal::Indexed;

use super::moves::Owned;
use super::split::free_axis;
use super::walk::{Outside, Walk};
use crate::elementwise::{Fork, Machine};

/// The most threads that share a scatter by place: each of them reads all indices.
const OWNERS: usize = 8;

/// Scatters shorter than this many nanoseconds are not worth reading the indices twice.
const SHARED: u64 = 400_000;

/// Executes a gather.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over.
#[inline(never)]
pub(crate) unsafe fn gather(command: &Indexed, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    // SAFETY: passed on from the caller.
    unsafe { divide::<false>(command, nanoseconds, machine, fork) }
}

/// Executes a scatter.
///
/// # Safety
///
/// As for [`gather`].
#[inline(never)]
pub(crate) unsafe fn scatter(command: &Indexed, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    // SAFETY: passed on from the caller.
    unsafe { divide::<true>(command, nanoseconds, machine, fork) }
}

/// # Safety
///
/// As for [`gather`].
unsafe fn divide<const SCATTER: bool>(command: &Indexed, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    let walk = Walk::new(command, machine.isa);
    let outside = Outside::new(&walk);
    if !command.shape.contains(&0) {
        // SAFETY: passed on from the caller.
        unsafe { run_parts::<SCATTER>(command, &walk, &outside, nanoseconds, machine, fork) };
    }
    // SAFETY: the caller vouches for the places of verdicts, and every part is over.
    unsafe { outside.tell(&walk) };
}

/// # Safety
///
/// As for [`gather`].
unsafe fn run_parts<const SCATTER: bool>(
    command: &Indexed,
    walk: &Walk,
    outside: &Outside,
    nanoseconds: u64,
    machine: &Machine,
    fork: Fork<'_>,
) {
    let chunks = machine.chunks(nanoseconds);
    if chunks > 1
        && let Some(axis) = free_axis(command, SCATTER)
    {
        // Indices that are the same everywhere have got an axis of their own, before the others.
        let axis = axis + walk.dims.len() - command.shape.len();
        let size = walk.dims[axis].div_ceil(chunks);
        return fork(walk.dims[axis].div_ceil(size), &|n| {
            // SAFETY: the caller's promise; what parts of a free axis write is apart.
            unsafe { walk.part(axis, n * size, size).run::<SCATTER>(Owned::ALL, outside) }
        });
    }
    let owners = machine.threads.min(OWNERS);
    let (low, high) = walk.reach();
    if SCATTER
        && chunks > 1
        && owners > 1
        && nanoseconds >= SHARED
        && walk.moves_single_elements()
        // SAFETY: passed on from the caller.
        && !unsafe { walk.stays_near(high - low) }
    {
        let share = (high - low).div_ceil(owners);
        return fork(owners, &|n| {
            let owned = Owned { low: low + n * share, bytes: share };
            // SAFETY: the caller's promise; each part writes only what it owns.
            unsafe { walk.run::<SCATTER>(owned, outside) }
        });
    }
    // SAFETY: the caller's promise.
    unsafe { walk.run::<SCATTER>(Owned::ALL, outside) }
}
