//! Arrays with strides of the caller's choice.

use situ_runtime::{Buffer, Queue};
use situ_types::{DType, Layout, Order, Scalar, UsmKind};

use crate::{Error, Result, Tensor};

impl Tensor {
    /// An array with undefined contents and the shape and strides of a layout; these may be negative, zero or leave
    /// gaps. The allocation reaches from the lowest element to the highest, whatever the layout's offset says. The
    /// alignment is a power of two, or 0 where it does not matter.
    pub fn empty_strided(
        layout: &Layout,
        dtype: DType,
        kind: UsmKind,
        alignment: usize,
        queue: &Queue,
    ) -> Result<Tensor> {
        supported(queue, dtype)?;
        let (shape, strides) = (layout.shape(), layout.strides());
        let anchored = Layout::strided(shape, strides, 0).map_err(Error::layout("ndarray"))?;
        let size = dtype.size();
        let reach = anchored.bounds().and_then(|(low, high)| {
            let bytes = usize::try_from(high.checked_sub(low)?).ok()?.checked_mul(size)?;
            (bytes <= isize::MAX as usize).then_some((low, bytes))
        });
        let (low, bytes) = reach.ok_or_else(|| {
            Error::Value(format!("ndarray: shape {shape:?} with strides {strides:?} is larger than can be addressed"))
        })?;
        // An empty array still has an address of its own.
        let buffer = Buffer::allocate(queue, kind, bytes.max(size), alignment)?;
        let layout = Layout::strided(shape, strides, -low).map_err(Error::layout("ndarray"))?;
        Tensor::from_buffer(buffer, queue.clone(), dtype, layout)
    }

    /// Zeros in the shape, order of axes and place of this array.
    pub fn zeros_alike(&self) -> Result<Tensor> {
        let zero = Scalar::from_bytes(self.dtype(), [0; 16]);
        let zeros = Tensor::full(self.shape(), zero, Order::C, self.kind(), self.queue())?;
        Ok(zeros.with_layout(self.layout().like(Order::K)))
    }

    /// An array over memory that starts some bytes into a buffer and is so many bytes long; its layout counts from
    /// there.
    pub fn over_memory(
        buffer: &Buffer,
        start: usize,
        bytes: usize,
        queue: &Queue,
        dtype: DType,
        layout: &Layout,
    ) -> Result<Tensor> {
        supported(queue, dtype)?;
        let size = dtype.size();
        let held = (bytes / size) as isize;
        let offset = match layout.bounds() {
            _ if layout.size() == 0 => 0,
            Some((low, high)) if low >= 0 && high <= held => layout.offset(),
            _ => {
                return Err(Error::Value(format!(
                    "ndarray: an array of dtype {dtype} with layout {layout:?} reaches outside the {bytes} bytes of \
                     buffer; give a larger one, or other strides or offset"
                )));
            }
        };
        if !start.is_multiple_of(size) {
            return Err(Error::Value(format!("ndarray: the memory of buffer is not aligned for elements of {dtype}")));
        }
        let layout = Layout::strided(layout.shape(), layout.strides(), (start / size) as isize + offset)
            .map_err(Error::layout("ndarray"))?;
        Tensor::from_buffer(buffer.clone(), queue.clone(), dtype, layout)
    }
}

fn supported(queue: &Queue, dtype: DType) -> Result<()> {
    if queue.device().float_support().supports(dtype) {
        return Ok(());
    }
    Err(Error::Unsupported { operation: "ndarray".into(), dtype, device: queue.device().label() })
}
