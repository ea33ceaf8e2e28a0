//! Kernels around the Fourier transforms of a library: elements to where it takes them, and from where it leaves them.

use std::sync::LazyLock;

use situ_hal::{Address, Elementwise, ProgramRef};
use situ_ir::{Op, Program};
use situ_types::{DType, Scalar, Space};

use crate::command::copy;

/// Elements in memory: where the first is, and the steps from one to the next along each axis.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'a> {
    /// The first.
    pub address: Address,
    /// Elements from one to the next, along each axis.
    pub steps: &'a [isize],
}

/// Copies elements of a floating-point or complex dtype, each multiplied by a number; the two places may be the same.
pub fn scaled_copy(dtype: DType, shape: &[usize], from: Elements<'_>, to: Elements<'_>, factor: f64) -> Elementwise {
    if factor == 1.0 {
        let mut command = Elementwise::new(copy(dtype.size()), shape.into());
        command.push_memory(from.address, from.steps);
        command.push_memory(to.address, to.steps);
        return simplified(command, from, to);
    }
    // Parts of complex numbers are multiplied by themselves: an infinite one times 0 would spoil the other.
    let part = dtype.real_part();
    let parts = dtype.size() / part.size();
    let within = |steps: &[isize]| -> Vec<isize> {
        let scaled = steps.iter().map(|step| step * parts as isize);
        scaled.chain((parts > 1).then_some(1)).collect()
    };
    let (from_steps, to_steps) = (within(from.steps), within(to.steps));
    let shape: Vec<usize> = shape.iter().copied().chain((parts > 1).then_some(parts)).collect();
    let (from, to) = (Elements { steps: &from_steps, ..from }, Elements { steps: &to_steps, ..to });
    let mut command = Elementwise::new(product(part), shape[..].into());
    command.push_memory(from.address, from.steps);
    let factor = if part == DType::F32 { Scalar::F32(factor as f32) } else { Scalar::F64(factor) };
    command.push_immediate(factor.to_bytes());
    command.push_memory(to.address, to.steps);
    simplified(command, from, to)
}

/// Copies the conjugates of elements of a complex dtype.
pub fn conjugates(dtype: DType, shape: &[usize], from: Elements<'_>, to: Elements<'_>) -> Elementwise {
    static PROGRAMS: LazyLock<[Option<Program>; 2]> =
        LazyLock::new(|| [DType::C64, DType::C128].map(|dtype| Program::single(Op::Conj, &[dtype], dtype).ok()));
    let program = program_of(&PROGRAMS, usize::from(dtype == DType::C128), dtype);
    let mut command = Elementwise::new(program, shape.into());
    command.push_memory(from.address, from.steps);
    command.push_memory(to.address, to.steps);
    simplified(command, from, to)
}

/// Writes zeros of a dtype.
pub fn zeros(dtype: DType, shape: &[usize], to: Elements<'_>) -> Elementwise {
    let mut space = Space::new(shape, [to.steps]);
    space.collapse();
    let mut command = Elementwise::new(copy(dtype.size()), space.lengths().collect());
    command.push_immediate([0; 16]);
    command.push_memory(to.address, &space.steps(0).collect::<Vec<isize>>());
    command
}

/// The command over as few axes as possible.
fn simplified(command: Elementwise, from: Elements<'_>, to: Elements<'_>) -> Elementwise {
    let mut space = Space::new(&command.shape, [from.steps, to.steps]);
    space.collapse();
    let mut simple = Elementwise::new(command.program.clone(), space.lengths().collect());
    let steps = [0, 1].map(|operand| space.steps(operand).collect::<Vec<isize>>());
    simple.push_memory(from.address, &steps[0]);
    for operand in &command.operands()[1..command.operands().len() - 1] {
        if let situ_hal::Operand::Immediate(bytes) = operand {
            simple.push_immediate(*bytes);
        }
    }
    simple.push_memory(to.address, &steps[1]);
    simple
}

/// The program that multiplies two numbers.
fn product(dtype: DType) -> ProgramRef {
    static PRODUCTS: LazyLock<[Option<Program>; 2]> =
        LazyLock::new(|| [DType::F32, DType::F64].map(|dtype| Program::single(Op::Multiply, &[dtype; 2], dtype).ok()));
    program_of(&PRODUCTS, usize::from(dtype == DType::F64), dtype)
}

/// One of some programs, of which a copy stands in for one that could not be made: an op over a dtype it is for always can.
fn program_of(programs: &'static [Option<Program>; 2], at: usize, dtype: DType) -> ProgramRef {
    programs[at].as_ref().map_or_else(|| copy(dtype.size()), ProgramRef::Static)
}
