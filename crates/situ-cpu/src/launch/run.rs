//! Carries out steps that compute, and assignments.

use std::mem::MaybeUninit;
use std::slice;

use super::frame::{Form, Frame, Mask};
use super::fused::FusedLoops;
use super::linear::Outcome;
use super::plan::{Assign, Code, Compute, Register, Registers, Step};
use crate::elementwise::Loop;

/// The most operands of a step.
const OPERANDS: usize = 3;

impl Frame<'_> {
    /// Runs a block of so many work-items, or the group of that number.
    ///
    /// # Safety
    ///
    /// Every element that the kernel comes to can be accessed as it does.
    pub(super) unsafe fn run(&mut self, first: usize, lanes: usize) {
        let padded = lanes.next_multiple_of(super::moves::PADDING).min(self.room);
        if padded > self.padded {
            self.cells.iter_mut().for_each(|cell| cell.is_spread = false);
        }
        (self.first, self.lanes, self.padded) = (first, lanes, padded);
        self.place();
        self.clear_private();
        for &register in &self.launched.plan.zeroed {
            self.put(register, &[0; 16]);
        }
        (self.any_ended, self.fault) = (false, None);
        let everybody = self.everybody();
        let plan = self.launched.plan;
        // SAFETY: passed on from the caller.
        unsafe { self.code(&plan.body, everybody) };
        if let Some(fault) = self.fault {
            self.launched.report(first, fault);
        }
    }

    /// Carries out steps; who is left afterwards, in the same bytes.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run).
    pub(super) unsafe fn code(&mut self, code: &Code, mut mask: Mask) -> Mask {
        for step in code {
            if mask.active == 0 {
                break;
            }
            // SAFETY: passed on from the caller.
            unsafe {
                match step {
                    Step::Compute(compute) => self.compute(compute),
                    Step::Fused { loops, args, to } => self.fused(loops, args, *to),
                    Step::Copy { from, to } => self.copy(*from, *to),
                    Step::Assign(assign) => self.assign(assign, mask),
                    Step::Load { from, to, may_borrow } => self.load(from, *to, *may_borrow, mask),
                    Step::Store { to, from } => self.store(to, *from, mask),
                    Step::Change(change) => self.change(change, mask),
                    Step::Exchange { exchange, body, value, place, to } => {
                        self.exchange(*exchange, *body, *value, *place, *to, mask);
                    }
                    Step::If { condition, then, otherwise, masks } => {
                        mask = self.branch(*condition, [then, otherwise], *masks, mask);
                    }
                    Step::Loop(repeat) => mask = self.repeat(repeat, mask),
                    Step::Break => mask.active = 0,
                    Step::Continue => mask = self.go_on(mask),
                    Step::Return => mask = self.end(mask, mask),
                    Step::Barrier(report) => mask = self.barrier(*report, mask),
                    Step::Guard { condition, report, values, mask: buffer } => {
                        mask = self.guard(*condition, *report, values, *buffer, mask);
                    }
                }
            }
        }
        mask
    }

    /// # Safety
    ///
    /// The loop takes operands and gives results of the registers' widths.
    #[inline(always)]
    pub(super) unsafe fn call(&mut self, body: Loop, inputs: &[*const u8], to: Register, count: usize, form: Form) {
        let out = self.cells[to].own.cast::<MaybeUninit<u8>>();
        // SAFETY: registers have room for the block, and none of the inputs is in the memory of the one that is written to.
        unsafe { body(slice::from_raw_parts_mut(out, count * self.width(to)), inputs) };
        self.wrote(to, form);
    }

    /// # Safety
    ///
    /// The step is one of the plan's.
    #[inline(always)]
    unsafe fn compute(&mut self, compute: &Compute) {
        let args = &compute.args[..];
        let mut inputs = [std::ptr::null(); OPERANDS];
        let (mut ones, mut is_line) = (0, compute.linear.is_some());
        for (n, &arg) in args.iter().enumerate() {
            let cell = &self.cells[arg];
            inputs[n] = cell.at;
            ones += usize::from(cell.form == Form::One);
            is_line &= cell.form != Form::Each;
        }
        let used = &inputs[..args.len()];
        if ones == args.len() {
            // SAFETY: each operand is one element.
            return unsafe { self.call(compute.body, used, compute.to, 1, Form::One) };
        }
        if is_line && self.compute_line(compute) {
            return;
        }
        if ones == 1 && compute.decisive.is_some() {
            return self.decide(compute);
        }
        let mut body = compute.body;
        let last = args.len() - 1;
        // What a loop takes as one element need not be written for each.
        let mut kept = usize::MAX;
        if ones == 1 {
            if let (Some(by_one), Form::One) = (compute.by_one, self.cells[args[last]].form) {
                (body, kept) = (by_one, last);
            } else if let Some(loops) = compute.mixed {
                kept = usize::from(self.cells[args[0]].form != Form::One);
                body = loops[kept];
            }
        }
        for (n, &arg) in args.iter().enumerate() {
            if n != kept {
                inputs[n] = self.spread(arg);
            }
        }
        // SAFETY: every operand has an element for each work-item, but for the one that the loop takes as such.
        unsafe { self.call(body, &inputs[..args.len()], compute.to, self.padded, Form::Each) };
    }

    /// Computes with truth values one of which is the same for all.
    #[inline(never)]
    fn decide(&mut self, compute: &Compute) {
        let (a, b) = (compute.args[0], compute.args[1]);
        let (one, other) = if self.one(a).is_some() { (a, b) } else { (b, a) };
        match (self.holds(one), compute.decisive) {
            (Some(holds), Some(decisive)) if holds == decisive => self.put(compute.to, &[holds.into()]),
            _ => self.copy(other, compute.to),
        }
    }

    /// Computes with evenly spaced integers, if the result is of that kind.
    fn compute_line(&mut self, compute: &Compute) -> bool {
        let Some(rule) = compute.linear else { return false };
        let (first, last) = (compute.args[0], compute.args[compute.args.len() - 1]);
        let (Some(a), Some(b)) = (self.line(first), self.line(last)) else { return false };
        match rule.apply(a, b, self.lanes) {
            Some(Outcome::Line(line)) if line.step == 0 => self.put(compute.to, &line.first.to_ne_bytes()),
            Some(Outcome::Line(line)) => self.wrote(compute.to, Form::Line(line)),
            Some(Outcome::Truth(truth)) => self.put(compute.to, &[truth.into()]),
            None => return false,
        }
        true
    }

    /// # Safety
    ///
    /// The step is one of the plan's.
    #[inline(always)]
    unsafe fn fused(&mut self, loops: &FusedLoops, args: &Registers, to: Register) {
        let (mut inputs, mut ones) = ([std::ptr::null(); 3], 0);
        for (n, &arg) in args[..].iter().enumerate() {
            match self.one(arg) {
                Some(at) => (inputs[n], ones) = (at, ones | 1 << n),
                None => inputs[n] = self.spread(arg),
            }
        }
        let (count, form) = if ones == 7 { (1, Form::One) } else { (self.padded, Form::Each) };
        // SAFETY: operands have one element or one for each work-item, and are not where the result goes.
        unsafe { loops[ones](self.cells[to].own, inputs, count) };
        self.wrote(to, form);
    }

    pub(super) fn copy(&mut self, from: Register, to: Register) {
        let (width, padded) = (self.width(from), self.padded);
        let from = self.cells[from];
        match from.form {
            Form::Line(_) => {}
            // SAFETY: both registers have room for elements of this width.
            Form::One => unsafe { self.cells[to].own.copy_from_nonoverlapping(from.at, width) },
            // SAFETY: as above; the elements of one register are not in the memory of another.
            Form::Each => unsafe { self.cells[to].own.copy_from_nonoverlapping(from.at, padded * width) },
        }
        self.wrote(to, from.form);
    }

    #[inline(always)]
    pub(super) fn assign(&mut self, assign: &Assign, mask: Mask) {
        let Assign { variable, value, moves, blends } = *assign;
        if blends && !self.is_full(mask) {
            return self.blend(variable, value, mask);
        }
        if variable == value {
            return;
        }
        if moves && self.cells[value].at.cast_mut() == self.cells[value].own {
            self.cells.swap(variable, value);
        } else {
            self.copy(value, variable);
        }
    }

    /// Assigns for those who take part and keeps what the others have.
    fn blend(&mut self, variable: Register, value: Register, mask: Mask) {
        let by_width = self.width(variable).ilog2() as usize;
        self.spread(variable);
        let (one, moves, padded) = (self.one(value), self.moves, self.padded);
        let (blend, from) = match one {
            Some(at) => (moves.blend_one[by_width], at),
            None => (moves.blend[by_width], self.spread(value)),
        };
        let own = self.cells[variable].own;
        if from == own.cast_const() {
            return;
        }
        // SAFETY: both registers have an element for each work-item, and the mask a byte.
        unsafe { blend(own, from, mask.at, padded) };
        self.wrote(variable, Form::Each);
    }
}
