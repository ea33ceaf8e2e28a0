//! Elementwise programs.

use std::sync::Arc;

use situ_hal::{Address, Command, Elementwise, ProgramRef};
use situ_ir::{Op, Program};
use situ_types::DType;

/// A program over operands of a shape, each with its steps.
fn command(program: Program, shape: &[usize], steps: impl Fn(usize) -> Vec<isize>) -> Command {
    let count = program.inputs().len() + program.outputs().len();
    let mut command = Elementwise::new(ProgramRef::Shared(Arc::new(program)), shape.into());
    (0..count).for_each(|n| command.push_memory(Address(64 as *mut u8), &steps(n)));
    Command::Elementwise(command)
}

/// Every op in every dtype that it computes in, every conversion, and every walk of every dtype.
pub(super) fn commands() -> Vec<Command> {
    let mut commands = Vec::new();
    for dtype in DType::ALL {
        for op in Op::ALL.iter().filter(|op| op.rule().domain.contains(&dtype)) {
            let program = Program::single(*op, &vec![dtype; op.arity()], dtype).unwrap();
            commands.push(command(program, &[1 << 20], |_| vec![1]));
        }
        let conversions = DType::ALL.iter().map(|&to| Program::convert(dtype, to));
        commands.extend(conversions.map(|program| command(program, &[1 << 20], |_| vec![1])));
        type Steps = fn(usize) -> Vec<isize>;
        let layouts: [(&[usize], Steps); 5] = [
            (&[1 << 20], |n| vec![1 + n as isize]),
            (&[1000, 1000], |n| if n == 0 { vec![0, 1] } else { vec![1000, 1] }),
            (&[1000, 1000], |n| if n == 0 { vec![1, 1000] } else { vec![1000, 1] }),
            (&[10, 20, 30, 40], |n| if n == 0 { vec![1, 10, 200, 6000] } else { vec![24000, 1200, 40, 1] }),
            (&[70000, 70000], |n| if n == 0 { vec![70000, 2] } else { vec![140000, 1] }),
        ];
        commands.extend(layouts.map(|(shape, steps)| command(Program::convert(dtype, dtype), shape, steps)));
    }
    commands
}
