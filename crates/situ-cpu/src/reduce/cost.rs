//! How long a reduction will take, roughly.

use situ_hal::{Reduce, Scan};
use situ_ir::{Combine, Reduction};

use crate::elementwise;

/// Nanoseconds for each result, beside those for its values.
const RESULT: u64 = 20;

/// A rough estimate, in nanoseconds, of one thread's work.
pub(crate) fn cost(command: &Reduce) -> u64 {
    let (results, length) = (command.results() as u64, command.length() as u64);
    values(&command.reduction, results.saturating_mul(length)) + results.saturating_mul(RESULT)
}

/// The same for a scan, which also writes.
pub(crate) fn cost_of_scan(command: &Scan) -> u64 {
    let elements = (command.sequences() as u64).saturating_mul(command.length() as u64);
    values(&command.reduction, elements).saturating_add(elements / 2)
}

/// Mapping and combining so many values.
fn values(reduction: &Reduction, count: u64) -> u64 {
    let dtype = reduction.accumulator();
    let combining = match reduction.combine() {
        Combine::Op(op) => elementwise::picoseconds_of(op, dtype),
        Combine::ArgMax | Combine::ArgMin | Combine::Moments => 40 * dtype.size() as u64,
    };
    count.saturating_mul(elementwise::picoseconds_of_program(reduction.map()) + combining) / 1000
}
