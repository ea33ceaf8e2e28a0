//! Everything that can be emitted compiles, for which no GPU is needed: NVRTC comes from the package registry.
//!
//! `SITU_NVRTC` says where it is. Without it these tests say so and pass, unless `SITU_REQUIRE_NVRTC` is set.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::time::Instant;

use situ_codegen::elementwise::{OperandForm, emit, plan};
use situ_codegen::{Dialect, Source};
use situ_cuda::nvrtc::Nvrtc;
use situ_ir::{Op, Program};
use situ_types::DType;

/// Compute capability 9.0: Hopper.
const HOPPER: i32 = 90;

fn nvrtc() -> Option<&'static Nvrtc> {
    match Nvrtc::get() {
        Ok(nvrtc) => Some(nvrtc),
        Err(reason) if std::env::var_os("SITU_REQUIRE_NVRTC").is_some() => panic!("{reason}"),
        Err(reason) => {
            eprintln!("not compiled: {reason}");
            None
        }
    }
}

fn compiles(nvrtc: &Nvrtc, source: &Source) {
    let begin = Instant::now();
    if let Err(log) = nvrtc.compile(&source.text, &nvrtc.options(HOPPER)) {
        panic!("{} does not compile:\n{log}\n{}", source.kernel, source.text);
    }
    eprintln!("{:6.1} ms  {}", begin.elapsed().as_secs_f64() * 1e3, source.kernel);
}

/// The kernel of a program over dense arrays.
fn dense(program: &Program) -> Source {
    let memory = OperandForm::Memory { strides: &[1], alignment: 16 };
    let operands = vec![memory; program.inputs().len() + program.outputs().len()];
    emit(program, &plan(program, &[1 << 20], &operands).unwrap().form, Dialect::Cuda)
}

#[test]
fn every_op_compiles_for_every_dtype() {
    let Some(nvrtc) = nvrtc() else { return };
    for &op in Op::ALL {
        for &dtype in op.rule().domain {
            compiles(nvrtc, &dense(&Program::single(op, &vec![dtype; op.arity()], dtype).unwrap()));
        }
    }
}

#[test]
fn every_conversion_compiles() {
    let Some(nvrtc) = nvrtc() else { return };
    for from in DType::ALL {
        for to in DType::ALL {
            compiles(nvrtc, &dense(&Program::convert(from, to)));
        }
    }
}
