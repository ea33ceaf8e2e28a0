//! Masks: counting, and listing what is true.

use std::sync::atomic::{AtomicUsize, Ordering};

use situ_hal::MaskCount;

use super::space::Space;
use super::{TILE, spread};
use crate::elementwise::{Fork, Machine};
use crate::isa::Isa;

/// Executes the command.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over.
#[inline(never)]
pub(crate) unsafe fn count(command: &MaskCount, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    let space = Space::new(&command.shape, [(&command.mask, 1)]);
    let total = AtomicUsize::new(0);
    spread(space.size(), nanoseconds, machine, fork, &|from, to| {
        // SAFETY: passed on from the caller.
        total.fetch_add(unsafe { count_range(machine.isa, &space, from, to) }, Ordering::Relaxed);
    });
    // SAFETY: the caller vouches for the place of the answer.
    unsafe { command.count.0.cast::<i64>().write_unaligned(total.into_inner() as i64) };
}

/// How many bytes of the first operand, from one position up to another, are not 0.
///
/// # Safety
///
/// The operand's bytes can be read, and the processor has the instruction set.
pub(super) unsafe fn count_range<const N: usize>(isa: Isa, space: &Space<N>, from: usize, to: usize) -> usize {
    let mut total = 0;
    let step = space.step(0);
    let mut tile = [0u8; TILE];
    let limit = if step == 1 { usize::MAX } else { TILE };
    space.for_each_piece(from, to, limit, |_, starts, length| {
        // SAFETY: passed on from the caller.
        total += unsafe { count_bytes(isa, bytes(starts[0], step, length, &mut tile)) };
    });
    total
}

/// The bytes of a piece of a mask: where they lie, or collected into a tile, which must be long enough.
///
/// # Safety
///
/// They can be read.
#[inline(always)]
pub(super) unsafe fn bytes(start: *const u8, step: isize, length: usize, tile: &mut [u8; TILE]) -> &[u8] {
    if step == 1 {
        // SAFETY: the caller's promise.
        return unsafe { std::slice::from_raw_parts(start, length) };
    }
    for (n, byte) in tile[..length].iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        *byte = unsafe { *start.offset(step * n as isize) };
    }
    &tile[..length]
}

/// How many bytes are not 0.
///
/// # Safety
///
/// The processor has the instruction set.
unsafe fn count_bytes(isa: Isa, bytes: &[u8]) -> usize {
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Avx512 => unsafe { count_avx512(bytes) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Avx2 => unsafe { count_avx2(bytes) },
        _ => count_lanes(bytes),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn count_avx2(bytes: &[u8]) -> usize {
    count_lanes(bytes)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn count_avx512(bytes: &[u8]) -> usize {
    count_lanes(bytes)
}

#[inline(always)]
fn count_lanes(bytes: &[u8]) -> usize {
    /// Lanes that are counted in a byte each, before the byte could overflow.
    const ROUNDS: usize = 255;
    const LANES: usize = 64;
    let mut total = 0;
    let mut blocks = bytes.chunks_exact(LANES * ROUNDS);
    let mut block_count = |block: &[u8]| {
        let mut lanes = [0u8; LANES];
        let mut rows = block.chunks_exact(LANES);
        for row in &mut rows {
            lanes.iter_mut().zip(row).for_each(|(lane, byte)| *lane += u8::from(*byte != 0));
        }
        total += lanes.iter().map(|&lane| usize::from(lane)).sum::<usize>();
        total += rows.remainder().iter().filter(|byte| **byte != 0).count();
    };
    (&mut blocks).for_each(&mut block_count);
    block_count(blocks.remainder());
    total
}

/// Writes down which bytes of at most a tile are not 0, and how many those are.
#[inline(always)]
pub(super) fn list_true(mask: &[u8], list: &mut [u16; TILE]) -> usize {
    let mut count = 0;
    for (n, byte) in mask.iter().enumerate().take(TILE) {
        // Written in any case and kept if true: no branch to mispredict. The remainder says that it is in bounds.
        list[count % TILE] = n as u16;
        count += usize::from(*byte != 0);
    }
    count
}
