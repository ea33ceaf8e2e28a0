//! Kernels that users write, on the host against the interpreter, bit for bit.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod host;

use std::sync::Arc;

use host::Threads;
use host::meaning::{same, shown};
use host::opencl::Device;
use host::runner::{Memory, at, run, run_through, work};
use host::snapshots;
use situ_codegen::{DeviceLimits, Dialect, inspect, work_for};
use situ_conformance::{RandomLaunch, Source};
use situ_hal::{Address, Command, Launch, LaunchArgument};
use situ_ir::Op;
use situ_ir::kernel::{
    ArrayLayout, Atomic, Exchange, Fault, Kernel, KernelBuilder, KernelError, NdRange, Position, REPORT_WORDS, Space,
};
use situ_types::{DType, Scalar};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn memory_of(contents: &[u8]) -> Memory {
    Memory::new(contents.len(), |n| contents.get(n).copied().unwrap_or_default())
}

/// Runs a command by the interpreter.
fn interpret(command: &Command) {
    let Command::Launch(launch) = command else { panic!("{command:?}") };
    // SAFETY: the tests give arrays that hold what their kernels come to.
    unsafe { situ_hal::null::launch(launch) }.expect("the launch is well formed");
}

/// Repeats an array along its first axis so often that its length takes more than 32 bits.
fn lengthen(command: &mut Command) {
    let Command::Launch(launch) = command else { panic!("{command:?}") };
    let LaunchArgument::Array(_, layout) = &mut launch.arguments[0] else { panic!("the first is an array") };
    (layout.shape[0], layout.strides[0]) = (1 << 33, 0);
}

#[test]
fn random_kernels_compute_what_they_mean() {
    let mut source = Source(setting("SITU_TEST_SEED", 1) * 1_000_003);
    for case in 0..setting("SITU_TEST_CASES", 25) {
        // The host goes through one work-item after another, none of which can wait for the next.
        let has_groups = Device::chosen().is_some() && case % 2 == 1;
        let launch = RandomLaunch::new(&mut source, has_groups);
        let [found, wanted] = [true, false].map(|compiled| {
            let memories: Vec<Memory> = launch.contents().map(memory_of).collect();
            let mut command = launch.command(&memories.iter().map(|memory| at(memory.address())).collect::<Vec<_>>());
            if case % 3 == 0 {
                lengthen(&mut command);
            }
            if compiled {
                run(&work(&command))
            } else {
                interpret(&command)
            }
            memories
        });
        for (n, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
            let (dtype, size) = (launch.kernel.arrays[n], launch.kernel.arrays[n].size());
            for (i, (found, wanted)) in found.bytes().chunks(size).zip(wanted.bytes().chunks(size)).enumerate() {
                assert!(
                    found == wanted || same(dtype, found, wanted),
                    "case {case}: element {i} of array {n} is {}, not {}, after\n{}\nover {:?}",
                    shown(dtype, found),
                    shown(dtype, wanted),
                    launch.kernel.kernel,
                    launch.range
                );
            }
        }
    }
}

/// x[i, j] and its right neighbour, times a factor, where a condition holds.
fn stencil() -> Result<Kernel, KernelError> {
    let mut k = KernelBuilder::new("stencil", 2)?;
    let (x, out) = (k.array("x", DType::F32, 2)?, k.array("out", DType::F32, 2)?);
    let factor = k.scalar("factor", DType::F32);
    let [i, j] = [0, 1].map(|axis| k.position(Position::GlobalId, axis).unwrap());
    let (width, one) = (k.extent(x, 1)?, k.constant(Scalar::I64(1)));
    let right = k.apply(Op::Add, &[j, one])?;
    let is_inside = k.apply(Op::Less, &[right, width])?;
    k.open_if(is_inside)?;
    let (here, there) = (k.load(x, &[i, j])?, k.load(x, &[i, right])?);
    let sum = k.apply(Op::Add, &[here, there])?;
    let scaled = k.apply(Op::Multiply, &[sum, factor])?;
    k.store(out, &[i, j], scaled)?;
    k.close()?;
    k.allow_contraction();
    k.finish()
}

/// How often there is each byte, counted by each group first.
fn histogram() -> Result<Kernel, KernelError> {
    let mut k = KernelBuilder::new("histogram", 1)?;
    let (x, counts) = (k.array("x", DType::U8, 1)?, k.array("counts", DType::I32, 1)?);
    let held = k.own_array("held", DType::I32, &[256], Space::Local)?;
    let (i, l) = (k.position(Position::GlobalId, 0)?, k.position(Position::LocalId, 0)?);
    let (zero, one) = (k.constant(Scalar::I32(0)), k.constant(Scalar::I32(1)));
    k.store(held, &[l], zero)?;
    k.barrier(None)?;
    let (length, step) = (k.extent(x, 0)?, k.position(Position::GlobalSize, 0)?);
    let n = k.open_for(i, length, step)?;
    let element = k.load(x, &[n])?;
    let bin = k.cast(element, DType::I64)?;
    k.atomic(Atomic::Add, held, &[bin], one)?;
    k.close()?;
    k.barrier(None)?;
    let count = k.load(held, &[l])?;
    k.atomic(Atomic::Add, counts, &[l], count)?;
    k.finish()
}

fn dense(shape: &[usize]) -> LaunchArgument {
    LaunchArgument::Array(Address(256 as *mut u8), ArrayLayout::dense(shape))
}

fn launch(kernel: Kernel, range: NdRange, arguments: Vec<LaunchArgument>) -> Command {
    Command::Launch(Box::new(Launch { kernel: Arc::new(kernel), range, arguments, report: None }))
}

#[test]
fn texts_can_be_read() {
    let factor = LaunchArgument::Scalar(Scalar::F32(0.5));
    let arguments = vec![dense(&[100, 100]), dense(&[100, 100]), factor];
    let command = launch(stencil().unwrap(), NdRange::new(&[100, 100], None).unwrap(), arguments);
    snapshots::compare(&work(&command), 0, Dialect::Cuda, "kernel_stencil.cu");
    let range = NdRange::new(&[1 << 16], Some(&[256])).unwrap();
    let command = launch(histogram().unwrap(), range, vec![dense(&[1 << 20]), dense(&[256])]);
    snapshots::compare(&work(&command), 0, Dialect::Cuda, "kernel_histogram.cu");
    snapshots::compare(&work(&command), 0, Dialect::OpenCl, "kernel_histogram.cl");
}

#[test]
fn a_kernel_shows_itself() {
    let text = inspect(&Arc::new(stencil().unwrap()), Dialect::Cuda);
    assert!(text.contains("// kernel stencil over 2 axes"), "{text}");
    assert!(text.contains("x_data[global_id_0 * x_step_0 + v5]"), "{text}");
}

#[test]
fn kernels_are_compiled_for_few_kinds_of_launches() {
    let kernel = Arc::new(stencil().unwrap());
    let planned = |shape: &[usize], strides: [&[isize]; 2]| {
        let array = |strides: &[isize]| {
            let layout = ArrayLayout { shape: shape.into(), strides: strides.into() };
            LaunchArgument::Array(Address(256 as *mut u8), layout)
        };
        let factor = LaunchArgument::Scalar(Scalar::F32(0.5));
        let arguments = vec![array(strides[0]), array(strides[1]), factor];
        let range = NdRange::new(shape, None).unwrap();
        let launch = Launch { kernel: kernel.clone(), range, arguments, report: None };
        work(&Command::Launch(Box::new(launch))).launches[0].kernel.clone()
    };
    let usual = planned(&[100, 100], [&[100, 1], &[100, 1]]);
    assert_eq!(usual, planned(&[9, 7], [&[-20, 1], &[7, 1]]));
    assert_eq!(usual, planned(&[9, 1], [&[20, 7], &[1, 5]]));
    assert_ne!(usual, planned(&[9, 7], [&[1, 9], &[7, 1]]));
    assert_ne!(usual, planned(&[1 << 17, 1 << 17], [&[1 << 17, 1], &[1 << 17, 1]]));
}

#[test]
fn what_fails_first_is_told() {
    let mut k = KernelBuilder::new("guarded", 1).unwrap();
    let out = k.array("out", DType::I64, 1).unwrap();
    let report = k.report("index {0} is not below {1}");
    let i = k.position(Position::GlobalId, 0).unwrap();
    let length = k.extent(out, 0).unwrap();
    let is_inside = k.apply(Op::Less, &[i, length]).unwrap();
    k.guard(is_inside, report, &[i, length]).unwrap();
    k.store(out, &[i], i).unwrap();
    let kernel = Arc::new(k.finish().unwrap());
    let range = NdRange::new(&[5], None).unwrap();
    let (memory, words) = (Memory::new(24, |_| 0), Memory::new(8 * REPORT_WORDS, |_| 0));
    let arguments = vec![LaunchArgument::Array(at(memory.address()), ArrayLayout::dense(&[3]))];
    let report = Some(at(words.address()));
    let work = work(&Command::Launch(Box::new(Launch { kernel: kernel.clone(), range, arguments, report })));
    run_through(&work, Threads::Upward);
    let word = |n: usize| i64::from_ne_bytes(words.bytes()[8 * n..][..8].try_into().unwrap());
    let fault = Fault::from_words(std::array::from_fn(word)).unwrap();
    assert_eq!(fault.describe(&kernel, &range), "kernel guarded, work-item (3): index 3 is not below 3");
}

/// The sums of sub-groups, for those work-items only that lie below a number, or in groups that do.
fn sums(of: Position) -> Kernel {
    let mut k = KernelBuilder::new("sums", 1).unwrap();
    let out = k.array("out", DType::F64, 1).unwrap();
    let (i, at) = (k.position(Position::GlobalId, 0).unwrap(), k.position(of, 0).unwrap());
    let limit = k.scalar("limit", DType::I64);
    let is_below = k.apply(Op::Less, &[at, limit]).unwrap();
    k.open_if(is_below).unwrap();
    let value = k.load(out, &[i]).unwrap();
    let sum = k.exchange(Exchange::Reduce(Op::Add), value, None).unwrap();
    k.store(out, &[i], sum).unwrap();
    k.close().unwrap();
    k.finish().unwrap()
}

#[test]
fn sub_groups_that_wait_for_each_other_must_all_come() {
    let planned = |of: Position, group: usize, sub_groups: bool| {
        let range = NdRange::new(&[128], Some(&[group])).unwrap();
        let arguments = vec![dense(&[128]), LaunchArgument::Scalar(Scalar::I64(32))];
        work_for(&launch(sums(of), range, arguments), &DeviceLimits { sub_groups, ..host::runner::LIMITS })
    };
    assert!(planned(Position::LocalId, 64, true).is_ok());
    let error = planned(Position::LocalId, 64, false).unwrap_err().to_string();
    assert!(error.contains("outside of the condition"), "{error}");
    assert!(planned(Position::LocalId, 32, false).is_ok());
    assert!(planned(Position::GroupId, 64, false).is_ok());
}

#[test]
fn what_a_device_has_no_room_for_is_refused() {
    let mut k = KernelBuilder::new("large", 1).unwrap();
    k.own_array("held", DType::F64, &[40_000], Space::Local).unwrap();
    let range = NdRange::new(&[64], Some(&[64])).unwrap();
    let error = |kernel: Kernel, range: NdRange, limits: situ_codegen::DeviceLimits| {
        situ_codegen::work_for(&launch(kernel, range, vec![]), &limits).unwrap_err().to_string()
    };
    let large = error(k.finish().unwrap(), range, host::runner::LIMITS);
    assert!(large.contains("320000 bytes, and the device has 232448"), "{large}");
}

#[test]
fn arrays_may_lie_between_multiples_of_their_size() {
    let kernel = |changes: bool| {
        let mut k = KernelBuilder::new("double", 1).unwrap();
        let x = k.array("x", DType::F64, 1).unwrap();
        let i = k.position(Position::GlobalId, 0).unwrap();
        let element = k.load(x, &[i]).unwrap();
        if changes {
            k.atomic(Atomic::Add, x, &[i], element).unwrap();
        }
        let twice = k.apply(Op::Add, &[element, element]).unwrap();
        k.store(x, &[i], twice).unwrap();
        k.finish().unwrap()
    };
    let mut memory = Memory::new(48, |_| 0);
    for n in 0..4 {
        memory.bytes_mut()[4 + 8 * n..][..8].copy_from_slice(&(n as f64).to_ne_bytes());
    }
    let arguments = vec![LaunchArgument::Array(at(memory.address() + 4), ArrayLayout::dense(&[4]))];
    let range = NdRange::new(&[4], None).unwrap();
    let planned = work(&launch(kernel(false), range, arguments.clone()));
    assert!(planned.launches[0].kernel.emit(Dialect::Cuda).text.contains("store_f64(&x_data["));
    run(&planned);
    for n in 0..4 {
        assert_eq!(memory.bytes()[4 + 8 * n..][..8], (2.0 * n as f64).to_ne_bytes());
    }
    let refused = situ_codegen::work_for(&launch(kernel(true), range, arguments), &host::runner::LIMITS);
    assert!(refused.unwrap_err().to_string().contains("atomics need arrays whose elements lie at multiples"));
}
