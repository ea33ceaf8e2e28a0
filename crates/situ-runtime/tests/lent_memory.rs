//! Memory of other libraries: what may be done with it, and what counts as done to it.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use situ_runtime::{Access, Address, Buffer, Device, Error, Queue};
use situ_types::UsmKind;

fn queue(selector: &str) -> Queue {
    Queue::on(&Device::select(selector).unwrap()).unwrap()
}

#[test]
fn lent_memory_is_stamped_but_not_written() {
    let (here, mut memory) = (queue("native"), [7u8; 64]);
    let address = Address(memory.as_mut_ptr());
    // SAFETY: the memory outlives the buffer, and nobody touches it meanwhile.
    let buffer = unsafe { Buffer::lent(&here, UsmKind::Host, address, memory.len(), Box::new(())) };
    assert!(matches!(here.fill(&buffer, 0, &[0], 64, &[]), Err(Error::Value(_))));
    here.stamp(&buffer, Access::Update).unwrap();
    buffer.settle().unwrap();
    drop(buffer);
    assert_eq!(memory, [7; 64]);
}

#[test]
fn stamps_belong_to_the_context() {
    let (here, there) = (queue("native"), queue("null"));
    let buffer = Buffer::allocate(&here, UsmKind::Device, 64, 0).unwrap();
    assert!(matches!(there.stamp(&buffer, Access::Read), Err(Error::Value(_))));
    assert!(matches!(there.take_back(&buffer, Access::Read, None), Err(Error::Value(_))));
}

#[test]
fn queues_without_streams_say_so() {
    let here = queue("native");
    let buffer = Buffer::allocate(&here, UsmKind::Device, 64, 0).unwrap();
    assert_eq!(here.native_stream(), None);
    assert!(matches!(here.lend(&buffer, Access::Read, 1), Err(Error::Hal(_))));
    assert!(matches!(here.take_back(&buffer, Access::Read, Some(1)), Err(Error::Hal(_))));
    // Exposing memory that no stream can reach changes nothing.
    buffer.expose();
    drop(buffer);
}

#[test]
fn devices_are_numbered_as_their_drivers_do() {
    let device = Device::select("native").unwrap();
    assert_eq!(device.number(), 0);
}
