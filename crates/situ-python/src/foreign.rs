//! Memory of other libraries: what they say about it, checked, and arrays over it.

use std::fmt::Display;

use pyo3::prelude::*;
use situ_runtime::{Access, Address, Buffer, Owner, Queue};
use situ_tensor::Tensor;
use situ_types::{BackendKind, DType, Layout, Order, UsmKind};

use crate::errors::{Outcome, Raised};
use crate::place::default_queue;

/// An array in another library's memory.
#[derive(Debug)]
pub(crate) struct Foreign {
    pub(crate) dtype: DType,
    /// Relative to `start`, in elements.
    layout: Layout,
    start: usize,
    bytes: usize,
    pub(crate) is_aligned: bool,
    pub(crate) is_read_only: bool,
}

/// When the memory can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ready {
    /// Now.
    Now,
    /// Once the queue that takes it comes to it: the owner has made the queue's stream wait.
    OnQueue,
    /// After what the owner has submitted to a stream of its own.
    After(usize),
}

impl Foreign {
    /// An array whose first element is at an address. Strides count elements; without them the elements lie in C order.
    pub(crate) fn new(
        dtype: DType,
        shape: &[usize],
        strides: Option<Vec<isize>>,
        first: usize,
        is_read_only: bool,
    ) -> Result<Foreign, String> {
        let text = |error: &dyn Display| error.to_string();
        let dense = Layout::dense(shape, Order::C).map_err(|error| text(&error))?;
        let strides = strides.unwrap_or_else(|| dense.strides().to_vec());
        let layout = Layout::strided(shape, &strides, 0).map_err(|error| text(&error))?;
        if layout.size() == 0 {
            return Ok(Foreign { dtype, layout, start: 0, bytes: 0, is_aligned: true, is_read_only });
        }
        if first == 0 {
            return Err(format!("an array of shape {shape:?} has no memory"));
        }
        let size = dtype.size();
        let too_far = || format!("an array of shape {shape:?} with strides {strides:?} reaches too far");
        let (low, high) = layout.bounds().ok_or_else(too_far)?;
        let reach = |elements: isize| elements.checked_mul(size as isize).ok_or_else(too_far);
        let start = first.checked_add_signed(reach(low)?).filter(|&start| start > 0).ok_or_else(too_far)?;
        let bytes = reach(high.checked_sub(low).ok_or_else(too_far)?)? as usize;
        start.checked_add(bytes).ok_or_else(too_far)?;
        let layout = Layout::strided(shape, &strides, -low).map_err(|error| text(&error))?;
        let is_aligned = start.is_multiple_of(size.min(8));
        Ok(Foreign { dtype, layout, start, bytes, is_aligned, is_read_only })
    }

    /// Whether this process has memory where the array begins and ends; for arrays in the host's memory.
    pub(crate) fn is_mapped(&self) -> bool {
        self.layout.size() == 0 || situ_runtime::is_mapped(self.start, self.bytes)
    }

    /// The array over the memory or, where its elements do not lie on their boundaries, a copy of it.
    ///
    /// # Safety
    ///
    /// The memory is of this kind, holds these elements as long as the owner lives, and is within reach of the queue.
    pub(crate) unsafe fn adopt(self, queue: &Queue, kind: UsmKind, ready: Ready, owner: Owner) -> Outcome<Tensor> {
        let Foreign { dtype, layout, start, bytes, is_aligned, is_read_only } = self;
        if layout.size() == 0 {
            let empty = Tensor::empty_in("from_dlpack", layout.like(Order::K), dtype, kind, queue)?;
            return Ok(empty.with_writable(!is_read_only));
        }
        queue.check()?;
        let adopt = if is_read_only { Buffer::lent } else { Buffer::foreign };
        // SAFETY: the caller's promise.
        let buffer = unsafe { adopt(queue, kind, Address(start as *mut u8), bytes, owner) };
        match ready {
            Ready::Now => {}
            Ready::OnQueue => queue.stamp(&buffer, Access::Update)?,
            Ready::After(stream) => queue.take_back(&buffer, Access::Update, Some(stream))?,
        }
        if is_aligned {
            return Ok(Tensor::from_buffer(buffer, queue.clone(), dtype, layout)?.with_writable(!is_read_only));
        }
        // Byte by byte to where the elements lie on their boundaries, then without the gaps.
        let aligned = Buffer::allocate(queue, kind, bytes, 0)?;
        queue.copy(&aligned, 0, &buffer, 0, bytes, &[])?;
        Ok(Tensor::from_buffer(aligned, queue.clone(), dtype, layout)?.copy(Order::K)?)
    }
}

/// A queue that works on the host's memory where it lies: the wanted one or the default one, if they do.
pub(crate) fn host_queue(py: Python<'_>, wanted: Option<&Queue>) -> PyResult<Queue> {
    let reaches = |queue: &Queue| queue.context().reaches_host();
    if let Some(queue) = wanted.filter(|queue| reaches(queue)) {
        return Ok(queue.clone());
    }
    let default = default_queue(Some(py))?;
    if reaches(&default) {
        return Ok(default);
    }
    Ok(situ_runtime::host_queue().map_err(Raised::from)?)
}

/// A queue on a CUDA device, by the driver's number: the wanted one or the default one, if they are there, else the
/// device's own; `None` if no such device is visible.
pub(crate) fn cuda_queue(py: Python<'_>, number: i64, wanted: Option<&Queue>) -> PyResult<Option<Queue>> {
    let is_numbered = |backend, found: usize| backend == BackendKind::Cuda && i64::try_from(found) == Ok(number);
    let is_there = |queue: &Queue| is_numbered(queue.backend(), queue.device().number());
    if let Some(queue) = wanted.filter(|queue| is_there(queue)) {
        return Ok(Some(queue.clone()));
    }
    let visible: Outcome<_> = situ_runtime::devices().map_err(Into::into);
    let Some(device) = visible?.into_iter().find(|device| is_numbered(device.backend(), device.number())) else {
        return Ok(None);
    };
    let default = default_queue(Some(py))?;
    if is_there(&default) {
        return Ok(Some(default));
    }
    Ok(Some(Queue::cached(&device).map_err(Raised::from)?))
}

/// Why a CUDA device cannot be used here.
pub(crate) fn cuda_absence() -> String {
    let reasons = situ_runtime::availability().unwrap_or_default();
    let reason = reasons.into_iter().find(|(backend, _)| *backend == BackendKind::Cuda).and_then(|(_, reason)| reason);
    reason.unwrap_or_else(|| "SITU_DEVICE_SELECTOR or CUDA_VISIBLE_DEVICES hides it".into())
}
