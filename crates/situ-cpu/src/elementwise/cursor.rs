//! A row of a nest and where every operand's part of it begins.

use situ_types::Dims;
use smallvec::SmallVec;

use super::nest::Nest;

/// A position among the rows of a nest.
#[derive(Debug)]
pub(super) struct Cursor<'n> {
    nest: &'n Nest,
    /// The row's index along the outer axes.
    index: Dims,
    starts: SmallVec<[*mut u8; 4]>,
}

impl<'n> Cursor<'n> {
    /// At the given row, counted in the order of the axes.
    pub(super) fn at(nest: &'n Nest, row: usize) -> Cursor<'n> {
        let mut cursor = Cursor {
            nest,
            index: Dims::from_elem(0, nest.dims.len() - 1),
            starts: nest.operands.iter().map(|operand| operand.start).collect(),
        };
        cursor.seek(row);
        cursor
    }

    /// Where an operand's part of the row begins.
    pub(super) fn start(&self, operand: usize) -> *mut u8 {
        self.starts[operand]
    }

    /// Goes to a row.
    pub(super) fn seek(&mut self, mut row: usize) {
        for axis in (0..self.index.len()).rev() {
            self.index[axis] = row % self.nest.dims[axis];
            row /= self.nest.dims[axis];
        }
        for (start, operand) in self.starts.iter_mut().zip(&self.nest.operands) {
            let offset: isize = self.index.iter().zip(&operand.steps).map(|(&i, step)| i as isize * step).sum();
            *start = operand.start.wrapping_offset(offset);
        }
    }

    /// Goes to the next row; after the last to the first.
    pub(super) fn advance(&mut self) {
        for axis in (0..self.index.len()).rev() {
            self.index[axis] += 1;
            let wraps = self.index[axis] == self.nest.dims[axis];
            let moved = if wraps { 1 - self.nest.dims[axis] as isize } else { 1 };
            for (start, operand) in self.starts.iter_mut().zip(&self.nest.operands) {
                *start = start.wrapping_offset(operand.steps[axis] * moved);
            }
            if !wraps {
                return;
            }
            self.index[axis] = 0;
        }
    }

    /// Calls `visit(start, rows)` for runs of evenly spaced rows that together are the next `rows` rows of an operand.
    pub(super) fn for_each_run(&self, operand: usize, mut rows: usize, mut visit: impl FnMut(*mut u8, usize)) {
        let Some(last) = self.index.len().checked_sub(1) else {
            return visit(self.starts[operand], rows);
        };
        let (dims, steps) = (&self.nest.dims, &self.nest.operands[operand].steps);
        let mut index = self.index.clone();
        let mut start = self.starts[operand];
        loop {
            let run = rows.min(dims[last] - index[last]);
            visit(start, run);
            rows -= run;
            if rows == 0 {
                return;
            }
            start = start.wrapping_offset(-(index[last] as isize) * steps[last]);
            index[last] = 0;
            for axis in (0..last).rev() {
                index[axis] += 1;
                if index[axis] < dims[axis] {
                    start = start.wrapping_offset(steps[axis]);
                    break;
                }
                index[axis] = 0;
                start = start.wrapping_offset(steps[axis] * (1 - dims[axis] as isize));
            }
        }
    }
}
