//! Everything that can be emitted compiles, for which no GPU is needed: NVRTC comes from the package registry.
//!
//! `SITU_NVRTC` says where it is. Without it these tests say so and pass, unless `SITU_REQUIRE_NVRTC` is set.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod compiler;

use std::sync::Arc;

use situ_codegen::{Dialect, Rules, library, work_for};
use situ_hal::{Address, Command, Elementwise, ProgramRef};
use situ_ir::{Op, Program};
use situ_types::DType;

/// Compiles the kernels of programs in one go, each in a namespace of its own: starting the compiler takes longer than
/// most kernels do.
fn compile(programs: &[Program], shape: &[usize], steps: impl Fn(usize) -> Vec<isize>) {
    let Some(nvrtc) = compiler::nvrtc() else { return };
    let mut kernels = String::new();
    for (n, program) in programs.iter().enumerate() {
        let count = program.inputs().len() + program.outputs().len();
        let mut command = Elementwise::new(ProgramRef::Shared(Arc::new(program.clone())), shape.into());
        (0..count).for_each(|n| command.push_memory(Address(16 as *mut u8), &steps(n)));
        for launch in work_for(&Command::Elementwise(command), &compiler::LIMITS).unwrap().launches {
            kernels += &format!("namespace n{n} {{\n{}}}\n", launch.kernel.emit_bare(Dialect::Cuda).text);
        }
    }
    let text = library::complete(Dialect::Cuda, &kernels);
    if let Err(log) = nvrtc.compile(&text, &nvrtc.options(compiler::HOPPER, &Rules::Exact).unwrap()) {
        panic!("{log}\n{text}");
    }
}

/// The programs of single ops that compute in a dtype.
fn singles(dtype: DType) -> Vec<Program> {
    let ops = Op::ALL.iter().filter(|op| op.rule().domain.contains(&dtype));
    ops.map(|&op| Program::single(op, &vec![dtype; op.arity()], dtype).unwrap()).collect()
}

macro_rules! every_op_compiles {
    ($($name:ident: $dtype:ident,)*) => {
        $(#[test]
        fn $name() {
            for programs in singles(DType::$dtype).chunks(12) {
                compile(programs, &[1 << 24], |_| vec![1]);
            }
        })*
    };
}

every_op_compiles! {
    every_op_compiles_for_bool: Bool,
    every_op_compiles_for_int8: I8,
    every_op_compiles_for_int16: I16,
    every_op_compiles_for_int32: I32,
    every_op_compiles_for_int64: I64,
    every_op_compiles_for_uint8: U8,
    every_op_compiles_for_uint16: U16,
    every_op_compiles_for_uint32: U32,
    every_op_compiles_for_uint64: U64,
    every_op_compiles_for_float16: F16,
    every_op_compiles_for_float32: F32,
    every_op_compiles_for_float64: F64,
    every_op_compiles_for_complex64: C64,
    every_op_compiles_for_complex128: C128,
}

#[test]
fn every_conversion_compiles() {
    for from in DType::ALL {
        let programs: Vec<_> = DType::ALL.iter().map(|&to| Program::convert(from, to)).collect();
        compile(&programs, &[1 << 20], |_| vec![1]);
    }
}

#[test]
fn every_walk_compiles_for_every_dtype() {
    let programs: Vec<_> = DType::ALL.iter().map(|&dtype| Program::convert(dtype, dtype)).collect();
    type Steps = fn(usize) -> Vec<isize>;
    let layouts: [(&[usize], Steps); 6] = [
        (&[1 << 20], |n| vec![1 + n as isize]),
        (&[1000, 1000], |n| if n == 0 { vec![0, 1] } else { vec![1000, 1] }),
        (&[1000, 1000], |n| if n == 0 { vec![1, 1000] } else { vec![1000, 1] }),
        (&[1000, 1000], |n| if n == 0 { vec![-3000, 3] } else { vec![1000, 1] }),
        (&[10, 20, 30, 40], |n| if n == 0 { vec![1, 10, 200, 6000] } else { vec![24000, 1200, 40, 1] }),
        (&[70000, 70000], |n| if n == 0 { vec![70000, 2] } else { vec![140000, 1] }),
    ];
    for (shape, steps) in layouts {
        compile(&programs, shape, steps);
    }
}

#[test]
fn long_programs_compile() {
    let mut builder = Program::builder();
    let (x, y) = (builder.input(DType::F64), builder.input(DType::F64));
    let sum = builder.apply(Op::Add, &[x, y]).unwrap();
    let sin = builder.apply(Op::Sin, &[sum]).unwrap();
    let exp = builder.apply(Op::Exp, &[y]).unwrap();
    let product = builder.apply(Op::Multiply, &[sin, exp]).unwrap();
    let less = builder.apply(Op::Less, &[product, x]).unwrap();
    let chosen = builder.select(less, product, y).unwrap();
    let program = builder.finish(&[chosen, less]).unwrap();
    compile(std::slice::from_ref(&program), &[1 << 20], |_| vec![1]);
    compile(std::slice::from_ref(&program), &[1 << 24], |_| vec![1]);
    compile(&[program], &[1000, 1000], |n| if n == 0 { vec![2000, 1] } else { vec![1000, 1] });
}
