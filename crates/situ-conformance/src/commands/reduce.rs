//! Reductions and scans.

use std::sync::Arc;

use situ_hal::{Address, Command, Mapped, Operand, Reduce, ReductionRef, Scan};
use situ_ir::tree::Direction;
use situ_ir::{Combine, Program, Reduction};
use situ_types::DType;
use smallvec::{SmallVec, smallvec};

/// Where every operand is.
const SOMEWHERE: Address = Address(64 as *mut u8);

/// Every way to combine values, with every dtype it takes.
fn reductions() -> Vec<Reduction> {
    let of = |(combine, dtype): (Combine, DType)| {
        let state = combine.state(dtype);
        Reduction::new(Program::convert(dtype, dtype), combine, Program::convert(state, state)).ok()
    };
    let plain = Combine::all().flat_map(|combine| DType::ALL.map(|dtype| (combine, dtype))).filter_map(of);
    // Parts that are much larger than what they are made of.
    let halves = Program::convert(DType::F16, DType::F32);
    let bytes = Program::convert(DType::I8, DType::F64);
    let large = [halves, bytes].map(|map| {
        let state = map.dtype_of(map.outputs()[0]);
        Reduction::new(map, Combine::Moments, Program::convert(state, state)).unwrap()
    });
    plain.chain(large).collect()
}

fn inputs(shape: &[usize], steps: &[isize]) -> Mapped {
    let mut inputs = Mapped::new(shape.into());
    inputs.push(Operand::Memory(SOMEWHERE), steps);
    inputs
}

fn reduce(reduction: &Arc<Reduction>, shape: &[usize], steps: &[isize], direction: Direction) -> Command {
    Command::Reduce(Box::new(Reduce {
        reduction: ReductionRef::Shared(Arc::clone(reduction)),
        inputs: inputs(shape, steps),
        kept: 1,
        direction,
        numbers: SmallVec::new(),
        out: SOMEWHERE,
        out_steps: smallvec![1],
    }))
}

fn scan(reduction: &Arc<Reduction>, shape: &[usize], steps: &[isize], direction: Direction) -> Command {
    Command::Scan(Box::new(Scan {
        reduction: ReductionRef::Shared(Arc::clone(reduction)),
        inputs: inputs(shape, steps),
        direction,
        out: SOMEWHERE,
        out_steps: steps.into(),
    }))
}

/// For each reduction a command or two, so that every form of a kernel has its turn.
pub(super) fn commands() -> Vec<Command> {
    let mut commands = Vec::new();
    for (n, reduction) in reductions().into_iter().enumerate() {
        let is_op = matches!(reduction.combine(), Combine::Op(_));
        let reduction = Arc::new(reduction);
        let rows: [(&[usize], &[isize]); 4] = [
            (&[64, 4096], &[4096, 1]),
            (&[2, 1 << 20], &[1 << 20, 1]),
            (&[3, 100, 7], &[4096, 32, 3]),
            (&[2, 1 << 33], &[1 << 33, 1]),
        ];
        let columns: [(&[usize], &[isize]); 3] =
            [(&[4096, 64], &[1, 4096]), (&[512, 9000], &[1, 512]), (&[512, 100, 9], &[2, 90_000, 10_000])];
        let along = rows.map(|(shape, steps)| reduce(&reduction, shape, steps, Direction::Along));
        let across = columns.map(|(shape, steps)| reduce(&reduction, shape, steps, Direction::Across));
        match reduction.combine() {
            Combine::Moments => commands.extend(along.into_iter().chain(across)),
            _ if n % 2 == 0 => commands.extend(along.into_iter().nth(n / 2 % 4)),
            _ => commands.extend(across.into_iter().nth(n / 2 % 3)),
        }
        if is_op {
            let (shape, steps, direction): (&[usize], &[isize], _) = match n % 3 {
                0 => (&[2, 1 << 20], &[1 << 20, 1], Direction::Along),
                1 => (&[512, 9000], &[1, 512], Direction::Across),
                _ => (&[3, 100], &[200, 2], Direction::Along),
            };
            commands.push(scan(&reduction, shape, steps, direction));
        }
    }
    commands
}
