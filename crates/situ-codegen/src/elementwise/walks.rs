//! Which walk suits a space.

use situ_hal::{Elementwise, Operand};
use situ_ir::Program;
use situ_types::{Axis, Dims, Space};

use super::kernel::ElementwiseKernel;
use super::plan::{alignment, dense_width, operand, push_dense, width};
use super::variant::{Access, Variant, Walk};
use super::weight::copies;
use crate::coordinates::{is_wide, length_value, step_value};
use crate::signature::{Axes, Parameter, THREADS};
use crate::work::Work;
use crate::{DeviceLimits, Kernel};

/// Fewer elements along a side are not worth a tile.
const LEAST_SIDE: usize = 8;

/// Adds the launch over a space of more than nothing.
pub(super) fn push(work: &mut Work, command: &Elementwise, limits: &DeviceLimits) {
    let mut planner = Planner { command, program: &command.program, space: space(command) };
    if planner.is_unaligned() {
        return planner.strided(work);
    }
    if !planner.rows(work, limits) && !planner.tiled(work, limits) {
        planner.strided(work);
    }
}

/// The axes, in the order in which the first output lies in memory, as few as possible.
fn space(command: &Elementwise) -> Space {
    let output = command.program.inputs().len();
    let operands = command.operands();
    let mut space = Space::new(&command.shape, (0..operands.len()).map(|n| command.strides(n)));
    // Positions count along the axis as it is.
    if !operands.iter().any(|operand| matches!(operand, Operand::Index)) {
        space.drop_unit_axes();
        space.reverse_negative(output);
        space.sort_by_key(|axis| axis.steps[output]);
        space.merge();
        if space.axes.is_empty() {
            space.axes.push(Axis { length: 1, steps: operands.iter().map(|_| 1).collect() });
        }
    }
    space
}

/// A command and its space.
struct Planner<'a> {
    command: &'a Elementwise,
    program: &'a Program,
    space: Space,
}

impl Planner<'_> {
    fn size(&self, operand: usize) -> usize {
        self.program.operand_dtype(operand).size()
    }

    /// The operands in memory, with the alignment of their given addresses.
    fn in_memory(&self) -> impl Iterator<Item = (usize, usize)> {
        self.command.operands().iter().enumerate().filter_map(|(n, operand)| match operand {
            Operand::Memory(address) => Some((n, alignment(address.value()))),
            Operand::Immediate(_) | Operand::Index => None,
        })
    }

    fn is_unaligned(&self) -> bool {
        self.in_memory().any(|(n, alignment)| alignment < self.size(n))
    }

    /// A variant in which every operand in memory is accessed as `access` says.
    fn variant(&self, walk: Walk, width: usize, access: impl Fn(usize) -> Access) -> Variant {
        let mut variant = Variant::new(walk, width, self.space.axes.len());
        let operands = 0..self.space.operands();
        variant.wide = is_wide(operands.map(|n| self.space.reach(n)).chain([self.space.size()]));
        for (n, operand) in self.command.operands().iter().enumerate() {
            let access = match operand {
                Operand::Memory(_) => access(n),
                Operand::Immediate(_) => Access::Immediate,
                Operand::Index => Access::Index,
            };
            variant.note(n, access);
        }
        variant
    }

    /// Dense or repeated along the inner axis, and aligned; whether that is so.
    fn rows(&self, work: &mut Work, limits: &DeviceLimits) -> bool {
        let space = &self.space;
        let Some((inner, outer)) = space.axes.split_last() else { return false };
        let mut room = if outer.is_empty() { usize::MAX } else { lowest_bit(inner.length) };
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
                _ => return false,
            }
        }
        let found = if outer.is_empty() {
            dense_width(self.program, widest, room, limits)
        } else {
            width(self.program, widest, room)
        };
        let Some(width) = found else { return false };
        let access = |n: usize| if inner.steps[n] == 0 { Access::Repeated } else { Access::Dense };
        if outer.is_empty() {
            let variant = self.variant(Walk::Dense, width, access);
            push_dense(work, self.command, limits, variant, space.size(), |n| {
                operand(self.command, n, space.starts[n])
            });
            return true;
        }
        let variant = self.variant(Walk::Rows, width, access);
        let mut lengths: Dims = space.lengths().collect();
        lengths[outer.len()] /= width;
        let groups = space.size() / width;
        self.launch(work, variant, groups, groups.div_ceil(THREADS as usize), &lengths);
        true
    }

    /// Any steps.
    fn strided(&self, work: &mut Work) {
        let space = &self.space;
        let access = |n: usize| {
            if space.is_dense(n) {
                Access::Dense
            } else if space.is_still(n) {
                Access::Repeated
            } else {
                Access::Stepped
            }
        };
        let widest = self.in_memory().map(|(n, _)| self.size(n)).max().unwrap_or(1);
        let width = match copies(self.program) {
            1 => 1,
            4 => 2,
            _ if widest == 16 => 2,
            _ => 8,
        };
        let mut variant = self.variant(Walk::Strided, width, access);
        variant.unaligned = self.is_unaligned();
        let (count, lengths) = (space.size(), space.lengths().collect::<Dims>());
        self.launch(work, variant, count, count.div_ceil(THREADS as usize * width), &lengths);
    }

    /// Tiles over the inner axis and the one along which some input lies densely, if there is one and both are long;
    /// whether that is so.
    fn tiled(&mut self, work: &mut Work, limits: &DeviceLimits) -> bool {
        let copies = copies(self.program);
        let inputs = self.program.inputs().len();
        let Some(inner) = self.space.axes.last().filter(|axis| axis.length >= LEAST_SIDE && copies > 1) else {
            return false;
        };
        let dense_axis = |n: usize| {
            let is_dense = |axis: &Axis| axis.steps[n].unsigned_abs() == 1 && axis.length >= LEAST_SIDE;
            // Elements of the output's runs that share a cache sector in the input need no turning.
            let is_apart = inner.steps[n].unsigned_abs() * self.size(n) > 16;
            if is_apart { self.space.axes.iter().rposition(is_dense) } else { None }
        };
        let found = self.in_memory().find_map(|(n, _)| if n < inputs { dense_axis(n) } else { None });
        let Some(other) = found else { return false };
        let last = self.space.axes.len() - 1;
        self.space.move_axis(other, last - 1);
        let (outer, inner) = (&self.space.axes[last - 1], &self.space.axes[last]);

        // Measured on an H200: larger tiles of wider elements leave too few of them under way at a time.
        let is_small = self.in_memory().all(|(n, _)| self.size(n) <= 4) && copies > 4;
        let side = if is_small { 64 } else { 32 };
        let mut left = limits.local;
        let mut staged = 0u32;
        for (n, _) in self.in_memory().filter(|&(n, _)| n < inputs) {
            let bytes = side * (side + 1) * self.size(n);
            let is_turned = outer.steps[n].unsigned_abs() == 1 && inner.steps[n].unsigned_abs() * self.size(n) > 16;
            if is_turned && bytes <= left {
                left -= bytes;
                staged |= 1 << n;
            }
        }
        let access = |n: usize| if staged & (1 << n) != 0 { Access::Staged } else { Access::Stepped };
        let variant = self.variant(Walk::Tiled, side, access);
        let mut tiles: Dims = self.space.lengths().collect();
        tiles[last - 1..].iter_mut().for_each(|length| *length = length.div_ceil(side));
        let blocks = tiles.iter().product();
        self.launch(work, variant, blocks, blocks, &tiles);
        true
    }

    /// Adds a launch over `size` positions, which are divided along axes of these lengths.
    fn launch(&self, work: &mut Work, variant: Variant, size: usize, blocks: usize, lengths: &[usize]) {
        let (space, inputs) = (&self.space, self.program.inputs().len());
        let kernel = ElementwiseKernel { program: self.command.program.clone(), variant };
        work.launch(Kernel::Elementwise(kernel), blocks, |parameter| match parameter {
            Parameter::Address(role) | Parameter::Immediate(role) => {
                let n = role.operand(inputs);
                operand(self.command, n, space.starts[n])
            }
            Parameter::Step(role, axis) => step_value(space, role.operand(inputs), axis),
            Parameter::Extent(Axes::Space, axis) if variant.walk == Walk::Tiled => {
                space.axes[axis as usize].length.into()
            }
            other => length_value(lengths, variant.wide, other).unwrap_or(size.into()),
        });
    }
}

/// The largest power of two that divides a number.
pub(crate) fn lowest_bit(number: usize) -> usize {
    1 << number.trailing_zeros().min(usize::BITS - 1)
}
