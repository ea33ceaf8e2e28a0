//! Copies between contexts.

use situ_types::{BackendKind, UsmKind};

use crate::buffer::{Access, Buffer};
use crate::{Command, Queue, Result};

impl Queue {
    /// Copies bytes into a buffer of this queue's context from a buffer of any context, which `source` is a queue of.
    /// The copy may still be in flight when this returns; both buffers know of it.
    pub fn transfer(
        &self,
        dst: &Buffer,
        to: usize,
        source: &Queue,
        src: &Buffer,
        from: usize,
        bytes: usize,
    ) -> Result<()> {
        if src.context() == dst.context() {
            return self.copy(dst, to, src, from, bytes, &[]).map(|_| ());
        }
        let same_backend = self.backend() == source.backend();
        if same_backend && self.backend() == BackendKind::Native {
            // Contexts of the native backend share one address space: a copy across them is a copy like any other.
            let command = Command::Copy {
                dst: dst.range("destination", to, bytes)?,
                src: src.range("source", from, bytes)?,
                bytes,
            };
            // SAFETY: both ranges were just checked, and both buffers are named.
            unsafe { self.submit(&command, &[(dst, dst.write_access(bytes)), (src, Access::Read)], &[]) }?;
            return Ok(());
        }
        // By way of host memory that the destination's context can reach without a copy of its own.
        let staging = Buffer::allocate(self, UsmKind::Host, bytes, 0)?;
        // SAFETY: the staging buffer was just allocated with that length, and lives until the event was waited for.
        unsafe { source.copy_to_host(staging.address().0, src, from, bytes, &[]) }?.wait()?;
        self.copy(dst, to, &staging, 0, bytes, &[]).map(|_| ())
    }
}
