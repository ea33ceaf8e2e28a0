//! Some kernels as they are written, to be read.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod host;

use std::sync::Arc;

use host::runner::{at, gpu_work, processor_work};
use host::snapshots;
use situ_codegen::Dialect;
use situ_hal::{Command, Elementwise, ProgramRef};
use situ_ir::{Op, Program};
use situ_types::DType;

fn compare(file: &str, program: &Program, shape: &[usize], steps: &[&[isize]], dialect: Dialect) {
    let mut command = Elementwise::new(ProgramRef::Shared(Arc::new(program.clone())), shape.into());
    steps.iter().for_each(|strides| command.push_memory(at(256), strides));
    let work = if dialect == Dialect::Processor { processor_work } else { gpu_work };
    snapshots::compare(&work(&Command::Elementwise(command)), 0, dialect, file);
}

#[test]
fn dense_addition() {
    let program = Program::single(Op::Add, &[DType::F32, DType::F32], DType::F32).unwrap();
    compare("add_f32_dense.cu", &program, &[1000], &[&[1], &[1], &[1]], Dialect::Cuda);
}

#[test]
fn a_processors_sine() {
    let program = Program::single(Op::Sin, &[DType::F64], DType::F64).unwrap();
    compare("sin_f64_chunks.cl", &program, &[1000], &[&[1], &[1]], Dialect::Processor);
}

#[test]
fn a_row_added_to_a_matrix() {
    let program = Program::single(Op::Add, &[DType::I32, DType::F64], DType::F64).unwrap();
    compare("add_f64_rows.cl", &program, &[100, 64], &[&[0, 1], &[64, 1], &[64, 1]], Dialect::OpenCl);
}

#[test]
fn every_other_sine() {
    let program = Program::single(Op::Sin, &[DType::F32], DType::F32).unwrap();
    compare("sin_f32_strided.cu", &program, &[1000], &[&[2], &[1]], Dialect::Cuda);
}

#[test]
fn a_transposed_half_precision_product() {
    let program = Program::single(Op::Multiply, &[DType::F16, DType::F16], DType::F16).unwrap();
    compare("multiply_f16_tiled.cl", &program, &[100, 90], &[&[1, 100], &[90, 1], &[90, 1]], Dialect::OpenCl);
}

#[test]
fn a_chain() {
    let mut builder = Program::builder();
    let x = builder.input(DType::F64);
    let limit = builder.input(DType::F64);
    let square = builder.apply(Op::Square, &[x]).unwrap();
    let below = builder.apply(Op::Less, &[square, limit]).unwrap();
    let chosen = builder.select(below, square, limit).unwrap();
    let small = builder.cast(chosen, DType::F32).unwrap();
    let program = builder.finish(&[small, below]).unwrap();
    compare("chain_f64_dense.cu", &program, &[1000], &[&[1], &[1], &[1], &[1]], Dialect::Cuda);
}

fn waves() -> Program {
    let mut builder = Program::builder();
    let x = builder.input(DType::F64);
    let sine = builder.apply(Op::Sin, &[x]).unwrap();
    let square = builder.apply(Op::Square, &[x]).unwrap();
    let fall = builder.apply(Op::Negative, &[square]).unwrap();
    let decay = builder.apply(Op::Exp, &[fall]).unwrap();
    let product = builder.apply(Op::Multiply, &[sine, decay]).unwrap();
    builder.finish(&[product]).unwrap()
}

#[test]
fn much_of_a_long_program() {
    compare("waves_f64_dense.cu", &waves(), &[1 << 24], &[&[1], &[1]], Dialect::Cuda);
}

#[test]
fn rows_of_a_long_program() {
    compare("waves_f64_rows.cl", &waves(), &[100, 64], &[&[128, 1], &[64, 1]], Dialect::OpenCl);
}
