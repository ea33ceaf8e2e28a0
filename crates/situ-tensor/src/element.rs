//! Single elements, read.

use situ_runtime::Event;
use situ_types::{DType, Scalar};

use crate::{Error, Result, Tensor};

/// An element on its way to the host.
///
/// Dropping it waits for it: the device writes into it.
#[derive(Debug)]
pub struct Reading {
    dtype: DType,
    bytes: Box<[u8; 16]>,
    event: Option<Event>,
}

impl Reading {
    /// Waits for the element.
    pub fn finish(mut self) -> Result<Scalar> {
        if let Some(event) = self.event.take() {
            event.wait()?;
        }
        Ok(Scalar::from_bytes(self.dtype, *self.bytes))
    }

    /// What [`finish`](Self::finish) has to wait for, if anything.
    pub fn pending(&self) -> Option<&Event> {
        self.event.as_ref().filter(|event| !event.status().is_over())
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(event) = self.event.take() {
            // Whoever drops it does not want to know.
            let _ = event.wait();
        }
    }
}

impl Tensor {
    /// Begins to read the element at a position: one index for each axis, all of them in range.
    pub fn begin_reading(&self, index: &[usize]) -> Result<Reading> {
        let inside = index.len() == self.shape().len() && index.iter().zip(self.shape()).all(|(i, n)| i < n);
        if !inside {
            return Err(Error::Value(format!("item: there is no element at {index:?} in shape {:?}", self.shape())));
        }
        let steps = index.iter().zip(self.layout().strides()).map(|(&i, &step)| i as isize * step);
        let position = self.layout().offset() + steps.sum::<isize>();
        let size = self.dtype().size();
        let mut bytes = Box::new([0; 16]);
        // SAFETY: the box is 16 bytes long, which no dtype exceeds, is written by nobody else, and is kept by `Reading`
        // until the event is over.
        let event = unsafe {
            self.queue().copy_to_host(bytes.as_mut_ptr(), self.contents()?, position as usize * size, size, &[])
        }?;
        Ok(Reading { dtype: self.dtype(), bytes, event: Some(event) })
    }

    /// The element at a position: one index for each axis.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// use situ_types::Scalar;
    /// assert_eq!(Tensor::arange(5)?.item(&[3])?, Scalar::I64(3));
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn item(&self, index: &[usize]) -> Result<Scalar> {
        self.begin_reading(index)?.finish()
    }
}
