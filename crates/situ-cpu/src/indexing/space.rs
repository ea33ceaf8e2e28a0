//! An iteration space and the operands that are walked along it.

use situ_hal::Strided;
use situ_types::{Dims, Strides};

/// An operand: its first element and its byte steps.
#[derive(Clone, Debug)]
pub(super) struct OperandSteps {
    pub(super) start: *mut u8,
    pub(super) steps: Strides,
}

impl OperandSteps {
    pub(super) fn new(operand: &Strided, width: usize) -> OperandSteps {
        let steps = operand.strides.iter().map(|step| step * width as isize).collect();
        OperandSteps { start: operand.address.0, steps }
    }

    /// Where it begins if the first `count` positions along an axis are left out.
    pub(super) fn skip(&mut self, axis: usize, count: usize) {
        self.start = self.start.wrapping_offset(self.steps[axis] * count as isize);
    }
}

/// The axes, outermost first, and the operands.
#[derive(Debug)]
pub(crate) struct Space<const N: usize> {
    dims: Dims,
    operands: [OperandSteps; N],
}

// SAFETY: the pointers are numbers until the code that runs a command dereferences them, whose caller vouches that the
// memory is valid on any thread.
unsafe impl<const N: usize> Sync for Space<N> {}

impl<const N: usize> Space<N> {
    /// The space of a shape and operands with their widths.
    pub(crate) fn new(shape: &[usize], operands: [(&Strided, usize); N]) -> Space<N> {
        let mut operands = operands.map(|(operand, width)| OperandSteps::new(operand, width));
        let mut dims = Dims::from_slice(shape);
        if dims.is_empty() {
            dims.push(1);
            operands.iter_mut().for_each(|operand| operand.steps.push(0));
        }
        Space { dims, operands }
    }

    /// Number of elements.
    pub(crate) fn size(&self) -> usize {
        self.dims.iter().product()
    }

    /// The byte step of an operand inside a row.
    pub(crate) fn step(&self, operand: usize) -> isize {
        self.operands[operand].steps[self.dims.len() - 1]
    }

    /// Calls `visit(position, starts, length)` for pieces of rows that together are the positions from one up to
    /// another, in order, none longer than `limit`.
    pub(crate) fn for_each_piece(
        &self,
        from: usize,
        to: usize,
        limit: usize,
        mut visit: impl FnMut(usize, [*mut u8; N], usize),
    ) {
        if from >= to {
            return;
        }
        let inner = self.dims.len() - 1;
        let row = self.dims[inner];
        let mut index = Dims::from_elem(0, inner);
        let (mut rest, mut column) = (from / row, from % row);
        for axis in (0..inner).rev() {
            index[axis] = rest % self.dims[axis];
            rest /= self.dims[axis];
        }
        let begin = |operand: &OperandSteps| {
            let offset: isize = index.iter().zip(&operand.steps).map(|(&i, step)| i as isize * step).sum();
            operand.start.wrapping_offset(offset)
        };
        let mut starts: [*mut u8; N] = std::array::from_fn(|n| begin(&self.operands[n]));
        let mut position = from;
        while position < to {
            let length = (row - column).min(to - position).min(limit);
            let places = std::array::from_fn(|n| starts[n].wrapping_offset(self.step(n) * column as isize));
            visit(position, places, length);
            position += length;
            column += length;
            if column == row {
                column = 0;
                self.advance(&mut index, &mut starts);
            }
        }
    }

    /// To the next row; after the last to the first.
    fn advance(&self, index: &mut Dims, starts: &mut [*mut u8; N]) {
        for axis in (0..index.len()).rev() {
            index[axis] += 1;
            let wraps = index[axis] == self.dims[axis];
            let moved = if wraps { 1 - self.dims[axis] as isize } else { 1 };
            for (start, operand) in starts.iter_mut().zip(&self.operands) {
                *start = start.wrapping_offset(operand.steps[axis] * moved);
            }
            if !wraps {
                return;
            }
            index[axis] = 0;
        }
    }
}
