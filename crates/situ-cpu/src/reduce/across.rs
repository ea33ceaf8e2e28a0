//! Results that are neighbours themselves: rows of values, each combined with the rows before it.

use situ_hal::Reduce;
use situ_ir::tree::RADIX;
use situ_types::Dims;

use super::carry::Carry;
use super::memory::Memory;
use super::moments::PLANES;
use super::source::{Source, TILE};
use super::{Combiner, Partials, spread};
use crate::elementwise::{Fork, Machine};

/// Rows of a group, the least that a thread takes on: two levels of the tree, or one where there are few.
const GROUP: usize = RADIX * RADIX;

/// The most groups of one result: what they come to is kept until all are there.
const GROUPS: usize = 1 << 12;

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
    let strip = columns.div_ceil(columns.div_ceil(TILE)).next_multiple_of(16);
    let strips = columns.div_ceil(strip);
    let is_scarce = outer * strips * length.div_ceil(GROUP) < machine.chunks(nanoseconds);
    let mut group_rows = if is_scarce { RADIX } else { GROUP };
    while length.div_ceil(group_rows) > GROUPS {
        group_rows *= RADIX;
    }
    let per_result = length.div_ceil(group_rows);
    let mut partials = Partials::new(outer, per_result, columns, combiner);
    let (values, places) = partials.shared();
    spread(outer * per_result * strips, nanoseconds, machine, fork, &|from, to| {
        let mut worker = Worker::new(command, combiner, machine);
        for item in from..to {
            let (row_of_partials, first) = (item / strips, item % strips * strip);
            let (outer, group) = (row_of_partials / per_result, row_of_partials % per_result);
            let part = Part {
                outer,
                rows: group * group_rows..length.min((group + 1) * group_rows),
                first,
                count: strip.min(columns - first),
            };
            let at = row_of_partials * columns + first;
            // SAFETY: the caller's promise; the part's place in the partial results is its own.
            unsafe {
                if combiner.search.is_some() {
                    worker.find(&part, values.at(at * combiner.width), places.at(at));
                } else {
                    worker.combine(&part, values.at(at * combiner.part));
                }
            }
        }
    });
    partials
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
    /// What is known of the columns of a strip while values are taken in, where that is more than a value.
    columns_so_far: Memory,
    length: usize,
    columns: usize,
}

impl<'a> Worker<'a> {
    fn new(command: &'a Reduce, combiner: &'a Combiner, machine: &Machine) -> Worker<'a> {
        let (shape, kept) = (&command.inputs.shape, command.kept);
        let inner = kept.saturating_sub(1);
        let axes: Dims = (0..inner).chain(kept..shape.len()).chain(inner..kept).collect();
        let elements_will_do = combiner.truths.is_some();
        let source = Source::new(command.reduction.map(), &command.inputs, &axes, TILE, elements_will_do, machine.isa);
        let columns = command.kept_shape().last().copied().unwrap_or(1);
        let strip = TILE.min(columns);
        let level = Memory::new(strip * combiner.part);
        let planes = if combiner.columns.is_some() { PLANES } else { 0 };
        let columns_so_far = Memory::new(planes * strip * combiner.width);
        Worker { command, combiner, source, level, columns_so_far, length: command.length(), columns }
    }

    /// Where a part's values in some rows are, which are no more than [`at_a_time`](Self::at_a_time).
    ///
    /// # Safety
    ///
    /// As for [`groups`].
    unsafe fn rows(&mut self, part: &Part, row: usize, count: usize) -> *const u8 {
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
                // Several rows follow each other only where they are whole.
                let values = if count > 1 { count * self.columns } else { part.count };
                // SAFETY: the caller's promise; the tile has room for so many values.
                unsafe { stage.compute(at, at + values, tile) };
                tile
            }
        }
    }

    /// The most rows to ask for at a time, and bytes from one to the next.
    fn at_a_time(&self, part: &Part) -> (usize, isize) {
        match &self.source {
            Source::InPlace(input) if self.command.reduced_shape().len() == 1 => {
                let is_wide = part.count * input.width() >= WIDE;
                (if is_wide { SIDE_BY_SIDE } else { RADIX }, input.step(self.command.kept))
            }
            Source::InPlace(_) => (1, 0),
            Source::Staged { .. } if part.count < self.columns => (1, 0),
            Source::Staged { .. } => ((TILE / part.count).clamp(1, RADIX), (part.count * self.combiner.width) as isize),
        }
    }

    /// Combines a part's rows into one at `to`.
    ///
    /// # Safety
    ///
    /// As for [`groups`].
    unsafe fn combine(&mut self, part: &Part, to: *mut u8) {
        let (fold, level) = (self.combiner.loops.fold, self.level.start());
        let fold_values = match (&self.source, self.combiner.truths) {
            (Source::InPlace(_), Some(truths)) => truths.fold,
            _ => fold,
        };
        let (columns, so_far) = (self.combiner.columns, self.columns_so_far.start());
        let (at_a_time, step) = self.at_a_time(part);
        let mut carry = (part.rows.len() > GROUP).then(|| Carry::new(self.combiner, part.count));
        for first in part.rows.clone().step_by(RADIX) {
            let end = part.rows.end.min(first + RADIX);
            let is_only = part.rows.len() <= RADIX;
            let level = if is_only { to } else { level };
            // SAFETY: the caller's promise; there is room for a strip.
            unsafe {
                for row in (first..end).step_by(at_a_time) {
                    let count = at_a_time.min(end - row);
                    let values = self.rows(part, row, count);
                    match columns {
                        Some(of) => (of.take_in)(so_far, part.count, values, step, count, part.count, row - first),
                        None => fold_values(level, values, step, count, part.count, row > first),
                    }
                }
                if let Some(of) = columns {
                    (of.close)(level, so_far, part.count, part.count, end - first);
                }
                match &mut carry {
                    Some(carry) => carry.push(level),
                    None if is_only => {}
                    None => fold(to, level, 0, 1, part.count, first > part.rows.start),
                }
            }
        }
        if let Some(carry) = &mut carry {
            // SAFETY: as above.
            unsafe { carry.total(to) };
        }
    }

    /// Finds the first of the greatest or least in each of a part's columns.
    ///
    /// # Safety
    ///
    /// As for [`groups`].
    unsafe fn find(&mut self, part: &Part, best: *mut u8, places: *mut i64) {
        let Some(search) = self.combiner.search else { return };
        let (at_a_time, step) = self.at_a_time(part);
        for first in part.rows.clone().step_by(at_a_time) {
            let count = at_a_time.min(part.rows.end - first);
            // SAFETY: the caller's promise; there is room for a strip.
            unsafe {
                let values = self.rows(part, first, count);
                for row in first..first + count {
                    let values = values.wrapping_offset((row - first) as isize * step);
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
}
