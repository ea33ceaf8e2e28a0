//! Memory that kernels need beside their operands.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use situ_hal::Result;

use crate::device::CudaDevice;
use crate::driver::{DevicePointer, code};
use crate::stream::Stream;

/// Memory of a queue that only its commands use, one after another. It is kept for the next command, until an
/// allocation would fail for want of it.
#[derive(Debug, Default)]
pub(crate) struct Scratch(Arc<Mutex<Room>>);

#[derive(Debug, Default)]
struct Room {
    address: DevicePointer,
    bytes: usize,
    device: Option<Arc<CudaDevice>>,
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Some(device) = &self.device
            && let Ok(_entered) = device.enter()
        {
            // SAFETY: the memory was allocated for this, and the driver waits for the commands that use it.
            unsafe { (device.driver.api.cuMemFree_v2)(self.address) };
        }
    }
}

impl Scratch {
    /// Runs `submit` with the address of at least so many bytes that no other command of the stream uses at that time.
    ///
    /// The commands that `submit` launches run in the stream's order, and nobody else launches some in between.
    pub(crate) fn with<T>(
        &self,
        stream: &Stream,
        bytes: usize,
        submit: impl FnOnce(DevicePointer) -> Result<T>,
    ) -> Result<T> {
        let mut room = self.0.lock();
        if room.bytes < bytes {
            let device = &stream.device;
            let wanted = bytes.next_power_of_two().max(1 << 16);
            let mut fresh = 0;
            // SAFETY: writes one address.
            let mut allocate = || unsafe { (device.driver.api.cuMemAlloc_v2)(&raw mut fresh, wanted) };
            let mut code = allocate();
            if code == code::OUT_OF_MEMORY && device.scratch.release() {
                code = allocate();
            }
            device.check(code, "allocate scratch memory")?;
            *room = Room { address: fresh, bytes: wanted, device: Some(device.clone()) };
            device.scratch.note(&self.0);
        }
        submit(room.address)
    }
}

/// The scratch memory of a device's queues.
#[derive(Debug, Default)]
pub(crate) struct Rooms(Mutex<Vec<Weak<Mutex<Room>>>>);

impl Rooms {
    fn note(&self, room: &Arc<Mutex<Room>>) {
        let mut rooms = self.0.lock();
        rooms.retain(|known| known.strong_count() > 0 && !known.ptr_eq(&Arc::downgrade(room)));
        rooms.push(Arc::downgrade(room));
    }

    /// Frees what no command is being submitted with, once the device has come past those that use it; whether there
    /// was any.
    pub(crate) fn release(&self) -> bool {
        let rooms: Vec<_> = self.0.lock().iter().filter_map(Weak::upgrade).collect();
        let idle = rooms.iter().filter_map(|room| room.try_lock());
        // Taken out first: freeing waits for the device, and need not hold up the queue.
        let taken: Vec<Room> = idle.map(|mut room| std::mem::take(&mut *room)).collect();
        taken.iter().any(|room| room.bytes > 0)
    }
}
