//! How long a command will take, roughly.

use situ_hal::{Elementwise, Operand, SmallStep};
use situ_ir::{Op, Program, StepKind};
use situ_types::{DType, DTypeKind};

/// Picoseconds per byte moved while the operands fit a core's own caches, and beyond.
const NEAR: u64 = 20;
const FAR: u64 = 40;
/// Where "beyond" begins.
const NEAR_BYTES: u64 = 1 << 20;

/// Picoseconds per byte of an operand for what is a vector instruction or two.
const SHORT: u64 = 20;

/// So few results are not worth estimating.
const NEGLIGIBLE: u64 = 64;

/// A rough estimate, in nanoseconds, of one thread's work for a command.
#[inline]
pub(crate) fn cost(command: &Elementwise) -> u64 {
    let (elements, steps) = (command.shape.iter().product::<usize>() as u64, command.program.steps().len() as u64);
    if elements.saturating_mul(steps + 1) <= NEGLIGIBLE { 0 } else { estimate(command, elements) }
}

fn estimate(command: &Elementwise, elements: u64) -> u64 {
    let operands = command.operands().iter().enumerate();
    let memory = operands.filter(|(_, operand)| matches!(operand, Operand::Memory(_)));
    let bytes = memory.map(|(n, _)| command.program.operand_dtype(n).size() as u64).sum::<u64>();
    let per_byte = if elements.saturating_mul(bytes) > NEAR_BYTES { FAR } else { NEAR };
    let steps = command.program.steps().iter().map(|step| {
        let from = step.args.first().map_or(step.dtype, |arg| command.program.dtype_of(*arg));
        let last = step.args.last().and_then(|arg| command.operands().get(arg.index()));
        picoseconds(step.kind, from, step.dtype, matches!(last, Some(Operand::Immediate(_))))
    });
    elements.saturating_mul(bytes * per_byte + steps.sum::<u64>()) / 1000
}

/// The same for a small step.
#[inline]
pub(super) fn cost_of_small_step(small_step: &SmallStep) -> u64 {
    let elements = small_step.count() as u64;
    if elements * 2 <= NEGLIGIBLE {
        return 0;
    }
    let (read, written) = (small_step.inputs * small_step.reads.size(), small_step.writes.size());
    let work = match small_step.kind {
        // Nothing is read or computed.
        StepKind::Apply(op) if op.known_result(small_step.reads).is_some() => 0,
        kind => read as u64 * NEAR + picoseconds(kind, small_step.reads, small_step.writes, small_step.ends_with_one()),
    };
    elements.saturating_mul(written as u64 * NEAR + work) / 1000
}

/// One value's share of combining values by an op, in picoseconds.
pub(crate) fn picoseconds_of(op: Op, dtype: DType) -> u64 {
    picoseconds(StepKind::Apply(op), dtype, dtype, false)
}

/// One value's share of reading a program's inputs from memory and computing it, in picoseconds.
pub(crate) fn picoseconds_of_program(program: &Program) -> u64 {
    let read = program.inputs().iter().map(|dtype| dtype.size() as u64 * FAR).sum::<u64>();
    let steps = program.steps().iter().map(|step| {
        let from = step.args.first().map_or(step.dtype, |arg| program.dtype_of(*arg));
        picoseconds(step.kind, from, step.dtype, false)
    });
    read + steps.sum::<u64>()
}

/// Whether computing a step takes longer than memory takes for its operands.
pub(super) fn is_long(kind: StepKind, from: DType, to: DType) -> bool {
    picoseconds(kind, from, to, false) > SHORT * from.size() as u64
}

/// One element's share of a step, beyond moving it. An op that has no meaning for integers is taken to be
/// transcendental: a few dozen vector instructions for real results, a call of scalar code for complex ones. So are
/// powers of others. Integers are divided by floating-point division, or one by one where they are too wide for that;
/// by one number it is a multiplication.
fn picoseconds(kind: StepKind, from: DType, to: DType, by_one: bool) -> u64 {
    let is_half = from == DType::F16 || to == DType::F16;
    let width = from.size() as u64;
    match kind {
        StepKind::Apply(op) if is_transcendental(op, from) => match to.kind() {
            DTypeKind::Complex => 30_000,
            _ if is_half => 1_000,
            _ => 150 * width,
        },
        StepKind::Apply(Op::FloorDivide | Op::Remainder) if from.kind() < DTypeKind::Float => match (by_one, width) {
            (true, 1..8) => 60 * width,
            (true, _) => 1_500,
            (false, 1..8) => 200 * width,
            (false, _) => 6_000,
        },
        StepKind::Apply(_) | StepKind::Cast | StepKind::Select => {
            if is_half {
                500
            } else {
                SHORT * width
            }
        }
    }
}

fn is_transcendental(op: Op, dtype: DType) -> bool {
    !op.rule().domain.contains(&DType::I64) || op == Op::Pow && dtype.kind() >= DTypeKind::Float
}
