//! Elementwise commands: SIMD loops from the op table, run over strided operands tile by tile.
//!
//! * `kernel`, `target`, `table`: one loop body, compiled for every op, dtype and instruction set. Loops know dense
//!   operands only.
//! * `half`, `convert`: half precision by way of single.
//! * `truncate`: conversion to integers that vectorises.
//! * `divisor`: integers divided by one number.
//! * `nest`, `cursor`: the iteration space, its axes arranged to suit the operands.
//! * `schedule`: what is done to each tile, with a place in memory for every value of the program.
//! * `tile`: carrying that out. What is dense is used where it lies; broadcast values are repeated once; other layouts
//!   are collected into a tile in the first-level cache, so that every step runs at full width.
//! * `strided`, `moves`, `square`: collecting and its reverse, by width and instruction set; what is transposed is
//!   turned round in registers.
//! * `small_step`: the shortest way, for one op over few elements into new memory. `small` with `plane`: the short way of
//!   commands, for short programs over few elements.
//! * `join`: many copies as one command.
//! * `stage`: a program's values a stretch at a time, for other commands.
//! * `cost`: how long it will take.

mod convert;
mod cost;
mod cursor;
mod divisor;
mod half;
mod join;
mod kernel;
mod moves;
mod nest;
mod plane;
mod schedule;
mod small;
mod small_step;
mod square;
mod stage;
mod streamed;
mod strided;
mod table;
mod target;
mod tile;
mod truncate;

#[cfg(test)]
mod tests;

use situ_hal::{Elementwise, SmallStep};

pub(crate) use self::cost::{cost, picoseconds_of, picoseconds_of_program};
pub(crate) use self::join::{cost_of_join, join};
pub(crate) use self::kernel::{Hard, Loop, Meaning, load};
use self::nest::Nest;
use self::schedule::Schedule;
pub(crate) use self::stage::Stage;
pub(crate) use self::strided::{copy_line, repeat};
pub(crate) use self::table::{loop_by_one, loop_of, meaning};
use crate::isa::Isa;

/// Runs bodies `0..n`, perhaps in parallel: `fork(n, body)` returns when all are done.
pub(crate) type Fork<'a> = &'a (dyn Fn(usize, &(dyn Fn(usize) + Sync)) + Sync);

/// Work estimated below this many nanoseconds stays on one thread.
const SERIAL: u64 = 20_000;

/// The least work, in nanoseconds, that is worth handing to another thread.
const CHUNK: u64 = 10_000;

/// Chunks per thread of large work: enough that a thread that is late costs little.
const CHUNKS_PER_THREAD: usize = 4;

/// Chunks are multiples of a tile, or of this many units where tiles are longer.
const GRAIN: usize = 512;

/// What a command has to run on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    /// The instruction set to use.
    pub(crate) isa: Isa,
    /// Threads that a fork spreads over.
    pub(crate) threads: usize,
    /// Bytes of the cache shared by the cores.
    pub(crate) last_level_cache: usize,
}

impl Machine {
    /// Into how many chunks work of that many nanoseconds is divided.
    pub(crate) fn chunks(&self, nanoseconds: u64) -> usize {
        if nanoseconds < SERIAL || self.threads <= 1 {
            return 1;
        }
        ((nanoseconds / CHUNK) as usize).min(CHUNKS_PER_THREAD * self.threads)
    }

    /// Whether touching that many bytes leaves so little in the caches that results should not go there.
    pub(crate) fn streams(&self, bytes: usize) -> bool {
        bytes > self.last_level_cache / 4 * 3
    }
}

/// Executes a small step if it is short work; whether it was.
///
/// # Safety
///
/// As for [`situ_hal::Queue::run_inline`]. The processor has the machine's instruction set.
#[inline]
pub(crate) unsafe fn run_small_step(small_step: &SmallStep, machine: &Machine) -> bool {
    let is_short = cost::cost_of_small_step(small_step) < SERIAL;
    if is_short {
        // SAFETY: passed on from the caller.
        unsafe { small_step::run(small_step, machine.isa) };
    }
    is_short
}

/// Executes a command that is thought to take so many nanoseconds.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over. The processor has the machine's
/// instruction set.
pub(crate) unsafe fn execute(command: &Elementwise, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    let elements = command.shape.iter().product::<usize>();
    if elements == 0 {
        return;
    }
    let is_small = nanoseconds < SERIAL && !machine.streams(elements);
    // SAFETY: the caller's promise.
    unsafe {
        if !(is_small && small::execute(command, machine.isa)) {
            execute_planned(command, nanoseconds, machine, fork);
        }
    }
}

/// Executes a command by a plan. Out of line, so that the way of small ones takes little of the instruction cache.
///
/// # Safety
///
/// As for [`execute`].
#[inline(never)]
unsafe fn execute_planned(command: &Elementwise, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    let nest = Nest::new(command).arranged();
    let footprint: usize = (0..nest.operands.len()).map(|n| nest.footprint(n)).sum();
    let schedule = Schedule::new(&command.program, &nest, machine.isa, machine.streams(footprint));
    let units = tile::units(&nest);
    let chunks = machine.chunks(nanoseconds);
    if chunks == 1 {
        // SAFETY: the caller's promise; this is the whole nest.
        return unsafe { tile::run_part(&nest, &schedule, machine.isa, 0, units) };
    }
    let grain = tile::units_per_tile(&nest, &schedule).min(GRAIN);
    let size = units.div_ceil(chunks).next_multiple_of(grain);
    fork(units.div_ceil(size), &|i| {
        // SAFETY: the caller's promise; parts are disjoint, so that nobody else touches what this one writes.
        unsafe { tile::run_part(&nest, &schedule, machine.isa, i * size, units.min((i + 1) * size)) };
    });
}
