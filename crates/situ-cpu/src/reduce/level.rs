//! The upper levels of the tree, and what becomes of the last one.

use std::sync::Arc;

use situ_hal::{Address, Elementwise, ProgramRef, Reduce, ReductionRef};
use situ_ir::tree::RADIX;
use situ_types::Dims;

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
        Partials { values: Memory::new(count * combiner.width), places: Memory::new(places), tables, groups, columns }
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
        let row = self.columns * combiner.width;
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
    let program = match &command.reduction {
        ReductionRef::Static(reduction) => ProgramRef::Static(reduction.finish()),
        ReductionRef::Shared(reduction) => ProgramRef::Shared(Arc::new(reduction.finish().clone())),
    };
    let shape: Dims = if command.kept == 0 { Dims::from_elem(1, 1) } else { command.kept_shape().into() };
    let mut dense: situ_types::Strides = shape.iter().map(|_| 0).collect();
    let mut step = 1;
    for (own, &length) in dense.iter_mut().zip(&shape).rev() {
        *own = step;
        step *= length as isize;
    }
    let mut last = Elementwise::new(program, shape);
    last.push_memory(Address(state), &dense);
    command.numbers.iter().for_each(|number| last.push_immediate(*number));
    let out_steps: &[isize] = if command.kept == 0 { &[0] } else { &command.out_steps };
    last.push_memory(command.out, out_steps);
    // SAFETY: what was combined lies in the partial results, one after another in the order of the results, and the
    // caller vouches for where those go.
    unsafe { elementwise::execute(&last, nanoseconds.min(elementwise::cost(&last)), machine, fork) };
}
