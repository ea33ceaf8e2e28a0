//! What work-items of a sub-group give each other.

use std::mem::MaybeUninit;

use situ_ir::kernel::{Exchange, SUB_GROUP};

use super::frame::{Form, Frame, Mask};
use super::plan::Register;
use crate::elementwise::Loop;

/// Room for an element of each work-item of a sub-group.
#[repr(align(64))]
struct Room([u8; SUB_GROUP * 16]);

impl Frame<'_> {
    /// # Safety
    ///
    /// The step is one of the plan's.
    pub(super) unsafe fn exchange(
        &mut self,
        exchange: Exchange,
        body: Option<Loop>,
        value: Register,
        place: Option<Register>,
        to: Register,
        mask: Mask,
    ) {
        let width = self.width(value);
        let from = self.spread(value);
        let place = place.map(|place| self.spread(place).cast::<i64>());
        let own = self.cells[to].own;
        for first in (0..self.lanes).step_by(SUB_GROUP) {
            let members = first..self.lanes.min(first + SUB_GROUP);
            if let Some(body) = body {
                // SAFETY: registers and masks have an element for each work-item.
                unsafe {
                    let combined = combine(members.clone(), from, width, body, mask);
                    for lane in members {
                        let result = combined.as_ref().map_or(from.add(lane * width), |room| room.0.as_ptr());
                        own.add(lane * width).copy_from_nonoverlapping(result, width);
                    }
                }
                continue;
            }
            for lane in members.clone() {
                // SAFETY: shuffles have a place for each work-item.
                let by = place.map_or(0, |place| unsafe { place.add(lane).read() });
                let at = (lane - first) as i64;
                let wanted = match exchange {
                    Exchange::Shuffle => Some(by),
                    Exchange::ShuffleXor => Some(at ^ by),
                    Exchange::ShuffleDown => at.checked_add(by),
                    Exchange::ShuffleUp => at.checked_sub(by),
                    Exchange::Reduce(_) => None,
                };
                let there =
                    wanted.and_then(|place| usize::try_from(place).ok()).and_then(|place| first.checked_add(place));
                let there = there.filter(|there| members.contains(there)).unwrap_or(lane);
                // SAFETY: registers have an element for each work-item.
                unsafe { own.add(lane * width).copy_from_nonoverlapping(from.add(there * width), width) };
            }
        }
        self.wrote(to, Form::Each);
    }
}

/// The values of those who take part, combined in the order of the interpreter: halves onto halves.
///
/// # Safety
///
/// There are values and a mask for the members.
unsafe fn combine(
    members: std::ops::Range<usize>,
    from: *const u8,
    width: usize,
    body: Loop,
    mask: Mask,
) -> Option<Room> {
    let (mut partial, mut count) = (Room([0; SUB_GROUP * 16]), 0);
    for lane in members {
        // SAFETY: passed on from the caller; there is room for a value of each.
        unsafe {
            if mask.at.add(lane).read() != 0 {
                partial.0.as_mut_ptr().add(count * width).copy_from_nonoverlapping(from.add(lane * width), width);
                count += 1;
            }
        }
    }
    while count > 1 {
        let half = count.next_power_of_two() / 2;
        let (mut results, bytes) = (Room([0; SUB_GROUP * 16]), (count - half) * width);
        let (low, high) = (partial.0.as_ptr(), partial.0[half * width..].as_ptr());
        // SAFETY: there are so many values in both halves, and the results go elsewhere.
        unsafe {
            let out = std::slice::from_raw_parts_mut(results.0.as_mut_ptr().cast::<MaybeUninit<u8>>(), bytes);
            body(out, &[low, high]);
        }
        partial.0[..bytes].copy_from_slice(&results.0[..bytes]);
        count = half;
    }
    (count == 1).then_some(partial)
}
