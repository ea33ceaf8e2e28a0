//! Random numbers: whole groups of blocks at a time, each a function of its number.
//!
//! * `fill`: one group, compiled per instruction set.

mod fill;
#[cfg(test)]
mod tests;

use std::mem::MaybeUninit;

use situ_hal::{Address, Random};
use situ_ir::random::{Distribution, Draw, Stream, Visitor};

use self::fill::{GROUP, fill};
use crate::bytes;
use crate::elementwise::{Fork, Machine};

/// A rough estimate, in nanoseconds, of one thread's work.
pub(crate) fn cost(command: &Random) -> u64 {
    use Distribution::*;
    let picoseconds_of_block = match command.distribution {
        Bits32 | Bits64 | Uniform32 | Uniform64 | Below32 { .. } => 1500,
        Below64 { .. } => 2500,
        Exponential32 | Exponential64 | Normal32 | Normal64 => 5000,
    };
    (command.distribution.blocks(command.count) as u64).saturating_mul(picoseconds_of_block) / 1000
}

/// Executes the command.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over. The processor has the machine's
/// instruction set.
#[inline(never)]
pub(crate) unsafe fn random(command: &Random, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    command.distribution.visit(Spread { command, nanoseconds, machine, fork });
}

/// Groups dealt out to threads.
struct Spread<'a> {
    command: &'a Random,
    nanoseconds: u64,
    machine: &'a Machine,
    fork: Fork<'a>,
}

impl Visitor for Spread<'_> {
    type Result = ();

    fn visit<D: Draw>(self, draw: D) {
        let groups = self.command.distribution.blocks(self.command.count).div_ceil(GROUP);
        let size = groups.div_ceil(self.machine.chunks(self.nanoseconds)).max(1);
        let bytes = self.command.count * size_of::<D::Element>();
        let part = Part {
            draw,
            stream: self.command.stream,
            out: self.command.out,
            bytes,
            machine: self.machine,
            streams: self.machine.streams(bytes),
        };
        let run = |n: usize| {
            // SAFETY: the caller of `random` vouches for the memory and the instruction set; parts are disjoint.
            unsafe { part.run(n * size, groups.min((n + 1) * size)) };
        };
        match groups.div_ceil(size) {
            0 => {}
            1 => run(0),
            parts => (self.fork)(parts, &run),
        }
    }
}

/// What a thread needs to know.
struct Part<'a, D> {
    draw: D,
    stream: Stream,
    out: Address,
    /// How many bytes all elements take.
    bytes: usize,
    machine: &'a Machine,
    /// Whether they are so many that they should not go through the caches.
    streams: bool,
}

impl<D: Draw> Part<'_, D> {
    /// Fills some groups.
    ///
    /// # Safety
    ///
    /// Nobody else touches the elements of these groups, which can be written, and the processor has the instruction set.
    unsafe fn run(&self, from: usize, to: usize) {
        const BYTES: usize = GROUP * 16;
        let mut stage = [const { MaybeUninit::<D::Elements>::uninit() }; GROUP];
        for group in from..to {
            let (first, start) = ((group * GROUP) as u64, group * BYTES);
            let bytes = BYTES.min(self.bytes - start);
            // SAFETY: the group begins inside the elements; the caller vouches for the instruction set. Where a whole
            // group is left, there is room for it, and elements are as aligned as an array of them. Otherwise it is made
            // on the stack, and no more than what is left of the elements is copied.
            unsafe {
                let out = self.out.0.add(start);
                if bytes == BYTES && !self.streams {
                    fill(self.machine.isa, self.draw, self.stream, first, &mut *out.cast());
                    continue;
                }
                fill(self.machine.isa, self.draw, self.stream, first, &mut stage);
                if self.streams {
                    bytes::stream(self.machine.isa, out, stage.as_ptr().cast(), bytes);
                } else {
                    std::ptr::copy_nonoverlapping(stage.as_ptr().cast(), out, bytes);
                }
            }
        }
        if self.streams {
            bytes::fence();
        }
    }
}
