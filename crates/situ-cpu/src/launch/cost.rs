//! How long a plan may take, roughly: nobody knows how often a loop runs.

use super::integer;
use super::plan::{Code, Count, Given, Register, Step};

/// Picoseconds of a byte that a step writes.
const STEP: u64 = 25;
/// Of an element that others may change at the same time.
const CHANGE: u64 = 4_000;
/// Iterations of a loop of which nothing is known.
const ITERATIONS: u64 = 50;

/// One work-item's share of the time, in picoseconds.
pub(super) fn of_code(code: &Code, widths: &[usize], given: &[(Register, Given)]) -> u64 {
    let all = code.iter().map(|step| of_step(step, widths, given));
    all.fold(0, u64::saturating_add)
}

fn of_step(step: &Step, widths: &[usize], given: &[(Register, Given)]) -> u64 {
    let written = |register: &Register| widths[*register] as u64 * STEP;
    match step {
        Step::Compute(compute) => written(&compute.to),
        Step::Fused { to, .. } | Step::Copy { to, .. } | Step::Exchange { to, .. } => written(to),
        Step::Assign(assign) => written(&assign.variable),
        Step::Load { to, .. } => 2 * written(to),
        Step::Store { from, .. } => 2 * written(from),
        Step::Change(_) => CHANGE,
        Step::If { then, otherwise, .. } => {
            of_code(then, widths, given).saturating_add(of_code(otherwise, widths, given))
        }
        Step::Loop(repeat) => {
            let iterations = repeat.count.as_ref().and_then(|count| known_iterations(count, given));
            of_code(&repeat.body, widths, given).saturating_mul(iterations.unwrap_or(ITERATIONS))
        }
        Step::Guard { .. } => STEP,
        Step::Break | Step::Continue | Step::Return | Step::Barrier(_) => 0,
    }
}

/// Whether there is a loop of which nothing is known.
pub(super) fn is_open(code: &Code, given: &[(Register, Given)]) -> bool {
    code.iter().any(|step| match step {
        Step::If { then, otherwise, .. } => is_open(then, given) || is_open(otherwise, given),
        Step::Loop(repeat) => {
            let iterations = repeat.count.as_ref().and_then(|count| known_iterations(count, given));
            iterations.is_none() || is_open(&repeat.body, given)
        }
        _ => false,
    })
}

/// Of a loop between constants.
fn known_iterations(count: &Count, given: &[(Register, Given)]) -> Option<u64> {
    let constant = |register: Register| {
        given.iter().find_map(|(other, given)| match given {
            // SAFETY: no element is wider than the bytes of a number.
            Given::Constant(bytes) if *other == register => unsafe { integer::read(count.dtype, bytes.as_ptr()) },
            _ => None,
        })
    };
    let [start, stop, step] = count.bounds.map(constant);
    Some(integer::trips(start?, stop?, step?))
}
