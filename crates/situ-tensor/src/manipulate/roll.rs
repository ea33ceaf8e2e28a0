//! Elements moved along axes, those that fall off the end back to the beginning.

use situ_types::{Dims, Layout, Order, Strides};
use smallvec::SmallVec;

use super::pieces::{Assembly, Elements};
use crate::reduce::axis_of;
use crate::{Axes, Error, Result, Tensor};

const NAME: &str = "roll";

/// So many axes are rolled by one command: each cuts every piece in two.
const AXES_AT_ONCE: usize = 8;

/// Elements with neighbouring coordinates: the first ones, and how many of each.
#[derive(Clone, Debug)]
struct Block {
    start: Dims,
    shape: Dims,
}

impl Tensor {
    /// The elements moved along axes by shifts, which may be negative and longer than the axis; those that fall off one end
    /// come in at the other. There is one shift for each axis, or one for all; with [`Axes::All`] the elements are moved
    /// in C order, as if there were one axis.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// assert_eq!(Tensor::arange(5)?.roll(&[2], 0)?.to_vec::<i64>()?, [3, 4, 0, 1, 2]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn roll(&self, shifts: &[i128], axes: impl Into<Axes>) -> Result<Tensor> {
        match axes.into() {
            Axes::All => self.roll_all(shifts),
            Axes::Some(axes) => self.roll_along(shifts, &axes),
        }
    }

    fn roll_along(&self, shifts: &[i128], axes: &[isize]) -> Result<Tensor> {
        let shape = self.shape();
        let mut by = Dims::from_elem(0, shape.len());
        let pairs = shifts.len().max(axes.len());
        let agree = |count: usize| count == pairs || count == 1;
        if !(axes.is_empty() || agree(shifts.len()) && agree(axes.len())) {
            let (shifts, axes) = (shifts.len(), axes.len());
            return Err(Error::Value(format!(
                "{NAME}: {shifts} shifts were given for {axes} axes; give one for each, or one for all"
            )));
        }
        let pairs = if axes.is_empty() { 0 } else { pairs };
        for n in 0..pairs {
            let axis = axis_of(NAME, axes[n % axes.len()], shape.len())?;
            by[axis] = shifted(by[axis], shifts[n % shifts.len()], shape[axis]);
        }
        let moved: SmallVec<[usize; 4]> = (0..shape.len()).filter(|&axis| by[axis] != 0).collect();
        let mut passes = moved.chunks(AXES_AT_ONCE);
        let mut rolled = self.roll_some(&by, passes.next().unwrap_or_default())?;
        for axes in passes {
            rolled = rolled.roll_some(&by, axes)?;
        }
        Ok(rolled)
    }

    /// The elements moved along some of the axes, each by its own shift, which is shorter than the axis.
    fn roll_some(&self, by: &[usize], axes: &[usize]) -> Result<Tensor> {
        let shape = self.shape();
        // Each axis is cut where its end comes to lie at the beginning.
        let mut blocks = vec![Block { start: Dims::from_elem(0, shape.len()), shape: Dims::from_slice(shape) }];
        for &axis in axes {
            let (shift, cut) = (by[axis], shape[axis] - by[axis]);
            for n in 0..blocks.len() {
                let mut last = blocks[n].clone();
                blocks[n].shape[axis] = cut;
                (last.start[axis], last.shape[axis]) = (cut, shift);
                blocks.push(last);
            }
        }
        let layout = self.layout().like(Order::K);
        let place = |block: &Block| -> isize {
            let turned =
                axes.iter().map(|&axis| ((block.start[axis] + by[axis]) % shape[axis], layout.strides()[axis]));
            turned.map(|(at, step)| at as isize * step).sum()
        };
        let places = blocks.iter().map(place).collect::<Vec<_>>();
        self.arranged(&blocks, &places, layout.like(Order::K))
    }

    fn roll_all(&self, shifts: &[i128]) -> Result<Tensor> {
        let size = self.size();
        let shift = shifts.iter().fold(0, |sum, &shift| shifted(sum, shift, size));
        let layout = Layout::dense(self.shape(), Order::C).map_err(Error::layout(NAME))?;
        let (mut blocks, mut places) = (Vec::new(), Vec::new());
        let dense = Strides::from_slice(layout.strides());
        for (from, to, by) in [(0, size - shift, shift as isize), (size - shift, size, shift as isize - size as isize)]
        {
            let first = blocks.len();
            cover(self.shape(), from, to, &Dims::new(), &mut blocks);
            let flat =
                |block: &Block| block.start.iter().zip(&dense).map(|(&at, step)| at as isize * step).sum::<isize>();
            places.extend(blocks[first..].iter().map(|block| flat(block) + by));
        }
        self.arranged(&blocks, &places, layout)
    }

    /// A new array with blocks of this one at places of their own.
    fn arranged(&self, blocks: &[Block], places: &[isize], layout: Layout) -> Result<Tensor> {
        let (own, steps) = (self.layout().strides(), Strides::from_slice(layout.strides()));
        let mut rolled = Assembly::new(NAME, layout, self.dtype(), self.kind(), self.queue(), blocks.len())?;
        let first = rolled.read(self)?;
        for (block, &place) in blocks.iter().zip(places).filter(|_| self.size() > 0) {
            let from: isize = block.start.iter().zip(own).map(|(&at, step)| at as isize * step).sum();
            let from = Elements { first: first.offset(from * self.dtype().size() as isize), steps: own };
            let to = Elements { first: rolled.element(place), steps: &steps };
            rolled.push(self.dtype(), &block.shape, from, to);
        }
        rolled.finish()
    }
}

/// A shift and one more, along an axis of some length.
fn shifted(by: usize, more: i128, length: usize) -> usize {
    let length = length.max(1) as i128;
    ((by as i128 + more.rem_euclid(length)) % length) as usize
}

/// The blocks that elements of a shape fill from one position in C order to another, with the coordinates before them.
fn cover(shape: &[usize], from: usize, to: usize, before: &Dims, blocks: &mut Vec<Block>) {
    if from == to {
        return;
    }
    let Some((_, inner)) = shape.split_first() else {
        return blocks.push(Block { start: before.clone(), shape: Dims::from_elem(1, before.len()) });
    };
    let row: usize = inner.iter().product();
    let at = |index: usize| {
        let mut start = before.clone();
        start.push(index);
        start
    };
    let (mut first, last) = (from / row, to / row);
    if first == last {
        return cover(inner, from % row, to % row, &at(first), blocks);
    }
    if !from.is_multiple_of(row) {
        cover(inner, from % row, row, &at(first), blocks);
        first += 1;
    }
    if first < last {
        let (mut start, mut lengths) = (at(first), Dims::from_elem(1, before.len()));
        start.resize(before.len() + shape.len(), 0);
        lengths.push(last - first);
        lengths.extend_from_slice(inner);
        blocks.push(Block { start, shape: lengths });
    }
    cover(inner, 0, to % row, &at(last), blocks);
}
