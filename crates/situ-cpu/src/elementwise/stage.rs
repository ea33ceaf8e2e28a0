//! Values of a program over a space, a stretch at a time, side by side in memory of their own.
//!
//! This is how other commands take a map in: they compute as many values as the first-level cache holds, and go on with
//! those.

use situ_hal::Mapped;
use situ_ir::Program;

use super::nest::{Cut, Nest};
use super::schedule::Schedule;
use super::tile;
use crate::isa::Isa;

/// A program over the inputs of a command, which must outlive it.
#[derive(Debug)]
pub(crate) struct Stage {
    pieces: (Nest, Schedule),
    /// The same for whole rows, where they are short.
    rows: Option<(Nest, Schedule)>,
    isa: Isa,
}

impl Stage {
    /// A program over inputs along their axes in this order; there is at least one axis.
    pub(crate) fn new(program: &Program, inputs: &Mapped, axes: &[usize], isa: Isa) -> Stage {
        let nest = Nest::staged(program, inputs, axes);
        let planned = |nest: Nest| {
            let schedule = Schedule::new(program, &nest, isa, false);
            (nest, schedule)
        };
        let by_rows = nest.clone().by_rows();
        let rows = (by_rows.cut == Cut::Rows).then(|| planned(by_rows));
        Stage { pieces: planned(nest), rows, isa }
    }

    /// Computes the values at positions `begin..end`, counted in the order of the axes.
    ///
    /// # Safety
    ///
    /// The inputs can be read; `to` has room for so many values, aligned, and no input lies there. The processor has the
    /// instruction set.
    pub(crate) unsafe fn compute(&mut self, begin: usize, end: usize, to: *mut u8) {
        let row = self.pieces.0.row_length();
        let is_whole = begin.is_multiple_of(row) && end.is_multiple_of(row);
        let ((nest, schedule), unit) = match &mut self.rows {
            Some(rows) if is_whole => (rows, row),
            _ => (&mut self.pieces, 1),
        };
        if let Some(out) = nest.operands.last_mut() {
            // The walk adds the positions up to here again.
            out.start = to.wrapping_sub(begin * out.width);
        }
        // SAFETY: the caller's promise; the positions lie inside the nest.
        unsafe { tile::run_part(nest, schedule, self.isa, begin / unit, end / unit) };
    }
}
