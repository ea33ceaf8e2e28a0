//! Whether indices lie in their axes.

use std::sync::atomic::{AtomicUsize, Ordering};

use situ_hal::IndexCheck;
use situ_types::DType;

use super::integer::{Index, by_index, first_outside};
use super::space::Space;
use super::{TILE, spread};
use crate::elementwise::{Fork, Machine};
use crate::isa::Isa;

/// Executes the command.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over. The processor has the machine's
/// instruction set.
#[inline(never)]
pub(crate) unsafe fn check(command: &IndexCheck, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    // SAFETY: passed on from the caller.
    unsafe { by_index!(command.dtype, check_as(command, nanoseconds, machine, fork)) }
}

/// # Safety
///
/// As for [`check`].
unsafe fn check_as<T: Index>(command: &IndexCheck, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    let space = Space::new(&command.shape, [(&command.indices, size_of::<T>())]);
    let (length, apart) = (command.length as i64, space.step(0));
    let first = AtomicUsize::new(usize::MAX);
    spread(space.size(), nanoseconds, machine, fork, &|from, to| {
        space.for_each_piece(from, to, TILE, |position, [start], count| {
            // SAFETY: the caller vouches for every index of the iteration space.
            let doubtful = unsafe { is_doubtful::<T>(machine.isa, start, apart, count, length) };
            // SAFETY: as above.
            if doubtful && let Some(n) = unsafe { first_outside::<T>(start, apart, count, length) } {
                first.fetch_min(position + n, Ordering::Relaxed);
            }
        });
    });
    let mut verdict = [-1i64, 0];
    let position = first.into_inner();
    if position != usize::MAX {
        space.for_each_piece(position, position + 1, 1, |_, [start], _| {
            // SAFETY: as above.
            verdict = [position as i64, unsafe { start.cast::<T>().read() }.value() as i64];
        });
    }
    // SAFETY: the caller vouches for the place of the answer.
    unsafe { command.verdict.0.cast::<[i64; 2]>().write_unaligned(verdict) };
}

/// Whether one of `count` indices, so many bytes apart, may lie outside: one look at all of them without a branch.
///
/// # Safety
///
/// They can be read, and the processor has the instruction set.
unsafe fn is_doubtful<T: Index>(isa: Isa, start: *const u8, apart: isize, count: usize, length: i64) -> bool {
    if apart != size_of::<T>() as isize {
        // SAFETY: the caller's promise.
        let read = |n: usize| unsafe { start.offset(n as isize * apart).cast::<T>().read() };
        return (0..count).fold(0, |doubt, n| doubt | read(n).doubt(length)) < 0;
    }
    // SAFETY: the caller's promise; the indices lie side by side.
    unsafe {
        let indices = std::slice::from_raw_parts(start.cast::<T>(), count);
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => doubt_avx512(indices, length),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => doubt_avx2(indices, length),
            _ => doubt(indices, length),
        }
    }
}

#[inline(always)]
fn doubt<T: Index>(indices: &[T], length: i64) -> bool {
    indices.iter().fold(0, |doubt, index| doubt | index.doubt(length)) < 0
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn doubt_avx2<T: Index>(indices: &[T], length: i64) -> bool {
    doubt(indices, length)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn doubt_avx512<T: Index>(indices: &[T], length: i64) -> bool {
    doubt(indices, length)
}
