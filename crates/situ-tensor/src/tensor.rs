//! The array object.

use situ_runtime::{Address, Buffer, Context, Counted, Device, Queue};
use situ_types::{DType, Layout, UsmKind};

use crate::shared_layout::shared;
use crate::{Error, Result};

/// An N-dimensional array: a layout over USM memory, associated with a queue.
///
/// Cloning is cheap and shares the memory.
#[derive(Clone)]
pub struct Tensor {
    buffer: Buffer,
    /// The queue, where it is another than the one the memory was allocated for.
    queue: Option<Queue>,
    /// Shared by the many arrays that have the same one.
    layout: Counted<Layout>,
    dtype: DType,
    writable: bool,
}

impl Tensor {
    /// An array over part of a buffer. The layout must lie inside it, and the queue in its context.
    pub fn from_buffer(buffer: Buffer, queue: Queue, dtype: DType, layout: Layout) -> Result<Tensor> {
        if buffer.context() != queue.context() {
            return Err(Error::Value("the memory belongs to another context than the queue".into()));
        }
        let held = (buffer.bytes() / dtype.size()) as isize;
        // Invariant 3 of the layout.
        match layout.bounds() {
            _ if layout.size() == 0 => {}
            Some((low, high)) if low >= 0 && high <= held => {}
            _ => {
                return Err(Error::Value(format!(
                    "an array of dtype {dtype} with layout {layout:?} reaches outside its allocation of {} bytes",
                    buffer.bytes()
                )));
            }
        }
        if !buffer.address().value().is_multiple_of(dtype.size().min(8)) {
            return Err(Error::Value(format!("the memory is not aligned for elements of dtype {dtype}")));
        }
        let writable = !buffer.is_read_only();
        Ok(Tensor::assemble(buffer, dtype, layout).on_queue(&queue).with_writable(writable))
    }

    /// An array whose parts are known to fit together, on the queue its memory was allocated for.
    pub(crate) fn assemble(buffer: Buffer, dtype: DType, layout: Layout) -> Tensor {
        Tensor::with_shared_layout(buffer, dtype, shared(layout))
    }

    /// The same with a layout of others.
    #[inline]
    pub(crate) fn with_shared_layout(buffer: Buffer, dtype: DType, layout: Counted<Layout>) -> Tensor {
        Tensor { buffer, queue: None, layout, dtype, writable: true }
    }

    /// The same memory under another layout, which is known to lie in it.
    pub(crate) fn with_layout(mut self, layout: Layout) -> Tensor {
        self.layout = shared(layout);
        self
    }

    /// Another array over the same memory, whose layout is known to lie in it.
    #[inline]
    pub(crate) fn under(&self, layout: Layout) -> Tensor {
        let (buffer, queue) = (self.buffer.clone(), self.queue.clone());
        Tensor { buffer, queue, layout: shared(layout), dtype: self.dtype, writable: self.writable }
    }

    /// The same memory with elements of another dtype, in whose units its layout counts.
    pub(crate) fn with_dtype(mut self, dtype: DType) -> Tensor {
        self.dtype = dtype;
        self
    }

    /// The memory with its elements: the one way to them. What can be told without them, such as its queue, kind and
    /// layout, is not asked here.
    #[inline(always)]
    pub fn contents(&self) -> Result<&Buffer> {
        Ok(&self.buffer)
    }

    /// Bytes of the memory it lies in.
    #[inline(always)]
    pub fn bytes_held(&self) -> usize {
        self.buffer.bytes()
    }

    /// Whether its memory was lent for reading only, so that it can never be written to.
    pub fn is_lent(&self) -> bool {
        self.buffer.is_read_only()
    }

    /// The queue its computations run on.
    pub fn queue(&self) -> &Queue {
        self.queue.as_ref().unwrap_or_else(|| self.buffer.queue())
    }

    /// The device its computations run on.
    pub fn device(&self) -> &Device {
        self.queue().device()
    }

    /// The context of its memory.
    pub fn context(&self) -> &Context {
        self.queue().context()
    }

    /// The kind of its memory.
    pub fn kind(&self) -> UsmKind {
        self.buffer.kind()
    }

    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Where its elements are in its memory.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The same, to share.
    pub(crate) fn shared_layout(&self) -> &Counted<Layout> {
        &self.layout
    }

    /// Lengths of its axes.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Number of its elements.
    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// Whether it may be written to.
    pub fn is_writable(&self) -> bool {
        self.writable
    }

    /// The same array, writable or not. Memory that was lent for reading never is.
    pub fn with_writable(mut self, writable: bool) -> Tensor {
        self.writable = writable && !self.buffer.is_read_only();
        self
    }

    /// The address of the first element.
    #[inline(always)]
    pub fn address(&self) -> Result<Address> {
        Ok(self.contents()?.address().offset(self.layout.offset() * self.dtype.size() as isize))
    }

    /// The same memory, associated with another queue of the same context.
    pub(crate) fn on_queue(&self, queue: &Queue) -> Tensor {
        let own = self.buffer.queue() == queue;
        Tensor { queue: if own { None } else { Some(queue.clone()) }, ..self.clone() }
    }

    /// Waits until its contents are final.
    pub fn wait(&self) -> Result<()> {
        self.queue().check()?;
        Ok(self.contents()?.wait_before(situ_runtime::Access::Read)?)
    }
}
