//! How long a command will take, roughly: nanoseconds of one thread.

use situ_hal::{IndexCheck, Indexed, MaskCount, MaskExpand, MaskSelect, Repeat, Times};

/// Arrays of more bytes than this are reached element by element from beyond a core's own caches.
const NEAR_BYTES: usize = 1 << 20;

/// Picoseconds to find an element in a near array, and in a far one.
const NEAR: u64 = 700;
const FAR: u64 = 4_000;

/// Picoseconds to move a byte.
const MOVE: u64 = 20;

fn size(shape: &[usize]) -> u64 {
    shape.iter().product::<usize>() as u64
}

/// Gather or scatter.
pub(crate) fn transfer(command: &Indexed) -> u64 {
    let lengths = command.indices.iter().map(|operand| operand.length);
    let reached = lengths.fold(command.width, usize::saturating_mul);
    let per_index = if reached > NEAR_BYTES { FAR } else { NEAR };
    // Along axes that no index moves along, whole blocks are copied.
    let is_still = |axis: usize| command.indices.iter().all(|operand| operand.indices.strides[axis] == 0);
    let inner = (0..command.shape.len()).rev().take_while(|&axis| is_still(axis));
    let block = inner.map(|axis| command.shape[axis]).product::<usize>() as u64;
    let all = size(&command.shape);
    let found = (all / block.max(1)).saturating_mul(per_index * command.indices.len() as u64);
    found.saturating_add(all.saturating_mul(command.width as u64 * MOVE)) / 1000
}

/// A look at all indices.
pub(crate) fn check(command: &IndexCheck) -> u64 {
    size(&command.shape) / 4
}

/// A look at all of a mask.
pub(crate) fn count(command: &MaskCount) -> u64 {
    size(&command.shape) / 16
}

/// A mask and what it selects.
pub(crate) fn select(command: &MaskSelect) -> u64 {
    size(&command.shape) / 2
}

/// A mask and what is written.
pub(crate) fn expand(command: &MaskExpand) -> u64 {
    size(&command.shape) / 2
}

/// Elements, written as often as there is room for them.
pub(crate) fn repeat(command: &Repeat) -> u64 {
    let Some((&length, others)) = command.shape.split_last() else { return 0 };
    let total = match command.times {
        Times::Every(count) => length.saturating_mul(count),
        Times::Each { total, .. } => total,
    };
    let written = size(others).saturating_mul(total as u64);
    let found = size(others).saturating_mul(length as u64).saturating_mul(NEAR);
    found.saturating_add(written.saturating_mul(command.width as u64 * 2 * MOVE)) / 1000
}
