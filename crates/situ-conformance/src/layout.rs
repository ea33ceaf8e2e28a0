//! Random shapes and layouts.

use situ_types::{DType, Space, UsmKind};

use crate::Source;
use crate::bench::Operand;

/// Elements on either side of an operand that no command means.
const GUARD: usize = 3;

/// Where an operand's elements are: its steps, the element it starts with, and the room it takes.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) steps: Vec<isize>,
    pub(crate) first: usize,
    pub(crate) room: usize,
}

impl Layout {
    pub(crate) fn new(shape: &[usize], steps: &[isize]) -> Layout {
        let reach = |negative: bool| -> usize {
            let axes = shape.iter().zip(steps).filter(|(_, step)| (**step < 0) == negative);
            axes.map(|(&length, step)| step.unsigned_abs() * length.saturating_sub(1)).sum()
        };
        let first = GUARD + reach(true);
        Layout { steps: steps.to_vec(), first, room: first + reach(false) + 1 + GUARD }
    }

    /// In C order, without gaps.
    pub(crate) fn dense(shape: &[usize]) -> Layout {
        Layout::ordered(shape, &(0..shape.len()).collect::<Vec<_>>(), 1)
    }

    /// Without gaps between axes that lie in this order, outermost first, and so many elements from one to the next.
    pub(crate) fn ordered(shape: &[usize], order: &[usize], gap: usize) -> Layout {
        let (mut steps, mut step) = (vec![0; shape.len()], gap);
        for &axis in order.iter().rev() {
            steps[axis] = step as isize;
            step *= shape[axis].max(1);
        }
        Layout::new(shape, &steps)
    }

    /// Anything: axes in any order, with gaps, backwards and, if it may be, repeated.
    pub(crate) fn any(source: &mut Source, shape: &[usize], may_repeat: bool) -> Layout {
        if source.below(3) == 0 {
            return Layout::dense(shape);
        }
        let mut order: Vec<usize> = (0..shape.len()).collect();
        (0..order.len()).for_each(|i| order.swap(i, source.below(shape.len())));
        let (mut steps, mut step) = (vec![0; shape.len()], 1 + source.below(3));
        for &axis in order.iter().rev() {
            steps[axis] = if source.below(4) == 0 { -(step as isize) } else { step as isize };
            step = step * shape[axis] + source.below(2);
            if may_repeat && source.below(5) == 0 {
                steps[axis] = 0;
            }
        }
        Layout::new(shape, &steps)
    }

    /// Memory for this layout with random elements.
    pub(crate) fn operand(&self, source: &mut Source, dtype: DType) -> Operand {
        self.filled(source, dtype, |source, _| source.element(dtype).to_bytes())
    }

    /// Memory for this layout with these elements, wherever a command may or may not mean them.
    pub(crate) fn filled(
        &self,
        source: &mut Source,
        dtype: DType,
        mut element: impl FnMut(&mut Source, usize) -> [u8; 16],
    ) -> Operand {
        let kind = source.pick(&UsmKind::ALL);
        let mut contents = Vec::with_capacity(self.room * dtype.size());
        (0..self.room).for_each(|i| contents.extend_from_slice(&element(source, i)[..dtype.size()]));
        Operand { dtype, kind, contents }
    }

    /// Bytes from the start of the memory to the first element.
    pub(crate) fn start(&self, width: usize) -> isize {
        (self.first * width) as isize
    }
}

/// A shape with few or many elements, on up to four axes.
pub(crate) fn any_shape(source: &mut Source) -> Vec<usize> {
    match source.below(6) {
        0 => vec![1 + source.below(5)],
        1 => vec![1 + source.below(3000)],
        2 => vec![1 + source.below(40), 1 + source.below(80)],
        3 => vec![1 + source.below(300), 1 + source.below(6)],
        4 => vec![1 + source.below(6), 1 + source.below(9), 1 + source.below(40)],
        _ => (0..4).map(|_| 1 + source.below(7)).collect(),
    }
}

/// The shape and the layouts with as few axes as they can have, as commands want them.
pub(crate) fn simplified(shape: &[usize], layouts: &mut [Layout]) -> Vec<usize> {
    let mut space = Space::new(shape, layouts.iter().map(|layout| &layout.steps[..]));
    space.simplify();
    for (n, layout) in layouts.iter_mut().enumerate() {
        layout.steps = space.steps(n).collect();
    }
    space.lengths().collect()
}
