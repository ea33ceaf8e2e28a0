//! What the null device computes, against results written down by hand.

use situ_ir::tree::Direction;
use situ_ir::{Combine, Reduction};
use smallvec::SmallVec;

use super::*;
use crate::{Mapped, Operand, Reduce, ReductionRef, Scan};

/// Runs a command over the memory of three vectors.
fn run(command: impl FnOnce([Address; 3]) -> Command, memory: [&mut [i32]; 3]) {
    let bench = Bench::new(Latency::Immediate);
    let addresses = memory.map(|values| Address(values.as_mut_ptr().cast()));
    try_submit(&bench.queue(IN_ORDER), &command(addresses), &[]).unwrap();
}

fn sum() -> ReductionRef {
    let (map, finish) = (Program::convert(DType::I32, DType::I32), Program::convert(DType::I32, DType::I32));
    ReductionRef::Shared(Arc::new(Reduction::new(map, Combine::Op(Op::Add), finish).unwrap()))
}

fn mapped(shape: &[usize], address: Address, steps: &[isize]) -> Mapped {
    let mut inputs = Mapped::new(shape.into());
    inputs.push(Operand::Memory(address), steps);
    inputs
}

#[test]
fn programs_follow_the_steps_of_each_operand() {
    let (mut a, mut b, mut out) = ([1, 2, 3], [10, -1, 20], [0; 8]);
    let command = |[a, b, out]: [Address; 3]| {
        let program = Program::single(Op::Subtract, &[DType::I32, DType::I32], DType::I32).unwrap();
        let mut command = Elementwise::new(ProgramRef::Shared(Arc::new(program)), smallvec![2, 3]);
        command.push_memory(a.offset(8), &[0, -1]);
        command.push_memory(b, &[2, 0]);
        command.push_memory(out, &[4, 1]);
        Command::Elementwise(command)
    };
    run(command, [&mut a, &mut b, &mut out]);
    assert_eq!(out, [-7, -8, -9, 0, -17, -18, -19, 0]);
}

#[test]
fn positions_and_numbers_are_operands() {
    let (mut a, mut b, mut out) = ([0; 1], [0; 1], [0; 4]);
    let command = |[_, _, out]: [Address; 3]| {
        let mut builder = Program::builder();
        let (position, number) = (builder.input(DType::I64), builder.input(DType::I32));
        let position = builder.cast(position, DType::I32).unwrap();
        let product = builder.apply(Op::Multiply, &[position, number]).unwrap();
        let program = builder.finish(&[product]).unwrap();
        let mut command = Elementwise::new(ProgramRef::Shared(Arc::new(program)), smallvec![4]);
        command.push_index();
        command.push_immediate(situ_types::Scalar::I32(-5).to_bytes());
        command.push_memory(out, &[1]);
        Command::Elementwise(command)
    };
    run(command, [&mut a, &mut b, &mut out]);
    assert_eq!(out, [0, -5, -10, -15]);
}

#[test]
fn reductions_keep_some_axes() {
    let (mut a, mut b, mut out) = ([1, 2, 3, 4, 5, 6], [0; 1], [0; 5]);
    let command = |[a, _, out]: [Address; 3]| {
        Command::Reduce(Box::new(Reduce {
            reduction: sum(),
            inputs: mapped(&[3, 2], a, &[1, 3]),
            kept: 1,
            direction: Direction::Across,
            numbers: SmallVec::new(),
            out,
            out_steps: smallvec![2],
        }))
    };
    run(command, [&mut a, &mut b, &mut out]);
    assert_eq!(out, [5, 0, 7, 0, 9]);
}

#[test]
fn scans_run_along_the_last_axis() {
    let (mut a, mut b, mut out) = ([1, 2, 3, 4, 5, 6], [0; 1], [0; 6]);
    let command = |[a, _, out]: [Address; 3]| {
        let (inputs, out_steps) = (mapped(&[2, 3], a, &[3, 1]), smallvec![1, 2]);
        Command::Scan(Box::new(Scan { reduction: sum(), inputs, direction: Direction::Along, out, out_steps }))
    };
    run(command, [&mut a, &mut b, &mut out]);
    assert_eq!(out, [1, 4, 3, 9, 6, 15]);
}
