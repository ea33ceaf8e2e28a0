//! Memory operations: copies, fills and hints.

use situ_hal::Command;

use super::Queue;
use crate::buffer::{Access, Buffer};
use crate::transfer::Route;
use crate::{Address, Error, Event, Result};

impl Queue {
    /// Copies bytes between two buffers of this queue's context. Ranges of one buffer must not overlap.
    pub fn copy(
        &self,
        dst: &Buffer,
        to: usize,
        src: &Buffer,
        from: usize,
        bytes: usize,
        after: &[Event],
    ) -> Result<Event> {
        self.owns("copy", dst)?;
        self.owns("copy", src)?;
        let (dst_at, src_at) = (dst.range("destination", to, bytes)?, src.range("source", from, bytes)?);
        if dst_at.value() < src_at.value() + bytes && src_at.value() < dst_at.value() + bytes && bytes > 0 {
            return Err(Error::Value("copy: source and destination overlap".into()));
        }
        let command = Command::Copy { dst: dst_at, src: src_at, bytes };
        // SAFETY: both ranges were just checked to lie in their buffers, which belong to this context.
        unsafe { self.submit(&command, &[(dst, dst.write_access(bytes)), (src, Access::Read)], after) }
    }

    /// Copies host memory into a buffer.
    ///
    /// # Safety
    ///
    /// `src` is readable for `bytes` bytes until the returned event is over.
    pub unsafe fn copy_from_host(
        &self,
        dst: &Buffer,
        to: usize,
        src: *const u8,
        bytes: usize,
        after: &[Event],
    ) -> Result<Event> {
        self.owns("copy", dst)?;
        let command = Command::Copy { dst: dst.range("destination", to, bytes)?, src: Address(src.cast_mut()), bytes };
        // SAFETY: the buffer's range was just checked; the caller vouches for the host's.
        let event = unsafe { self.submit(&command, &[(dst, dst.write_access(bytes))], after) }?;
        self.count_transfer(Route::FromHost, bytes);
        Ok(event)
    }

    /// Copies a buffer into host memory.
    ///
    /// # Safety
    ///
    /// `dst` is writable for `bytes` bytes, and touched by nobody else, until the returned event is over.
    pub unsafe fn copy_to_host(
        &self,
        dst: *mut u8,
        src: &Buffer,
        from: usize,
        bytes: usize,
        after: &[Event],
    ) -> Result<Event> {
        self.owns("copy", src)?;
        let command = Command::Copy { dst: Address(dst), src: src.range("source", from, bytes)?, bytes };
        // SAFETY: as above.
        let event = unsafe { self.submit(&command, &[(src, Access::Read)], after) }?;
        self.count_transfer(Route::ToHost, bytes);
        Ok(event)
    }

    /// Fills part of a buffer with a repeated pattern of 1, 2, 4, 8 or 16 bytes.
    pub fn fill(&self, dst: &Buffer, at: usize, pattern: &[u8], count: usize, after: &[Event]) -> Result<Event> {
        self.owns("fill", dst)?;
        let width = pattern.len();
        if !matches!(width, 1 | 2 | 4 | 8 | 16) {
            return Err(Error::Value(format!("fill: a pattern has 1, 2, 4, 8 or 16 bytes, not {width}")));
        }
        let bytes = width.checked_mul(count).ok_or_else(|| Error::Value("fill: the range is too large".into()))?;
        let mut padded = [0; 16];
        padded[..width].copy_from_slice(pattern);
        let command = Command::Fill { dst: dst.range("destination", at, bytes)?, pattern: padded, width, count };
        // SAFETY: the range was just checked.
        unsafe { self.submit(&command, &[(dst, dst.write_access(bytes))], after) }
    }

    /// Hints that a buffer's first bytes will be used on this queue's device soon.
    pub fn prefetch(&self, buffer: &Buffer, bytes: usize, after: &[Event]) -> Result<Event> {
        self.owns("prefetch", buffer)?;
        let command = Command::Prefetch { address: buffer.range("memory", 0, bytes)?, bytes };
        // SAFETY: the range was just checked.
        unsafe { self.submit(&command, &[(buffer, Access::Read)], after) }
    }

    /// Hints how a buffer's first bytes will be used; the number is the backend's own.
    pub fn mem_advise(&self, buffer: &Buffer, bytes: usize, advice: i32, after: &[Event]) -> Result<Event> {
        self.owns("mem_advise", buffer)?;
        let command = Command::Advise { address: buffer.range("memory", 0, bytes)?, bytes, advice };
        // SAFETY: the range was just checked.
        unsafe { self.submit(&command, &[(buffer, Access::Read)], after) }
    }
}
