//! Results whose values are neighbours: chunk after chunk, by lanes.

use std::sync::atomic::{AtomicBool, Ordering};

use situ_hal::Reduce;
use situ_ir::tree::{CHUNK, LANES, RADIX};

use super::carry::Carry;
use super::memory::Lanes;
use super::source::{InPlace, Source, TILE};
use super::{Combiner, Partials, spread};
use crate::elementwise::{Fork, Machine};

/// The most groups of one result: what they come to is kept until all are there.
const GROUPS: usize = 1 << 16;

/// Values of a group, the least that a thread takes on: a chunk, or so many of those that the tree combines anyway.
fn group_length(length: usize) -> usize {
    let mut group = CHUNK;
    while length.div_ceil(group) > GROUPS {
        group *= RADIX;
    }
    group
}

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
    let (results, length) = (command.results(), command.length());
    let group_length = group_length(length);
    let per_result = length.div_ceil(group_length);
    let mut partials = Partials::new(results, per_result, 1, combiner);
    let (values, places) = partials.shared();
    let part = combiner.part;
    // Whether a truth value is known before all elements have been looked at.
    let is_settled = AtomicBool::new(false);
    let may_settle = combiner.settling.is_some() && combiner.search.is_none() && results == 1;
    let mut first_group = 0;
    if may_settle && per_result > 1 {
        // Often the first elements will do, and then nobody else need be asked.
        let mut worker = Worker::new(command, combiner, machine);
        // SAFETY: the caller's promise.
        unsafe {
            worker.combine_group(0, 0, group_length, values.at(0));
            is_settled.store(combiner.is_settled(values.at(0)), Ordering::Relaxed);
        }
        first_group = 1;
    }
    let settled = u8::from(combiner.settling.unwrap_or_default());
    spread(results * per_result - first_group, nanoseconds, machine, fork, &|from, to| {
        let mut worker = Worker::new(command, combiner, machine);
        let (mut item, to) = (from + first_group, to + first_group);
        while item < to {
            if may_settle && is_settled.load(Ordering::Relaxed) {
                // SAFETY: the items' places are their own, and a truth value is a byte.
                unsafe { values.at(item).write_bytes(settled, to - item) };
                return;
            }
            // Dividing takes as long as combining a short row.
            let (result, group) = if per_result == 1 { (item, 0) } else { (item / per_result, item % per_result) };
            let (first, end) = (group * group_length, length.min((group + 1) * group_length));
            // SAFETY: the caller's promise; the item's place in the partial results is its own.
            unsafe {
                if combiner.search.is_some() {
                    worker.find(result, first, end, values.at(item * part), places.at(item));
                    item += 1;
                } else if worker.takes_several() {
                    // A group is all there is of a result.
                    let count = (TILE / length).min(to - item);
                    worker.combine_short(result, count, values.at(item * part));
                    item += count;
                } else {
                    worker.combine_group(result, first, end, values.at(item * part));
                    if may_settle && combiner.is_settled(values.at(item)) {
                        is_settled.store(true, Ordering::Relaxed);
                    }
                    item += 1;
                }
            }
        }
    });
    partials
}

/// What one thread works with.
struct Worker<'a> {
    command: &'a Reduce,
    combiner: &'a Combiner,
    source: Source<'a>,
    lanes: Lanes,
    /// What is known of the lanes while values are taken in, where that is more than a value.
    columns: Lanes,
    length: usize,
}

impl<'a> Worker<'a> {
    fn new(command: &'a Reduce, combiner: &'a Combiner, machine: &Machine) -> Worker<'a> {
        let axes: situ_types::Dims = (0..command.inputs.shape.len()).collect();
        let elements_will_do = combiner.truths.is_some();
        let mut source =
            Source::new(command.reduction.map(), &command.inputs, &axes, TILE, elements_will_do, machine.isa);
        if command.reduced_shape().len() > 1 && matches!(source, Source::InPlace(_)) {
            source = Source::staged(command.reduction.map(), &command.inputs, &axes, TILE, machine.isa);
        }
        Worker { command, combiner, source, lanes: Lanes::new(), columns: Lanes::new(), length: command.length() }
    }

    /// Whether values of several results fit a tile, into which they have to go anyway.
    fn takes_several(&self) -> bool {
        matches!(self.source, Source::Staged { .. }) && self.length <= TILE / 2
    }

    /// Where values `first..end` of a result are, which are no more than a tile unless they are used in place.
    ///
    /// # Safety
    ///
    /// As for [`groups`].
    unsafe fn values(&mut self, result: usize, first: usize, end: usize) -> *const u8 {
        match &mut self.source {
            Source::InPlace(input) => in_place(input, self.command, result).wrapping_add(first * input.width()),
            Source::Staged { stage, tile } => {
                let tile = tile.start();
                let at = result * self.length;
                // SAFETY: the caller's promise; the tile has room for so many values.
                unsafe { stage.compute(at + first, at + end, tile) };
                tile
            }
        }
    }

    /// The most values to ask for at a time.
    fn at_a_time(&self) -> usize {
        if matches!(self.source, Source::InPlace(_)) { usize::MAX } else { TILE }
    }

    /// Combines values `first..end` of a result, a group, into one at `to`.
    ///
    /// # Safety
    ///
    /// As for [`groups`].
    unsafe fn combine_group(&mut self, result: usize, first: usize, end: usize, to: *mut u8) {
        if end - first <= CHUNK {
            // SAFETY: passed on from the caller.
            return unsafe { self.combine_chunk(result, first, end, to) };
        }
        let mut carry = Carry::new(self.combiner, 1);
        for chunk in (first..end).step_by(CHUNK) {
            // SAFETY: passed on from the caller.
            unsafe {
                self.combine_chunk(result, chunk, end.min(chunk + CHUNK), to);
                if self.combiner.is_settled(to) {
                    return;
                }
                carry.push(to);
            }
        }
        // SAFETY: passed on from the caller.
        unsafe { carry.total(to) };
    }

    /// Combines values `first..end` of a result, a chunk, into one at `to`.
    ///
    /// # Safety
    ///
    /// As for [`groups`].
    unsafe fn combine_chunk(&mut self, result: usize, first: usize, end: usize, to: *mut u8) {
        if let (Some(truths), Some(settling), Source::InPlace(_)) =
            (self.combiner.truths, self.combiner.settling, &self.source)
        {
            // SAFETY: passed on from the caller; a truth value is a byte.
            unsafe {
                let values = self.values(result, first, end);
                return to.write(u8::from((truths.settles)(values, end - first) == settling));
            }
        }
        let most = self.at_a_time();
        let mut at = first;
        // SAFETY: the caller's promise; the lanes have room for as many values.
        unsafe {
            while at < end {
                let count = most.min(end - at);
                let values = self.values(result, at, at + count);
                self.deal_out(values, count, (at - first) / LANES);
                at += count;
            }
            self.combine_lanes(end - first, to);
        }
    }

    /// Combines values with the lanes after so many rounds, or starts them: so many that all but the last round are full.
    ///
    /// # Safety
    ///
    /// There are so many values.
    unsafe fn deal_out(&mut self, values: *const u8, count: usize, before: usize) {
        let (lanes, columns, combiner) = (self.lanes.start(), self.columns.start(), self.combiner);
        let round = LANES * combiner.width;
        let (rounds, rest) = (count / LANES, count % LANES);
        // SAFETY: the caller's promise; there are so many lanes.
        let take = |first: usize, rounds: usize, width: usize| unsafe {
            let (values, before) = (values.wrapping_add(first * round), before + first);
            match combiner.columns {
                Some(of) => (of.take_in)(columns, LANES, values, round as isize, rounds, width, before),
                None => (combiner.loops.fold)(lanes, values, round as isize, rounds, width, before > 0),
            }
        };
        if rounds > 0 {
            take(0, rounds, LANES);
        }
        if rest > 0 {
            take(rounds, 1, rest);
        }
    }

    /// Combines the lanes of a chunk of so many values into one part at `to`.
    ///
    /// # Safety
    ///
    /// All of its values have been dealt out, and there is room for a part.
    unsafe fn combine_lanes(&mut self, count: usize, to: *mut u8) {
        let (lanes, columns, combiner) = (self.lanes.start(), self.columns.start(), self.combiner);
        let (rounds, rest, live) = (count / LANES, count % LANES, count.min(LANES));
        // SAFETY: the caller's promise.
        unsafe {
            if let Some(of) = combiner.columns {
                return (of.halve)(to, columns, live, rest, rounds);
            }
            (combiner.loops.halve)(lanes, live);
            to.copy_from_nonoverlapping(lanes, combiner.part);
        }
    }

    /// Combines the values of several short results, each into one from `to` on.
    ///
    /// # Safety
    ///
    /// As for [`groups`]; all of their values together are no more than a tile.
    unsafe fn combine_short(&mut self, result: usize, count: usize, to: *mut u8) {
        let (length, Combiner { width, part, .. }) = (self.length, *self.combiner);
        // SAFETY: the caller's promise.
        unsafe {
            let values = self.values(result, 0, count * length);
            for n in 0..count {
                self.deal_out(values.wrapping_add(n * length * width), length, 0);
                self.combine_lanes(length, to.wrapping_add(n * part));
            }
        }
    }

    /// Finds the first of the greatest or least among values `first..end` of a result.
    ///
    /// # Safety
    ///
    /// As for [`groups`].
    unsafe fn find(&mut self, result: usize, first: usize, end: usize, value: *mut u8, place: *mut i64) {
        let Some(search) = self.combiner.search else { return };
        // In place too, so that what is looked through for its position is near.
        for at in (first..end).step_by(TILE) {
            let count = TILE.min(end - at);
            let is_first = at == first;
            let extreme = if is_first { value } else { self.lanes.start() };
            // SAFETY: the caller's promise; the lanes have room for a value.
            unsafe {
                let values = self.values(result, at, at + count);
                (search.extreme)(extreme, values, count);
                if !is_first {
                    if !(search.takes_over)(extreme, value) {
                        continue;
                    }
                    value.copy_from_nonoverlapping(extreme, self.combiner.width);
                }
                place.write((at + (search.find)(values, count, value)) as i64);
            }
        }
    }
}

/// Where a result's first value lies.
fn in_place(input: &InPlace<'_>, command: &Reduce, result: usize) -> *const u8 {
    input.at(input.start(), &command.inputs.shape, 0..command.kept, result)
}
