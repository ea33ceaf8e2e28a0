//! Copies, casts and migration.

use situ_runtime::{Buffer, Queue};
use situ_types::{DType, Layout, Order, UsmKind};

use crate::elementwise::{convert, submit};
use crate::programs::conversion;
use crate::{Arg, Error, Result, Tensor};

impl Tensor {
    /// A copy in a new allocation of the same kind.
    pub fn copy(&self, order: Order) -> Result<Tensor> {
        self.astype(self.dtype(), order)
    }

    /// A copy converted to another dtype.
    pub fn astype(&self, dtype: DType, order: Order) -> Result<Tensor> {
        self.converted(dtype, order, self.kind(), self.queue())
    }

    /// A copy of another dtype, order, kind of memory, or place.
    pub fn converted(&self, dtype: DType, order: Order, kind: UsmKind, queue: &Queue) -> Result<Tensor> {
        if queue.context() == self.context() {
            return convert(self, dtype, order, kind, queue);
        }
        let layout = self.layout().like(order);
        let is_ready = dtype == self.dtype() && self.layout().strides() == layout.strides();
        let moved = if is_ready || !self.device().float_support().supports(dtype) {
            self.copied_to(queue, kind)?
        } else {
            self.astype(dtype, order)?.copied_to(queue, kind)?
        };
        let moved = moved.with_writable(true);
        if is_ready || moved.dtype() == dtype { Ok(moved) } else { moved.astype(dtype, order) }
    }

    /// This array on a queue that a conversion to `dtype` will run on. What the queue's device cannot hold is converted
    /// before it moves.
    pub(crate) fn brought_to(&self, queue: &Queue, dtype: DType) -> Result<Tensor> {
        if queue.device().float_support().supports(self.dtype()) {
            return self.to_queue(queue);
        }
        self.converted(dtype, Order::K, self.kind(), queue)
    }

    /// Writes another array's elements, broadcast and converted, into this one. Both are on one queue, and do not
    /// share memory.
    pub(crate) fn assign(&self, value: &Tensor) -> Result<()> {
        submit(conversion(value.dtype(), self.dtype()), &[Arg::Array(value)], self)
    }

    /// The same array on another queue: without a copy inside one context, else moved to the queue's device.
    pub fn to_queue(&self, queue: &Queue) -> Result<Tensor> {
        if queue.reaches(self.contents()?) {
            return Ok(self.on_queue(queue));
        }
        self.copied_to(queue, self.kind())
    }

    /// A copy on another queue, in memory of a kind, with the same strides.
    pub fn copied_to(&self, queue: &Queue, kind: UsmKind) -> Result<Tensor> {
        if !queue.device().float_support().supports(self.dtype()) {
            let (operation, device) = ("to_device".into(), queue.device().label());
            return Err(Error::Unsupported { operation, dtype: self.dtype(), device });
        }
        let (low, high) =
            self.layout().bounds().ok_or_else(|| Error::Value("to_device: the array reaches too far".into()))?;
        if (high - low) as usize > self.size() {
            // Do not drag the gaps along.
            return self.copy(Order::K)?.copied_to(queue, kind);
        }
        let size = self.dtype().size();
        let bytes = (high - low) as usize * size;
        let buffer = Buffer::allocate(queue, kind, bytes.max(size), 0)?;
        queue.transfer(&buffer, 0, self.queue(), self.contents()?, low as usize * size, bytes)?;
        let offset = self.layout().offset() - low;
        let layout =
            Layout::strided(self.shape(), self.layout().strides(), offset).map_err(Error::layout("to_device"))?;
        Ok(Tensor::assemble(buffer, self.dtype(), layout).with_writable(self.is_writable()))
    }
}
