//! A long sequence by all threads.
//!
//! The sequence is seen as the rows of a matrix. Its columns are transformed and multiplied by powers of a root into scratch
//! memory, some neighbouring ones at a time; then its rows, whose results are columns of the transposed matrix. Memory is
//! passed over twice, whatever the length, and everything between is done in a core's own cache.

use std::ops::Range;
use std::slice;

use num_complex::Complex;
use situ_hal::{Address, Fft, FftKind};

use super::batch::{place, scale};
use super::half::{fold_ends, fold_part, mirror_part, unfold_ends, unfold_part};
use super::plan::{Core, Plan, Real, Split};
use super::roots::{GROUP, Roots, narrowed};
use super::view::{TOGETHER, View};
use crate::elementwise::{Fork, Machine};
use crate::isa::Isa;

/// Bytes of columns that are transformed at a time: they stay in a core's own cache.
const BLOCK: usize = 1 << 18;

/// How a command is divided, and the scratch memory it needs.
#[derive(Debug)]
pub(super) struct Division {
    /// Columns, or rows, that are transformed at a time.
    together: usize,
    /// Complex numbers from a column to the next in scratch memory.
    pitch: usize,
    /// Complex numbers from a row of the matrix to the next.
    row_pitch: usize,
    /// Into how many parts threads divide a sequence.
    parts: usize,
    /// Bytes of the matrix.
    matrix: usize,
    /// Bytes that each part needs.
    bytes: usize,
    /// How many sequences are transformed at a time, each by one thread; 1 if all threads work on one.
    sequences: usize,
}

impl Division {
    pub(super) fn of<T: Real>(command: &Fft, plan: &Plan<T>, machine: &Machine) -> Division {
        let width = size_of::<Complex<T>>();
        let Core::Split(split) = &plan.core else {
            return Division { together: 1, pitch: 0, row_pitch: 0, parts: 1, matrix: 0, bytes: 0, sequences: 1 };
        };
        // Rows apart by a multiple of a page would push each other out of the cache.
        let padded = |length: usize| length.next_multiple_of(64 / width) + 64 / width;
        let (pitch, row_pitch) = (padded(split.column.len()), padded(split.row.len()));
        let fitting = BLOCK / (pitch * width) / TOGETHER * TOGETHER;
        let together = fitting.clamp(TOGETHER, 4 * TOGETHER);
        let bytes = ((plan.core_scratch() + together * pitch) * width).next_multiple_of(64);
        let (count, threads) = (command.count(), machine.threads);
        let is_even = count >= 4 * threads || count >= threads && count.is_multiple_of(threads);
        let sequences = if threads > 1 && is_even { threads } else { 1 };
        let parts = if sequences > 1 { 1 } else { machine.chunks(super::cost(command) / count.max(1) as u64) };
        let matrix = split.column.len() * row_pitch * width;
        Division { together, pitch, row_pitch, parts, matrix, bytes, sequences }
    }

    /// Bytes of scratch memory.
    pub(super) fn scratch(&self) -> usize {
        self.of_sequence().saturating_mul(self.sequences)
    }

    /// Bytes of scratch memory that a sequence needs.
    fn of_sequence(&self) -> usize {
        self.matrix.saturating_add(self.bytes.saturating_mul(self.parts))
    }
}

/// Executes a command.
///
/// # Safety
///
/// As for [`super::fft`], of a command whose sequences are divided.
pub(super) unsafe fn run<T: Real>(command: &Fft, plan: &Plan<T>, machine: &Machine, fork: Fork<'_>, scratch: *mut u8) {
    let Core::Split(split) = &plan.core else { return };
    let division = Division::of(command, plan, machine);
    let inner = command.batch.last().copied().unwrap_or(1);
    let scratch = Address(scratch);
    let transform = |sequence: usize, fork: Fork<'_>, matrix: Address| {
        let crew = Crew { division: &division, fork, rooms: matrix.offset(division.matrix as isize) };
        let (outer, inner) = (sequence / inner, sequence % inner);
        let from = place(command, &command.input, command.input_dtype().size(), outer, inner);
        let to = place(command, &command.out, command.out_dtype().size(), outer, inner);
        let from = View::of_input(command, plan, from, 0);
        let to = View::of_output(command, plan, to, 0);
        let work = Work { plan, split, division: &division, scale: command.scale, isa: machine.isa, matrix };
        // SAFETY: the caller's promise; there is as much scratch memory as the division says.
        unsafe { work.transform(command.kind, from, to, &crew) };
    };
    if division.sequences == 1 {
        return (0..command.count()).for_each(|sequence| transform(sequence, fork, scratch));
    }
    let alone: Fork<'_> = &|parts, body| (0..parts).for_each(body);
    fork(division.sequences, &|n| {
        let matrix = scratch.offset((n * division.of_sequence()) as isize);
        (n..command.count()).step_by(division.sequences).for_each(|sequence| transform(sequence, alone, matrix));
    });
}

/// Threads with the scratch memory of each part.
struct Crew<'a> {
    division: &'a Division,
    fork: Fork<'a>,
    rooms: Address,
}

impl Crew<'_> {
    /// Runs `part(room, range)` over `0..size` in pieces that begin at multiples of the grain.
    fn spread(&self, size: usize, grain: usize, part: &(dyn Fn(*mut u8, Range<usize>) + Sync)) {
        let length = size.div_ceil(self.division.parts).next_multiple_of(grain).max(1);
        let piece = |n: usize| {
            let room = self.rooms.offset((n * self.division.bytes) as isize);
            part(room.0, n * length..size.min((n + 1) * length));
        };
        match size.div_ceil(length) {
            0 => {}
            1 => piece(0),
            pieces => (self.fork)(pieces, &piece),
        }
    }
}

/// One sequence.
struct Work<'a, T> {
    plan: &'a Plan<T>,
    split: &'a Split<T>,
    division: &'a Division,
    scale: f64,
    isa: Isa,
    matrix: Address,
}

impl<T: Real> Work<'_, T> {
    /// Transforms the sequence.
    ///
    /// # Safety
    ///
    /// As for [`run`].
    unsafe fn transform(&self, kind: FftKind, from: View<T>, to: View<T>, crew: &Crew<'_>) {
        let Work { plan, .. } = *self;
        let points = plan.points;
        let with_images = points / 2 + 1;
        // The pairs of real numbers that come of it have room for what they are made of.
        let whole = View { real_parts: points, imaginary_parts: points, ..to };
        let from = if kind == FftKind::RealInverse {
            // SAFETY: the caller's promise; the input's memory is not the result's.
            unsafe { fold_ends(from, to, points) };
            // SAFETY: as above; parts are disjoint.
            crew.spread(with_images - 1, GROUP, &|_, numbers| unsafe {
                fold_part(self.isa, [from, to], points, &plan.roots, numbers.start + 1..numbers.end + 1);
            });
            whole
        } else {
            from
        };
        let (rows, columns) = (self.split.column.len(), self.split.row.len());
        let together = crew.division.together;
        crew.spread(columns, together, &|room, some| {
            for start in some.clone().step_by(together) {
                // SAFETY: the caller's promise; parts are disjoint columns, with a room each.
                unsafe { self.columns(from, start..some.end.min(start + together), room) };
            }
        });
        crew.spread(rows, together, &|room, some| {
            for start in some.clone().step_by(together) {
                // SAFETY: as above, for rows: all columns are done, so that nothing of the input is needed any more.
                unsafe { self.rows(to, start..some.end.min(start + together), room) };
            }
        });
        if kind.is_from_real() {
            let view = View { real_parts: points + 1, imaginary_parts: points + 1, ..to };
            // SAFETY: as above, for the first and the last number.
            unsafe { unfold_ends(view, points) };
            // SAFETY: as above, for the other numbers and their mirror images; parts are disjoint.
            crew.spread(with_images - 1, GROUP, &|_, numbers| unsafe {
                unfold_part(self.isa, view, points, &plan.roots, numbers.start + 1..numbers.end + 1);
            });
        }
        if kind == FftKind::RealWhole {
            // SAFETY: as above, for what is written; what is read is written no more.
            crew.spread(points - 1, GROUP, &|_, numbers| unsafe {
                mirror_part(whole, 2 * points, numbers.start + 1..numbers.end + 1);
            });
        }
    }

    /// Transforms columns and multiplies them by powers of the root.
    ///
    /// # Safety
    ///
    /// The columns can be read, nobody else touches those of the matrix, and the room is as large as a part's.
    unsafe fn columns(&self, from: View<T>, columns: Range<usize>, room: *mut u8) {
        let Division { pitch, row_pitch, .. } = *self.division;
        let Split { column, roots, .. } = self.split;
        let (length, count) = (column.len(), columns.len());
        let across = self.split.row.len();
        let core_scratch = self.plan.core_scratch();
        let scratch = room.cast::<Complex<T>>();
        let work = scratch.wrapping_add(core_scratch);
        // SAFETY: the room begins with as much.
        let core_room = unsafe { slice::from_raw_parts_mut(scratch, core_scratch) };
        let seen = |n: usize| {
            let first = from.starting_at(columns.start + n);
            let step = from.step * across as isize;
            let parts = [first.real_parts, first.imaginary_parts].map(|parts| parts.div_ceil(across));
            View { step, next: from.step, real_parts: parts[0], imaginary_parts: parts[1], ..first }
        };
        let is_whole = from.imaginary_parts >= self.plan.points;
        // SAFETY: the caller's promise; there is room for the columns.
        unsafe {
            if is_whole {
                seen(0).load(count, length, work, pitch);
            } else {
                (0..count).for_each(|n| seen(n).load(1, length, work.wrapping_add(n * pitch), pitch));
            }
        }
        for (n, index) in columns.clone().enumerate() {
            // SAFETY: rows of the room are `pitch` numbers apart, and used one at a time.
            let row = unsafe { slice::from_raw_parts_mut(work.wrapping_add(n * pitch), length) };
            column.process_with_scratch(row, core_room);
            // SAFETY: the instruction set is the machine's.
            unsafe { turn(self.isa, row, index, roots) };
        }
        let first = self.matrix.0.cast::<T>().wrapping_add(2 * columns.start);
        let (step, next) = (2 * row_pitch as isize, 2);
        let matrix = View { first, step, imaginary: 1, next, real_parts: 0, imaginary_parts: 0 };
        // SAFETY: the caller's promise.
        unsafe { matrix.store(count, length, work, pitch) };
    }

    /// Transforms rows, in the matrix itself, and brings them to the result.
    ///
    /// # Safety
    ///
    /// Nobody else touches these rows, nor the results that come of them; the room is as large as a part's.
    unsafe fn rows(&self, to: View<T>, rows: Range<usize>, room: *mut u8) {
        let Split { row, column, .. } = self.split;
        let (length, pitch) = (row.len(), self.division.row_pitch);
        let matrix = self.matrix.0.cast::<Complex<T>>().wrapping_add(rows.start * pitch);
        // SAFETY: the room begins with the scratch memory.
        let core_room = unsafe { slice::from_raw_parts_mut(room.cast::<Complex<T>>(), self.plan.core_scratch()) };
        for n in 0..rows.len() {
            // SAFETY: the caller's promise; the matrix has as many rows, which are used one at a time.
            let one = unsafe { slice::from_raw_parts_mut(matrix.wrapping_add(n * pitch), length) };
            row.process_with_scratch(one, core_room);
            if self.scale != 1.0 {
                scale(one, self.scale);
            }
        }
        let step = to.step * column.len() as isize;
        let seen = View { step, next: to.step, ..to.starting_at(rows.start) };
        // SAFETY: the caller's promise.
        unsafe { seen.store(rows.len(), length, matrix, pitch) };
    }
}

/// Multiplies numbers by the powers 0, `step`, 2 · `step` and so on of a root.
///
/// # Safety
///
/// The processor has the instruction set.
unsafe fn turn<T: Real>(isa: Isa, row: &mut [Complex<T>], step: usize, roots: &Roots) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn avx2<T: Real>(row: &mut [Complex<T>], step: usize, roots: &Roots) {
        body(row, step, roots);
    }
    #[inline(always)]
    fn body<T: Real>(row: &mut [Complex<T>], step: usize, roots: &Roots) {
        let fine = roots.multiples::<T>(step);
        for (n, group) in row.chunks_mut(GROUP).enumerate() {
            // The product of a row and a column's number is less than the number of all.
            let coarse = narrowed::<T>(roots.power(n * GROUP * step));
            for (number, &root) in group.iter_mut().zip(&fine) {
                *number = *number * (coarse * root);
            }
        }
    }
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise; the greater instruction set has this one.
        Isa::Avx2 | Isa::Avx512 => unsafe { avx2(row, step, roots) },
        _ => body(row, step, roots),
    }
}
