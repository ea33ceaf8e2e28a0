//! New arrays.

use situ_runtime::{Buffer, Command, Queue, scope};
use situ_types::{DType, Layout, Order, Scalar, UsmKind};

use crate::elementwise::submit;
use crate::programs::conversion;
use crate::shared_layout::shared;
use crate::submit::{Submission, byte_count};
use crate::{Arg, Error, Result, Tensor, Weak};

impl Tensor {
    /// An array with undefined contents.
    pub fn empty(shape: &[usize], dtype: DType, order: Order, kind: UsmKind, queue: &Queue) -> Result<Tensor> {
        let layout = Layout::dense(shape, order).map_err(Error::layout("empty"))?;
        Tensor::empty_in("empty", layout, dtype, kind, queue)
    }

    /// An array with undefined contents and the given layout, which starts at element 0. Errors name the operation.
    pub fn empty_in(operation: &str, layout: Layout, dtype: DType, kind: UsmKind, queue: &Queue) -> Result<Tensor> {
        refuse_unsupported(operation, dtype, queue)?;
        let buffer = Buffer::allocate(queue, kind, byte_count(operation, &layout, dtype)?, 0)?;
        Ok(Tensor::assemble(buffer, dtype, layout))
    }

    /// An array filled with one value, whose dtype it takes.
    pub fn full(shape: &[usize], value: Scalar, order: Order, kind: UsmKind, queue: &Queue) -> Result<Tensor> {
        let layout = Layout::dense(shape, order).map_err(Error::layout("full"))?;
        Tensor::full_in("full", layout, value, kind, queue)
    }

    /// An array of the given layout, which starts at element 0 and has no gaps, filled with one value. Errors name the operation.
    pub fn full_in(operation: &str, layout: Layout, value: Scalar, kind: UsmKind, queue: &Queue) -> Result<Tensor> {
        refuse_unsupported(operation, value.dtype(), queue)?;
        let (width, count) = (value.dtype().size(), layout.size());
        let work = Submission::on(queue);
        let new = work.allocate(operation, shared(layout), value.dtype(), kind)?;
        let command = Command::Fill { dst: new.address(), pattern: value.to_bytes(), width, count };
        work.produce(&command, new)
    }

    /// An array of the given layout filled with another array's elements, broadcast, converted and brought to the
    /// queue. Errors name the operation.
    pub fn full_from(
        operation: &str,
        layout: Layout,
        value: &Tensor,
        dtype: DType,
        kind: UsmKind,
        queue: &Queue,
    ) -> Result<Tensor> {
        value.layout().broadcast_to(layout.shape()).map_err(Error::layout(operation))?;
        let tensor = Tensor::empty_in(operation, layout, dtype, kind, queue)?;
        tensor.assign(&value.brought_to(queue, dtype)?)?;
        Ok(tensor)
    }

    /// Ones on the `k`-th diagonal, which lies above the main one where `k` is positive, and zeros elsewhere.
    ///
    /// ```
    /// use situ_runtime::scope;
    /// use situ_tensor::Tensor;
    /// use situ_types::{DType, Order, UsmKind};
    ///
    /// let x = Tensor::eye([2, 3], 1, DType::I64, Order::C, UsmKind::Device, &scope::current_queue()?)?;
    /// assert_eq!(x.to_vec::<i64>()?, [0, 1, 0, 0, 0, 1]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn eye(
        [rows, columns]: [usize; 2],
        k: isize,
        dtype: DType,
        order: Order,
        kind: UsmKind,
        queue: &Queue,
    ) -> Result<Tensor> {
        let layout = Layout::dense(&[rows, columns], order).map_err(Error::layout("eye"))?;
        let out = Tensor::full_in("eye", layout, Weak::Int(0).to_scalar(dtype)?, kind, queue)?;
        let (above, below) = (k.max(0).unsigned_abs(), k.min(0).unsigned_abs());
        let length = rows.saturating_sub(below).min(columns.saturating_sub(above));
        if length > 0 {
            let steps = out.layout().strides();
            let first = above as isize * steps[1] + below as isize * steps[0];
            let diagonal = Layout::strided(&[length], &[steps[0] + steps[1]], first).map_err(Error::layout("eye"))?;
            out.clone().with_layout(diagonal).fill_with(Weak::Int(1))?;
        }
        Ok(out)
    }

    /// The integers from 0 up to `n`, on the current default queue.
    pub fn arange(n: usize) -> Result<Tensor> {
        let queue = scope::current_queue()?;
        Tensor::sequence(Scalar::I64(0), Scalar::I64(1), n, DType::I64, UsmKind::Device, &queue)
    }

    /// Writes one value to every element.
    pub(crate) fn fill_with(&self, value: Weak) -> Result<()> {
        submit(conversion(self.dtype(), self.dtype()), &[Arg::Weak(value)], self)
    }
}

/// An error if a device cannot compute with a dtype.
fn refuse_unsupported(operation: &str, dtype: DType, queue: &Queue) -> Result<()> {
    if queue.device().float_support().supports(dtype) {
        return Ok(());
    }
    Err(Error::Unsupported { operation: operation.into(), dtype, device: queue.device().label() })
}
