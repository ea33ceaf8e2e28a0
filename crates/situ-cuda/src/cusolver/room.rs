//! Memory that calls work in.

use situ_hal::Address;

use crate::driver::DevicePointer;

/// What the library may take for granted about memory: what the driver aligns its own to.
const ALIGNMENT: usize = 256;
/// The same of the host's memory.
const HOST_ALIGNMENT: usize = 16;

/// Collects what calls need.
#[derive(Debug, Default)]
pub(super) struct Room {
    bytes: usize,
    host_bytes: usize,
}

/// Where something is in the memory of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(usize);

impl Room {
    /// A place for so many bytes.
    pub(super) fn take(&mut self, bytes: usize) -> Place {
        let place = self.bytes;
        self.bytes = (place + bytes).next_multiple_of(ALIGNMENT);
        Place(place)
    }

    /// A place for so many bytes of the host's memory.
    pub(super) fn take_host(&mut self, bytes: usize) -> Place {
        let place = self.host_bytes;
        self.host_bytes = (place + bytes).next_multiple_of(HOST_ALIGNMENT);
        Place(place)
    }

    /// Bytes of the device's memory in all, wherever they begin.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + ALIGNMENT
    }

    pub(super) fn host_bytes(&self) -> usize {
        self.host_bytes
    }
}

/// The memory of a command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    start: Address,
    host: *mut u8,
}

impl Memory {
    pub(super) fn new(scratch: Address, host: *mut u8) -> Memory {
        let start = scratch.value().next_multiple_of(ALIGNMENT);
        Memory { start: scratch.offset((start - scratch.value()) as isize), host }
    }

    pub(super) fn address(&self, place: Place) -> Address {
        self.start.offset(place.0 as isize)
    }

    pub(super) fn host(&self, place: Place) -> *mut u8 {
        self.host.wrapping_add(place.0)
    }

    pub(super) fn at(&self, place: Place) -> DevicePointer {
        self.address(place).0 as DevicePointer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_aligned_and_apart_wherever_memory_begins() {
        let mut room = Room::default();
        let sizes = [1, 256, 257, 0, 4];
        let places = sizes.map(|bytes| room.take(bytes));
        for scratch in [4096, 4096 + 64, 4096 + 255] {
            let memory = Memory::new(Address(scratch as *mut u8), std::ptr::null_mut());
            let mut end = scratch;
            for (place, bytes) in places.into_iter().zip(sizes) {
                let begin = memory.address(place).value();
                assert!(begin >= end && begin.is_multiple_of(ALIGNMENT));
                end = begin + bytes;
            }
            assert!(end <= scratch + room.bytes());
        }
    }

    #[test]
    fn memory_of_the_host_is_as_much_as_was_asked_for() {
        let mut room = Room::default();
        assert_eq!([0, 10, 3].map(|bytes| room.take_host(bytes)), [Place(0), Place(0), Place(16)]);
        assert_eq!(room.host_bytes(), 32);
    }
}
