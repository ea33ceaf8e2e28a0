//! Kernels that users write.

use std::sync::Arc;

use situ_hal::{Address, Command, Launch, LaunchArgument};
use situ_ir::Op;
use situ_ir::kernel::{
    ArrayLayout, Atomic, Exchange, Kernel, KernelBuilder, KernelError, NdRange, Parameter, Position, Space, SubGroup,
};
use situ_types::{DType, Scalar};

use crate::{RandomLaunch, Source};

const AT: Address = Address(256 as *mut u8);

/// The launch of a kernel over arrays and groups of such shapes.
fn launch(kernel: Kernel, range: NdRange, shape: &[usize], report: Option<Address>) -> Command {
    let argument = |parameter: &Parameter| match parameter {
        Parameter::Array(array) => {
            let layout = ArrayLayout::dense(&shape[..kernel.array(*array).ndim]);
            match kernel.array(*array).space {
                Space::Global => LaunchArgument::Array(AT, layout),
                _ => LaunchArgument::Local(layout),
            }
        }
        Parameter::Scalar(value, _) => LaunchArgument::Scalar(Scalar::from_bytes(kernel.dtype(*value), [0; 16])),
    };
    let arguments = kernel.parameters().iter().map(argument).collect();
    Command::Launch(Box::new(Launch { kernel: Arc::new(kernel), range, arguments, report }))
}

fn random_kernels() -> Vec<Command> {
    let mut source = Source(41);
    let commands = (0..60).map(|n| {
        let mut command = RandomLaunch::new(&mut source, n % 3 == 0).command(&[AT; 4]);
        if let Command::Launch(launch) = &mut command
            && let LaunchArgument::Array(_, layout) = &mut launch.arguments[0]
            && n % 4 == 0
        {
            // Longer than 32 bits can say.
            layout.shape[0] = 1 << 33;
        }
        command
    });
    commands.collect()
}

/// Every atomic change that a dtype has, in both kinds of memory.
fn atomics(dtype: DType) -> Result<Kernel, KernelError> {
    let mut k = KernelBuilder::new("changes", 1)?;
    let x = k.array("x", dtype, 1)?;
    let held = k.own_array("held", dtype, &[8], Space::Local)?;
    let i = k.position(Position::GlobalId, 0)?;
    for array in [x, held] {
        let mut value = k.load(x, &[i])?;
        for atomic in Atomic::ALL {
            value = k.atomic(atomic, array, &[i], value).unwrap_or(value);
        }
        let seen = k.compare_exchange(array, &[i], value, value)?;
        k.store(x, &[i], seen)?;
    }
    k.finish()
}

fn every_atomic_change() -> Vec<Command> {
    let range = NdRange::new(&[64], Some(&[32])).unwrap();
    DType::ALL.iter().map(|&dtype| launch(atomics(dtype).unwrap(), range, &[64], None)).collect()
}

/// Every way in which sub-groups exchange values of a dtype.
fn exchanges(dtype: DType) -> Result<Kernel, KernelError> {
    let mut k = KernelBuilder::new("exchanges", 3)?;
    let x = k.array("x", dtype, 3)?;
    let at = [0, 1, 2].map(|axis| k.position(Position::GlobalId, axis).unwrap());
    let place = k.sub_group(SubGroup::GroupCount);
    let mut value = k.load(x, &at)?;
    for exchange in [Exchange::Shuffle, Exchange::ShuffleXor, Exchange::ShuffleDown, Exchange::ShuffleUp] {
        value = k.exchange(exchange, value, Some(place))?;
    }
    value = k.exchange(Exchange::Reduce(Op::Add), value, None)?;
    k.store(x, &at, value)?;
    k.finish()
}

fn every_exchange() -> Vec<Command> {
    // The second has more groups along an axis than a grid.
    let shapes: [([usize; 3], [usize; 3]); 2] = [([8, 8, 8], [2, 4, 8]), ([1 << 20, 4, 4], [2, 4, 4])];
    let mut commands = Vec::new();
    for (global, local) in shapes {
        let range = NdRange::new(&global, Some(&local)).unwrap();
        commands.extend(DType::ALL.iter().map(|&dtype| launch(exchanges(dtype).unwrap(), range, &global, None)));
    }
    commands
}

/// Guards, barriers that look who comes, and memory of a group whose size is known at the launch.
fn guarded() -> Result<Kernel, KernelError> {
    let mut k = KernelBuilder::new("guarded", 2)?;
    let x = k.array("größe", DType::F32, 2)?;
    let held = k.local_parameter("held", DType::F64, 2)?;
    let other = k.local_parameter("held", DType::U8, 1)?;
    let (outside, missing) = (k.report("index {0} of {1}"), k.report("not all come"));
    let at = [0, 1].map(|axis| k.position(Position::GlobalId, axis).unwrap());
    let inside = [0, 1].map(|axis| k.position(Position::LocalId, axis).unwrap());
    let length = k.extent(x, 1)?;
    let is_inside = k.apply(Op::Less, &[at[1], length])?;
    k.guard(is_inside, outside, &[at[1], length])?;
    let element = k.load(x, &at)?;
    let wide = k.cast(element, DType::F64)?;
    k.store(held, &inside, wide)?;
    let byte = k.cast(element, DType::U8)?;
    k.store(other, &[inside[1]], byte)?;
    k.barrier(Some(missing))?;
    let back = k.load(held, &inside)?;
    let back = k.cast(back, DType::F32)?;
    k.fence();
    k.store(x, &at, back)?;
    k.allow_contraction();
    k.finish()
}

/// Random kernels, every atomic change and exchange, guards, and memory of a group.
pub(super) fn commands() -> Vec<Command> {
    let range = NdRange::new(&[64, 64], Some(&[8, 8])).unwrap();
    let mut all = vec![launch(guarded().unwrap(), range, &[64, 64], Some(AT))];
    all.extend(random_kernels());
    all.extend(every_atomic_change());
    all.extend(every_exchange());
    all
}
