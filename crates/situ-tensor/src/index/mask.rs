//! Masks: how much is true, and what lies there.

use situ_runtime::{Command, MaskCount, MaskExpand, MaskSelect, Strided, Taken, Values};
use situ_types::{DType, Dims, Layout, Order, Scalar, Strides, UsmKind};

use super::axes::merge;
use crate::shared_layout::{line_layout, shared};
use crate::submit::Submission;
use crate::{Error, Result, Tensor};

/// What is written where a mask is true.
#[derive(Clone, Copy, Debug)]
pub(super) enum MaskedValues<'a> {
    /// One value of the array's dtype.
    One(Scalar),
    /// Values of the array's dtype along one axis, one after another and again from the first; not empty.
    Cycled(&'a Tensor),
}

fn steps(array: &Tensor) -> Strides {
    Strides::from_slice(array.layout().strides())
}

impl Tensor {
    /// The array as truth values: what is not 0 is true.
    pub(super) fn truths(&self) -> Result<Tensor> {
        if self.dtype() == DType::Bool { Ok(self.clone()) } else { self.astype(DType::Bool, Order::K) }
    }

    /// How much of a mask is true. Waits for the device's answer.
    pub(super) fn count_true(&self) -> Result<usize> {
        let mut strides = steps(self);
        let shape = merge(self.shape(), &mut [&mut strides]);
        let mut work = Submission::on(self.queue());
        let mask = Strided { address: work.read(self)?, strides };
        let answer = work.answer("indexing", 1)?;
        let command = Command::MaskCount(Box::new(MaskCount { shape, mask, count: answer.address(0) }));
        let found = work.produce(&command, answer.into_new())?.answered(0)?;
        Ok((found as usize).min(self.size()))
    }

    /// Whether any element differs from zero. Waits for the device's answer.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    ///
    /// assert!(Tensor::arange(3)?.has_nonzero()?);
    /// assert!(!Tensor::arange(1)?.has_nonzero()?);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn has_nonzero(&self) -> Result<bool> {
        Ok(self.truths()?.count_true()? > 0)
    }

    /// The elements where a mask of the same shape and on the same queue is true, in C order, in memory of a kind.
    pub(super) fn select(&self, mask: &Tensor, kind: UsmKind) -> Result<Tensor> {
        let capacity = mask.count_true()?;
        let (dtype, width) = (self.dtype(), self.dtype().size());
        if capacity == 0 {
            return Tensor::empty(&[0], dtype, Order::C, kind, self.queue());
        }
        let (mut of_mask, mut own) = (steps(mask), steps(self));
        let shape = merge(self.shape(), &mut [&mut of_mask, &mut own]);
        let mut work = Submission::on(self.queue());
        let taken = Taken::Elements { array: Strided { address: work.read(self)?, strides: own }, width };
        let mask = Strided { address: work.read(mask)?, strides: of_mask };
        // A mask never has more true elements than there are elements, whose bytes fit.
        let layout = line_layout(capacity).map_err(Error::layout("indexing"))?;
        let new = work.allocate("indexing", layout, dtype, kind)?;
        let select = MaskSelect { shape, mask, taken, out: new.address(), capacity };
        work.produce(&Command::MaskSelect(Box::new(select)), new)
    }

    /// Writes to the elements where a mask of the same shape and on the same queue is true. Neither the mask nor values
    /// in memory share memory with the array.
    pub(super) fn expand(&self, mask: &Tensor, values: MaskedValues<'_>) -> Result<()> {
        let (mut of_mask, mut own) = (steps(mask), steps(self));
        let shape = merge(self.shape(), &mut [&mut of_mask, &mut own]);
        let mut work = Submission::on(self.queue());
        let array = Strided { address: work.update(self)?, strides: own };
        let mask = Strided { address: work.read(mask)?, strides: of_mask };
        let values = match values {
            MaskedValues::One(value) => Values::Immediate(value.to_bytes()),
            MaskedValues::Cycled(line) => {
                let (stride, length) = (line.layout().strides()[0], line.size());
                Values::Cycled { address: work.read(line)?, stride, length }
            }
        };
        let width = self.dtype().size();
        work.run(&Command::MaskExpand(Box::new(MaskExpand { shape, mask, array, width, values })))
    }

    /// Where an array is not 0: one array of indices per axis.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// let found = Tensor::from_slice(&[3.0, 0.0, -1.0])?.nonzero()?;
    /// assert_eq!(found[0].to_vec::<i64>()?, [0, 2]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn nonzero(&self) -> Result<Vec<Tensor>> {
        if self.layout().ndim() == 0 {
            return Err(Error::Value(
                "nonzero: an array without dimensions has no indices; give it one with x[None] first".into(),
            ));
        }
        let mask = self.truths()?;
        let (axes, capacity) = (self.layout().ndim(), mask.count_true()?);
        let layout = Layout::dense(&[axes, capacity], Order::C).map_err(Error::layout("nonzero"))?;
        if capacity == 0 {
            let nothing = Tensor::empty(&[0], DType::I64, Order::C, self.kind(), self.queue())?;
            return Ok(vec![nothing; axes]);
        }
        let mut strides = steps(&mask);
        let shape = merge(self.shape(), &mut [&mut strides]);
        let mut work = Submission::on(self.queue());
        let taken = Taken::Coordinates(Dims::from_slice(self.shape()));
        let mask = Strided { address: work.read(&mask)?, strides };
        let new = work.allocate("nonzero", shared(layout), DType::I64, self.kind())?;
        let select = MaskSelect { shape, mask, taken, out: new.address(), capacity };
        let found = work.produce(&Command::MaskSelect(Box::new(select)), new)?;
        let line = |axis: usize| {
            let layout = Layout::strided(&[capacity], &[1], (axis * capacity) as isize);
            Ok(found.under(layout.map_err(Error::layout("nonzero"))?))
        };
        (0..axes).map(line).collect()
    }
}
