//! Commands that combine values along axes.
//!
//! The space of a reduction has the axes that are kept first, then those that are reduced; its values are combined in the
//! order of [`situ_ir::tree`], along the reduced axes in C order. The space of a scan ends with the axis that is scanned.

use std::sync::Arc;

use situ_ir::tree::Direction;
use situ_ir::{Program, Reduction};
use situ_types::Dims;
use smallvec::SmallVec;

use crate::{Address, Operand};

/// A reduction that lives for ever, or as long as somebody needs it.
#[derive(Clone, Debug)]
pub enum ReductionRef {
    /// Lives for ever.
    Static(&'static Reduction),
    /// Is counted.
    Shared(Arc<Reduction>),
}

impl std::ops::Deref for ReductionRef {
    type Target = Reduction;

    fn deref(&self) -> &Reduction {
        match self {
            ReductionRef::Static(reduction) => reduction,
            ReductionRef::Shared(reduction) => reduction,
        }
    }
}

/// The inputs of a map program over a space.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// The space, with as few axes as possible.
    pub shape: Dims,
    operands: SmallVec<[Operand; 2]>,
    /// One run of element steps per operand, one step per axis.
    steps: SmallVec<[isize; 8]>,
}

impl Mapped {
    /// A space without operands yet.
    pub fn new(shape: Dims) -> Mapped {
        Mapped { shape, operands: SmallVec::new(), steps: SmallVec::new() }
    }

    /// Adds the next input of the map, with its element steps, one per axis: zeros for what is not in memory.
    pub fn push(&mut self, operand: Operand, steps: &[isize]) {
        debug_assert_eq!(steps.len(), self.shape.len());
        self.operands.push(operand);
        self.steps.extend_from_slice(steps);
    }

    /// Adds the map's constants; they follow the inputs that are given.
    pub fn push_constants(&mut self, map: &Program) {
        let still: SmallVec<[isize; 4]> = self.shape.iter().map(|_| 0).collect();
        map.constants().for_each(|value| self.push(Operand::Immediate(value.to_bytes()), &still));
    }

    /// The inputs.
    pub fn operands(&self) -> &[Operand] {
        &self.operands
    }

    /// The element steps of an input, one per axis.
    pub fn strides(&self, operand: usize) -> &[isize] {
        let axes = self.shape.len();
        &self.steps[operand * axes..(operand + 1) * axes]
    }
}

/// A reduction. Nothing that is read overlaps the result, and something is reduced: no axis has length 0.
#[derive(Clone, Debug)]
pub struct Reduce {
    /// What to compute.
    pub reduction: ReductionRef,
    /// The axes that are kept, then those that are reduced, and the inputs along them. There is at least one that is
    /// reduced.
    pub inputs: Mapped,
    /// How many axes are kept.
    pub kept: usize,
    /// Which way values are combined.
    pub direction: Direction,
    /// What the finishing program reads after the combined value, its constants last, as the bytes of scalars of its inputs' dtypes.
    pub numbers: SmallVec<[[u8; 16]; 1]>,
    /// The first element of the result.
    pub out: Address,
    /// The result's element steps along the kept axes.
    pub out_steps: SmallVec<[isize; 4]>,
}

impl Reduce {
    /// Lengths of the axes that are kept.
    pub fn kept_shape(&self) -> &[usize] {
        &self.inputs.shape[..self.kept]
    }

    /// Lengths of the axes that are reduced.
    pub fn reduced_shape(&self) -> &[usize] {
        &self.inputs.shape[self.kept..]
    }

    /// Number of results.
    pub fn results(&self) -> usize {
        self.kept_shape().iter().product()
    }

    /// Number of values that each result is combined from.
    pub fn length(&self) -> usize {
        self.reduced_shape().iter().product()
    }
}

/// A scan along the last axis of its space: each element of the result is combined from the values up to it. The
/// reduction combines by an op of the table, and its finishing program is a conversion or nothing. What is read does not
/// overlap the result, unless it is the same element for element.
#[derive(Clone, Debug)]
pub struct Scan {
    /// What to compute.
    pub reduction: ReductionRef,
    /// The space and the inputs along it.
    pub inputs: Mapped,
    /// Which way vectors run; where it is across, the last axis but one is the one they run along.
    pub direction: Direction,
    /// The first element of the result.
    pub out: Address,
    /// The result's element steps, one per axis.
    pub out_steps: SmallVec<[isize; 4]>,
}

impl Scan {
    /// Number of values along the axis that is scanned.
    pub fn length(&self) -> usize {
        self.inputs.shape.last().copied().unwrap_or(1)
    }

    /// Number of sequences that are scanned.
    pub fn sequences(&self) -> usize {
        self.inputs.shape[..self.inputs.shape.len().saturating_sub(1)].iter().product()
    }
}
