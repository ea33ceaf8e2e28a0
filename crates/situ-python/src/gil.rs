//! When to let go of the GIL: the one policy.
//!
//! Letting go of it and taking it back costs as much as adding two small arrays, a time in which no other thread gets
//! anywhere. So work on few bytes, in this host's memory and with nothing to wait for, keeps it; all other work lets it
//! go.

use pyo3::prelude::*;
use situ_runtime::{Buffer, Queue};
use situ_tensor::{Arg, Tensor};

use crate::errors::Outcome;

/// What touches no more bytes than this is few.
const FEW_BYTES: usize = 16384;

/// Calls `work` without the GIL.
pub(crate) fn released<T: Send>(py: Python<'_>, work: impl FnOnce() -> Outcome<T> + Send) -> PyResult<T> {
    Ok(py.detach(work)?)
}

/// Calls `work`, without the GIL if it may take long.
#[inline]
pub(crate) fn released_if<T: Send>(
    takes_long: bool,
    py: Python<'_>,
    work: impl FnOnce() -> Outcome<T> + Send,
) -> PyResult<T> {
    Ok(if takes_long { py.detach(work) } else { work() }?)
}

/// Whether computing with an array may take long. (Its whole memory counts, because the bytes of its elements alone would
/// take a multiplication to know.)
#[inline]
pub(crate) fn is_long_with(tensor: &Tensor) -> bool {
    tensor.bytes_held() > FEW_BYTES || tensor.queue().is_remote()
}

/// Whether computing with these operands may take long.
#[inline]
pub(crate) fn is_long(args: &[Arg<'_>]) -> bool {
    args.iter().any(|arg| matches!(arg, Arg::Array(tensor) if is_long_with(tensor)))
}

/// Whether making so many bytes on a queue may take long.
pub(crate) fn is_long_to_make(bytes: usize, queue: &Queue) -> bool {
    bytes > FEW_BYTES || is_long_to_allocate(queue)
}

/// Whether an allocation for a queue may take long.
#[inline]
pub(crate) fn is_long_to_allocate(queue: &Queue) -> bool {
    queue.is_remote() || queue.may_wait_for_memory()
}

/// Whether moving so many bytes through a queue and waiting for them may take long.
pub(crate) fn is_long_to_move(bytes: usize, queue: &Queue, read: Option<&Buffer>) -> bool {
    bytes > FEW_BYTES || !queue.is_idle() || !read.is_none_or(Buffer::is_idle)
}
