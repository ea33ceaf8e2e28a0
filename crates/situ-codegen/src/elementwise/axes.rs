//! The iteration space: axes in the order in which the output lies in memory, as few as possible.

use smallvec::SmallVec;

use super::plan::OperandForm;

/// One axis: its size and every operand's step along it, in elements.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) size: usize,
    pub(super) steps: SmallVec<[isize; 4]>,
}

/// The axes, inner first, and where each operand begins.
#[derive(Clone, Debug)]
pub(super) struct Space {
    pub(super) axes: SmallVec<[Axis; 4]>,
    /// Elements from each operand's given address to its first element here.
    pub(super) starts: SmallVec<[isize; 4]>,
}

impl Space {
    /// The space of a command. The first output, operand `output`, gives the order of its axes.
    pub(super) fn new(shape: &[usize], operands: &[OperandForm<'_>], output: usize) -> Space {
        let step = |operand: &OperandForm<'_>, axis: usize| match operand {
            OperandForm::Memory { strides, .. } => strides[axis],
            OperandForm::Immediate | OperandForm::Index => 0,
        };
        let mut space = Space { axes: SmallVec::new(), starts: SmallVec::from_elem(0, operands.len()) };
        for (number, &size) in shape.iter().enumerate().rev() {
            if size != 1 {
                let steps = operands.iter().map(|operand| step(operand, number)).collect();
                space.axes.push(Axis { size, steps });
            }
        }
        if !operands.contains(&OperandForm::Index) {
            space.turn(output);
            space.axes.sort_by_key(|axis| axis.steps[output].unsigned_abs());
            space.merge();
        }
        if space.axes.is_empty() {
            space.axes.push(Axis { size: 1, steps: SmallVec::from_elem(1, operands.len()) });
        }
        space
    }

    /// Walks axes along which the output runs backwards from their other end.
    fn turn(&mut self, output: usize) {
        for axis in self.axes.iter_mut().filter(|axis| axis.steps[output] < 0) {
            for (start, step) in self.starts.iter_mut().zip(&mut axis.steps) {
                *start += *step * (axis.size as isize - 1);
                *step = -*step;
            }
        }
    }

    /// Makes one axis of neighbours that every operand walks through as if they were one.
    fn merge(&mut self) {
        let mut kept = 0;
        for next in 1..self.axes.len() {
            let (inner, outer) = (&self.axes[kept], &self.axes[next]);
            let continues = inner
                .steps
                .iter()
                .zip(&outer.steps)
                .all(|(&inner_step, &step)| step == inner_step * inner.size as isize);
            if continues {
                self.axes[kept].size *= self.axes[next].size;
            } else {
                kept += 1;
                self.axes.swap(kept, next);
            }
        }
        self.axes.truncate(kept + 1);
    }

    /// Number of elements.
    pub(super) fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.size).product()
    }

    /// Whether an operand lies densely along all axes, in their order.
    pub(super) fn is_dense(&self, operand: usize) -> bool {
        let mut run = 1;
        self.axes.iter().all(|axis| {
            let continues = axis.steps[operand] == run;
            run *= axis.size as isize;
            continues
        })
    }

    /// Whether positions and every operand's offsets stay below a limit.
    pub(super) fn fits(&self, limit: usize) -> bool {
        let extent = |operand: usize| {
            let along = |axis: &Axis| (axis.size - 1).saturating_mul(axis.steps[operand].unsigned_abs());
            self.axes.iter().map(along).fold(0, usize::saturating_add)
        };
        self.count() < limit && (0..self.starts.len()).all(|operand| extent(operand) < limit)
    }
}
