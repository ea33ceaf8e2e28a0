//! Between arrays and host memory.

use situ_ir::scalar::Element;
use situ_runtime::{Address, Buffer, Queue, Route};
use situ_types::{DType, Layout, Order, UsmKind};

use crate::{Error, Result, Tensor};

impl Tensor {
    /// A new array with the contents of a dense host array.
    ///
    /// # Safety
    ///
    /// `data` is readable for the bytes of a dense array of this shape and dtype, and nobody writes it meanwhile.
    pub unsafe fn from_host(
        data: *const u8,
        shape: &[usize],
        dtype: DType,
        order: Order,
        kind: UsmKind,
        queue: &Queue,
    ) -> Result<Tensor> {
        let tensor = Tensor::empty(shape, dtype, order, kind, queue)?;
        // SAFETY: the caller vouches for the host memory, and the copy is waited for before this returns.
        unsafe { queue.copy_from_host(tensor.contents()?, 0, data, tensor.size() * dtype.size(), &[]) }?.wait()?;
        Ok(tensor)
    }

    /// A new array with the contents of a host array of any layout, converted to `dtype`. The layout counts from
    /// `data`.
    ///
    /// # Safety
    ///
    /// Every element of the layout is readable and aligned for `from`, and nobody writes it meanwhile.
    pub unsafe fn from_host_layout(
        data: *const u8,
        layout: &Layout,
        from: DType,
        dtype: DType,
        order: Order,
        kind: UsmKind,
        queue: &Queue,
    ) -> Result<Tensor> {
        let out = Tensor::empty_in("asarray", layout.like(order), dtype, kind, queue)?;
        let size = from.size();
        if out.size() == 0 {
            return Ok(out);
        }
        let mut axes = layout.shape().iter().zip(layout.strides()).zip(out.layout().strides());
        if from == dtype && axes.all(|((&length, here), there)| length == 1 || here == there) {
            let data = data.wrapping_offset(layout.offset() * size as isize);
            // SAFETY: the layout equals a dense one, so that its elements are `size` bytes each from `data` on, which
            // the caller vouches for; the copy is waited for before this returns.
            unsafe { queue.copy_from_host(out.contents()?, 0, data, out.size() * size, &[]) }?.wait()?;
            return Ok(out);
        }
        let (low, high) = layout.bounds().ok_or_else(|| Error::Value("the host array reaches too far".into()))?;
        let first = data.wrapping_offset(low * size as isize);
        let bytes = (high - low) as usize * size;
        let within =
            |offset| Layout::strided(layout.shape(), layout.strides(), offset).map_err(Error::layout("asarray"));
        if queue.context().reaches_host() {
            // SAFETY: the device reads host memory in place; this buffer is only read, and the wait below ends before
            // the caller's promise does. Bytes between elements are never touched.
            let host = unsafe { Buffer::foreign(queue, UsmKind::Host, Address(first.cast_mut()), bytes, Box::new(())) };
            out.assign(&Tensor::assemble(host, from, within(-low)?))?;
            queue.count_transfer(Route::FromHost, out.size() * size);
            out.wait()?;
            return Ok(out);
        }
        // The processor puts the elements side by side, so that they travel in one piece.
        let processor = situ_runtime::host_queue()?;
        // SAFETY: the caller's promise.
        let packed = unsafe { Self::from_host_layout(data, layout, from, from, order, UsmKind::Device, &processor) }?;
        let arrived =
            if from == dtype { out.clone() } else { Self::empty_in("asarray", layout.like(order), from, kind, queue)? };
        // SAFETY: the processor's memory is the host's; it was written above, and outlives the copy, which is waited
        // for.
        unsafe { queue.copy_from_host(arrived.contents()?, 0, packed.address()?.0, packed.size() * size, &[]) }?
            .wait()?;
        if from != dtype {
            out.assign(&arrived)?;
        }
        Ok(out)
    }

    /// A new one-dimensional array on the current default queue.
    pub fn from_slice<T: Element>(values: &[T]) -> Result<Tensor> {
        let queue = situ_runtime::scope::current_queue()?;
        // SAFETY: the slice is readable for its own length.
        unsafe {
            Tensor::from_host(values.as_ptr().cast(), &[values.len()], T::DTYPE, Order::C, UsmKind::Device, &queue)
        }
    }

    /// The dense array whose bytes, in order, are what [`copy_to_host`](Self::copy_to_host) writes: this array where
    /// its elements lie without gaps, else a compact copy in the closest order.
    pub fn compact(&self) -> Result<Tensor> {
        let layout = self.layout();
        let is_permuted = || {
            layout.bounds().is_some_and(|(low, high)| (high - low) as usize == self.size())
                && layout.strides().iter().all(|&step| step > 0)
                && layout.has_distinct_elements()
        };
        let is_dense = layout.is_c_contiguous() || layout.is_f_contiguous() || self.size() == 0 || is_permuted();
        if is_dense { Ok(self.clone()) } else { self.copy(Order::K) }
    }

    /// Copies a [`compact`](Self::compact) array's bytes to host memory, and waits.
    ///
    /// # Safety
    ///
    /// `data` is writable for the array's bytes, and nobody else touches it meanwhile.
    pub unsafe fn copy_to_host(&self, data: *mut u8) -> Result<()> {
        let (low, high) = self.layout().bounds().ok_or_else(|| Error::Value("the array reaches too far".into()))?;
        let size = self.dtype().size();
        let bytes = (high - low) as usize * size;
        // SAFETY: the caller vouches for the host memory, and the copy is waited for before this returns.
        unsafe { self.queue().copy_to_host(data, self.contents()?, low as usize * size, bytes, &[]) }?.wait()?;
        Ok(())
    }

    /// The elements in C order.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        if T::DTYPE != self.dtype() {
            return Err(Error::Value(format!("an array of dtype {} has no elements of {}", self.dtype(), T::DTYPE)));
        }
        let dense = if self.layout().is_c_contiguous() { self.clone() } else { self.copy(Order::C)? };
        let mut values = vec![T::default(); self.size()];
        // SAFETY: the vector has exactly the array's size, and T is the array's element type.
        unsafe { dense.copy_to_host(values.as_mut_ptr().cast()) }?;
        Ok(values)
    }
}
