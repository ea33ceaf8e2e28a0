//! The values of a map: where they lie, if it changes nothing, else computed a tile at a time.

use situ_hal::{Mapped, Operand};
use situ_ir::tree::LANES;
use situ_ir::{Program, Step, StepKind};
use situ_types::DType;

use super::memory::Memory;
use crate::elementwise::Stage;
use crate::isa::Isa;

/// The most values computed at a time: they stay in the first-level cache until they are combined.
pub(super) const TILE: usize = 16 * LANES;

/// The input that the map's values are, where they are used as they lie.
#[derive(Clone, Debug)]
pub(super) struct InPlace<'a> {
    start: *const u8,
    width: usize,
    steps: &'a [isize],
}

impl<'a> InPlace<'a> {
    /// The only input of a map.
    fn of(map: &Program, inputs: &'a Mapped) -> Option<InPlace<'a>> {
        match inputs.operands() {
            [Operand::Memory(address)] => {
                Some(InPlace { start: address.0, width: map.operand_dtype(0).size(), steps: inputs.strides(0) })
            }
            _ => None,
        }
    }

    /// Where the element at a position lies, counted in C order along some axes.
    pub(super) fn at(
        &self,
        from: *const u8,
        shape: &[usize],
        axes: std::ops::Range<usize>,
        position: usize,
    ) -> *const u8 {
        let (mut place, mut rest) = (from, position);
        let outermost = axes.start;
        for axis in axes.rev() {
            let mut index = rest;
            // Dividing takes as long as combining a short row.
            if axis > outermost {
                index = rest % shape[axis];
                rest /= shape[axis];
            }
            place = place.wrapping_offset(index as isize * self.step(axis));
        }
        place
    }

    /// Where the first element lies.
    pub(super) fn start(&self) -> *const u8 {
        self.start
    }

    /// Bytes of an element.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Bytes from one element to the next along an axis.
    pub(super) fn step(&self, axis: usize) -> isize {
        self.steps[axis] * self.width as isize
    }
}

/// The dtype of elements that a map converts, or leaves as they are, and nothing else.
pub(super) fn converted(map: &Program) -> Option<DType> {
    match (map.inputs(), map.steps()) {
        ([from], [] | [Step { kind: StepKind::Cast, .. }]) => Some(*from),
        _ => None,
    }
}

/// Where one thread gets values from.
#[derive(Debug)]
pub(super) enum Source<'a> {
    /// Where they lie, dense along the innermost of the axes asked for.
    InPlace(InPlace<'a>),
    /// Computed into memory of the thread's own.
    Staged {
        /// What computes them.
        stage: Box<Stage<'a>>,
        /// Room for as many as are asked for at a time.
        tile: Memory,
    },
}

impl<'a> Source<'a> {
    /// Values along these axes, which are those of the inputs in some order, no more than there is `room` for at a
    /// time; in place only if they are dense along the innermost axis. `elements_will_do` if the map
    /// need not be applied.
    pub(super) fn new(
        map: &'a Program,
        inputs: &'a Mapped,
        axes: &[usize],
        room: usize,
        elements_will_do: bool,
        isa: Isa,
    ) -> Source<'a> {
        let is_dense =
            |input: &InPlace<'_>| axes.last().is_some_and(|&axis| input.steps[axis] == 1 || inputs.shape[axis] == 1);
        let are_values = elements_will_do || map.steps().is_empty();
        match InPlace::of(map, inputs).filter(|input| are_values && is_dense(input)) {
            Some(input) => Source::InPlace(input),
            None => Source::staged(map, inputs, axes, room, isa),
        }
    }

    /// Values that are computed, or brought together, in any case.
    pub(super) fn staged(map: &'a Program, inputs: &'a Mapped, axes: &[usize], room: usize, isa: Isa) -> Source<'a> {
        let width = map.operand_dtype(inputs.operands().len()).size();
        let stage = Box::new(Stage::new(map, inputs, axes, isa));
        let values = inputs.shape.iter().product::<usize>();
        Source::Staged { stage, tile: Memory::new(room.min(values) * width) }
    }
}
