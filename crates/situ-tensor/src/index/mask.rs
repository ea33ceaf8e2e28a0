//! Masks: how much is true, and what lies there.

use situ_runtime::{Access, Buffer, Command, MaskCount, MaskExpand, MaskSelect, Strided, Taken, Values};
use situ_types::{DType, Dims, Layout, Order, Strides, UsmKind};

use super::axes::merge;
use crate::{Error, Result, Tensor};

/// An array for its part in a command, with the steps it was given there.
pub(super) fn operand(array: &Tensor, strides: Strides) -> Strided {
    Strided { address: array.address(), strides }
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
        let make = |count| {
            let mask = operand(self, strides);
            Ok::<_, Error>(Command::MaskCount(Box::new(MaskCount { shape, mask, count })))
        };
        // SAFETY: the command reads the elements of the mask's layout, which lie in its buffer, and writes 8 bytes.
        let count = unsafe { Buffer::produce(self.queue(), UsmKind::Host, 8, &[(self.buffer(), Access::Read)], make) }?;
        count.wait_before(Access::Read)?;
        // SAFETY: host memory of one integer, whose only writer is over.
        let found = unsafe { count.address().0.cast::<i64>().read() } as usize;
        Ok(found.min(self.size()))
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
        let make = |out| {
            let mask = operand(mask, of_mask);
            let taken = Taken::Elements { array: operand(self, own), width };
            Ok::<_, Error>(Command::MaskSelect(Box::new(MaskSelect { shape, mask, taken, out, capacity })))
        };
        let reads = [(self.buffer(), Access::Read), (mask.buffer(), Access::Read)];
        // A mask never has more true elements than there are elements, whose bytes fit.
        // SAFETY: the command reads the elements of both layouts, which lie in their buffers, and writes at most the
        // capacity.
        let buffer = unsafe { Buffer::produce(self.queue(), kind, capacity * width, &reads, make) }?;
        let layout = Layout::dense(&[capacity], Order::C).map_err(Error::layout("indexing"))?;
        Ok(Tensor::assemble(buffer, dtype, layout))
    }

    /// Writes to the elements where a mask of the same shape and on the same queue is true. `reads` holds the values,
    /// if they are in memory; neither they nor the mask share memory with the array.
    pub(super) fn expand(&self, mask: &Tensor, values: Values, reads: Option<&Tensor>) -> Result<()> {
        let (mut of_mask, mut own) = (steps(mask), steps(self));
        let shape = merge(self.shape(), &mut [&mut of_mask, &mut own]);
        let (mask_operand, array) = (operand(mask, of_mask), operand(self, own));
        let width = self.dtype().size();
        let command = MaskExpand { shape, mask: mask_operand, array, width, values };
        let mut accesses = smallvec::SmallVec::<[(&Buffer, Access); 3]>::new();
        accesses.push((self.buffer(), Access::Update));
        accesses.push((mask.buffer(), Access::Read));
        accesses.extend(reads.map(|values| (values.buffer(), Access::Read)));
        // SAFETY: the command visits the elements of the layouts, which lie in their buffers, all of which are named.
        unsafe { self.queue().submit(&Command::MaskExpand(Box::new(command)), &accesses, &[]) }?;
        Ok(())
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
        let run = |buffer: &Buffer, axis: usize| {
            let layout = Layout::strided(&[capacity], &[1], (axis * capacity) as isize);
            Ok(Tensor::assemble(buffer.clone(), DType::I64, layout.map_err(Error::layout("nonzero"))?))
        };
        let words = capacity.checked_mul(axes).and_then(|words| words.checked_mul(8));
        let bytes = words.filter(|&bytes| bytes <= isize::MAX as usize);
        let bytes = bytes.ok_or_else(|| Error::Value("nonzero: the result is too large to be addressed".into()))?;
        if capacity == 0 {
            let nothing = Tensor::empty(&[0], DType::I64, Order::C, self.kind(), self.queue())?;
            return Ok(vec![nothing; axes]);
        }
        let mut strides = steps(&mask);
        let shape = merge(self.shape(), &mut [&mut strides]);
        let make = |out| {
            let taken = Taken::Coordinates(Dims::from_slice(self.shape()));
            let mask = operand(&mask, strides);
            Ok::<_, Error>(Command::MaskSelect(Box::new(MaskSelect { shape, mask, taken, out, capacity })))
        };
        // SAFETY: the command reads the elements of the mask's layout, which lie in its buffer, and writes at most the
        // capacity for each axis.
        let buffer =
            unsafe { Buffer::produce(self.queue(), self.kind(), bytes, &[(mask.buffer(), Access::Read)], make) }?;
        (0..axes).map(|axis| run(&buffer, axis)).collect()
    }
}
