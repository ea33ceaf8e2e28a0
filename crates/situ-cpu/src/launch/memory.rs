//! Elements of arrays, to registers and from them.

use situ_ir::kernel::Space;

use super::frame::{Form, Frame, Mask};
use super::plan::{Element, Register};
use crate::bytes::stream;
use crate::elementwise::{copy_line, repeat};

/// Where the elements of a block are, counted in elements from the first of an array.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach {
    /// All work-items' at one place.
    One(isize),
    /// Evenly spaced.
    Line { first: isize, step: isize },
    /// Where the frame's offsets say.
    Each,
}

impl Frame<'_> {
    /// Where the elements of an array are that work-items mean.
    pub(super) fn reach(&mut self, element: &Element) -> Reach {
        let array = &self.arrays[element.array.index()];
        let (mut first, mut step) = (0i64, i64::from(array.space == Space::Private));
        let mut is_line = true;
        let (at, strides) = (&element.at[..], &array.strides[..]);
        for n in 0..at.len().min(strides.len()) {
            let Some(line) = self.line(at[n]) else {
                is_line = false;
                continue;
            };
            first = first.wrapping_add(line.first.wrapping_mul(strides[n] as i64));
            step = step.wrapping_add(line.step.wrapping_mul(strides[n] as i64));
        }
        if is_line {
            let first = first as isize;
            return if step == 0 { Reach::One(first) } else { Reach::Line { first, step: step as isize } };
        }
        // SAFETY: there is room for an offset of each work-item, and registers that are no line have an element of each.
        unsafe {
            (self.moves.line)(self.offsets, first, step, self.padded);
            for (&index, &stride) in at.iter().zip(strides) {
                let cell = &self.cells[index];
                if cell.form == Form::Each {
                    (self.moves.add_scaled)(self.offsets, cell.at.cast(), stride as i64, self.padded);
                }
            }
        }
        Reach::Each
    }

    /// Whether evenly spaced elements of so many work-items are the array's, whoever takes part.
    fn is_inside(&self, element: &Element, first: isize, step: isize, lanes: usize) -> bool {
        let array = &self.arrays[element.array.index()];
        let last = (step as i128) * (lanes as i128 - 1) + first as i128;
        let inside = |at: i128| (array.low as i128..array.high as i128).contains(&at);
        inside(first as i128) && inside(last)
    }

    /// Writes evenly spaced offsets.
    pub(super) fn write_offsets(&mut self, first: isize, step: isize) {
        // SAFETY: there is room for an offset of each work-item.
        unsafe { (self.moves.line)(self.offsets, first as i64, step as i64, self.padded) };
    }

    /// # Safety
    ///
    /// Those who take part can read their elements.
    pub(super) unsafe fn load(&mut self, from: &Element, to: Register, may_borrow: bool, mask: Mask) {
        let reach = self.reach(from);
        let (at, width) = (self.arrays[from.array.index()].at, self.width(to));
        let (own, by_width, lanes) = (self.cells[to].own, width.ilog2() as usize, self.lanes);
        let is_full = self.is_full(mask);
        let step_bytes = |step: isize| step * width as isize;
        match reach {
            Reach::One(offset) => {
                // SAFETY: somebody takes part, whose element this is.
                unsafe { own.copy_from_nonoverlapping(at.wrapping_offset(step_bytes(offset)), width) };
                return self.wrote(to, Form::One);
            }
            Reach::Line { first, step: 1 } if may_borrow && self.is_inside(from, first, 1, self.padded) => {
                self.wrote(to, Form::Each);
                self.cells[to].at = at.wrapping_offset(step_bytes(first));
                return;
            }
            Reach::Line { first, step } if is_full || self.is_inside(from, first, step, lanes) => {
                let start = at.wrapping_offset(step_bytes(first));
                // SAFETY: all work-items' elements can be read.
                unsafe { copy_line(self.launched.isa, width, own, None, start, Some(step_bytes(step)), lanes) };
                return self.wrote(to, Form::Each);
            }
            Reach::Line { first, step } => self.write_offsets(first, step),
            Reach::Each => {}
        }
        // SAFETY: only elements of those who take part are read.
        unsafe {
            if is_full {
                (self.moves.gather[by_width])(own, at, self.offsets, lanes);
            } else {
                (self.moves.gather_masked[by_width])(own, at, self.offsets, mask.at, lanes);
            }
        }
        self.wrote(to, Form::Each);
    }

    /// # Safety
    ///
    /// Those who take part can write their elements.
    pub(super) unsafe fn store(&mut self, to: &Element, from: Register, mask: Mask) {
        let reach = self.reach(to);
        let (at, width) = (self.arrays[to.array.index()].at, self.width(from));
        let (isa, by_width, lanes) = (self.launched.isa, width.ilog2() as usize, self.lanes);
        let is_full = self.is_full(mask);
        let step_bytes = |step: isize| step * width as isize;
        match reach {
            Reach::One(offset) => {
                let value = match self.one(from) {
                    Some(value) => value,
                    None => self.spread(from).wrapping_add(self.last(mask) * width),
                };
                // SAFETY: somebody takes part, whose element this is; the last one's value stays.
                unsafe { at.wrapping_offset(step_bytes(offset)).copy_from(value, width) };
                return;
            }
            Reach::Line { first, step: 1 } => {
                let start = at.wrapping_offset(step_bytes(first));
                // SAFETY: those who take part can write their elements, and nothing else is written.
                unsafe {
                    match (is_full, self.one(from)) {
                        (true, Some(value)) => repeat(isa, width, start, value, lanes),
                        (true, None) => {
                            let value = self.spread(from);
                            let is_streamed = self.launched.streams
                                && self.arrays[to.array.index()].space == Space::Global
                                && lanes >= STREAMED;
                            if is_streamed {
                                stream(isa, start, value, lanes * width);
                            } else {
                                start.copy_from(value, lanes * width);
                            }
                        }
                        _ => (self.moves.store[by_width])(start, self.spread(from), mask.at, lanes),
                    }
                }
                return;
            }
            Reach::Line { first, step } if is_full => {
                let value = self.spread(from);
                let start = at.wrapping_offset(step_bytes(first));
                // SAFETY: all work-items' elements can be written.
                unsafe { copy_line(isa, width, start, Some(step_bytes(step)), value, None, lanes) };
                return;
            }
            Reach::Line { first, step } => self.write_offsets(first, step),
            Reach::Each => {}
        }
        let value = self.spread(from);
        // SAFETY: only elements of those who take part are written.
        unsafe { (self.moves.scatter[by_width])(at, self.offsets, value, mask.at, lanes) };
    }

    /// The last of those who take part.
    fn last(&self, mask: Mask) -> usize {
        // SAFETY: the mask has a byte for each work-item.
        (0..self.lanes).rev().find(|&lane| unsafe { mask.at.add(lane).read() } != 0).unwrap_or_default()
    }

    /// Zeros in the arrays of each work-item.
    pub(super) fn clear_private(&mut self) {
        for array in self.arrays.iter().filter(|array| array.space == Space::Private) {
            // SAFETY: the frame has room for an array of each work-item.
            unsafe { array.at.write_bytes(0, array.size * array.width * self.room) };
        }
    }
}

/// So many work-items' results at least are worth non-temporal stores.
const STREAMED: usize = 256;
