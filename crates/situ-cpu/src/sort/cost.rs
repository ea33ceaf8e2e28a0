//! How long a command will take, roughly: nanoseconds of one thread.

use situ_hal::{RunCount, RunSelect, Search, Sort};

/// Comparing and moving one element once, in picoseconds.
const STEP: u64 = 700;

fn halvings(length: usize) -> u64 {
    u64::from(usize::BITS - length.leading_zeros())
}

/// Sorting sequences.
pub(crate) fn sort(command: &Sort) -> u64 {
    let elements = (command.sequences() as u64).saturating_mul(command.length() as u64);
    elements.saturating_mul(STEP * (4 + halvings(command.length()))) / 1000
}

/// Looking for every needle.
pub(crate) fn search(command: &Search) -> u64 {
    let needles = command.shape.iter().product::<usize>() as u64;
    needles.saturating_mul(STEP * (1 + halvings(command.length))) / 1000
}

/// A look at all elements.
pub(crate) fn run_count(command: &RunCount) -> u64 {
    command.length as u64 / 2
}

/// A look at all elements, and what is written.
pub(crate) fn run_select(command: &RunSelect) -> u64 {
    let scattered = if command.inverse.is_some() { 4 } else { 0 };
    command.length as u64 * (1 + scattered)
}
