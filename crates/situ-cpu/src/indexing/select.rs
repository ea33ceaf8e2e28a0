//! What lies where a mask is true.

use std::sync::atomic::{AtomicUsize, Ordering};

use situ_hal::{MaskSelect, Taken};
use situ_types::Dims;
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
pub(crate) unsafe fn select(command: &MaskSelect, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    let (array, width) = match &command.taken {
        Taken::Elements { array, width } => (array, *width),
        // Not used; the mask has the right number of steps.
        Taken::Coordinates(_) => (&command.mask, 1),
    };
    let selection = Selection {
        space: Space::new(&command.shape, [(&command.mask, 1), (array, width)]),
        out: command.out.0,
        capacity: command.capacity,
        isa: machine.isa,
    };
    let size = selection.space.size();
    let length = piece_length(size, nanoseconds, machine);
    let begins: SmallVec<[AtomicUsize; 32]> = (0..=size.div_ceil(length)).map(|_| AtomicUsize::new(0)).collect();
    if begins.len() > 2 {
        spread(size, nanoseconds, machine, fork, &|from, to| {
            // SAFETY: passed on from the caller.
            let count = unsafe { count_range(machine.isa, &selection.space, from, to) };
            begins[from / length + 1].store(count, Ordering::Relaxed);
        });
        let mut sum = 0;
        for begin in &begins {
            sum += begin.load(Ordering::Relaxed);
            begin.store(sum, Ordering::Relaxed);
        }
    }
    spread(size, nanoseconds, machine, fork, &|from, to| {
        let begin = begins[from / length].load(Ordering::Relaxed).min(command.capacity);
        let end = begins.get(from / length + 1).map_or(0, |end| end.load(Ordering::Relaxed));
        let end = if begins.len() > 2 { end.min(command.capacity) } else { command.capacity };
        // SAFETY: passed on from the caller; parts write from where they begin to where the next one does.
        unsafe {
            match &command.taken {
                Taken::Elements { width, .. } => selection.take_elements(*width, from, to, begin, end),
                Taken::Coordinates(dims) if dims.len() == 1 => selection.take_positions(from, to, begin, end),
                Taken::Coordinates(dims) => selection.take_coordinates(dims, from, to, begin, end),
            }
        }
    });
}

/// A mask, an array, and where the selected part goes.
struct Selection {
    space: Space<2>,
    out: *mut u8,
    capacity: usize,
    isa: Isa,
}

// SAFETY: the pointer is a number until the code that runs the command dereferences it, whose caller vouches that the
// memory is valid on any thread.
unsafe impl Sync for Selection {}

impl Selection {
    /// Takes elements of that width to the places from `begin` up to `end`, at most.
    ///
    /// # Safety
    ///
    /// As for [`select`]; nobody else accesses those places.
    unsafe fn take_elements(&self, width: usize, from: usize, to: usize, begin: usize, end: usize) {
        let mut at = begin;
        #[cfg(target_arch = "x86_64")]
        if self.isa == Isa::Avx512
            && matches!(width, 4 | 8)
            && self.space.step(0) == 1
            && self.space.step(1) == width as isize
        {
            return self.space.for_each_piece(from, to, usize::MAX, |_, [mask, array], length| {
                let out = self.out.wrapping_add(at * width);
                // SAFETY: passed on from the caller; the processor has the instruction set, and there is room for
                // `end - at`.
                at += unsafe {
                    if width == 8 {
                        wide::take_8(mask, array.cast(), length, out.cast(), end - at)
                    } else {
                        wide::take_4(mask, array.cast(), length, out.cast(), end - at)
                    }
                };
            });
        }
        let step = self.space.step(1);
        // SAFETY: passed on from the caller; at most `end - at` are listed.
        self.for_each_list(from, to, |_, [_, array], list| unsafe {
            let list = &list[..list.len().min(end - at)];
            by_width!(width, take_listed(array, step, list, self.out.wrapping_add(at * width)));
            at += list.len();
        });
    }

    /// Takes positions in C order.
    ///
    /// # Safety
    ///
    /// As for [`take_elements`](Self::take_elements).
    unsafe fn take_positions(&self, from: usize, to: usize, begin: usize, end: usize) {
        let out = self.out.cast::<i64>();
        let mut at = begin;
        #[cfg(target_arch = "x86_64")]
        if self.isa == Isa::Avx512 && self.space.step(0) == 1 {
            // SAFETY: as in `take_elements`.
            return self.space.for_each_piece(from, to, usize::MAX, |position, [mask, _], length| unsafe {
                at += wide::take_positions(mask, position as i64, length, out.add(at), end - at);
            });
        }
        self.for_each_list(from, to, |position, _, list| {
            for n in list.iter().take(end - at) {
                // SAFETY: passed on from the caller; `at` stays below `end`.
                unsafe { out.add(at).write((position + usize::from(*n)) as i64) };
                at += 1;
            }
        });
    }

    /// Takes coordinates, one run of them per axis.
    ///
    /// # Safety
    ///
    /// As for [`take_elements`](Self::take_elements).
    unsafe fn take_coordinates(&self, dims: &Dims, from: usize, to: usize, begin: usize, end: usize) {
        let out = self.out.cast::<i64>();
        let (inner, mut at) = (dims.len() - 1, begin);
        let row = dims[inner].max(1);
        let mut index = Dims::from_elem(0, inner);
        // Before the first position, so that the first one moves it.
        let mut next_row = 0;
        self.for_each_list(from, to, |position, _, list| {
            for n in list.iter().take(end - at) {
                let position = position + usize::from(*n);
                if position >= next_row {
                    next_row = (position / row + 1) * row;
                    let mut rest = position / row;
                    for axis in (0..inner).rev() {
                        index[axis] = rest % dims[axis];
                        rest /= dims[axis];
                    }
                }
                // SAFETY: passed on from the caller; `at` stays below `end`, which is at most the capacity.
                unsafe {
                    for (axis, &coordinate) in index.iter().enumerate() {
                        out.add(axis * self.capacity + at).write(coordinate as i64);
                    }
                    out.add(inner * self.capacity + at).write((position + row - next_row) as i64);
                }
                at += 1;
            }
        });
    }

    /// Calls `visit(position, starts, list)` for every tile, with a list of what is true in it.
    fn for_each_list(&self, from: usize, to: usize, mut visit: impl FnMut(usize, [*mut u8; 2], &[u16])) {
        let (mut tile, mut list) = ([0u8; TILE], [0u16; TILE]);
        let step = self.space.step(0);
        self.space.for_each_piece(from, to, TILE, |position, starts, length| {
            // SAFETY: whoever runs the command vouches for the mask.
            let count = list_true(unsafe { bytes(starts[0], step, length, &mut tile) }, &mut list);
            visit(position, starts, &list[..count]);
        });
    }
}

/// # Safety
///
/// The listed elements, `step` bytes apart, can be read, and as many written from `out` on.
unsafe fn take_listed<T: Copy>(array: *const u8, step: isize, list: &[u16], out: *mut u8) {
    for (n, place) in list.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { out.cast::<T>().add(n).write(array.offset(step * *place as isize).cast::<T>().read()) };
    }
}
