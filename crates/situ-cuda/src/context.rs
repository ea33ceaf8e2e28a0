//! Memory on GPUs: device memory, managed memory, and host memory that GPUs reach.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use situ_hal::{Address, Context, Device, HalError, Queue, Result, ScratchSource};
use situ_types::{QueueProperties, UsmKind};

use crate::device::CudaDevice;
use crate::driver::{DevicePointer, code};
use crate::queue::CudaQueue;

/// Host memory: every GPU reaches it.
const PORTABLE: u32 = 1;
/// Managed memory: every stream may use it.
const ATTACH_GLOBAL: u32 = 1;
/// What the driver aligns every allocation to, at least.
const ALIGNMENT: usize = 256;

/// Devices whose memory is in one address space, which is the process's anyway.
#[derive(Debug)]
pub(crate) struct CudaContext {
    devices: Vec<Arc<CudaDevice>>,
}

/// The count in [`CudaDevice::allocated`] that a kind of memory on the device belongs to.
fn tally(kind: UsmKind) -> Option<usize> {
    match kind {
        UsmKind::Device => Some(0),
        UsmKind::Shared => Some(1),
        UsmKind::Host => None,
    }
}

impl CudaContext {
    pub(crate) fn new(devices: Vec<Arc<CudaDevice>>) -> CudaContext {
        CudaContext { devices }
    }

    /// Refuses what would make managed memory larger than the device, which can bring it to a standstill.
    fn check_managed(device: &CudaDevice, bytes: usize) -> Result<()> {
        let taken: usize = device.allocated.iter().map(|bytes| bytes.load(Relaxed)).sum();
        let (free, total) = free_and_total(device)?;
        let room = total.saturating_sub(taken).min(free);
        if bytes <= room {
            return Ok(());
        }
        let detail = format!("shared memory is kept to what fits on the device, where {room} bytes are left");
        Err(HalError::OutOfMemory { operation: "allocate".into(), bytes, detail })
    }
}

/// The driver's numbers of what it says about an address: the sort of memory, whether it is managed, and whose it is.
pub(crate) const MEMORY_TYPE: i32 = 2;
pub(crate) const IS_MANAGED: i32 = 8;
const DEVICE_ORDINAL: i32 = 9;
/// The sort of memory that is the host's.
const HOST_MEMORY: i32 = 1;

/// What the driver says about an address; 0 where it has not heard of it. The device has been entered.
pub(crate) fn attribute(device: &CudaDevice, which: i32, address: Address) -> i32 {
    let mut value = 0i32;
    let (mut which, mut to) = (which, (&raw mut value).cast());
    // SAFETY: writes one integer, or less; any address may be asked about.
    let code = unsafe {
        let ask = device.driver.api.cuPointerGetAttributes;
        ask(1, &raw mut which, &raw mut to, address.0 as DevicePointer)
    };
    if code == code::SUCCESS { value } else { 0 }
}

fn free_and_total(device: &CudaDevice) -> Result<(usize, usize)> {
    let _entered = device.enter()?;
    let (mut free, mut total) = (0, 0);
    // SAFETY: writes two sizes.
    device.check(unsafe { (device.driver.api.cuMemGetInfo_v2)(&raw mut free, &raw mut total) }, "look at memory")?;
    Ok((free, total))
}

impl Context for CudaContext {
    fn allocate(&self, device: &Arc<dyn Device>, kind: UsmKind, bytes: usize) -> Result<Address> {
        let unsupported = |detail: &str| HalError::Unsupported { operation: "allocate".into(), detail: detail.into() };
        let device = CudaDevice::shared(device).ok_or_else(|| unsupported("the device is not a CUDA device"))?;
        let _entered = device.enter()?;
        let api = &device.driver.api;
        let mut on_device: DevicePointer = 0;
        let mut on_host = ptr::null_mut();
        match kind {
            UsmKind::Shared if !device.facts.shares_concurrently => {
                return Err(unsupported("this GPU cannot share memory with the host; use device or host memory"));
            }
            UsmKind::Shared => Self::check_managed(&device, bytes)?,
            UsmKind::Device | UsmKind::Host => {}
        }
        // SAFETY: each writes one address.
        let code = unsafe {
            match kind {
                UsmKind::Device => (api.cuMemAlloc_v2)(&raw mut on_device, bytes),
                UsmKind::Shared => (api.cuMemAllocManaged)(&raw mut on_device, bytes, ATTACH_GLOBAL),
                UsmKind::Host => (api.cuMemHostAlloc)(&raw mut on_host, bytes, PORTABLE),
            }
        };
        if code == code::OUT_OF_MEMORY {
            let detail = device.driver.describe(code);
            return Err(HalError::OutOfMemory { operation: "allocate".into(), bytes, detail });
        }
        device.check(code, "allocate")?;
        if let Some(tally) = tally(kind) {
            device.allocated[tally].fetch_add(bytes, Relaxed);
        }
        Ok(Address(if on_host.is_null() { on_device as *mut u8 } else { on_host.cast() }))
    }

    unsafe fn release(&self, kind: UsmKind, address: Address, bytes: usize) {
        // Any device of the context will do: addresses are the process's own. But the count is the allocating device's.
        let Some(device) = self.owner(kind, address) else { return };
        let Ok(_entered) = device.enter() else { return };
        let api = &device.driver.api;
        // SAFETY: the caller says this came from `allocate` with this kind, and that nothing uses it any more. A
        // failure means that the device or the driver is gone, and its memory with it.
        unsafe {
            match kind {
                UsmKind::Host => (api.cuMemFreeHost)(address.0.cast()),
                UsmKind::Device | UsmKind::Shared => (api.cuMemFree_v2)(address.0 as DevicePointer),
            }
        };
        if let Some(tally) = tally(kind) {
            device.allocated[tally].fetch_sub(bytes, Relaxed);
        }
    }

    fn large_block(&self) -> usize {
        ALIGNMENT
    }

    fn memory_available(&self, device: &Arc<dyn Device>, kind: UsmKind) -> Option<u64> {
        let device = CudaDevice::shared(device).filter(|_| kind != UsmKind::Host)?;
        free_and_total(&device).ok().map(|(free, _)| free as u64)
    }

    fn host_reaches(&self, kind: UsmKind) -> bool {
        kind != UsmKind::Device
    }

    fn reaches_host(&self) -> bool {
        false
    }

    fn reaches(&self, _other: &dyn Context) -> bool {
        true
    }

    fn locate(&self, address: Address) -> Option<(usize, UsmKind)> {
        let device = self.devices.first()?;
        let _entered = device.enter().ok()?;
        let kind = match (attribute(device, MEMORY_TYPE, address), attribute(device, IS_MANAGED, address)) {
            (0, _) => return None,
            (HOST_MEMORY, 0) => UsmKind::Host,
            (_, 0) => UsmKind::Device,
            _ => UsmKind::Shared,
        };
        // Memory of the host may belong to no device, and every device reaches it.
        Some((usize::try_from(attribute(device, DEVICE_ORDINAL, address)).unwrap_or(0), kind))
    }

    fn devices_share(&self) -> bool {
        false
    }

    fn create_queue(
        &self,
        device: &Arc<dyn Device>,
        properties: QueueProperties,
        scratch: Arc<dyn ScratchSource>,
    ) -> Result<Arc<dyn Queue>> {
        match CudaDevice::shared(device) {
            Some(device) => Ok(Arc::new(CudaQueue::new(device, properties, scratch)?)),
            None => Err(HalError::Unsupported {
                operation: "create queue".into(),
                detail: "a CUDA queue needs a CUDA device".into(),
            }),
        }
    }
}

impl CudaContext {
    /// The device an allocation was made on.
    fn owner(&self, kind: UsmKind, address: Address) -> Option<&Arc<CudaDevice>> {
        let first = self.devices.first()?;
        if kind == UsmKind::Host || self.devices.len() == 1 {
            return Some(first);
        }
        let _entered = first.enter().ok()?;
        let ordinal = attribute(first, DEVICE_ORDINAL, address);
        let found = self.devices.iter().find(|device| device.ordinal == ordinal);
        Some(found.unwrap_or(first))
    }
}
