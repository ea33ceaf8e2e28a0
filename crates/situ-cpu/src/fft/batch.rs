//! Many sequences: some at a time are brought side by side, transformed there, and brought back.

use std::cell::RefCell;
use std::slice;

use num_complex::Complex;
use situ_hal::{Address, Fft, FftKind, Sequences};

use super::half::{fold, unfold};
use super::plan::{Core, Plan, Real, Short};
use super::view::{TOGETHER, View};
use crate::elementwise::{Fork, Machine};
use crate::isa::Isa;

/// Bytes of sequences that are transformed at a time: they stay in a core's own cache.
const BLOCK: usize = 1 << 15;

/// The same where their elements are far apart: more of them are brought together then, to read and write longer pieces of
/// memory.
const FAR_BLOCK: usize = 1 << 18;

/// Scratch memory that each thread has by itself.
const OWN: usize = 1 << 16;

thread_local! {
    static OWN_SCRATCH: RefCell<Vec<u128>> = const { RefCell::new(Vec::new()) };
}

/// How a command is divided, and what each part needs.
#[derive(Debug)]
pub(super) struct Division {
    /// Whether sequences are transformed where the results go.
    is_direct: bool,
    /// Sequences at a time.
    rows: usize,
    /// Complex numbers from a row to the next, where sequences are brought to scratch memory.
    pitch: usize,
    /// Blocks of sequences along the last axis of the batch.
    blocks: usize,
    /// Bytes of scratch memory of each part.
    bytes: usize,
    /// Into how many parts the blocks are divided, at most.
    parts: usize,
}

impl Division {
    pub(super) fn of<T: Real>(command: &Fft, plan: &Plan<T>, machine: &Machine) -> Division {
        let width = size_of::<Complex<T>>();
        let inner = command.batch.last().copied().unwrap_or(1);
        // As many numbers as are in a row at any time.
        let room = match command.kind {
            FftKind::RealWhole => command.length,
            _ if plan.is_half => plan.points + 1,
            _ => plan.points,
        };
        let (input, out) = (&command.input, &command.out);
        let is_direct = out.step == 1
            && !matches!(command.kind, FftKind::RealInverse)
            && (plan.is_half || command.kind != FftKind::RealForward)
            && last_step(out) >= room as isize;
        let is_dense = input.step.unsigned_abs() == 1 && out.step.unsigned_abs() == 1;
        let fitting = if is_dense { BLOCK } else { FAR_BLOCK } / (room * width);
        let rows = if is_dense { fitting.max(1) } else { fitting.clamp(TOGETHER, 4 * TOGETHER) }.min(inner).max(1);
        // Rows apart by a multiple of a page would push each other out of the cache.
        let apart = if is_dense { 0 } else { 64 / width };
        let pitch = room.next_multiple_of(if is_dense { 1 } else { 64 / width }) + apart;
        let numbers = plan.core_scratch() + if is_direct { 0 } else { rows * pitch };
        let blocks = inner.div_ceil(rows);
        let all = blocks * (command.count() / inner);
        let parts = machine.chunks(super::cost(command)).min(all).max(1);
        Division { is_direct, rows, pitch, blocks, bytes: (numbers * width).next_multiple_of(64), parts }
    }

    /// Bytes of scratch memory that all parts need beside what threads have.
    pub(super) fn scratch(&self) -> usize {
        if self.bytes <= OWN { 0 } else { self.bytes.saturating_mul(self.parts) }
    }
}

fn last_step(sequences: &Sequences) -> isize {
    sequences.batch_steps.last().copied().unwrap_or(isize::MAX)
}

/// Executes a command.
///
/// # Safety
///
/// As for [`super::fft`], of a command whose sequences are transformed whole.
pub(super) unsafe fn run<T: Real>(command: &Fft, plan: &Plan<T>, machine: &Machine, fork: Fork<'_>, scratch: *mut u8) {
    let Core::Whole(short) = &plan.core else { return };
    let division = Division::of(command, plan, machine);
    let scratch = Address(scratch);
    let inner = command.batch.last().copied().unwrap_or(1);
    let all = division.blocks * (command.count() / inner);
    let share = all.div_ceil(division.parts);
    let work = Work { command, plan, short, division: &division, isa: machine.isa, inner };
    let part = |n: usize| {
        let blocks = n * share..all.min((n + 1) * share);
        if division.scratch() == 0 {
            OWN_SCRATCH.with_borrow_mut(|own| {
                own.resize(OWN / 16, 0);
                // SAFETY: the caller vouches for the memory; blocks are disjoint, and the scratch memory is this thread's.
                blocks.for_each(|block| unsafe { work.transform(block, own.as_mut_ptr().cast()) });
            });
        } else {
            let own = scratch.offset((n * division.bytes) as isize);
            // SAFETY: as above; each part has scratch memory of its own.
            blocks.for_each(|block| unsafe { work.transform(block, own.0.cast()) });
        }
    };
    match all.div_ceil(share) {
        1 => part(0),
        parts => fork(parts, &part),
    }
}

/// What a thread needs to know.
struct Work<'a, T> {
    command: &'a Fft,
    plan: &'a Plan<T>,
    short: &'a Short<T>,
    division: &'a Division,
    isa: Isa,
    inner: usize,
}

impl<T: Real> Work<'_, T> {
    /// Transforms the sequences of a block.
    ///
    /// # Safety
    ///
    /// As for [`run`]; nobody else touches these sequences' results, nor the scratch memory, which is as large as the
    /// division says.
    unsafe fn transform(&self, block: usize, scratch: *mut Complex<T>) {
        let Division { is_direct, rows, pitch, blocks, .. } = *self.division;
        let Work { command, plan, .. } = *self;
        let (outer, start) = (block / blocks, block % blocks * rows);
        let rows = rows.min(self.inner - start);
        let next = |sequences: &Sequences| sequences.batch_steps.last().copied().unwrap_or(0);
        let (input, out) = (&command.input, &command.out);
        let from = place(command, input, command.input_dtype().size(), outer, start);
        let to = place(command, out, command.out_dtype().size(), outer, start);
        let from = View::of_input(command, plan, from, next(input));
        let to: View<T> = View::of_output(command, plan, to, next(out));
        let core_scratch = plan.core_scratch();
        // SAFETY: there is as much scratch memory.
        let core_room = unsafe { slice::from_raw_parts_mut(scratch, core_scratch) };
        let (work, pitch) = if is_direct {
            (to.first.cast::<Complex<T>>(), if rows > 1 { to.next as usize / 2 } else { plan.points })
        } else {
            (scratch.wrapping_add(core_scratch), pitch)
        };
        let reads = match command.kind {
            FftKind::RealInverse => command.kind.reads(command.length),
            _ => plan.points,
        };
        // SAFETY: the caller's promise; rows are as long as a sequence becomes at any time.
        unsafe { from.load(rows, reads, work, pitch) };
        let row = |n: usize, length: usize| {
            // SAFETY: rows are `pitch` numbers apart, and used one at a time.
            unsafe { slice::from_raw_parts_mut(work.wrapping_add(n * pitch), length) }
        };
        let is_real_inverse = command.kind == FftKind::RealInverse;
        for n in (0..rows).filter(|_| is_real_inverse) {
            if plan.is_half {
                fold(self.isa, row(n, plan.points + 1), &plan.first_roots);
            } else {
                mirror(row(n, plan.points));
            }
        }
        if pitch == plan.points {
            self.short.process_with_scratch(row(0, rows * pitch), core_room);
        } else {
            (0..rows).for_each(|n| self.short.process_with_scratch(row(n, plan.points), core_room));
        }
        if command.kind.is_from_real() && plan.is_half {
            (0..rows).for_each(|n| unfold(self.isa, row(n, plan.points + 1), &plan.first_roots));
        }
        if command.kind == FftKind::RealWhole && plan.is_half {
            (0..rows).for_each(|n| mirror(row(n, command.length)));
        }
        let writes = if is_real_inverse { plan.points } else { command.kind.writes(command.length) };
        if command.scale != 1.0 {
            (0..rows).for_each(|n| scale(row(n, writes), command.scale));
        }
        if !is_direct {
            // SAFETY: the caller's promise; rows hold as many numbers.
            unsafe { to.store(rows, writes, work, pitch) };
        }
    }
}

/// Multiplies numbers by a real one.
pub(super) fn scale<T: Real>(row: &mut [Complex<T>], factor: f64) {
    let factor = T::of(factor);
    row.iter_mut().for_each(|number| *number = number.scale(factor));
}

/// The whole of a sequence whose first half is given: conjugates follow. The first is real.
fn mirror<T: Real>(row: &mut [Complex<T>]) {
    let length = row.len();
    row[0].im = T::zero();
    for n in 1..length.div_ceil(2) {
        row[length - n] = row[n].conj();
    }
}

/// Where a sequence begins: that of a position along the last axis of the batch, at a point of the others.
pub(super) fn place(command: &Fft, sequences: &Sequences, width: usize, outer: usize, inner: usize) -> Address {
    let Some((&last, steps)) = sequences.batch_steps.split_last() else { return sequences.address };
    let (mut rest, mut moved) = (outer, last * inner as isize);
    for (&step, &length) in steps.iter().zip(&command.batch).rev() {
        moved += step * (rest % length) as isize;
        rest /= length;
    }
    sequences.address.offset(moved * width as isize)
}
