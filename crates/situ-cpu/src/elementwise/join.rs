//! Many copies as one command.

use std::ops::Range;

use situ_hal::{Elementwise, Join, Operand};

use super::nest::Nest;
use super::schedule::Schedule;
use super::{Fork, GRAIN, Machine, SERIAL, cost, small, tile};

/// Nanoseconds to get from one piece to the next.
const TURN: u64 = 30;

/// A rough estimate, in nanoseconds, of one thread's work for all pieces.
pub(crate) fn cost_of_join(command: &Join) -> u64 {
    command.pieces.iter().map(|piece| cost(piece) + TURN).sum()
}

/// A piece, or some of its units.
#[derive(Clone, Debug)]
struct Part<'a> {
    piece: &'a Elementwise,
    units: Option<Range<usize>>,
}

/// Executes a command that is thought to take so many nanoseconds: long pieces are divided among threads, and short ones
/// come together in one thread's share.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over. The processor has the machine's
/// instruction set.
pub(crate) unsafe fn join(command: &Join, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    let chunks = machine.chunks(nanoseconds);
    if chunks == 1 && nanoseconds < SERIAL {
        for piece in &command.pieces {
            // SAFETY: the caller's promise.
            unsafe { run_small(piece, machine) };
        }
        return;
    }
    let bytes = |piece: &Elementwise| {
        let widths = (0..piece.operands().len()).map(|n| piece.program.operand_dtype(n).size()).sum::<usize>();
        piece.shape.iter().product::<usize>() * widths
    };
    let streams = machine.streams(command.pieces.iter().map(bytes).sum());
    let shares = shares(&command.pieces, nanoseconds / chunks as u64, streams, machine);
    let run = |share: &Vec<Part<'_>>| {
        for part in share {
            // SAFETY: the caller's promise; parts are disjoint, so that nobody else touches what this one writes.
            unsafe { part.run(streams, machine) };
        }
    };
    if chunks == 1 { shares.iter().for_each(run) } else { fork(shares.len(), &|i| run(&shares[i])) }
}

/// Executes one of few and short pieces.
///
/// # Safety
///
/// As for [`join`].
unsafe fn run_small(piece: &Elementwise, machine: &Machine) {
    if let (true, &[Operand::Memory(from), Operand::Memory(to)]) = (is_plain(piece), piece.operands()) {
        let bytes = piece.shape[0] * piece.program.operand_dtype(0).size();
        // SAFETY: the caller's promise: one run of elements on both sides, which do not overlap.
        return unsafe { std::ptr::copy_nonoverlapping(from.0, to.0, bytes) };
    }
    // SAFETY: the caller's promise.
    unsafe { Part { piece, units: None }.run(false, machine) };
}

/// Whether a piece is a run of elements that stay what they are.
fn is_plain(piece: &Elementwise) -> bool {
    piece.program.steps().is_empty() && piece.steps() == [1, 1]
}

/// The work in shares of about so many nanoseconds.
fn shares<'a>(pieces: &'a [Elementwise], share: u64, streams: bool, machine: &Machine) -> Vec<Vec<Part<'a>>> {
    let (mut shares, mut open, mut load) = (Vec::new(), Vec::new(), 0);
    for piece in pieces {
        let own = cost(piece) + TURN;
        let count = own / share.max(1);
        if count <= 1 {
            open.push(Part { piece, units: None });
            load += own;
            if load >= share {
                shares.push(std::mem::take(&mut open));
                load = 0;
            }
            continue;
        }
        let nest = Nest::new(piece).arranged();
        let schedule = Schedule::new(&piece.program, &nest, machine.isa, streams);
        let (units, grain) = (tile::units(&nest), tile::units_per_tile(&nest, &schedule).min(GRAIN));
        let size = units.div_ceil(count as usize).next_multiple_of(grain);
        let ranges = (0..units).step_by(size).map(|from| from..units.min(from + size));
        shares.extend(ranges.map(|range| vec![Part { piece, units: Some(range) }]));
    }
    shares.extend((!open.is_empty()).then_some(open));
    shares
}

impl Part<'_> {
    /// # Safety
    ///
    /// As for [`join`].
    unsafe fn run(&self, streams: bool, machine: &Machine) {
        let Part { piece, units } = self;
        if piece.shape.contains(&0) {
            return;
        }
        let is_small = units.is_none() && !streams && cost(piece) < SERIAL;
        // SAFETY: the caller's promise.
        if is_small && unsafe { small::execute(piece, machine.isa) } {
            return;
        }
        let nest = Nest::new(piece).arranged();
        let schedule = Schedule::new(&piece.program, &nest, machine.isa, streams);
        let units = units.clone().unwrap_or(0..tile::units(&nest));
        // SAFETY: the caller's promise; the units are some of the nest's.
        unsafe { tile::run_part(&nest, &schedule, machine.isa, units.start, units.end) };
    }
}
