//! Some kernels as they are read by people.

use situ_codegen::{Dialect, Work};
use situ_hal::{Command, Mapped, Operand, Reduce, ReductionRef, Scan};
use situ_ir::tree::Direction;
use situ_ir::{Combine, Op};
use situ_types::DType;
use smallvec::{SmallVec, smallvec};

use crate::host::runner::{at, gpu_work, processor_work};
use crate::host::snapshots::compare;
use crate::plain;

fn inputs(shape: &[usize], steps: &[isize]) -> Mapped {
    let mut inputs = Mapped::new(shape.into());
    inputs.push(Operand::Memory(at(64)), steps);
    inputs
}

fn reduction(combine: Combine, dtype: DType, shape: &[usize], steps: &[isize], direction: Direction) -> Command {
    Command::Reduce(Box::new(Reduce {
        reduction: ReductionRef::Shared(plain(combine, dtype)),
        inputs: inputs(shape, steps),
        kept: 1,
        direction,
        numbers: SmallVec::new(),
        out: at(64),
        out_steps: smallvec![1],
    }))
}

fn reduce(combine: Combine, dtype: DType, shape: &[usize], steps: &[isize], direction: Direction) -> Work {
    gpu_work(&reduction(combine, dtype, shape, steps, direction))
}

#[test]
fn texts_are_as_they_were() {
    let sum = reduce(Combine::Op(Op::Add), DType::F32, &[2, 1 << 20], &[1 << 20, 1], Direction::Along);
    compare(&sum, 0, Dialect::Cuda, "sum_f32_along.cu");
    let sum = reduction(Combine::Op(Op::Add), DType::F32, &[2, 1 << 20], &[1 << 20, 1], Direction::Along);
    compare(&processor_work(&sum), 0, Dialect::Processor, "sum_f32_along_processor.cl");
    let greatest = reduction(Combine::Op(Op::Maximum), DType::I32, &[2, 1000], &[1000, 1], Direction::Along);
    compare(&processor_work(&greatest), 0, Dialect::Processor, "maximum_i32_along_processor.cl");
    let positions = reduce(Combine::ArgMax, DType::F32, &[1000, 200], &[1, 1000], Direction::Across);
    compare(&positions, 0, Dialect::OpenCl, "argmax_f32_across.cl");
    let spread = reduce(Combine::Moments, DType::F32, &[2, 1 << 20], &[1 << 20, 1], Direction::Along);
    compare(&spread, 0, Dialect::Cuda, "moments_f32_along.cu");
    let sums = Scan {
        reduction: ReductionRef::Shared(plain(Combine::Op(Op::Add), DType::F32)),
        inputs: inputs(&[3, 1000], &[1000, 1]),
        direction: Direction::Along,
        out: at(64),
        out_steps: smallvec![1000, 1],
    };
    compare(&gpu_work(&Command::Scan(Box::new(sums))), 0, Dialect::Cuda, "cumulative_sum_f32.cu");
}
