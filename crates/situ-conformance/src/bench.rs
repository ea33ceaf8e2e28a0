//! The device under test, memory on it, and the comparison with the null device.

use std::sync::Arc;

use situ_hal::null::{self, NullConfig};
use situ_hal::{Address, Command, Completion, Context, Device, Event, EventStatus, Platform, Queue, UnpooledScratch};
use situ_types::{Aspect, BackendKind, DType, QueueProperties, Scalar, UsmKind};

use crate::holds;

pub(crate) const IN_ORDER: QueueProperties = QueueProperties { in_order: true, profiling: false };
pub(crate) const OUT_OF_ORDER: QueueProperties = QueueProperties { in_order: false, profiling: false };

/// A device with a context and a queue of its own.
#[derive(Clone, Debug)]
pub(crate) struct Bench {
    platform: Arc<dyn Platform>,
    pub(crate) device: Arc<dyn Device>,
    pub(crate) context: Arc<dyn Context>,
    pub(crate) queue: Arc<dyn Queue>,
}

impl Bench {
    /// The first device of a platform, if it has any.
    pub(crate) fn new(platform: Arc<dyn Platform>) -> Option<Bench> {
        let device = platform.devices().first()?.clone();
        let context = platform.create_context(std::slice::from_ref(&device)).unwrap();
        let queue = create_queue(&context, &device, IN_ORDER);
        Some(Bench { platform, device, context, queue })
    }

    /// The null device, which other devices are compared with.
    pub(crate) fn reference() -> Bench {
        Bench::new(null::platform(NullConfig::default())).unwrap()
    }

    /// The same device in another context.
    pub(crate) fn beside(&self) -> Bench {
        Bench::new(self.platform.clone()).unwrap()
    }

    pub(crate) fn queue(&self, properties: QueueProperties) -> Arc<dyn Queue> {
        create_queue(&self.context, &self.device, properties)
    }

    /// Whether the device computes with numbers of a dtype.
    pub(crate) fn knows(&self, dtype: DType) -> bool {
        let aspects = &self.device.info().aspects;
        match dtype.real_part() {
            DType::F16 => aspects.contains(&Aspect::Fp16),
            DType::F64 => aspects.contains(&Aspect::Fp64),
            _ => true,
        }
    }

    pub(crate) fn allocate(&self, kind: UsmKind, bytes: usize) -> Block<'_> {
        let address = self.context.allocate(&self.device, kind, bytes).unwrap();
        Block { bench: self, kind, address, bytes }
    }

    /// Whether the device changes elements of a dtype while nobody else does: OpenCL exchanges 8 bytes at most.
    pub(crate) fn exchanges(&self, dtype: DType) -> bool {
        dtype.size() <= 8 || self.device.info().backend != BackendKind::OpenCl
    }

    /// Memory with these contents.
    pub(crate) fn upload(&self, kind: UsmKind, contents: &[u8]) -> Block<'_> {
        let block = self.allocate(kind, contents.len());
        block.write(0, contents);
        block
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, command: &Command) {
        finish(submit(&self.queue, command, &[]));
    }
}

fn create_queue(context: &Arc<dyn Context>, device: &Arc<dyn Device>, properties: QueueProperties) -> Arc<dyn Queue> {
    let scratch = Arc::new(UnpooledScratch::new(context.clone(), device.clone()));
    context.create_queue(device, properties, scratch).unwrap()
}

/// Memory of a context, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    bench: &'a Bench,
    kind: UsmKind,
    pub(crate) address: Address,
    pub(crate) bytes: usize,
}

impl Block<'_> {
    /// Copies host memory here.
    pub(crate) fn write(&self, at: usize, contents: &[u8]) {
        assert!(at + contents.len() <= self.bytes);
        let src = Address(contents.as_ptr().cast_mut());
        let dst = self.address.offset(at as isize);
        self.bench.run(&Command::Copy { dst, src, bytes: contents.len() });
    }

    /// The contents, by way of a copy: the host may not be able to look.
    pub(crate) fn read(&self) -> Vec<u8> {
        let mut contents = vec![0; self.bytes];
        let dst = Address(contents.as_mut_ptr());
        self.bench.run(&Command::Copy { dst, src: self.address, bytes: self.bytes });
        contents
    }

    pub(crate) fn fill(&self, byte: u8) -> Command {
        Command::Fill { dst: self.address, pattern: [byte; 16], width: 1, count: self.bytes }
    }

    pub(crate) fn copy_from(&self, other: &Block<'_>) -> Command {
        Command::Copy { dst: self.address, src: other.address, bytes: self.bytes.min(other.bytes) }
    }
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: the block came from this context with this kind and size, and tests wait for their commands.
            unsafe { self.bench.context.release(self.kind, self.address, self.bytes) };
        }
    }
}

pub(crate) fn submit(queue: &Arc<dyn Queue>, command: &Command, after: &[Arc<dyn Event>]) -> Option<Arc<dyn Event>> {
    // SAFETY: tests make commands over memory that they keep until the commands are over.
    match unsafe { queue.submit(command, after) }.unwrap() {
        Completion::Done => None,
        Completion::Event(event) => Some(event),
    }
}

pub(crate) fn finish(event: Option<Arc<dyn Event>>) {
    if let Some(event) = event {
        assert!(event.wait(None));
        assert_eq!((event.error(), event.status()), (None, EventStatus::Complete));
    }
}

/// An operand in memory of its own: elements of one dtype, some of which a command means.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub(crate) dtype: DType,
    pub(crate) kind: UsmKind,
    pub(crate) contents: Vec<u8>,
}

/// Runs the command that `make` gives for the operands' addresses on the device and on the null device, and compares all
/// of the memory afterwards, element by element: what a command does not mean must stay as it was.
pub(crate) fn compare(bench: &Bench, operands: &[Operand], make: impl Fn(&[Address]) -> Command) {
    let run = |bench: &Bench| {
        let blocks: Vec<Block<'_>> =
            operands.iter().map(|operand| bench.upload(operand.kind, &operand.contents)).collect();
        let addresses: Vec<Address> = blocks.iter().map(|block| block.address).collect();
        bench.run(&make(&addresses));
        blocks.iter().map(Block::read).collect::<Vec<_>>()
    };
    let (found, wanted) = (run(bench), run(&Bench::reference()));
    for (n, operand) in operands.iter().enumerate() {
        let width = operand.dtype.size();
        for (i, (found, wanted)) in found[n].chunks(width).zip(wanted[n].chunks(width)).enumerate() {
            if found == wanted {
                continue;
            }
            let mut padded = [0; 16];
            padded[..wanted.len()].copy_from_slice(wanted);
            let value = Scalar::from_bytes(operand.dtype, padded);
            let command = make(&vec![Address(std::ptr::null_mut()); operands.len()]);
            assert!(
                holds(found, value),
                "element {i} of operand {n} is {found:?}, not {wanted:?} ({value:?}), after {command:#?}"
            );
        }
    }
}
