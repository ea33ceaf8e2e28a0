//! Results that are neighbours themselves: rows of values, each combined with the rows before it.

use situ_hal::Reduce;
use situ_ir::tree::RADIX;
use situ_types::Dims;

use super::memory::Memory;
use super::source::{Source, TILE};
use super::{Combiner, Partials, spread};
use crate::elementwise::{Fork, Machine};

/// Rows of a group, the least that a thread takes on: two levels of the tree.
const GROUP: usize = RADIX * RADIX;

/// Rows that are read side by side: few enough that memory is read in long runs, and more than one, so that what has
/// been combined is not written and read again for each.
const SIDE_BY_SIDE: usize = 4;

/// Bytes of a row that is read in one run with others beside it.
const WIDE: usize = 2048;

/// Combines every result's values by groups.
///
/// # Safety
///
/// As for [`reduce`](super::reduce).
pub(super) unsafe fn groups(
    command: &Reduce,
    combiner: &Combiner,
    nanoseconds: u64,
    machine: &Machine,
    fork: Fork<'_>,
) -> Partials {
    let (length, kept) = (command.length(), command.kept_shape());
    let columns = kept.last().copied().unwrap_or(1);
    let outer = command.results() / columns;
    let per_result = length.div_ceil(GROUP);
    let (strips, strip) = strips(columns);
    let mut partials = Partials::new(outer, per_result, columns, combiner);
    let (values, places) = partials.shared();
    spread(outer * per_result * strips, nanoseconds, machine, fork, &|from, to| {
        let mut worker = Worker::new(command, combiner, machine);
        for item in from..to {
            let (row_of_partials, first) = (item / strips, item % strips * strip);
            let (outer, group) = (row_of_partials / per_result, row_of_partials % per_result);
            let part = Part {
                outer,
                rows: group * GROUP..length.min((group + 1) * GROUP),
                first,
                count: strip.min(columns - first),
            };
            let at = row_of_partials * columns + first;
            // SAFETY: the caller's promise; the part's place in the partial results is its own.
            unsafe {
                if combiner.search.is_some() {
                    worker.find(&part, values.at(at * combiner.width), places.at(at));
                } else {
                    worker.combine(&part, values.at(at * combiner.width));
                }
            }
        }
    });
    partials
}

/// How many strips columns are divided into, and how wide those are: no more than a tile, and all about the same.
fn strips(columns: usize) -> (usize, usize) {
    let strip = columns.div_ceil(columns.div_ceil(TILE)).next_multiple_of(16);
    (columns.div_ceil(strip), strip)
}

/// Some rows and columns.
struct Part {
    /// Which of the tables of rows and columns.
    outer: usize,
    rows: std::ops::Range<usize>,
    first: usize,
    count: usize,
}

/// What one thread works with.
struct Worker<'a> {
    command: &'a Reduce,
    combiner: &'a Combiner,
    source: Source<'a>,
    /// A strip of what the rows of one level come to.
    level: Memory,
    length: usize,
    columns: usize,
}

impl<'a> Worker<'a> {
    fn new(command: &'a Reduce, combiner: &'a Combiner, machine: &Machine) -> Worker<'a> {
        let (shape, kept) = (&command.inputs.shape, command.kept);
        let inner = kept.saturating_sub(1);
        let axes: Dims = (0..inner).chain(kept..shape.len()).chain(inner..kept).collect();
        let source = Source::new(command.reduction.map(), &command.inputs, &axes, TILE, machine.isa);
        let level = Memory::new(TILE * combiner.width);
        let columns = command.kept_shape().last().copied().unwrap_or(1);
        Worker { command, combiner, source, level, length: command.length(), columns }
    }

    /// Where a part's values in one row are.
    ///
    /// # Safety
    ///
    /// As for [`groups`].
    unsafe fn row(&mut self, part: &Part, row: usize) -> *const u8 {
        let (shape, kept) = (&self.command.inputs.shape, self.command.kept);
        match &mut self.source {
            Source::InPlace(input) => {
                let table = input.at(input.start(), shape, 0..kept - 1, part.outer);
                let start = input.at(table, shape, kept..shape.len(), row);
                start.wrapping_offset(part.first as isize * input.step(kept - 1))
            }
            Source::Staged { stage, tile } => {
                let tile = tile.start();
                let at = (part.outer * self.length + row) * self.columns + part.first;
                // SAFETY: the caller's promise; a strip is no longer than the tile.
                unsafe { stage.compute(at, at + part.count, tile) };
                tile
            }
        }
    }

    /// Bytes from one row to the next, if they are the same for all rows and rows can be read side by side.
    fn row_step(&self) -> Option<isize> {
        match &self.source {
            Source::InPlace(input) if self.command.reduced_shape().len() == 1 => Some(input.step(self.command.kept)),
            _ => None,
        }
    }

    /// Combines a part's rows into one at `to`.
    ///
    /// # Safety
    ///
    /// As for [`groups`].
    unsafe fn combine(&mut self, part: &Part, to: *mut u8) {
        let (fold, level) = (self.combiner.loops.fold, self.level.start());
        let at_a_time = match self.row_step() {
            None => 1,
            Some(_) if part.count * self.combiner.width < WIDE => RADIX,
            Some(_) => SIDE_BY_SIDE,
        };
        let step = self.row_step().unwrap_or(0);
        for first in part.rows.clone().step_by(RADIX) {
            let end = part.rows.end.min(first + RADIX);
            let is_only = first == part.rows.start && end == part.rows.end;
            let level = if is_only { to } else { level };
            // SAFETY: the caller's promise; there is room for a strip.
            unsafe {
                for row in (first..end).step_by(at_a_time) {
                    let rows = at_a_time.min(end - row);
                    let values = self.row(part, row);
                    fold(level, values, step, rows, part.count, row > first);
                }
                if !is_only {
                    fold(to, level, 0, 1, part.count, first > part.rows.start);
                }
            }
        }
    }

    /// Finds the first of the greatest or least in each of a part's columns.
    ///
    /// # Safety
    ///
    /// As for [`groups`].
    unsafe fn find(&mut self, part: &Part, best: *mut u8, places: *mut i64) {
        let Some(search) = self.combiner.search else { return };
        for row in part.rows.clone() {
            // SAFETY: the caller's promise; there is room for a strip.
            unsafe {
                let values = self.row(part, row);
                if row == part.rows.start {
                    (self.combiner.loops.fold)(best, values, 0, 1, part.count, false);
                    std::slice::from_raw_parts_mut(places, part.count).fill(row as i64);
                } else {
                    (search.take_row)(best, places, values, row as i64, part.count);
                }
            }
        }
    }
}
