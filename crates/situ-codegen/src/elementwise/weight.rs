//! How long a program's text is, and how much it computes.

use situ_ir::{Op, Program, Step, StepKind};
use situ_types::{DType, DTypeKind};

use super::plan::ACCESS;

/// How often a program's text may be repeated in a kernel. Functions are long, those of complex numbers very: compiling
/// them takes its time, and the memory waits for them anyway.
pub(super) fn copies(program: &Program) -> usize {
    let of_step = |step: &Step| match step.kind {
        StepKind::Apply(op) if is_long(op) => match program.dtype_of(step.args[0]).kind() {
            DTypeKind::Complex => 1,
            _ => 4,
        },
        _ => ACCESS,
    };
    program.steps().iter().map(of_step).min().unwrap_or(ACCESS)
}

/// Whether an op's text is long. Integers have no such ops but these.
fn is_long(op: Op) -> bool {
    !op.rule().computes_in(DType::I32) || matches!(op, Op::Pow | Op::FloorDivide | Op::Remainder)
}

/// Whether computing takes longer than moving the elements. A thread then does better with several groups of them, whose
/// instructions fill each other's pauses; otherwise that only makes fewer threads ask for memory.
pub(super) fn is_heavy(program: &Program) -> bool {
    let of_step = |step: &Step| match step.kind {
        StepKind::Apply(op) => weight(op, program.dtype_of(step.args[0])),
        StepKind::Cast | StepKind::Select => 0,
    };
    copies(program) == 4 && program.steps().iter().map(of_step).sum::<u32>() >= 2
}

/// How much an op computes: 1 is about what an H200 does while the memory brings the next element, so that one such op costs
/// nothing.
fn weight(op: Op, dtype: DType) -> u32 {
    let weight = match op {
        Op::Acosh | Op::Asinh | Op::Atanh | Op::Cbrt | Op::Log1p => 2,
        Op::Logaddexp | Op::Pow | Op::Sinh | Op::Tan | Op::Tanh => 2,
        Op::Acos | Op::Asin | Op::Atan2 | Op::Expm1 if dtype == DType::F64 => 2,
        _ => u32::from(is_long(op)),
    };
    match dtype {
        DType::F32 | DType::F64 => weight,
        // Half the bytes, and the same computation.
        DType::F16 => 2 * weight,
        _ => 0,
    }
}
