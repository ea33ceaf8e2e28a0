//! Which walk suits a space.

use situ_ir::Program;
use smallvec::SmallVec;

use super::axes::{Axis, Space};
use super::form::{Form, Reach, Walk};
use super::magic::magic;
use super::plan::{OperandForm, Plan, THREADS, blocks, launch_dense, width};
use super::weight::copies;
use crate::Argument;

/// Shared memory a block may declare.
const SHARED_BYTES: usize = 48 << 10;
/// Fewer elements along a side are not worth a tile.
const LEAST_SIDE: usize = 8;

/// The launch over a space of more than nothing.
pub(super) fn choose(program: &Program, space: &Space, operands: &[OperandForm<'_>]) -> Plan {
    let setting = Setting { program, operands };
    if setting.is_loose() {
        return setting.strided(space);
    }
    setting.rows(space).or_else(|| setting.tiled(space)).unwrap_or_else(|| setting.strided(space))
}

/// A program and how its operands are given.
#[derive(Clone, Copy, Debug)]
struct Setting<'a> {
    program: &'a Program,
    operands: &'a [OperandForm<'a>],
}

impl Setting<'_> {
    fn size(&self, operand: usize) -> usize {
        self.program.operand_dtype(operand).size()
    }

    /// The operands in memory, with the alignment of their given addresses.
    fn in_memory(&self) -> impl Iterator<Item = (usize, usize)> {
        self.operands.iter().enumerate().filter_map(|(n, operand)| match operand {
            OperandForm::Memory { alignment, .. } => Some((n, *alignment)),
            OperandForm::Immediate | OperandForm::Index => None,
        })
    }

    fn is_loose(&self) -> bool {
        self.in_memory().any(|(n, alignment)| alignment < self.size(n))
    }

    /// A form in which every operand in memory is reached as `reach` says.
    fn form(&self, walk: Walk, width: usize, space: &Space, reach: impl Fn(usize) -> Reach) -> Form {
        let mut form = Form::new(walk, width, space.axes.len());
        form.wide = !space.fits(1 << 31);
        for (n, operand) in self.operands.iter().enumerate() {
            form.note(
                n,
                match operand {
                    OperandForm::Memory { .. } => reach(n),
                    OperandForm::Immediate => Reach::Immediate,
                    OperandForm::Index => Reach::Index,
                },
            );
        }
        form
    }

    /// Dense or repeated along the inner axis, and aligned.
    fn rows(&self, space: &Space) -> Option<Plan> {
        let (inner, outer) = space.axes.split_first()?;
        let mut room = if outer.is_empty() { usize::MAX } else { lowest_bit(inner.size) };
        let mut widest = 1;
        for (n, alignment) in self.in_memory() {
            match inner.steps[n] {
                0 if n < self.program.inputs().len() => {}
                1 => {
                    let moved = space.starts[n].unsigned_abs();
                    let outer_steps = outer.iter().map(|axis| axis.steps[n].unsigned_abs());
                    let steps_room = outer_steps.chain([moved]).filter(|&step| step != 0).map(lowest_bit).min();
                    room = room.min(alignment / self.size(n)).min(steps_room.unwrap_or(usize::MAX));
                    widest = widest.max(self.size(n));
                }
                _ => return None,
            }
        }
        let width = width(self.program, widest, room)?;
        let reach = |n: usize| if inner.steps[n] == 0 { Reach::Repeated } else { Reach::Along };
        let count = space.count();
        if outer.is_empty() {
            let mut form = self.form(Walk::Dense, width, space, reach);
            form.wide = false;
            return Some(launch_dense(self.program, form, count, self.operand_arguments(space)));
        }
        let form = self.form(Walk::Rows, width, space, reach);
        let groups = count / width;
        let mut arguments = self.operand_arguments(space);
        let mut numbers = Numbers { wide: form.wide, arguments: &mut arguments };
        numbers.size(groups);
        numbers.divisors([inner.size / width].into_iter().chain(outer.iter().map(|axis| axis.size)));
        self.steps(&mut numbers, outer, |_| true);
        Some(launch(form, groups, THREADS, arguments))
    }

    /// Any steps.
    fn strided(&self, space: &Space) -> Plan {
        let reach = |n: usize| {
            if space.is_dense(n) {
                Reach::Along
            } else if space.axes.iter().all(|axis| axis.steps[n] == 0) {
                Reach::Repeated
            } else {
                Reach::Stepped
            }
        };
        let widest = self.in_memory().map(|(n, _)| self.size(n)).max().unwrap_or(1);
        let width = match copies(self.program) {
            1 => 1,
            4 => 2,
            _ if widest == 16 => 2,
            _ => 8,
        };
        let mut form = self.form(Walk::Strided, width, space, reach);
        form.loose = self.is_loose();
        let count = space.count();
        let mut arguments = self.operand_arguments(space);
        let mut numbers = Numbers { wide: form.wide, arguments: &mut arguments };
        numbers.size(count);
        numbers.divisors(space.axes.iter().map(|axis| axis.size));
        self.steps(&mut numbers, &space.axes, |n| form.reach(n) == Reach::Stepped);
        launch(form, count, THREADS * width, arguments)
    }

    /// Tiles over the inner axis and the one along which some input lies densely, if there is one and both are long.
    fn tiled(&self, space: &Space) -> Option<Plan> {
        let copies = copies(self.program);
        if copies == 1 {
            return None;
        }
        let inputs = self.program.inputs().len();
        let inner = space.axes.first().filter(|axis| axis.size >= LEAST_SIDE)?;
        let dense_axis = |n: usize| {
            let is_dense = |axis: &Axis| axis.steps[n].unsigned_abs() == 1 && axis.size >= LEAST_SIDE;
            // Elements of the output's runs that share a cache sector in the input need no turning.
            let is_apart = inner.steps[n].unsigned_abs() * self.size(n) > 16;
            if is_apart { space.axes.iter().position(is_dense) } else { None }
        };
        let other = self.in_memory().find_map(|(n, _)| if n < inputs { dense_axis(n) } else { None })?;
        let mut space = space.clone();
        let axis = space.axes.remove(other);
        space.axes.insert(1, axis);

        // Measured on an H200: larger tiles of wider elements leave too few of them under way at a time.
        let is_small = self.in_memory().all(|(n, _)| self.size(n) <= 4) && copies > 4;
        let side = if is_small { 64 } else { 32 };
        let mut left = SHARED_BYTES;
        let mut staged = 0u32;
        for (n, _) in self.in_memory().filter(|&(n, _)| n < inputs) {
            let bytes = side * (side + 1) * self.size(n);
            let steps = (space.axes[0].steps[n].unsigned_abs(), space.axes[1].steps[n].unsigned_abs());
            if steps.1 == 1 && steps.0 * self.size(n) > 16 && bytes <= left {
                left -= bytes;
                staged |= 1 << n;
            }
        }
        let reach = |n: usize| if staged & (1 << n) != 0 { Reach::Staged } else { Reach::Stepped };
        let form = self.form(Walk::Tiled, side, &space, reach);
        let (first, second, rest) = (&space.axes[0], &space.axes[1], &space.axes[2..]);
        let tiles = [first.size.div_ceil(side), second.size.div_ceil(side)];
        let rest_sizes = rest.iter().map(|axis| axis.size);
        let all = tiles[0] * tiles[1] * rest_sizes.clone().product::<usize>();
        let mut arguments = self.operand_arguments(&space);
        let mut numbers = Numbers { wide: form.wide, arguments: &mut arguments };
        numbers.size(first.size);
        numbers.size(second.size);
        numbers.divisors(tiles.into_iter().chain(rest_sizes));
        self.steps(&mut numbers, &space.axes, |_| true);
        Some(launch(form, all, 1, arguments))
    }

    fn operand_arguments(&self, space: &Space) -> SmallVec<[Argument; 16]> {
        let argument = |(n, operand): (usize, &OperandForm<'_>)| match operand {
            OperandForm::Index => None,
            _ => Some(Argument::Operand(n as u32, space.starts[n] as i64 * self.size(n) as i64)),
        };
        self.operands.iter().enumerate().filter_map(argument).collect()
    }

    /// Adds the steps of those operands in memory for which they are wanted.
    fn steps(&self, numbers: &mut Numbers<'_>, axes: &[Axis], wanted: impl Fn(usize) -> bool) {
        for (n, _) in self.in_memory().filter(|&(n, _)| wanted(n)) {
            for axis in axes {
                numbers.step(axis.steps[n]);
            }
        }
    }
}

/// Adds numbers to arguments, as wide as the form wants them.
#[derive(Debug)]
struct Numbers<'a> {
    wide: bool,
    arguments: &'a mut SmallVec<[Argument; 16]>,
}

impl Numbers<'_> {
    fn size(&mut self, size: usize) {
        self.arguments.push(if self.wide { Argument::U64(size as u64) } else { Argument::U32(size as u32) });
    }

    fn step(&mut self, step: isize) {
        self.arguments.push(if self.wide { Argument::I64(step as i64) } else { Argument::I32(step as i32) });
    }

    /// What splits a position into coordinates: every size but the last, with its multiplier and shift.
    fn divisors(&mut self, sizes: impl Iterator<Item = usize>) {
        let mut sizes = sizes.peekable();
        while let Some(size) = sizes.next() {
            if sizes.peek().is_some() {
                let (multiplier, shift) = magic(size, if self.wide { 64 } else { 32 });
                self.size(size);
                self.size(multiplier as usize);
                self.arguments.push(Argument::U32(shift));
            }
        }
    }
}

fn launch(form: Form, threads: usize, per_block: usize, arguments: SmallVec<[Argument; 16]>) -> Plan {
    Plan { form, grid: [blocks(threads, per_block), 1, 1], block: [THREADS as u32, 1, 1], arguments }
}

fn lowest_bit(number: usize) -> usize {
    1 << number.trailing_zeros().min(usize::BITS - 1)
}
