//! Values of a program over a space, a stretch at a time, side by side in memory of their own.
//!
//! This is how other commands take a map in: they compute as many values as the first-level cache holds, and go on with
//! those.

use situ_hal::Mapped;
use situ_ir::Program;

use super::nest::Nest;
use super::schedule::Schedule;
use super::tile;
use crate::isa::Isa;

/// A program over the inputs of a command, which must outlive it.
#[derive(Debug)]
pub(crate) struct Stage<'a> {
    program: &'a Program,
    /// Planned for pieces of rows, at their first use.
    pieces: Option<(Nest, Schedule)>,
    /// Planned for whole rows, where they are short.
    rows: Option<(Nest, Schedule)>,
    nest: Nest,
    isa: Isa,
}

impl<'a> Stage<'a> {
    /// A program over inputs along their axes in this order; there is at least one axis.
    pub(crate) fn new(program: &'a Program, inputs: &Mapped, axes: &[usize], isa: Isa) -> Stage<'a> {
        Stage { program, pieces: None, rows: None, nest: Nest::staged(program, inputs, axes), isa }
    }

    /// Computes the values at positions `begin..end`, counted in the order of the axes.
    ///
    /// # Safety
    ///
    /// The inputs can be read; `to` has room for so many values, aligned, and no input lies there. The processor has the
    /// instruction set.
    pub(crate) unsafe fn compute(&mut self, begin: usize, end: usize, to: *mut u8) {
        let row = self.nest.row_length();
        let is_whole = self.nest.has_short_rows() && begin.is_multiple_of(row) && end.is_multiple_of(row);
        let (planned, unit) = if is_whole { (&mut self.rows, row) } else { (&mut self.pieces, 1) };
        let (nest, schedule) = planned.get_or_insert_with(|| {
            let nest = if is_whole { self.nest.clone().by_rows() } else { self.nest.clone() };
            let schedule = Schedule::new(self.program, &nest, self.isa, false);
            (nest, schedule)
        });
        if let Some(out) = nest.operands.last_mut() {
            // The walk adds the positions up to here again.
            out.start = to.wrapping_sub(begin * out.width);
        }
        // SAFETY: the caller's promise; the positions lie inside the nest.
        unsafe { tile::run_part(nest, schedule, self.isa, begin / unit, end / unit) };
    }
}
