//! Copies between contexts, and what is counted about all copies that leave or enter one.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use situ_types::UsmKind;

use crate::buffer::{Access, Buffer};
use crate::{Command, Context, Queue, Result};

/// What a context has copied from and to memory that is not its own, since it was created.
///
/// A copy counts when it is submitted. Nothing inside a context counts: not a copy between two of its devices, and not
/// what the host reads or writes directly in memory that both can reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferStats {
    /// Bytes copied from host memory into the context's.
    pub from_host_bytes: u64,
    /// Number of such copies.
    pub from_host_copies: u64,
    /// Bytes copied from the context's memory to the host's.
    pub to_host_bytes: u64,
    /// Number of such copies.
    pub to_host_copies: u64,
    /// Bytes copied into the context from another one; where they travel by way of the host, both legs count as that,
    /// too.
    pub from_context_bytes: u64,
    /// Number of such copies.
    pub from_context_copies: u64,
}

impl TransferStats {
    /// Every figure with its name.
    pub fn entries(&self) -> [(&'static str, u64); 6] {
        [
            ("from_host_bytes", self.from_host_bytes),
            ("from_host_copies", self.from_host_copies),
            ("to_host_bytes", self.to_host_bytes),
            ("to_host_copies", self.to_host_copies),
            ("from_context_bytes", self.from_context_bytes),
            ("from_context_copies", self.from_context_copies),
        ]
    }
}

/// The way bytes take into a context or out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// From host memory into the context's.
    FromHost,
    /// From the context's memory to the host's.
    ToHost,
    /// From another context into this one.
    FromContext,
}

/// The counts behind [`TransferStats`]: bytes and copies for each route.
#[derive(Debug, Default)]
pub(crate) struct Traffic([(AtomicU64, AtomicU64); 3]);

impl Traffic {
    pub(crate) fn count(&self, route: Route, bytes: usize) {
        let (total, copies) = &self.0[route as usize];
        total.fetch_add(bytes as u64, Relaxed);
        copies.fetch_add(1, Relaxed);
    }

    fn of(&self, route: Route) -> (u64, u64) {
        let (bytes, copies) = &self.0[route as usize];
        (bytes.load(Relaxed), copies.load(Relaxed))
    }
}

impl Context {
    /// What it has copied from and to memory that is not its own.
    pub fn transfer_stats(&self) -> TransferStats {
        let (from_host_bytes, from_host_copies) = self.0.traffic.of(Route::FromHost);
        let (to_host_bytes, to_host_copies) = self.0.traffic.of(Route::ToHost);
        let (from_context_bytes, from_context_copies) = self.0.traffic.of(Route::FromContext);
        TransferStats {
            from_host_bytes,
            from_host_copies,
            to_host_bytes,
            to_host_copies,
            from_context_bytes,
            from_context_copies,
        }
    }
}

impl Queue {
    /// Counts a copy among its context's [`TransferStats`]: for commands that reach host memory through a buffer of it,
    /// so that nobody else can tell.
    pub fn count_transfer(&self, route: Route, bytes: usize) {
        self.context().0.traffic.count(route, bytes);
    }

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
        let command =
            Command::Copy { dst: dst.range("destination", to, bytes)?, src: src.range("source", from, bytes)?, bytes };
        let accesses = [(dst, dst.write_access(bytes)), (src, Access::Read)];
        let (here, there) = (self.context(), source.context());
        if self.backend() == source.backend() && here.0.hal.reaches(&*there.0.hal) {
            // SAFETY: both ranges were just checked, and both buffers are named.
            unsafe { self.submit(&command, &accesses, &[]) }?;
            self.count_transfer(Route::FromContext, bytes);
            return Ok(());
        }
        // To a device, the memory of a backend that works on the host's is host memory like any other.
        if there.reaches_host() || here.reaches_host() {
            let (route, carrier) = if there.reaches_host() { (Route::FromHost, self) } else { (Route::ToHost, source) };
            // SAFETY: as above.
            unsafe { carrier.submit_and_wait(&command, accesses) }?;
            carrier.count_transfer(route, bytes);
            self.count_transfer(Route::FromContext, bytes);
            return Ok(());
        }
        // By way of host memory that the destination's context can reach without a copy of its own.
        let staging = Buffer::allocate(self, UsmKind::Host, bytes, 0)?;
        // SAFETY: the staging buffer was just allocated with that length, and lives until the event was waited for.
        unsafe { source.copy_to_host(staging.address().0, src, from, bytes, &[]) }?.wait()?;
        self.copy(dst, to, &staging, 0, bytes, &[])?;
        self.count_transfer(Route::FromHost, bytes);
        self.count_transfer(Route::FromContext, bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    fn queue(selector: &str) -> Queue {
        let device = Device::select(selector).expect("a device");
        let context = Context::new(std::slice::from_ref(&device)).expect("a context");
        Queue::new(&context, &device, Default::default()).expect("a queue")
    }

    #[test]
    fn copies_count_where_they_enter_and_leave() {
        let (here, there) = (queue("cpu"), queue("null"));
        let (near, far) = (buffer(&here), buffer(&there));
        here.transfer(&near, 0, &there, &far, 0, 100).expect("a copy");
        let entered = TransferStats { from_context_bytes: 100, from_context_copies: 1, ..TransferStats::default() };
        assert_eq!(here.context().transfer_stats(), entered);
        let left = TransferStats { to_host_bytes: 100, to_host_copies: 1, ..TransferStats::default() };
        assert_eq!(there.context().transfer_stats(), left);
    }

    #[test]
    fn copies_inside_a_context_do_not_count() {
        let here = queue("cpu");
        let (one, other) = (buffer(&here), buffer(&here));
        here.transfer(&one, 0, &here, &other, 0, 100).expect("a copy");
        here.transfer(&one, 0, &queue("cpu"), &buffer(&queue("cpu")), 0, 7).expect("a copy");
        let counted = here.context().transfer_stats();
        assert_eq!((counted.from_host_bytes, counted.from_context_bytes, counted.from_context_copies), (0, 7, 1));
    }

    fn buffer(queue: &Queue) -> Buffer {
        Buffer::allocate(queue, UsmKind::Device, 128, 0).expect("memory")
    }
}
