//! Runs the launches of a command on the host.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::c_void;
use std::rc::Rc;

use situ_codegen::{Argument, DeviceLimits, Dialect, Kernel, Work, work_for};
use situ_hal::{Address, Command, Strided};

use super::opencl::Device;
use super::{Library, Threads, launchable};

/// What a large GPU has room for.
pub const LIMITS: DeviceLimits = DeviceLimits {
    scratch: 1 << 30,
    cache: 60 << 20,
    local: 48 << 10,
    group: 1024,
    group_local: 227 << 10,
    wide_atomics: true,
    sub_groups: true,
    is_processor: false,
    cores: 132,
    sort_from: 1 << 24,
};

/// What a processor with a few cores has room for.
pub const PROCESSOR: DeviceLimits =
    DeviceLimits { wide_atomics: false, sub_groups: false, is_processor: true, cores: 3, ..LIMITS };

/// What a large GPU has room for, or the chosen device.
pub fn limits() -> DeviceLimits {
    if Device::chosen().is_some() { PROCESSOR } else { LIMITS }
}

/// What there is to plan for: both kinds of devices on the host, and the chosen device's where there is one.
pub fn all_limits() -> Vec<DeviceLimits> {
    if Device::chosen().is_some() { vec![PROCESSOR] } else { vec![LIMITS, PROCESSOR] }
}

/// What a command comes to on a large GPU, or on the chosen device.
pub fn work(command: &Command) -> Work {
    work_for(command, &limits()).unwrap()
}

/// What a command comes to on a large GPU, whatever else tests run on.
pub fn gpu_work(command: &Command) -> Work {
    work_for(command, &LIMITS).unwrap()
}

/// What a command comes to on a processor.
pub fn processor_work(command: &Command) -> Work {
    work_for(command, &PROCESSOR).unwrap()
}

/// An operand at an address.
pub fn strided(address: usize, strides: &[isize]) -> Strided {
    Strided { address: at(address), strides: strides.into() }
}

/// An address.
pub fn at(address: usize) -> Address {
    Address(address as *mut u8)
}

/// Aligned memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory(Vec<u128>);

impl Memory {
    /// So many bytes, made by a function of their place.
    pub fn new(bytes: usize, byte: impl Fn(usize) -> u8) -> Memory {
        let word = |n: usize| u128::from_ne_bytes(std::array::from_fn(|i| byte(16 * n + i)));
        Memory((0..bytes.div_ceil(16)).map(word).collect())
    }

    /// Bytes that differ from their neighbours.
    pub fn noise(bytes: usize) -> Memory {
        Memory::new(bytes, |n| ((n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as u8)
    }

    pub fn address(&self) -> usize {
        self.0.as_ptr() as usize
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: any byte of the words is a byte.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() * 16) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: any bytes are words.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len() * 16) }
    }
}

/// Does what a command comes to, every other time with the threads of blocks the other way round.
pub fn run(work: &Work) {
    thread_local! {
        static NEXT: Cell<Threads> = const { Cell::new(Threads::Upward) };
    }
    run_through(work, NEXT.replace(NEXT.get().reversed()));
}

/// Does what a command comes to, with the threads of blocks in an order.
pub fn run_through(work: &Work, threads: Threads) {
    let mut scratch = Memory::noise(work.scratch + 64);
    let end = scratch.bytes().len() - 64;
    scratch.bytes_mut()[..work.zeroed].fill(0);
    for (start, table) in &work.tables {
        for (n, word) in table.iter().enumerate() {
            scratch.bytes_mut()[start + 8 * n..][..8].copy_from_slice(&word.to_ne_bytes());
        }
    }
    let untouched = scratch.bytes()[end..].to_vec();
    let device = Device::chosen();
    for launch in &work.launches {
        if let Some(device) = &device {
            // SAFETY: as below; and the device reaches the host's memory.
            unsafe { device.launch(launch, scratch.address()) };
            continue;
        }
        // Values of up to 16 bytes are read at addresses as aligned as their types want.
        let values: Vec<u128> = launch.arguments.iter().map(|argument| value(argument, scratch.address())).collect();
        let pointers: Vec<*const c_void> = values.iter().map(|value| std::ptr::from_ref(value).cast()).collect();
        let library = compiled(&launch.kernel);
        // SAFETY: the arguments are the plan's, and the tests give operands that hold what the command visits.
        unsafe { library.launch(&pointers, launch.grid, launch.block, threads) };
    }
    assert_eq!(&scratch.bytes()[end..], &untouched[..], "more scratch memory was used than asked for");
}

fn value(argument: &Argument, scratch: usize) -> u128 {
    let word = match *argument {
        Argument::Address(address) => address.value() as u64,
        Argument::Value(value, _) => return u128::from_ne_bytes(value),
        Argument::Scratch(at) => scratch as u64 + at,
        Argument::U32(number) => number.into(),
        Argument::I32(number) => number as u64,
        Argument::U64(number) => number,
        Argument::I64(number) => number as u64,
    };
    u128::from(word)
}

/// The kernel's text, compiled once per thread: a text keeps its place in variables of its own.
fn compiled(kernel: &Kernel) -> Rc<Library> {
    thread_local! {
        static COMPILED: RefCell<HashMap<Kernel, Rc<Library>>> = RefCell::default();
    }
    COMPILED.with_borrow_mut(|compiled| {
        let compile = || Rc::new(Library::compile_whole(&launchable(&kernel.emit(Dialect::Host))));
        Rc::clone(compiled.entry(kernel.clone()).or_insert_with(compile))
    })
}
