//! Fourier transforms. The transforms of short sequences are rustfft's; everything around them is here.
//!
//! * `plan`: how sequences of a length are transformed, kept for the next time.
//! * `view`: numbers in memory, brought side by side and back.
//! * `batch`: many sequences, dealt out to threads.
//! * `long`: one long sequence by all threads, as many short ones.
//! * `half`: sequences of real numbers as half as many complex ones.
//! * `roots`: powers of a root of unity.
//!
//! How a sequence is computed follows from its length and kind, how many there are, and the instruction set, never from the
//! number of threads, so that neither threads nor sub-devices change a bit of the result.

mod batch;
mod half;
mod long;
mod plan;
mod roots;
#[cfg(test)]
mod tests;
mod view;

use std::sync::Arc;

use situ_hal::{Fft, FftKind};
use situ_types::DType;

use self::plan::{Core, Plan, Real, has_small_factors};
use crate::elementwise::{Fork, Machine};

/// A rough estimate, in nanoseconds, of one thread's work.
pub(crate) fn cost(command: &Fft) -> u64 {
    let points = match command.kind {
        FftKind::RealForward | FftKind::RealWhole | FftKind::RealInverse if command.length.is_multiple_of(2) => {
            command.length / 2
        }
        _ => command.length,
    };
    // Other prime factors are transformed by way of longer sequences.
    let times = if has_small_factors(points) { 1 } else { 4 };
    let picoseconds = times * if command.dtype == DType::F32 { 150 } else { 300 };
    let rounds = u64::from(points.max(2).ilog2()) + 2;
    let of_sequence = 50_000u64.saturating_add((points as u64).saturating_mul(rounds * picoseconds));
    (command.count() as u64).saturating_mul(of_sequence) / 1000
}

/// More bytes than there ever are, so that asking for them fails in an orderly way.
const NEVER: usize = 1 << 60;

/// Bytes of scratch memory that a command needs.
pub(crate) fn scratch(command: &Fft, machine: &Machine) -> usize {
    fn bytes<T: Real>(command: &Fft, machine: &Machine) -> usize {
        let Some(plan) = Plan::<T>::if_there_is_room(command, machine.isa) else { return NEVER };
        match &plan.core {
            Core::Whole(_) => batch::Division::of(command, &plan, machine).scratch(),
            Core::Split(_) => long::Division::of(command, &plan, machine).scratch(),
        }
    }
    if command.dtype == DType::F32 { bytes::<f32>(command, machine) } else { bytes::<f64>(command, machine) }
}

/// Executes the command.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over. There are as many bytes of scratch memory
/// as [`scratch`] says, aligned to cache lines. The processor has the machine's instruction set.
#[inline(never)]
pub(crate) unsafe fn fft(command: &Fft, machine: &Machine, fork: Fork<'_>, scratch: *mut u8) {
    // SAFETY: the caller's promise, for both.
    unsafe {
        match command.dtype {
            DType::F32 => run::<f32>(command, machine, fork, scratch),
            _ => run::<f64>(command, machine, fork, scratch),
        }
    }
}

/// # Safety
///
/// As for [`fft`], of a command whose real numbers are of this type.
unsafe fn run<T: Real>(command: &Fft, machine: &Machine, fork: Fork<'_>, scratch: *mut u8) {
    let plan: Arc<Plan<T>> = Plan::of(command, machine.isa);
    // SAFETY: the caller's promise.
    unsafe {
        match &plan.core {
            Core::Whole(_) => batch::run(command, &plan, machine, fork, scratch),
            Core::Split(_) => long::run(command, &plan, machine, fork, scratch),
        }
    }
}
