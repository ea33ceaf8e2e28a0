//! Commands that move elements by index or by mask.
//!
//! * `space`: the iteration space, walked in C order, row by row.
//! * `transfer`, `walk`, `indexed_axis`, `integer`, `moves`: gather and scatter. Indices become offsets, a tile at a time;
//!   then the elements are moved.
//! * `split`: into which parts a transfer may be divided without changing its outcome.
//! * `check`: whether indices lie in their axes.
//! * `mask`, `select`, `expand`, `wide`: masks, counted and listed by tiles. Where several threads select, each first
//!   counts its share, so that it knows where its part of the result begins.
//! * `repeat`: elements several times.
//! * `cost`: how long it will take.

mod check;
pub(crate) mod cost;
mod expand;
mod indexed_axis;
mod integer;
mod mask;
mod moves;
mod repeat;
mod select;
mod space;
mod split;
mod transfer;
mod walk;
#[cfg(target_arch = "x86_64")]
mod wide;

#[cfg(test)]
mod tests;

pub(crate) use self::check::check;
pub(crate) use self::expand::expand;
pub(crate) use self::mask::count;
pub(crate) use self::repeat::repeat;
pub(crate) use self::select::select;
pub(crate) use self::space::Space;
pub(crate) use self::transfer::{gather, scatter};

use crate::elementwise::{Fork, Machine};

/// Elements handled at a time: their offsets stay in the first-level cache.
const TILE: usize = 512;

/// Runs `part(from, to)` over `0..size` in pieces whose length is a multiple of a tile, and returns that length.
fn spread(
    size: usize,
    nanoseconds: u64,
    machine: &Machine,
    fork: Fork<'_>,
    part: &(dyn Fn(usize, usize) + Sync),
) -> usize {
    let length = piece_length(size, nanoseconds, machine);
    match size.div_ceil(length) {
        0 | 1 => part(0, size),
        pieces => fork(pieces, &|n| part(n * length, size.min((n + 1) * length))),
    }
    length
}

/// The length of the pieces that `size` elements are divided into.
fn piece_length(size: usize, nanoseconds: u64, machine: &Machine) -> usize {
    size.div_ceil(machine.chunks(nanoseconds)).next_multiple_of(TILE).max(TILE)
}

/// Calls a function generic over a type with the given number of bytes and the alignment of such elements.
macro_rules! by_width {
    ($width:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $width {
            1 => $function::<u8>($($argument),*),
            2 => $function::<u16>($($argument),*),
            4 => $function::<u32>($($argument),*),
            8 => $function::<u64>($($argument),*),
            _ => $function::<[u64; 2]>($($argument),*),
        }
    };
}
use by_width;
