//! The upper levels of the tree, and what becomes of the last one.

use std::sync::Arc;

use situ_hal::{Address, Elementwise, Operand, ProgramRef, Reduce, ReductionRef};
use situ_ir::tree::RADIX;
use situ_types::Strides;

use super::Combiner;
use super::memory::{Memory, Shared};
use crate::elementwise::{self, Fork, Machine};

/// What groups of values have been combined to: tables of rows, one row per group, of as many columns as there are
/// results side by side.
#[derive(Debug)]
pub(super) struct Partials {
    values: Memory,
    /// Where the values were in their sequences, if that is asked for.
    places: Memory,
    tables: usize,
    groups: usize,
    columns: usize,
}

impl Partials {
    pub(super) fn new(tables: usize, groups: usize, columns: usize, combiner: &Combiner) -> Partials {
        let count = tables * groups * columns;
        let places = if combiner.search.is_some() { count * size_of::<i64>() } else { 0 };
        Partials { values: Memory::new(count * combiner.part), places: Memory::new(places), tables, groups, columns }
    }

    /// Where the values and the positions are.
    pub(super) fn shared(&mut self) -> (Shared<u8>, Shared<i64>) {
        (Shared(self.values.start()), Shared(self.places.start().cast()))
    }

    /// Combines the groups of each result, level by level, until one is left, in the first rows of the tables.
    ///
    /// # Safety
    ///
    /// All partial results have been written.
    unsafe fn collapse(&mut self, combiner: &Combiner) {
        let row = self.columns * combiner.part;
        while self.groups > 1 {
            let fewer = self.groups.div_ceil(RADIX);
            for table in 0..self.tables {
                for group in 0..fewer {
                    let (first, count) = (group * RADIX, RADIX.min(self.groups - group * RADIX));
                    let from = table * self.groups + first;
                    let to = table * fewer + group;
                    // SAFETY: the caller's promise. Rows move to the front, never beyond one that is still to be read.
                    unsafe {
                        match combiner.search {
                            None => self.fold_rows(combiner, from, count, to, row),
                            Some(search) => self.take_rows(search, from, count, to, row, combiner),
                        }
                    }
                }
            }
            self.groups = fewer;
        }
    }

    /// # Safety
    ///
    /// The rows have been written.
    unsafe fn fold_rows(&mut self, combiner: &Combiner, from: usize, count: usize, to: usize, row: usize) {
        let start = self.values.start();
        let (source, target) = (start.wrapping_add(from * row), start.wrapping_add(to * row));
        // SAFETY: the caller's promise; the first row is where the others are combined into, and moves afterwards.
        unsafe {
            if count > 1 {
                let others = source.wrapping_add(row);
                (combiner.loops.fold)(source, others, row as isize, count - 1, self.columns, true);
            }
            std::ptr::copy(source, target, row);
        }
    }

    /// # Safety
    ///
    /// The rows have been written.
    unsafe fn take_rows(
        &mut self,
        search: super::Search,
        from: usize,
        count: usize,
        to: usize,
        row: usize,
        combiner: &Combiner,
    ) {
        let (values, places) = (self.values.start(), self.places.start().cast::<i64>());
        let (columns, width) = (self.columns, combiner.width);
        for column in 0..columns {
            let value = |group: usize| values.wrapping_add((from + group) * row + column * width);
            let mut best = 0;
            for group in 1..count {
                // SAFETY: the caller's promise.
                if unsafe { (search.takes_over)(value(group), value(best)) } {
                    best = group;
                }
            }
            // SAFETY: as above.
            unsafe {
                std::ptr::copy(value(best), values.wrapping_add(to * row + column * width), width);
                places
                    .wrapping_add(to * columns + column)
                    .write(*places.wrapping_add((from + best) * columns + column));
            }
        }
    }
}

/// Combines what is left to combine, and writes the results.
///
/// # Safety
///
/// As for [`reduce`](super::reduce); all partial results have been written.
pub(super) unsafe fn finish(
    command: &Reduce,
    combiner: &Combiner,
    mut partials: Partials,
    nanoseconds: u64,
    machine: &Machine,
    fork: Fork<'_>,
) {
    // SAFETY: the caller's promise.
    unsafe { partials.collapse(combiner) };
    let state = if combiner.search.is_some() { partials.places.start() } else { partials.values.start() };
    let finish = command.reduction.finish();
    // The first of what is known of a part is its value.
    let step = combiner.part / combiner.width;
    if step == 1 && finish.steps().is_empty() && is_dense(command.kept_shape(), &command.out_steps) {
        // SAFETY: the results are as many values side by side as the output has room for, for which the caller vouches.
        unsafe { command.out.0.copy_from_nonoverlapping(state, command.results() * finish.inputs()[0].size()) };
        return;
    }
    let program = match &command.reduction {
        ReductionRef::Static(reduction) => ProgramRef::Static(reduction.finish()),
        ReductionRef::Shared(_) => ProgramRef::Shared(Arc::new(finish.clone())),
    };
    let last = match (command.kept_shape(), &command.numbers[..]) {
        ([] | [_], [] | [_]) => on_one_axis(command, program, state, step as isize),
        (shape, _) => on_several_axes(command, program, state, step as isize, shape),
    };
    // SAFETY: what was combined lies in the partial results, evenly spaced in the order of the results, and the
    // caller vouches for where those go.
    unsafe { elementwise::execute(&last, nanoseconds.min(elementwise::cost(&last)), machine, fork) };
}

/// Whether results lie side by side in the order of the axes.
fn is_dense(shape: &[usize], steps: &[isize]) -> bool {
    let mut dense = 1;
    shape.iter().zip(steps).rev().all(|(&length, &step)| {
        let continues = step == dense || length == 1;
        dense *= length as isize;
        continues
    })
}

/// The finishing program over results along one axis or none.
fn on_one_axis(command: &Reduce, program: ProgramRef, state: *mut u8, step: isize) -> Elementwise {
    let nothing = Operand::Immediate([0; 16]);
    let (state, out) = (Operand::Memory(Address(state)), Operand::Memory(command.out));
    let out_step = command.out_steps.first().copied().unwrap_or(1);
    match command.numbers.first() {
        None => {
            let steps = [step, out_step, 0, 0];
            Elementwise::line(program, command.results(), [state, out, nothing, nothing], steps, 2)
        }
        Some(&number) => {
            let operands = [state, Operand::Immediate(number), out, nothing];
            Elementwise::line(program, command.results(), operands, [step, 0, out_step, 0], 3)
        }
    }
}

/// The same along any axes.
fn on_several_axes(
    command: &Reduce,
    program: ProgramRef,
    state: *mut u8,
    mut step: isize,
    shape: &[usize],
) -> Elementwise {
    let (shape, out_steps): (&[usize], &[isize]) =
        if shape.is_empty() { (&[1], &[1]) } else { (shape, &command.out_steps) };
    let mut dense: Strides = shape.iter().map(|_| 0).collect();
    for (own, &length) in dense.iter_mut().zip(shape).rev() {
        *own = step;
        step *= length as isize;
    }
    let mut last = Elementwise::new(program, shape.into());
    last.push_memory(Address(state), &dense);
    command.numbers.iter().for_each(|number| last.push_immediate(*number));
    last.push_memory(command.out, out_steps);
    last
}
