//! Devices that share memory, and their memory.

use std::collections::BTreeSet;
use std::ptr;
use std::sync::Arc;

use parking_lot::Mutex;
use situ_hal::{Address, Context, Device, HalError, Queue, Result, ScratchSource};
use situ_types::{QueueProperties, UsmKind};

use crate::device::OpenClDevice;
use crate::driver::{Driver, Handle};
use crate::memory::{ALIGNMENT, Memory};
use crate::module::Modules;
use crate::queue::OpenClQueue;

/// A context of the driver.
#[derive(Debug)]
pub(crate) struct DriverContext {
    driver: &'static Driver,
    pub(crate) handle: Handle,
    /// Where the memory begins that is allocated, if kernels have to be told what they reach.
    blocks: Option<Mutex<BTreeSet<usize>>>,
}

// SAFETY: every thread may use a context; it is released once, when nobody has it any more.
unsafe impl Send for DriverContext {}
// SAFETY: as above.
unsafe impl Sync for DriverContext {}

impl DriverContext {
    /// Where the memory begins that kernels have to be told of.
    pub(crate) fn blocks(&self) -> Vec<usize> {
        self.blocks.as_ref().map(|blocks| blocks.lock().iter().copied().collect()).unwrap_or_default()
    }
}

impl Drop for DriverContext {
    fn drop(&mut self) {
        // SAFETY: nobody else has the handle; whatever was made in it holds a reference of its own.
        unsafe { (self.driver.api.clReleaseContext)(self.handle) };
    }
}

/// A device in a context: kernels are compiled for one, and belong to the other.
#[derive(Debug)]
pub(crate) struct Place {
    /// Goes first: kernels belong to the context.
    pub(crate) modules: Modules,
    pub(crate) context: Arc<DriverContext>,
    pub(crate) device: Arc<OpenClDevice>,
}

/// Devices whose memory is in one address space.
#[derive(Debug)]
pub(crate) struct OpenClContext {
    context: Arc<DriverContext>,
    /// Its devices, and parts of them that queues were made on.
    places: Mutex<Vec<Arc<Place>>>,
    devices: Vec<Arc<OpenClDevice>>,
}

impl OpenClContext {
    pub(crate) fn new(devices: Vec<Arc<OpenClDevice>>) -> Result<OpenClContext> {
        let Some(first) = devices.first() else {
            return Err(HalError::Unsupported {
                operation: "create context".into(),
                detail: "it has no device".into(),
            });
        };
        let driver = first.driver;
        driver.check_process("create context")?;
        let handles: Vec<Handle> = devices.iter().map(|device| device.handle).collect();
        let handle = driver.made("create context", |code| {
            // SAFETY: the devices exist, and one code is written.
            unsafe {
                let (count, all) = (handles.len() as u32, handles.as_ptr());
                (driver.api.clCreateContext)(ptr::null(), count, all, ptr::null(), ptr::null_mut(), code)
            }
        })?;
        let tells = devices.iter().any(|device| matches!(device.facts.memory, Memory::Svm) && !device.facts.is_host);
        let context = Arc::new(DriverContext { driver, handle, blocks: tells.then(Mutex::default) });
        let place = |device: &Arc<OpenClDevice>| {
            Arc::new(Place { modules: Modules::default(), context: context.clone(), device: device.clone() })
        };
        let places = Mutex::new(devices.iter().map(place).collect());
        Ok(OpenClContext { context, places, devices })
    }

    /// The place of a device, or of a part of one, in this context.
    fn place(&self, device: &Arc<OpenClDevice>) -> Arc<Place> {
        let mut places = self.places.lock();
        if let Some(place) = places.iter().find(|place| Arc::ptr_eq(&place.device, device)) {
            return place.clone();
        }
        let (context, device) = (self.context.clone(), device.clone());
        let place = Arc::new(Place { modules: Modules::default(), context, device });
        places.push(place.clone());
        place
    }

    /// The device of the context that a device is, or is a part of.
    fn member<'d>(&'d self, device: &'d Arc<OpenClDevice>) -> &'d Arc<OpenClDevice> {
        let mut candidate = device;
        while !self.devices.iter().any(|own| Arc::ptr_eq(own, candidate)) {
            match candidate.parent() {
                Some(parent) => candidate = parent,
                None => return device,
            }
        }
        candidate
    }

    fn all(&self, holds: impl Fn(&OpenClDevice) -> bool) -> bool {
        self.devices.iter().all(|device| holds(device))
    }
}

impl Context for OpenClContext {
    fn allocate(&self, device: &Arc<dyn Device>, kind: UsmKind, bytes: usize) -> Result<Address> {
        let foreign = || HalError::Unsupported {
            operation: "allocate".into(),
            detail: "the device is not an OpenCL device".into(),
        };
        let device = OpenClDevice::shared(device).ok_or_else(foreign)?;
        let device = self.member(&device);
        // Drivers differ in what they do with more than they can address.
        if bytes > isize::MAX as usize - ALIGNMENT {
            let detail = "no address space is that large".into();
            return Err(HalError::OutOfMemory { operation: "allocate".into(), bytes, detail });
        }
        let memory = &device.facts.memory;
        let address = memory.allocate(device.driver, self.context.handle, device.handle, kind, bytes)?;
        if let Some(blocks) = &self.context.blocks {
            blocks.lock().insert(address.value());
        }
        Ok(address)
    }

    unsafe fn release(&self, _kind: UsmKind, address: Address, _bytes: usize) {
        let Some(device) = self.devices.first() else { return };
        if let Some(blocks) = &self.context.blocks {
            blocks.lock().remove(&address.value());
        }
        // SAFETY: the caller's promise.
        unsafe { device.facts.memory.release(device.driver, self.context.handle, address) };
    }

    fn large_block(&self) -> usize {
        ALIGNMENT
    }

    fn memory_available(&self, _device: &Arc<dyn Device>, _kind: UsmKind) -> Option<u64> {
        None
    }

    fn host_reaches(&self, kind: UsmKind) -> bool {
        kind != UsmKind::Device || self.all(|device| device.facts.is_host || matches!(device.facts.memory, Memory::Svm))
    }

    fn reaches_host(&self) -> bool {
        self.all(|device| device.facts.is_host)
    }

    fn reaches(&self, other: &dyn Context) -> bool {
        self.reaches_host() && other.host_reaches(UsmKind::Device)
    }

    fn devices_share(&self) -> bool {
        self.reaches_host()
    }

    fn create_queue(
        &self,
        device: &Arc<dyn Device>,
        properties: QueueProperties,
        scratch: Arc<dyn ScratchSource>,
    ) -> Result<Arc<dyn Queue>> {
        match OpenClDevice::shared(device) {
            Some(device) => Ok(Arc::new(OpenClQueue::new(self.place(&device), properties, scratch)?)),
            None => Err(HalError::Unsupported {
                operation: "create queue".into(),
                detail: "an OpenCL queue needs an OpenCL device".into(),
            }),
        }
    }
}
