//! Memory from the operating system.
//!
//! Large blocks are mapped at huge-page alignment and the kernel is asked to back them with huge pages: on first
//! touch that is one page fault per 2 MiB instead of 512. All three USM kinds are the same memory here.

use std::alloc::{Layout, alloc, dealloc};
use std::sync::Arc;

use situ_hal::{Address, Context, Device, HalError, Queue, Result, ScratchSource};
use situ_types::{QueueProperties, UsmKind};

use crate::device::CpuDevice;
use crate::queue::CpuQueue;
use crate::topology::Topology;

/// A huge page.
const HUGE: usize = 2 << 20;

#[derive(Debug)]
pub(crate) struct CpuContext {
    topology: Arc<Topology>,
}

impl CpuContext {
    pub(crate) fn new(topology: Arc<Topology>) -> CpuContext {
        CpuContext { topology }
    }
}

fn out_of_memory(bytes: usize, detail: impl Into<String>) -> HalError {
    HalError::OutOfMemory { operation: "allocate".into(), bytes, detail: detail.into() }
}

/// The layout of a block below the size of a huge page: page-aligned if it fills one, else by cache line.
fn small_layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.max(1), if bytes >= 4096 { 4096 } else { 64 }).ok()
}

#[cfg(unix)]
fn map_huge(bytes: usize) -> Result<*mut u8> {
    let span = bytes.checked_add(HUGE).ok_or_else(|| out_of_memory(bytes, "more than the address space"))?;
    // SAFETY: an anonymous private mapping at an address of the kernel's choice aliases nothing.
    let base = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            span,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if base == libc::MAP_FAILED {
        return Err(out_of_memory(bytes, std::io::Error::last_os_error().to_string()));
    }
    let base = base.cast::<u8>();
    let start = base.wrapping_add(base.align_offset(HUGE));
    let head = start as usize - base as usize;
    let tail = span - head - bytes;
    // SAFETY: head and tail are the parts of the mapping just made that lie outside `start..start + bytes`; nobody
    // has seen them. `bytes` is a multiple of the page size, so all three ranges are page-aligned.
    unsafe {
        if head > 0 {
            libc::munmap(base.cast(), head);
        }
        if tail > 0 {
            libc::munmap(start.wrapping_add(bytes).cast(), tail);
        }
        #[cfg(target_os = "linux")]
        libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE);
    }
    Ok(start)
}

/// Rounds a large request up to whole pages.
fn whole_pages(bytes: usize) -> Option<usize> {
    bytes.checked_next_multiple_of(4096)
}

impl Context for CpuContext {
    fn allocate(&self, _device: &Arc<dyn Device>, _kind: UsmKind, bytes: usize) -> Result<Address> {
        let absurd = || out_of_memory(bytes, "more than the address space");
        #[cfg(unix)]
        if bytes >= HUGE {
            return map_huge(whole_pages(bytes).ok_or_else(absurd)?).map(Address);
        }
        let layout = small_layout(bytes).ok_or_else(absurd)?;
        // SAFETY: the layout has a non-zero size.
        let address = unsafe { alloc(layout) };
        if address.is_null() { Err(out_of_memory(bytes, "")) } else { Ok(Address(address)) }
    }

    unsafe fn release(&self, _kind: UsmKind, address: Address, bytes: usize) {
        #[cfg(unix)]
        if bytes >= HUGE {
            if let Some(bytes) = whole_pages(bytes) {
                // SAFETY: the caller says this block came from `allocate` with this size, which mapped exactly
                // these pages, and that nothing uses them any more.
                unsafe { libc::munmap(address.0.cast(), bytes) };
            }
            return;
        }
        if let Some(layout) = small_layout(bytes) {
            // SAFETY: as above; `allocate` used the same layout for this size.
            unsafe { dealloc(address.0, layout) };
        }
    }

    fn large_block(&self) -> usize {
        HUGE
    }

    fn memory_available(&self, _device: &Arc<dyn Device>, _kind: UsmKind) -> Option<u64> {
        self.topology.memory_available()
    }

    fn host_reaches(&self, _kind: UsmKind) -> bool {
        true
    }

    fn reaches_host(&self) -> bool {
        true
    }

    fn reaches(&self, _other: &dyn Context) -> bool {
        true
    }

    fn devices_share(&self) -> bool {
        true
    }

    fn create_queue(
        &self,
        device: &Arc<dyn Device>,
        properties: QueueProperties,
        scratch: Arc<dyn ScratchSource>,
    ) -> Result<Arc<dyn Queue>> {
        CpuDevice::shared(device)
            .map(|device| Arc::new(CpuQueue::new(device, properties, scratch)) as Arc<dyn Queue>)
            .ok_or_else(|| HalError::Unsupported {
                operation: "create queue".into(),
                detail: "a native queue needs a native device".into(),
            })
    }
}
