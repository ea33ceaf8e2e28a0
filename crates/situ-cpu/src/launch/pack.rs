//! Moving work-items closer together.
//!
//! Where most work-items have left a loop, the others' registers are copied side by side, and the loop goes on with blocks of
//! them, one after another, that are as large as the first-level cache allows. What they have assigned is copied back.

use std::slice;

use super::control::Trips;
use super::frame::{Cell, Form, Frame, Mask};
use super::moves::PADDING;
use super::plan::{Packing, Repeat};
use crate::bytes::LINE;

/// Iterations after which a loop is thought to have many more.
const MANY: u64 = 32;

impl Frame<'_> {
    /// Whether so few take part in an iteration that it is worth it, or there have been so many that there will be more.
    #[inline(always)]
    pub(super) fn is_worth_packing(&self, mask: Mask, iteration: u64) -> bool {
        let is_sparse = mask.active * 2 <= self.lanes && self.padded > PADDING;
        mask.active > 0 && (is_sparse || iteration >= MANY && self.padded > self.piece)
    }

    /// Memory for so many bytes, until the one who takes it gives it back.
    fn take(&mut self, bytes: usize) -> *mut u8 {
        let taken = self.packed;
        self.packed = taken.wrapping_add(bytes.next_multiple_of(LINE));
        taken
    }

    /// Goes on with a loop for those who take part only.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run).
    pub(super) unsafe fn pack(
        &mut self,
        repeat: &Repeat,
        packing: &Packing,
        mask: &mut Mask,
        trips: Option<Trips>,
        iteration: u64,
    ) {
        let (packed, active) = (self.packed, mask.active);
        let places = self.take(size_of::<u32>() * active).cast::<u32>();
        let mut count = 0;
        for lane in 0..self.lanes {
            // SAFETY: the mask has a byte for each work-item, and there is room for a number of each that takes part.
            unsafe {
                places.add(count).write(lane as u32);
                count += usize::from(mask.at.add(lane).read() != 0);
                if count == active {
                    break;
                }
            }
        }
        let piece = active.div_ceil(active.div_ceil(self.piece)).next_multiple_of(PADDING);
        for first in (0..active).step_by(piece) {
            // SAFETY: passed on from the caller; so many places have been written.
            unsafe {
                let places = slice::from_raw_parts(places.add(first), piece.min(active - first));
                self.pack_some(repeat, packing, mask, trips, iteration, places);
            }
        }
        self.packed = packed;
    }

    /// Goes on with a loop for the work-items at some places.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run).
    unsafe fn pack_some(
        &mut self,
        repeat: &Repeat,
        packing: &Packing,
        mask: &mut Mask,
        trips: Option<Trips>,
        iteration: u64,
        places: &[u32],
    ) {
        let (before, lanes, padded, packed) = (self.cells.clone(), self.lanes, self.padded, self.packed);
        let (places, count) = (places.as_ptr(), places.len());
        let room = count.next_multiple_of(PADDING);
        for &register in &packing.read {
            let width = self.width(register);
            let from = if self.cells[register].form == Form::One { None } else { Some(self.spread(register)) };
            // SAFETY: there are elements where work-items are, and room for as many.
            unsafe {
                let own = self.take(room * width);
                match from {
                    Some(from) => (self.moves.pack[width.ilog2() as usize])(own, from, places, count),
                    None => own.copy_from_nonoverlapping(self.cells[register].at, width),
                }
                let form = if from.is_some() { Form::Each } else { Form::One };
                self.cells[register] = Cell { own, at: own, form, is_spread: false };
            }
        }
        for &register in &packing.assigned {
            let own = self.take(room * self.width(register));
            self.cells[register] = Cell { own, at: own, form: Form::Each, is_spread: false };
        }
        (self.lanes, self.padded) = (count, room);
        // SAFETY: masks have a byte for each work-item. The bytes of the loop's own are not needed any more: who is behind it
        // is known from before it.
        unsafe {
            mask.at.write_bytes(1, count);
            mask.at.add(count).write_bytes(0, room - count);
            *mask = Mask { active: count, ..*mask };
            // Some have left before.
            self.iterate(repeat, mask, trips, iteration, None);
        }
        for &register in &packing.written {
            self.spread(register);
        }
        (self.lanes, self.padded) = (lanes, padded);
        let after = std::mem::replace(&mut self.cells, before);
        for &register in &packing.written {
            let by_width = self.width(register).ilog2() as usize;
            self.spread(register);
            // SAFETY: both have an element for each work-item, and no two work-items share a place.
            unsafe { (self.moves.unpack[by_width])(self.cells[register].own, after[register].at, places, count) };
            self.wrote(register, Form::Each);
        }
        self.packed = packed;
    }
}
