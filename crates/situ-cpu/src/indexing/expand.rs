//! Values to where a mask is true.

use std::sync::atomic::{AtomicUsize, Ordering};

use situ_hal::{MaskExpand, Values};
use smallvec::SmallVec;

use super::mask::{bytes, count_range, list_true};
use super::space::Space;
#[cfg(target_arch = "x86_64")]
use super::wide;
use super::{TILE, by_width, piece_length, spread};
use crate::elementwise::{Fork, Machine};
use crate::isa::Isa;

/// Executes the command.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over.
#[inline(never)]
pub(crate) unsafe fn expand(command: &MaskExpand, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    let space = Space::new(&command.shape, [(&command.mask, 1), (&command.array, command.width)]);
    let size = space.size();
    match command.values {
        Values::Immediate(value) => {
            spread(size, nanoseconds, machine, fork, &|from, to| {
                // SAFETY: passed on from the caller; parts are apart.
                unsafe { write_value(&space, command.width, &value, from, to, machine.isa) };
            });
        }
        Values::Cycled { address, stride, length } => {
            let piece = piece_length(size, nanoseconds, machine);
            let begins: SmallVec<[AtomicUsize; 32]> = (0..=size.div_ceil(piece)).map(|_| AtomicUsize::new(0)).collect();
            if begins.len() > 2 && length > 1 {
                spread(size, nanoseconds, machine, fork, &|from, to| {
                    // SAFETY: passed on from the caller.
                    begins[from / piece + 1]
                        .store(unsafe { count_range(machine.isa, &space, from, to) }, Ordering::Relaxed);
                });
                let mut sum = 0;
                for begin in &begins {
                    sum = (sum + begin.load(Ordering::Relaxed)) % length;
                    begin.store(sum, Ordering::Relaxed);
                }
            }
            let cycle = Cycle { start: address.0, step: stride * command.width as isize, length };
            spread(size, nanoseconds, machine, fork, &|from, to| {
                let begin = begins[from / piece].load(Ordering::Relaxed);
                // SAFETY: passed on from the caller; parts are apart.
                unsafe { by_width!(command.width, write_cycled(&space, &cycle, begin, from, to)) };
            });
        }
    }
}

/// # Safety
///
/// As for [`expand`]; nobody else accesses the elements from one position up to the other.
unsafe fn write_value(space: &Space<2>, width: usize, value: &[u8; 16], from: usize, to: usize, isa: Isa) {
    #[cfg(target_arch = "x86_64")]
    if isa == Isa::Avx512 && space.step(0) == 1 && space.step(1) == width as isize && matches!(width, 4 | 8) {
        let mut repeated = [0u8; 64];
        repeated.iter_mut().enumerate().for_each(|(n, byte)| *byte = value[n % width]);
        return space.for_each_piece(from, to, usize::MAX, |_, [mask, array], length| {
            // SAFETY: passed on from the caller; the processor has the instruction set.
            unsafe {
                if width == 8 {
                    wide::write_8(mask, array.cast(), length, &repeated);
                } else {
                    wide::write_4(mask, array.cast(), length, &repeated);
                }
            }
        });
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = isa;
    // SAFETY: passed on from the caller.
    unsafe { by_width!(width, write_listed(space, value, from, to)) }
}

/// # Safety
///
/// As for [`write_value`]; the width is that of the type.
unsafe fn write_listed<T: Copy>(space: &Space<2>, value: &[u8; 16], from: usize, to: usize) {
    // SAFETY: no type has more than 16 bytes.
    let value = unsafe { value.as_ptr().cast::<T>().read_unaligned() };
    let step = space.step(1);
    for_each_list(space, from, to, |array, list| {
        for n in list {
            // SAFETY: the caller of `write_value` vouches for the array.
            unsafe { array.offset(step * *n as isize).cast::<T>().write(value) };
        }
    });
}

/// Values that begin again after the last.
struct Cycle {
    start: *const u8,
    step: isize,
    length: usize,
}

// SAFETY: the pointer is a number until the code that runs the command dereferences it, whose caller vouches that the
// memory is valid on any thread.
unsafe impl Sync for Cycle {}

/// # Safety
///
/// As for [`write_value`]; `begin` is below the length of the cycle.
unsafe fn write_cycled<T: Copy>(space: &Space<2>, cycle: &Cycle, begin: usize, from: usize, to: usize) {
    let step = space.step(1);
    let mut at = begin;
    for_each_list(space, from, to, |array, list| {
        for n in list {
            // SAFETY: the caller vouches for the values, of which `at` is one, and for the array.
            unsafe {
                let value = cycle.start.offset(cycle.step * at as isize).cast::<T>().read();
                array.offset(step * *n as isize).cast::<T>().write(value);
            }
            at += 1;
            if at == cycle.length {
                at = 0;
            }
        }
    });
}

/// Calls `visit(array, list)` for every tile, with a list of what is true in it.
fn for_each_list(space: &Space<2>, from: usize, to: usize, mut visit: impl FnMut(*mut u8, &[u16])) {
    let (mut tile, mut list) = ([0u8; TILE], [0u16; TILE]);
    let step = space.step(0);
    space.for_each_piece(from, to, TILE, |_, [mask, array], length| {
        // SAFETY: whoever runs the command vouches for the mask.
        let count = list_true(unsafe { bytes(mask, step, length, &mut tile) }, &mut list);
        visit(array, &list[..count]);
    });
}
