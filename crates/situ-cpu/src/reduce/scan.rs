//! Prefixes of sequences.

use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use situ_hal::{Address, Elementwise, Operand, ProgramRef, ReductionRef, Scan};
use situ_ir::tree::{Direction, RADIX};
use situ_types::Dims;
use std::sync::Arc;

use super::carry::Carry;
use super::memory::Memory;
use super::source::{Source, TILE};
use super::{Combiner, spread};
use crate::elementwise::{self, Fork, Machine};

/// Values of a chunk: two levels of the tree above the groups themselves.
const CHUNK: usize = RADIX * RADIX * RADIX;

/// Sequences shorter than this are not divided among threads.
const LONG: usize = 16 * CHUNK;

/// Executes a scan.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over. The processor has the machine's
/// instruction set.
#[inline(never)]
pub(crate) unsafe fn scan(command: &Scan, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    let Some(combiner) = Combiner::of(&command.reduction, machine) else {
        debug_assert!(false, "the scan combines values outside the op's domain");
        return;
    };
    let (sequences, length) = (command.sequences(), command.length());
    if sequences == 0 || length == 0 {
        return;
    }
    // SAFETY: the caller's promise, for each.
    unsafe {
        match command.direction {
            Direction::Across => across(command, &combiner, nanoseconds, machine, fork),
            Direction::Along if sequences < 2 * machine.threads && length >= LONG => {
                for sequence in 0..sequences {
                    chained(command, &combiner, sequence, nanoseconds, machine, fork);
                }
            }
            Direction::Along => spread(sequences, nanoseconds, machine, fork, &|from, to| {
                let mut worker = Worker::new(command, &combiner, machine);
                let mut carry = Carry::new(&combiner, 1);
                for sequence in from..to {
                    carry.clear();
                    for first in (0..length).step_by(CHUNK) {
                        let count = CHUNK.min(length - first);
                        worker.scan_groups(sequence, first, count);
                        let before = carry.before();
                        worker.deliver(sequence, first, count, before);
                        carry.push(worker.total());
                    }
                }
            }),
        }
    }
}

/// Scans a long sequence: threads take its chunks in turn, scan them by themselves, and wait for what comes before only
/// then. A chunk is taken by a thread that is at work, so that somebody always gets on.
///
/// # Safety
///
/// As for [`scan`].
unsafe fn chained(
    command: &Scan,
    combiner: &Combiner,
    sequence: usize,
    nanoseconds: u64,
    machine: &Machine,
    fork: Fork<'_>,
) {
    let length = command.length();
    let chunks = length.div_ceil(CHUNK);
    let (taken, turn) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let carry = Mutex::new(Carry::new(combiner, 1));
    let work = |_: usize| {
        let mut worker = Worker::new(command, combiner, machine);
        let mut before = [0u64; 2];
        loop {
            let chunk = taken.fetch_add(1, Ordering::Relaxed);
            if chunk >= chunks {
                return;
            }
            let (first, count) = (chunk * CHUNK, CHUNK.min(length - chunk * CHUNK));
            // SAFETY: the caller's promise; the chunk is this thread's alone.
            unsafe {
                worker.scan_groups(sequence, first, count);
                let mut spins = 0u32;
                let _lifted = LiftedOnPanic(&turn);
                loop {
                    match turn.load(Ordering::Acquire) {
                        now if now == chunk => break,
                        LIFTED => return,
                        _ => {}
                    }
                    spins += 1;
                    if spins.is_multiple_of(256) { std::thread::yield_now() } else { std::hint::spin_loop() }
                }
                let given = {
                    let mut carry = carry.lock();
                    let given = carry.before().map(|value| {
                        before.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(value, combiner.width);
                        before.as_ptr().cast::<u8>()
                    });
                    carry.push(worker.total());
                    given
                };
                turn.store(chunk + 1, Ordering::Release);
                worker.deliver(sequence, first, count, given);
            }
        }
    };
    if machine.chunks(nanoseconds) > 1 { fork(machine.threads, &work) } else { work(0) }
}

/// The turn after somebody has failed: nobody waits any more.
const LIFTED: usize = usize::MAX;

/// Lets the others go if this thread panics.
struct LiftedOnPanic<'a>(&'a AtomicUsize);

impl Drop for LiftedOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(LIFTED, Ordering::Release);
        }
    }
}

/// What one thread works with, along sequences.
struct Worker<'a> {
    command: &'a Scan,
    combiner: &'a Combiner,
    source: Source<'a>,
    out: Delivery,
    /// The chunk, scanned by groups, unless it is where it belongs.
    chunk: Memory,
    /// The groups' totals, scanned by groups of groups, and what comes before each group.
    totals: Memory,
    before: Memory,
    /// The totals of groups of groups, scanned.
    upper: Memory,
    /// The total of the chunk.
    total: Memory,
    machine: &'a Machine,
}

impl<'a> Worker<'a> {
    fn new(command: &'a Scan, combiner: &'a Combiner, machine: &'a Machine) -> Worker<'a> {
        let axes: Dims = (0..command.inputs.shape.len()).collect();
        let width = combiner.width;
        let inner = axes.len() - 1;
        let longest = CHUNK.min(command.length());
        let groups = longest.div_ceil(RADIX);
        let out = Delivery::new(command, inner);
        Worker {
            command,
            combiner,
            source: Source::new(command.reduction.map(), &command.inputs, &axes, CHUNK, false, machine.isa),
            chunk: Memory::new(if out.is_direct { 0 } else { longest * width }),
            out,
            totals: Memory::new(groups * width),
            before: Memory::new(groups * width),
            upper: Memory::new(groups.div_ceil(RADIX) * width),
            total: Memory::new(width),
            machine,
        }
    }

    /// Where the chunk is scanned.
    fn place(&mut self, sequence: usize, first: usize) -> *mut u8 {
        if self.out.is_direct { self.out.at(self.command, sequence, first) } else { self.chunk.start() }
    }

    /// Scans a chunk's groups, the groups of their totals, and so on up to the chunk's total.
    ///
    /// # Safety
    ///
    /// As for [`scan`].
    unsafe fn scan_groups(&mut self, sequence: usize, first: usize, count: usize) {
        let (width, scan_groups) = (self.combiner.width, self.combiner.loops.scan_groups);
        let to = self.place(sequence, first);
        let axes = self.command.inputs.shape.len();
        let length = self.command.length();
        let from = match &mut self.source {
            Source::InPlace(input) => {
                let shape = &self.command.inputs.shape;
                input.at(input.start(), shape, 0..axes - 1, sequence).wrapping_add(first * width)
            }
            Source::Staged { stage, tile } => {
                let (at, tile) = (sequence * length + first, tile.start());
                // SAFETY: the caller's promise; a chunk is no longer than the tile.
                unsafe { stage.compute(at, at + count, tile) };
                tile
            }
        };
        let (totals, upper, total) = (self.totals.start(), self.upper.start(), self.total.start());
        let groups = count.div_ceil(RADIX);
        // SAFETY: the caller's promise; every level has room for a chunk's.
        unsafe {
            scan_groups(to, from, totals, count);
            scan_groups(totals, totals, upper, groups);
            scan_groups(upper, upper, total, groups.div_ceil(RADIX));
        }
    }

    /// The chunk's total.
    fn total(&mut self) -> *const u8 {
        self.total.start()
    }

    /// Combines what comes before the chunk with it, and brings it to where it belongs.
    ///
    /// # Safety
    ///
    /// As for [`scan`]; the chunk's groups have been scanned, and `before` can be read if it is there.
    unsafe fn deliver(&mut self, sequence: usize, first: usize, count: usize, before: Option<*const u8>) {
        let (width, loops) = (self.combiner.width, self.combiner.loops);
        let groups = count.div_ceil(RADIX);
        if self.out.is_direct && groups == 1 && before.is_none() {
            return;
        }
        let (totals, upper, all) = (self.totals.start(), self.upper.start(), self.before.start());
        // SAFETY: the caller's promise; there is room for what comes before each group.
        unsafe {
            for of in (0..groups).step_by(RADIX) {
                let (head, others) = (all.wrapping_add(of * width), RADIX.min(groups - of) - 1);
                let mut any = false;
                if let Some(before) = before {
                    (loops.fold)(head, before, 0, 1, 1, false);
                    any = true;
                }
                if of > 0 {
                    (loops.fold)(head, upper.wrapping_add((of / RADIX - 1) * width), 0, 1, 1, any);
                    any = true;
                }
                let rest = head.wrapping_add(width);
                rest.copy_from_nonoverlapping(totals.wrapping_add(of * width), others * width);
                if any {
                    (loops.shift_groups)(rest, head, others);
                }
            }
            let to = self.place(sequence, first);
            let skipped = if before.is_none() { RADIX.min(count) } else { 0 };
            let from = skipped / RADIX;
            if count > skipped {
                (loops.shift_groups)(to.wrapping_add(skipped * width), all.wrapping_add(from * width), count - skipped);
            }
            if !self.out.is_direct {
                let to = self.out.at(self.command, sequence, first);
                self.out.copy(self.command, self.chunk.start(), to, count, self.machine);
            }
        }
    }
}

/// Where results go.
#[derive(Debug)]
struct Delivery {
    /// Whether they can be computed there.
    is_direct: bool,
    /// The axis along which they are delivered.
    axis: usize,
    width: usize,
    program: ProgramRef,
}

impl Delivery {
    fn new(command: &Scan, axis: usize) -> Delivery {
        let program = match &command.reduction {
            ReductionRef::Static(reduction) => ProgramRef::Static(reduction.finish()),
            ReductionRef::Shared(reduction) => ProgramRef::Shared(Arc::new(reduction.finish().clone())),
        };
        let is_dense = command.out_steps[axis] == 1 || command.inputs.shape[axis] == 1;
        let width = command.reduction.result().size();
        Delivery { is_direct: is_dense && program.steps().is_empty(), axis, width, program }
    }

    /// Where a result belongs: that of a sequence at a position.
    fn at(&self, command: &Scan, sequence: usize, position: usize) -> *mut u8 {
        let (shape, scanned) = (&command.inputs.shape, command.inputs.shape.len() - 1);
        let (mut offset, mut rest) = (position as isize * command.out_steps[scanned], sequence);
        for axis in (0..scanned).rev() {
            offset += (rest % shape[axis]) as isize * command.out_steps[axis];
            rest /= shape[axis];
        }
        command.out.0.wrapping_offset(offset * self.width as isize)
    }

    /// Brings values to where they belong, from there on along the axis.
    ///
    /// # Safety
    ///
    /// As for [`scan`]; there are so many values.
    unsafe fn copy(&self, command: &Scan, from: *mut u8, to: *mut u8, count: usize, machine: &Machine) {
        let nowhere = Operand::Immediate([0; 16]);
        let operands = [Operand::Memory(Address(from)), Operand::Memory(Address(to)), nowhere, nowhere];
        let steps = [1, command.out_steps[self.axis], 0, 0];
        let copy = Elementwise::line(self.program.clone(), count, operands, steps, 2);
        // SAFETY: the caller's promise.
        unsafe { elementwise::execute(&copy, 0, machine, &|_, _| ()) };
    }
}

/// Scans sequences that are neighbours, row by row.
///
/// # Safety
///
/// As for [`scan`].
unsafe fn across(command: &Scan, combiner: &Combiner, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    let shape = &command.inputs.shape;
    let (scanned, inner) = (shape.len() - 1, shape.len() - 2);
    let (length, columns) = (shape[scanned], shape[inner]);
    let tables = command.sequences() / columns;
    let strip = columns.div_ceil(columns.div_ceil(TILE)).next_multiple_of(16);
    let strips = columns.div_ceil(strip);
    let axes: Dims = (0..inner).chain([scanned, inner]).collect();
    let (fold, width) = (combiner.loops.fold, combiner.width);
    spread(tables * strips, nanoseconds, machine, fork, &|from, to| {
        let mut source = Source::new(command.reduction.map(), &command.inputs, &axes, TILE, false, machine.isa);
        let out = Delivery::new(command, inner);
        let (mut running, mut row) = (Memory::new(strip * width), Memory::new(strip * width));
        for item in from..to {
            let (table, first) = (item / strips, item % strips * strip);
            let count = strip.min(columns - first);
            let mut carry = Carry::new(combiner, count);
            let mut before = None;
            for position in 0..length {
                // SAFETY: the caller's promise; the strip's results are this thread's alone.
                unsafe {
                    let values = match &mut source {
                        Source::InPlace(input) => {
                            let table = input.at(input.start(), shape, 0..inner, table);
                            let start = table.wrapping_offset(position as isize * input.step(scanned));
                            start.wrapping_offset(first as isize * input.step(inner))
                        }
                        Source::Staged { stage, tile } => {
                            let (at, tile) = ((table * length + position) * columns + first, tile.start());
                            stage.compute(at, at + count, tile);
                            tile
                        }
                    };
                    if position % RADIX == 0 {
                        if position > 0 {
                            carry.push(running.start());
                        }
                        before = carry.before();
                    }
                    fold(running.start(), values, 0, 1, count, position % RADIX > 0);
                    let place = out.at(command, table * columns + first, position);
                    let to = if out.is_direct { place } else { row.start() };
                    if let Some(before) = before {
                        fold(to, before, 0, 1, count, false);
                    }
                    fold(to, running.start(), 0, 1, count, before.is_some());
                    if !out.is_direct {
                        out.copy(command, to, place, count, machine);
                    }
                }
            }
        }
    });
}
