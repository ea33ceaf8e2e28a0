//! New arrays.

use situ_runtime::{Buffer, Queue, scope};
use situ_types::{DType, Layout, Order, Scalar, UsmKind};

use crate::{Error, Result, Tensor};

impl Tensor {
    /// An array with undefined contents.
    pub fn empty(shape: &[usize], dtype: DType, order: Order, kind: UsmKind, queue: &Queue) -> Result<Tensor> {
        if !queue.device().float_support().supports(dtype) {
            let device = queue.device().label();
            return Err(Error::Unsupported { operation: "empty".into(), dtype, device });
        }
        let layout = Layout::dense(shape, order).map_err(Error::layout("empty"))?;
        let bytes = layout.size().checked_mul(dtype.size()).filter(|&bytes| bytes <= isize::MAX as usize);
        let bytes = bytes.ok_or_else(|| {
            let source = situ_types::LayoutError::TooLarge { shape: shape.into() };
            Error::Layout { operation: "empty".into(), source }
        })?;
        // An empty array still has an address of its own.
        let buffer = Buffer::allocate(queue, kind, bytes.max(dtype.size()), 0)?;
        Ok(Tensor::assemble(buffer, dtype, layout.into()))
    }

    /// An array filled with one value, whose dtype it takes.
    pub fn full(shape: &[usize], value: Scalar, order: Order, kind: UsmKind, queue: &Queue) -> Result<Tensor> {
        let tensor = Tensor::empty(shape, value.dtype(), order, kind, queue)?;
        let pattern = &value.to_bytes()[..value.dtype().size()];
        queue.fill(tensor.buffer(), 0, pattern, tensor.size(), &[])?;
        Ok(tensor)
    }

    /// An array of a shape filled with another array's elements, broadcast and converted.
    pub fn full_from(
        shape: &[usize],
        value: &Tensor,
        dtype: DType,
        order: Order,
        kind: UsmKind,
        queue: &Queue,
    ) -> Result<Tensor> {
        let value = value.to_queue(queue)?;
        let tensor = Tensor::empty(shape, dtype, order, kind, queue)?;
        value.layout().broadcast_to(shape).map_err(Error::layout("full"))?;
        tensor.assign(&value)?;
        Ok(tensor)
    }

    /// The integers from 0 up to `n`, on the current default queue.
    pub fn arange(n: usize) -> Result<Tensor> {
        let queue = scope::current_queue()?;
        Tensor::sequence(Scalar::I64(0), Scalar::I64(1), n, DType::I64, UsmKind::Device, &queue)
    }
}
