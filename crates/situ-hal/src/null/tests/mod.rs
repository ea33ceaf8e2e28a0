//! Tests of the null backend, and what they share.

mod compute;
mod device;
mod faults;
mod indexing;
mod memory;
mod order;

use std::sync::Arc;

use situ_ir::{Op, Program};
use situ_types::{DType, QueueProperties, UsmKind};
use smallvec::smallvec;

use super::{Exclusive, Latency, NullConfig, exclusive, platform, set_latency};
use crate::{
    Address, Command, Completion, Context, Device, Elementwise, Event, ProgramRef, Queue, Result, ScratchSource,
    UnpooledScratch,
};

const OUT_OF_ORDER: QueueProperties = QueueProperties { in_order: false, profiling: false };
const IN_ORDER: QueueProperties = QueueProperties { in_order: true, profiling: false };
const PROFILING: QueueProperties = QueueProperties { in_order: false, profiling: true };

/// The null backend with one device and one context, reserved for the test.
struct Bench {
    device: Arc<dyn Device>,
    context: Arc<dyn Context>,
    _alone: Exclusive,
}

impl Bench {
    fn new(latency: Latency) -> Bench {
        let alone = exclusive();
        set_latency(latency);
        let platform = platform(NullConfig::default());
        let device = platform.devices().remove(0);
        let context = platform.create_context(std::slice::from_ref(&device)).unwrap();
        Bench { device, context, _alone: alone }
    }

    fn scratch(&self) -> Arc<dyn ScratchSource> {
        Arc::new(UnpooledScratch::new(self.context.clone(), self.device.clone()))
    }

    fn queue(&self, properties: QueueProperties) -> Arc<dyn Queue> {
        self.context.create_queue(&self.device, properties, self.scratch()).unwrap()
    }

    fn bytes<const N: usize>(&self) -> Block<N> {
        let address = self.context.allocate(&self.device, UsmKind::Shared, N).unwrap();
        Block { address, context: self.context.clone() }
    }
}

/// An allocation of `N` bytes.
struct Block<const N: usize> {
    address: Address,
    context: Arc<dyn Context>,
}

impl<const N: usize> Block<N> {
    fn read(&self) -> [u8; N] {
        // SAFETY: the block is alive, has N bytes, and the test is not executing a command meanwhile.
        unsafe { self.address.0.cast::<[u8; N]>().read() }
    }

    /// A command that sets every byte.
    fn set(&self, value: u8) -> Command {
        Command::Fill { dst: self.address, pattern: [value; 16], width: 1, count: N }
    }

    /// A command that copies every byte of another.
    fn set_from(&self, other: &Block<N>) -> Command {
        Command::Copy { dst: self.address, src: other.address, bytes: N }
    }
}

impl<const N: usize> Drop for Block<N> {
    fn drop(&mut self) {
        // SAFETY: allocated so in `Bench::bytes`; tests drop blocks only when nothing will execute any more.
        unsafe { self.context.release(UsmKind::Shared, self.address, N) };
    }
}

fn try_submit(queue: &Arc<dyn Queue>, command: &Command, after: &[Arc<dyn Event>]) -> Result<Completion> {
    // SAFETY: the blocks of a test outlive every command that the test executes.
    unsafe { queue.submit(command, after) }
}

/// Submits a command that leaves an event.
fn submit(queue: &Arc<dyn Queue>, command: &Command, after: &[Arc<dyn Event>]) -> Arc<dyn Event> {
    match try_submit(queue, command, after).unwrap() {
        Completion::Event(event) => event,
        Completion::Done => panic!("{} was done at once", command.name()),
    }
}

/// Adds four numbers to themselves.
fn add(block: &Block<16>) -> Command {
    let program = Program::single(Op::Add, &[DType::F32, DType::F32], DType::F32).unwrap();
    let mut command = Elementwise::new(ProgramRef::Shared(Arc::new(program)), smallvec![4]);
    (0..3).for_each(|_| command.push_memory(block.address, &[1]));
    Command::Elementwise(command)
}
