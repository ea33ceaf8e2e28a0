//! Bytes from place to place, patterns, and hints.

use situ_hal::{Address, Result};

use crate::memory::Memory;
use crate::stream::Turn;

/// The driver copies when it comes to it, and does not wait.
const LATER: u32 = 0;

/// Copies bytes.
///
/// # Safety
///
/// Both ranges are valid until the stream has come past the copy, and do not overlap.
pub(crate) unsafe fn copy(turn: &mut Turn<'_>, dst: Address, src: Address, bytes: usize) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let (api, queue, memory) = (&turn.stream.driver().api, turn.stream.handle, turn.stream.place.device.facts.memory);
    let call = match memory {
        Memory::Usm(usm) => usm.clEnqueueMemcpyINTEL,
        Memory::Svm => api.clEnqueueSVMMemcpy,
    };
    let (dst, src) = (dst.0.cast(), src.0.cast_const().cast());
    turn.enqueue("copy", |count, after, event| {
        // SAFETY: the caller's promise; one handle is written.
        unsafe { call(queue, LATER, dst, src, bytes, count, after, event) }
    })
}

/// Writes a pattern again and again.
///
/// # Safety
///
/// The range is valid until the stream has come past the command.
pub(crate) unsafe fn fill(
    turn: &mut Turn<'_>,
    dst: Address,
    pattern: [u8; 16],
    width: usize,
    count: usize,
) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let (api, queue, memory) = (&turn.stream.driver().api, turn.stream.handle, turn.stream.place.device.facts.memory);
    let call = match memory {
        Memory::Usm(usm) => usm.clEnqueueMemFillINTEL,
        Memory::Svm => api.clEnqueueSVMMemFill,
    };
    turn.enqueue("fill", |waits, after, event| {
        // SAFETY: the caller's promise; the pattern is read before the call returns, and lies at a multiple of its width.
        unsafe { call(queue, dst.0.cast(), pattern.as_ptr().cast(), width, width * count, waits, after, event) }
    })
}

/// Brings shared memory to the device.
///
/// # Safety
///
/// As for [`fill`].
pub(crate) unsafe fn prefetch(turn: &mut Turn<'_>, address: Address, bytes: usize) -> Result<()> {
    let Some(usm) = hinted(turn, address, bytes) else { return Ok(()) };
    let queue = turn.stream.handle;
    turn.enqueue("prefetch", |count, after, event| {
        // SAFETY: the caller's promise; one handle is written.
        unsafe { (usm.clEnqueueMigrateMemINTEL)(queue, address.0.cast_const().cast(), bytes, 0, count, after, event) }
    })
}

/// Says how shared memory will be used; the number is the driver's.
///
/// # Safety
///
/// As for [`fill`].
pub(crate) unsafe fn advise(turn: &mut Turn<'_>, address: Address, bytes: usize, advice: i32) -> Result<()> {
    // 0 means "as usual" everywhere, but is none of the driver's codes.
    let Some(usm) = hinted(turn, address, bytes).filter(|_| advice != 0) else { return Ok(()) };
    let queue = turn.stream.handle;
    turn.enqueue("mem_advise", |count, after, event| {
        let address = address.0.cast_const().cast();
        // SAFETY: the caller's promise; an unknown number is an error.
        unsafe { (usm.clEnqueueMemAdviseINTEL)(queue, address, bytes, advice as u32, count, after, event) }
    })
}

/// The functions for hints, where hints mean anything.
fn hinted(turn: &Turn<'_>, address: Address, bytes: usize) -> Option<crate::memory::UsmApi> {
    let (context, facts) = (turn.stream.place.context.handle, &turn.stream.place.device.facts);
    match facts.memory {
        // The host's own memory is where it is.
        Memory::Usm(usm) if bytes > 0 && !facts.is_host && facts.memory.migrates(context, address) => Some(usm),
        _ => None,
    }
}
