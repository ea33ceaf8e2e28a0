//! What a kernel's text depends on beside the IR.

use situ_hal::{Launch, LaunchArgument};
use situ_ir::kernel::{ArrayLayout, Kernel, Parameter, Space};
use situ_types::Scalar;

use super::geometry::Geometry;
use super::given_arrays;
use crate::signature::THREADS;

/// The largest number of elements along an axis that is counted in 32 bits. Sums of two such numbers still fit.
pub(super) const LARGEST: i64 = 1 << 30;

/// The largest number of groups along an axis that is still few: times the size of any group it fits in 32 bits.
pub(super) const FEW_GROUPS: i64 = 1 << 20;

/// Choices that are made at a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    /// Whether the range says what a group is.
    pub(super) has_groups: bool,
    /// Whether grid and block are lines.
    pub(super) is_flat: bool,
    /// Whether indices have 64 bits.
    pub(super) wide: bool,
    /// Whether the number of groups along each axis is small.
    pub(super) has_few_groups: bool,
    /// The most threads of a block.
    pub(super) threads: u32,
    /// Axes of given arrays along which elements have no gap, numbered through all arrays; one of each array at most.
    pub(super) unit: u64,
    /// Arrays at addresses that their dtypes would not be at. All from the 64th on share a bit.
    pub(super) loose: u64,
    /// Parameters that are int64s and fit in 32 bits.
    pub(super) narrow: u64,
}

impl Variant {
    pub(super) fn of(command: &Launch, geometry: &Geometry) -> Variant {
        let kernel = &*command.kernel;
        let has_groups = command.range.local().is_some();
        let threads = geometry.block.iter().product::<u32>().next_power_of_two().max(THREADS);
        let (mut unit, mut loose, mut narrow, mut axes) = (0, 0, 0, 0);
        let mut wide = command.range.global().iter().any(|&length| length as i64 > LARGEST);
        for (array, argument) in given_arrays(command) {
            let LaunchArgument::Array(address, layout) = argument else { continue };
            let info = kernel.array(array);
            if address.value() % info.dtype.size() != 0 {
                loose |= 1 << array.index().min(63);
            }
            wide |= !is_narrow(layout);
            unit |= unit_axis(layout).map_or(0, |axis| bit(axes + axis));
            axes += info.ndim;
        }
        for (n, argument) in command.arguments.iter().enumerate() {
            if let LaunchArgument::Scalar(Scalar::I64(number)) = argument
                && number.unsigned_abs() <= LARGEST as u64
            {
                narrow |= bit(n);
            }
        }
        let has_few_groups = geometry.groups.iter().all(|&count| count as i64 <= FEW_GROUPS);
        let is_flat = geometry.is_flat;
        Variant { has_groups, is_flat, wide, has_few_groups, threads, unit, loose, narrow }
    }

    /// What most launches have.
    pub(super) fn usual(kernel: &Kernel) -> Variant {
        let (mut unit, mut axes) = (0, 0);
        for parameter in kernel.parameters() {
            if let Parameter::Array(array) = parameter
                && kernel.array(*array).space == Space::Global
            {
                let ndim = kernel.array(*array).ndim;
                unit |= if ndim == 0 { 0 } else { bit(axes + ndim - 1) };
                axes += ndim;
            }
        }
        let (has_groups, is_flat, wide, threads) = (kernel.needs_groups(), false, false, THREADS);
        Variant { has_groups, is_flat, wide, has_few_groups: true, threads, unit, loose: 0, narrow: u64::MAX }
    }

    /// Whether elements have no gap along an axis, by its number among those of all given arrays.
    pub(super) fn is_unit(&self, axis: usize) -> bool {
        self.unit & bit(axis) != 0
    }

    pub(super) fn is_loose(&self, array: usize) -> bool {
        self.loose & (1 << array.min(63)) != 0
    }

    pub(super) fn is_narrow(&self, parameter: usize) -> bool {
        self.narrow & bit(parameter) != 0
    }
}

/// None for a number that is too large to have a bit.
fn bit(number: usize) -> u64 {
    1u64.checked_shl(number as u32).unwrap_or(0)
}

/// Elements from one along an axis to the next. There is no next on an axis of one.
pub(super) fn step(layout: &ArrayLayout, axis: usize) -> isize {
    let length = layout.shape.get(axis).copied().unwrap_or_default();
    if length <= 1 { 0 } else { layout.strides.get(axis).copied().unwrap_or_default() }
}

/// The axis along which elements have no gap: the last one, if it can be.
fn unit_axis(layout: &ArrayLayout) -> Option<usize> {
    let last = layout.shape.len().checked_sub(1)?;
    if layout.shape[last] <= 1 || layout.strides[last] == 1 {
        return Some(last);
    }
    (0..last).find(|&axis| layout.shape[axis] > 1 && layout.strides[axis] == 1)
}

/// Whether 32 bits are enough for the place of every element.
fn is_narrow(layout: &ArrayLayout) -> bool {
    let mut reach = 0usize;
    for (axis, &length) in layout.shape.iter().enumerate() {
        let last = length.saturating_sub(1);
        reach = reach.saturating_add(step(layout, axis).unsigned_abs().saturating_mul(last));
        if length as i64 > LARGEST {
            return false;
        }
    }
    reach <= i32::MAX as usize
}
