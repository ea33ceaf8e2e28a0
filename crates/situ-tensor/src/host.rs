//! Between arrays and host memory.

use situ_ir::scalar::Element;
use situ_runtime::Queue;
use situ_types::{DType, Order, UsmKind};

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
        unsafe { queue.copy_from_host(tensor.buffer(), 0, data, tensor.size() * dtype.size(), &[]) }?.wait()?;
        Ok(tensor)
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
        let dense = self.layout().bounds().is_some_and(|(low, high)| (high - low) as usize == self.size())
            && self.layout().strides().iter().all(|&s| s > 0);
        if dense || self.size() == 0 { Ok(self.clone()) } else { self.copy(Order::K) }
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
        unsafe { self.queue().copy_to_host(data, self.buffer(), low as usize * size, bytes, &[]) }?.wait()?;
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
