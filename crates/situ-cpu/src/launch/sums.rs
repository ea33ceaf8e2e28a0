//! Copies of arrays that work-items only add to.
//!
//! Threads that add to the same few elements wait for each other's cache lines. Where nobody looks at the elements before the
//! launch is over, each thread adds to a copy of its own, and the copies are added up in the end.

use situ_ir::kernel::{Atomic, Space};

use super::add::{self, Lanes};
use super::frame::Frame;
use super::launched::{ArrayPlace, Launched};
use super::plan::{ChangeKind, Code, Step};

/// The most elements of an array that is copied.
const ELEMENTS: usize = 1 << 14;

/// What is done with an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Nothing,
    /// It is added to, and nobody wants to know what was there.
    Sum,
    Other,
}

/// Which arrays a plan only adds to, of so many.
pub(super) fn of_code(code: &Code, arrays: usize) -> Vec<bool> {
    let mut uses = vec![Use::Nothing; arrays];
    visit(code, &mut uses);
    uses.into_iter().map(|used| used == Use::Sum).collect()
}

fn visit(code: &Code, uses: &mut [Use]) {
    for step in code {
        match step {
            Step::Change(change) => {
                let used = &mut uses[change.at.array.index()];
                let is_sum = matches!(change.kind, ChangeKind::Atomic(Atomic::Add | Atomic::Subtract, _))
                    && change.to.is_none()
                    && add::of(change.kind, change.dtype, true).is_some();
                *used = if is_sum && *used != Use::Other { Use::Sum } else { Use::Other };
            }
            Step::Load { from: element, .. } | Step::Store { to: element, .. } => {
                uses[element.array.index()] = Use::Other;
            }
            Step::If { then, otherwise, .. } => {
                visit(then, uses);
                visit(otherwise, uses);
            }
            Step::Loop(repeat) => visit(&repeat.body, uses),
            _ => {}
        }
    }
}

impl Launched<'_> {
    /// Whether threads have copies of an array: it is small, there are many more work-items, and no other array lies there.
    pub(super) fn is_copied(&self, array: usize) -> bool {
        let place = &self.arrays[array];
        let bytes = |place: &ArrayPlace| {
            let at = |offset: isize| place.at.wrapping_offset(offset * place.width as isize).addr();
            at(place.low)..at(place.high)
        };
        let here = bytes(place);
        let overlaps = |(n, other): (usize, &ArrayPlace)| {
            let there = bytes(other);
            n != array && other.space == Space::Global && there.start < here.end && here.start < there.end
        };
        let elements = (place.high - place.low) as usize;
        self.is_shared
            && self.plan.sums[array]
            && place.space == Space::Global
            && elements <= ELEMENTS
            && elements * 64 <= self.range.count()
            && !self.arrays.iter().enumerate().any(overlaps)
    }
}

impl Frame<'_> {
    /// Adds what work-items have added to copies.
    ///
    /// # Safety
    ///
    /// The arrays can be changed.
    pub(super) unsafe fn add_up(&mut self) {
        for (n, copy) in self.arrays.iter().enumerate().filter(|(_, array)| array.is_copy) {
            let (whole, dtype) = (&self.launched.arrays[n], self.launched.plan.dtypes[n]);
            let Some(add) = add::of(ChangeKind::Atomic(Atomic::Add, None), dtype, true) else { continue };
            for offset in copy.low..copy.high {
                let from = copy.at.wrapping_offset(offset * copy.width as isize);
                // SAFETY: the copy has the array's elements, and zeros for those that nobody has added to.
                unsafe {
                    let is_changed = std::slice::from_raw_parts(from, copy.width).iter().any(|&byte| byte != 0);
                    let (place, mask) = (offset as i64, u8::from(is_changed));
                    add(&Lanes { at: whole.at, offsets: &place, values: from, mask: &mask, to: None, count: 1 });
                }
            }
        }
    }
}
