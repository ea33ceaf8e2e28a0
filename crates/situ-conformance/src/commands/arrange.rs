//! Commands that arrange elements anew.

use std::sync::Arc;

use situ_hal::{Address, Command, Elementwise, Join, ProgramRef, Repeat, Strided, Times};
use situ_ir::Program;
use situ_types::{DType, Dims};

/// Shapes of one axis and of several, and one whose positions take 64 bits.
const SHAPES: [&[usize]; 3] = [&[1000], &[3, 4, 5], &[1 << 33]];

fn address(off: usize) -> Address {
    Address((64 + off) as *mut u8)
}

/// Steps that no two axes of a shape walk as one.
fn apart(shape: &[usize], step: isize) -> Vec<isize> {
    (0..shape.len() as isize).map(|axis| step + 1000 * axis).collect()
}

fn join(from: &[DType], to: DType, shape: &[usize], off: usize) -> Command {
    let piece = |&dtype: &DType| {
        let program = ProgramRef::Shared(Arc::new(Program::convert(dtype, to)));
        let mut piece = Elementwise::new(program, shape.into());
        piece.push_memory(address(off), &apart(shape, 3));
        piece.push_memory(address(off), &apart(shape, 1));
        piece
    };
    Command::Join(Box::new(Join { pieces: from.iter().map(piece).collect() }))
}

fn repeat(width: usize, shape: &[usize], off: usize) -> Command {
    let strided = |step: isize| Strided { address: address(off), strides: apart(shape, step)[..].into() };
    let (shape, times) = (Dims::from_slice(shape), Times::Each { ends: address(0), total: 100 });
    Command::Repeat(Box::new(Repeat { shape, width, source: strided(3), target: strided(1), times }))
}

/// Joins and repetitions of every dtype.
pub(super) fn commands() -> Vec<Command> {
    let mut commands = Vec::new();
    for (n, &to) in DType::ALL.iter().enumerate() {
        let shape = SHAPES[n % SHAPES.len()];
        commands.push(join(&[to, to], to, shape, 0));
        commands.push(join(&DType::ALL, to, shape, 0));
        commands.push(repeat(to.size(), shape, 0));
    }
    // Complex numbers that lie where only their halves are at home.
    commands.push(join(&[DType::C128], DType::C128, SHAPES[0], 8));
    commands.push(join(&DType::ALL, DType::C128, SHAPES[0], 8));
    commands.push(repeat(16, SHAPES[1], 8));
    commands
}
