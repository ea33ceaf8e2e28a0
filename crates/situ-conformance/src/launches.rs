//! Kernels that users write, against the interpreter.

mod random;

use std::sync::Arc;

use situ_hal::{Address, Command, Launch, LaunchArgument};
use situ_ir::Op;
use situ_ir::kernel::{ArrayLayout, Kernel, KernelBuilder, NdRange, Position, REPORT_WORDS};
use situ_types::{DType, Scalar, UsmKind};

use self::random::{Given, RandomKernel};
use crate::Source;
use crate::bench::{Bench, Operand, compare};
use crate::layout::Layout;

/// What a launch is given for a parameter, but for the address.
enum Argument {
    /// An array, in the memory of an operand.
    Memory(usize, Vec<usize>, Layout),
    Local(Vec<usize>),
    Number(Scalar),
}

/// Runs a kernel over random arguments of the kinds that it wants.
fn check(bench: &Bench, source: &mut Source, kernel: Kernel, range: NdRange, given: &[Given]) {
    let mut operands: Vec<Operand> = vec![];
    let mut arguments = vec![];
    for given in given {
        arguments.push(match given {
            Given::Array { dtype, shape, may_repeat } => {
                let layout = Layout::any(source, shape, *may_repeat);
                operands.push(layout.operand(source, *dtype));
                Argument::Memory(operands.len() - 1, shape.clone(), layout)
            }
            Given::Local(shape) => Argument::Local(shape.clone()),
            Given::Number(number) => Argument::Number(*number),
        });
    }
    let report = (!kernel.reports().is_empty()).then(|| {
        let contents = vec![0; REPORT_WORDS * size_of::<i64>()];
        operands.push(Operand { dtype: DType::I64, kind: UsmKind::Host, contents });
        operands.len() - 1
    });
    let kernel = Arc::new(kernel);
    compare(bench, &operands, |addresses: &[Address]| {
        let arguments = arguments.iter().map(|argument| match argument {
            Argument::Memory(operand, shape, layout) => {
                let start = layout.start(operands[*operand].dtype.size());
                let strides = layout.steps.as_slice().into();
                LaunchArgument::Array(
                    addresses[*operand].offset(start),
                    ArrayLayout { shape: shape.as_slice().into(), strides },
                )
            }
            Argument::Local(shape) => LaunchArgument::Local(ArrayLayout::dense(shape)),
            Argument::Number(number) => LaunchArgument::Scalar(*number),
        });
        Command::Launch(Box::new(Launch {
            kernel: kernel.clone(),
            range,
            arguments: arguments.collect(),
            report: report.map(|report| addresses[report]),
        }))
    });
}

fn any(bench: &Bench, seed: u64, rounds: usize, has_groups: bool) {
    let mut source = Source(seed);
    for _ in 0..rounds {
        let (kernel, range, given) = RandomKernel::make(bench, &mut source, has_groups);
        check(bench, &mut source, kernel, range, &given);
    }
}

/// Kernels without groups: branches, loops, jumps, arrays of each work-item, atomic changes.
pub(crate) fn launches(bench: &Bench) {
    any(bench, 31, 150, false);
}

/// Kernels with groups, which share memory and wait for each other.
pub(crate) fn launches_in_groups(bench: &Bench) {
    any(bench, 32, 150, true);
}

/// A guard that fails for one work-item.
pub(crate) fn guards(bench: &Bench) {
    let mut source = Source(33);
    for (items, failing) in [(1, 0), (5, 9), (700, 0), (700, 699), (3001, 1234)] {
        let mut k = KernelBuilder::new("guarded", 1).unwrap();
        let out = k.array("out", DType::F32, 1).unwrap();
        let report = k.report("index {0} of {1}");
        let i = k.position(Position::GlobalId, 0).unwrap();
        let size = k.position(Position::GlobalSize, 0).unwrap();
        let failing = k.constant(Scalar::I64(failing));
        let is_fine = k.apply(Op::NotEqual, &[i, failing]).unwrap();
        let one = k.constant(Scalar::F32(1.0));
        k.store(out, &[i], one).unwrap();
        k.guard(is_fine, report, &[i, size]).unwrap();
        let two = k.constant(Scalar::F32(2.0));
        k.store(out, &[i], two).unwrap();
        let given = [Given::Array { dtype: DType::F32, shape: vec![items], may_repeat: false }];
        check(bench, &mut source, k.finish().unwrap(), NdRange::new(&[items], None).unwrap(), &given);
    }
}
