//! Branches, loops, and who takes part.

use situ_ir::kernel::Fault;
use smallvec::SmallVec;

use super::frame::{Form, Frame, Mask};
use super::integer;
use super::plan::{Code, Count, Exit, MaskBuffer, Register, Repeat};

/// A loop whose integers are the same for all: how many there are, the first and the step, as bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trips {
    count: u64,
    start: u64,
    step: u64,
}

impl Frame<'_> {
    /// A mask of its own for those of another.
    fn copied(&mut self, buffer: MaskBuffer, mask: Mask) -> Mask {
        let at = self.mask(buffer);
        // SAFETY: both have a byte for each work-item.
        unsafe { at.copy_from_nonoverlapping(mask.at, self.padded) };
        Mask { at, ..mask }
    }

    /// Whether a truth value holds that is the same for all.
    pub(super) fn holds(&self, condition: Register) -> Option<bool> {
        // SAFETY: a truth value has a byte.
        self.one(condition).map(|at| unsafe { at.read() } != 0)
    }

    /// # Safety
    ///
    /// As for [`run`](Self::run).
    pub(super) unsafe fn branch(
        &mut self,
        condition: Register,
        [then, otherwise]: [&Code; 2],
        buffers: [MaskBuffer; 2],
        mask: Mask,
    ) -> Mask {
        if let Some(holds) = self.holds(condition) {
            // SAFETY: passed on from the caller, here and below.
            return unsafe { self.code(if holds { then } else { otherwise }, mask) };
        }
        let (yes, no) = (self.mask(buffers[0]), self.mask(buffers[1]));
        let (condition, padded) = (self.spread(condition), self.padded);
        // SAFETY: registers and masks have a byte for each work-item.
        let active = unsafe { (self.moves.and)(yes, mask.at, condition, padded) };
        if active == 0 || active == mask.active {
            // SAFETY: as above.
            return unsafe { self.code(if active == 0 { otherwise } else { then }, mask) };
        }
        let mut yes = Mask { at: yes, active };
        let mut no = Mask { at: no, active: mask.active - active };
        // SAFETY: as above.
        unsafe {
            (self.moves.and_not)(no.at, mask.at, yes.at, padded);
            yes = self.code(then, yes);
            no = self.code(otherwise, no);
        }
        self.either(yes, no, mask)
    }

    /// Who is left of a mask that was divided in two, in its own bytes.
    fn either(&mut self, yes: Mask, no: Mask, whole: Mask) -> Mask {
        let active = yes.active + no.active;
        if active != whole.active && active != 0 {
            // Bytes of an empty mask mean nothing.
            let one = |mask: Mask, other: Mask| if mask.active == 0 { other.at } else { mask.at };
            // SAFETY: masks have a byte for each work-item.
            unsafe { (self.moves.or)(whole.at, one(yes, no), one(no, yes), self.padded) };
        }
        Mask { active, ..whole }
    }

    /// Ends some of those who take part.
    pub(super) fn end(&mut self, ending: Mask, mask: Mask) -> Mask {
        let ended = self.ended;
        // SAFETY: masks have a byte for each work-item.
        unsafe {
            if !self.any_ended {
                ended.write_bytes(0, self.room);
                self.any_ended = true;
            }
            (self.moves.or)(ended, ended, ending.at, self.padded);
            let active = (self.moves.and_not)(mask.at, mask.at, ended, self.padded);
            Mask { active, ..mask }
        }
    }

    /// Has those who take part wait for the next iteration.
    pub(super) fn go_on(&mut self, mask: Mask) -> Mask {
        if let Some(continued) = &mut self.continued {
            let before = if continued.active == 0 { mask.at } else { continued.at };
            // SAFETY: masks have a byte for each work-item.
            continued.active = unsafe { (self.moves.or)(continued.at, before, mask.at, self.padded) };
        }
        Mask { active: 0, ..mask }
    }

    /// # Safety
    ///
    /// As for [`run`](Self::run).
    pub(super) unsafe fn repeat(&mut self, repeat: &Repeat, mask: Mask) -> Mask {
        let mut inside = self.copied(repeat.mask, mask);
        let trips = repeat.count.as_ref().map(|count| self.start(count));
        let outer = self.continued;
        self.continued = repeat.continued.map(|buffer| Mask { at: self.mask(buffer), active: 0 });
        let mut entered = Some(mask.active);
        if !self.is_full(mask) {
            for exit in repeat.exits.iter().filter(|exit| exit.is_kept) {
                self.copy(exit.variable, exit.left);
                entered = None;
            }
        }
        // SAFETY: passed on from the caller.
        let is_together = unsafe { self.iterate(repeat, &mut inside, trips.flatten(), 0, entered) };
        if !is_together {
            repeat.exits.iter().for_each(|exit| self.cells.swap(exit.variable, exit.left));
        }
        self.continued = outer;
        if (self.launched.is_interrupted)() {
            return Mask { active: 0, ..mask };
        }
        if repeat.has_ends && self.any_ended {
            // SAFETY: masks have a byte for each work-item.
            let active = unsafe { (self.moves.and_not)(mask.at, mask.at, self.ended, self.padded) };
            return Mask { active, ..mask };
        }
        mask
    }

    /// Has work-items leave a loop whose integers are over. So many have entered, if variables need not be taken along where
    /// all leave together; whether they do.
    fn leave(&mut self, exits: &[Exit], leaving: Mask, entered: Option<usize>) -> bool {
        if Some(leaving.active) == entered {
            return true;
        }
        for assign in exits.iter().filter_map(|exit| exit.taken()) {
            self.assign(&assign, leaving);
        }
        false
    }

    /// Iterates until everybody has left the loop. There may be a number of iterations that is the same for all. Whether all
    /// have left together, so that variables are what they should be; `entered` as for [`leave`](Self::leave).
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run).
    pub(super) unsafe fn iterate(
        &mut self,
        repeat: &Repeat,
        mask: &mut Mask,
        trips: Option<Trips>,
        first: u64,
        entered: Option<usize>,
    ) -> bool {
        let mut iteration = first;
        while mask.active > 0 {
            if let Some(count) = &repeat.count
                && let Some(leaving) = self.next(count, trips, iteration, mask)
            {
                let is_together = self.leave(&repeat.exits, leaving, entered);
                if mask.active == 0 {
                    return is_together;
                }
            }
            // SAFETY: passed on from the caller.
            *mask = unsafe { self.code(&repeat.body, *mask) };
            if let Some(continued) = self.continued.filter(|continued| continued.active > 0) {
                let before = if mask.active == 0 { continued.at } else { mask.at };
                // SAFETY: masks have a byte for each work-item.
                mask.active = unsafe { (self.moves.or)(mask.at, before, continued.at, self.padded) };
                self.continued = Some(Mask { active: 0, ..continued });
            }
            iteration += 1;
            if (self.launched.is_interrupted)() {
                return false;
            }
            if let Some(packing) = &repeat.packing
                && self.is_worth_packing(*mask, iteration)
            {
                // SAFETY: as above.
                unsafe { self.pack(repeat, packing, mask, trips, iteration) };
                return false;
            }
        }
        false
    }

    /// A bound that is the same for all.
    fn integer(&self, count: &Count, bound: Register) -> Option<i128> {
        // SAFETY: bounds have the counter's dtype.
        self.one(bound).and_then(|at| unsafe { integer::read(count.dtype, at) })
    }

    /// Begins to count: how many iterations there are, if it is the same for all.
    fn start(&mut self, count: &Count) -> Option<Trips> {
        let [start, stop, step] = count.bounds;
        if let [Some(start), Some(stop), Some(step)] = count.bounds.map(|bound| self.integer(count, bound)) {
            let count = integer::trips(start, stop, step);
            return Some(Trips { count, start: start as u64, step: step as u64 });
        }
        let bounds = [start, stop, step].map(|bound| self.spread(bound));
        let trips = self.cells[count.trips].own.cast::<u64>();
        for lane in 0..self.lanes {
            let [start, stop, step] = bounds.map(|bound| {
                let at = bound.wrapping_add(lane * count.dtype.size());
                // SAFETY: the register has an element for each work-item.
                unsafe { integer::read(count.dtype, at) }.unwrap_or_default()
            });
            // SAFETY: a register has room for a uint64 of each work-item.
            unsafe { trips.add(lane).write(integer::trips(start, stop, step)) };
        }
        self.wrote(count.trips, Form::Each);
        None
    }

    /// Counts on; for whom there is no other iteration, if there are such.
    fn next(&mut self, count: &Count, trips: Option<Trips>, iteration: u64, mask: &mut Mask) -> Option<Mask> {
        let width = count.dtype.size();
        if let Some(Trips { count: trips, start, step }) = trips {
            if iteration >= trips {
                return Some(std::mem::replace(mask, Mask { active: 0, ..*mask }));
            }
            let integer = start.wrapping_add(step.wrapping_mul(iteration));
            // SAFETY: the register has room for an integer of this width.
            unsafe { integer::write(width, self.cells[count.counter].own, integer) };
            self.wrote(count.counter, Form::One);
            return None;
        }
        if iteration == 0 {
            let from = self.spread(count.bounds[0]);
            // SAFETY: both registers have room for the block.
            unsafe { self.cells[count.counter].own.copy_from_nonoverlapping(from, self.padded * width) };
            self.wrote(count.counter, Form::Each);
        } else {
            let inputs = [self.spread(count.counter), self.spread(count.bounds[2])];
            // SAFETY: the operands have an element for each work-item.
            unsafe { self.call(count.add, &inputs, count.next, self.padded, Form::Each) };
            self.cells.swap(count.counter, count.next);
        }
        let (trips, goes_on) = (self.spread(count.trips), self.cells[count.goes_on].own);
        // SAFETY: as above.
        let active = unsafe {
            (self.moves.above)(goes_on, trips.cast(), iteration, self.padded);
            (self.moves.and_not)(goes_on, mask.at, goes_on, self.padded)
        };
        if active == 0 {
            return None;
        }
        // SAFETY: as above.
        mask.active = unsafe { (self.moves.and_not)(mask.at, mask.at, goes_on, self.padded) };
        Some(Mask { at: goes_on, active })
    }

    /// Has somebody who does not take part reported, unless somebody has failed already.
    pub(super) fn barrier(&mut self, report: usize, mask: Mask) -> Mask {
        if self.fault.is_some() || self.is_full(mask) {
            return mask;
        }
        // SAFETY: the mask has a byte for each work-item.
        let absent = (0..self.lanes).find(|&lane| unsafe { mask.at.add(lane).read() } == 0);
        let item = self.item(absent.unwrap_or_default());
        self.fault = Some(Fault { report, item, values: [0; 2] });
        self.end(mask, mask)
    }

    pub(super) fn guard(
        &mut self,
        condition: Register,
        report: usize,
        values: &SmallVec<[Register; 2]>,
        buffer: MaskBuffer,
        mask: Mask,
    ) -> Mask {
        if self.holds(condition) == Some(true) {
            return mask;
        }
        let (failing, padded) = (self.mask(buffer), self.padded);
        let condition = self.spread(condition);
        // SAFETY: registers and masks have a byte for each work-item.
        let active = unsafe { (self.moves.and_not)(failing, mask.at, condition, padded) };
        if active == 0 {
            return mask;
        }
        // SAFETY: as above.
        let first = (0..self.lanes).find(|&lane| unsafe { failing.add(lane).read() } != 0).unwrap_or_default();
        let item = self.item(first);
        // Groups report what happens first, others what happens to the first: that is the order of the interpreter.
        let is_first = self.fault.is_none_or(|earlier| !self.launched.is_grouped && item < earlier.item);
        if is_first {
            let mut told = [0; 2];
            for (told, &value) in told.iter_mut().zip(values) {
                // SAFETY: an int64 of each work-item is there.
                *told = unsafe { self.spread(value).cast::<i64>().add(first).read() };
            }
            self.fault = Some(Fault { report, item, values: told });
        }
        self.end(Mask { at: failing, active }, mask)
    }
}
