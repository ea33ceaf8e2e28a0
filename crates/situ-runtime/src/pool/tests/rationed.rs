//! A null context with little memory, so that running out of it is cheap.

use situ_hal::{Address, Queue, Result, ScratchSource};

use super::*;

/// Says that it has so many bytes in all; whether it also refuses more is the null backend's business.
#[derive(Debug)]
pub(super) struct Rationed {
    pub(super) inner: Arc<dyn Context>,
    pub(super) total: usize,
}

impl Context for Rationed {
    fn allocate(&self, device: &Arc<dyn Device>, kind: UsmKind, bytes: usize) -> Result<Address> {
        self.inner.allocate(device, kind, bytes)
    }

    unsafe fn release(&self, kind: UsmKind, address: Address, bytes: usize) {
        // SAFETY: the caller promises what the inner context asks for.
        unsafe { self.inner.release(kind, address, bytes) }
    }

    fn large_block(&self) -> usize {
        self.inner.large_block()
    }

    fn memory_available(&self, _device: &Arc<dyn Device>, _kind: UsmKind) -> Option<u64> {
        Some(self.total.saturating_sub(null::live_allocations().1) as u64)
    }

    fn host_reaches(&self, kind: UsmKind) -> bool {
        self.inner.host_reaches(kind)
    }

    fn reaches_host(&self) -> bool {
        self.inner.reaches_host()
    }

    fn reaches(&self, other: &dyn Context) -> bool {
        self.inner.reaches(other)
    }

    fn devices_share(&self) -> bool {
        self.inner.devices_share()
    }

    fn create_queue(
        &self,
        device: &Arc<dyn Device>,
        properties: QueueProperties,
        scratch: Arc<dyn ScratchSource>,
    ) -> Result<Arc<dyn Queue>> {
        self.inner.create_queue(device, properties, scratch)
    }
}
