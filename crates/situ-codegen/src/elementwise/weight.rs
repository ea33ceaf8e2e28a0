//! How long a program's text is, and how much it computes.

use std::sync::LazyLock;

use situ_ir::{Op, Program, Step, StepKind};
use situ_types::{DType, DTypeKind};

use super::plan::ACCESS;
use crate::{Dialect, library};

/// How often a program's text may be repeated in a kernel. Functions are long, those of complex numbers very: compiling
/// them takes its time, and the memory waits for them anyway.
pub(crate) fn copies(program: &Program) -> usize {
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
pub(crate) fn is_long(op: Op) -> bool {
    !op.rule().computes_in(DType::I32) || matches!(op, Op::Pow | Op::FloorDivide | Op::Remainder)
}

/// Whether computing takes longer than moving the elements. A thread then does better with several groups of them,
/// whose instructions fill each other's pauses; otherwise that only makes fewer threads ask for memory.
pub(super) fn is_heavy(program: &Program) -> bool {
    let of_step = |step: &Step| match step.kind {
        StepKind::Apply(op) => weight(op, program.dtype_of(step.args[0])),
        StepKind::Cast | StepKind::Select => 0,
    };
    copies(program) == 4 && program.steps().iter().map(of_step).sum::<u32>() >= 2
}

/// How much an op computes: 1 is about what an H200 does while the memory brings the next element, so that one such op
/// costs nothing.
fn weight(op: Op, dtype: DType) -> u32 {
    let (computed, times) = match dtype {
        DType::F32 => (0, 1),
        DType::F64 => (1, 1),
        // Half the bytes, and the same computation.
        DType::F16 => (0, 2),
        _ => return 0,
    };
    times * if is_long_computed(op, computed) { 2 } else { u32::from(is_long(op)) }
}

/// Whether the library says so of an op's function in single (0) or double precision (1).
fn is_long_computed(op: Op, precision: usize) -> bool {
    static KNOWN: LazyLock<[[bool; 2]; Op::COUNT]> = LazyLock::new(|| {
        std::array::from_fn(|n| {
            ["f32", "f64"]
                .map(|suffix| library::defines(Dialect::Cuda, &format!("HEAVY_{}_{suffix}", Op::ALL[n].name())))
        })
    });
    KNOWN[op as usize][precision]
}
