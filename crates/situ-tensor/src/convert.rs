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

    /// Joins arrays along an axis, converting them to a common dtype.
    pub fn concat(arrays: &[&Tensor], axis: usize) -> Result<Tensor> {
        use situ_runtime::placement::{Placed, Rule, resolve};
        let first = arrays.first().ok_or_else(|| Error::Value("concat: no arrays were given".into()))?;
        let names: Vec<String> = (0..arrays.len()).map(|i| format!("arrays[{i}]")).collect();
        let placed: Vec<Placed<'_>> =
            arrays.iter().zip(&names).map(|(t, name)| Placed { name, queue: t.queue(), kind: t.kind() }).collect();
        let (queue, kind) = resolve("concat", placed.iter().copied(), Rule::SameQueue)?;
        let mut shape = first.shape().to_vec();
        if axis >= shape.len() {
            return Err(Error::Value(format!(
                "concat: axis {axis} does not exist in an array of {} dimensions",
                shape.len()
            )));
        }
        for (tensor, name) in arrays[1..].iter().zip(&names[1..]) {
            let agrees = tensor.shape().len() == shape.len()
                && tensor.shape().iter().zip(first.shape()).enumerate().all(|(i, (a, b))| i == axis || a == b);
            if !agrees {
                let (given, wanted) = (tensor.shape(), first.shape());
                return Err(Error::Value(format!(
                    "concat: {name} has shape {given:?}, which does not match {wanted:?} off axis {axis}"
                )));
            }
            let too_long = || Error::Value("concat: the result is too long to be addressed".into());
            shape[axis] = shape[axis].checked_add(tensor.shape()[axis]).ok_or_else(too_long)?;
        }
        let dtype = arrays[1..].iter().fold(first.dtype(), |d, t| situ_types::promote(d, t.dtype()));
        let out = Tensor::empty(&shape, dtype, Order::C, kind, queue)?;
        let mut at = 0;
        for tensor in arrays {
            let offset = at as isize * out.layout().strides()[axis];
            let part =
                Layout::strided(tensor.shape(), out.layout().strides(), offset).map_err(Error::layout("concat"))?;
            at += tensor.shape()[axis];
            Tensor::assemble(out.contents()?.clone(), dtype, part).assign(tensor)?;
        }
        Ok(out)
    }
}
