//! Where elements belong among sorted ones.

use situ_hal::{Question, Search};
use situ_ir::order::{Ordered, Side};

use super::{by_dtype, call_with, choose_element, spread};
use crate::elementwise::{Fork, Machine};
use crate::indexing::Space;

/// Needles that are looked for at a time: while one waits for memory, the others go on.
const TOGETHER: usize = 16;

/// Executes the command.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over.
#[inline(never)]
pub(crate) unsafe fn search(command: &Search, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    let answer = match command.question {
        Question::Position(_) => size_of::<i64>(),
        Question::Equal(_) => 1,
    };
    let operands = [(&command.needles, command.dtype.size()), (&command.out, answer)];
    let space = Space::new(&command.shape, operands);
    spread(space.size(), machine.chunks(nanoseconds), fork, &|_, from, to| {
        // SAFETY: the caller's promise; parts write answers of their own.
        unsafe { by_dtype!(command.dtype, search_part(command, &space, from, to)) }
    });
}

/// Answers for the needles at positions `from..to`.
///
/// # Safety
///
/// As for [`search`], and the elements are of this type.
unsafe fn search_part<T: Ordered>(command: &Search, space: &Space<2>, from: usize, to: usize) {
    let sorted = Sorted::<T> { start: command.sorted.0.cast(), step: command.step, length: command.length };
    let (step, out_step) = (space.step(0), space.step(1));
    space.for_each_piece(from, to, TOGETHER, |_, [needles, out], count| {
        // SAFETY: the caller vouches for needles, sorted elements and answers; no piece is longer than the limit.
        unsafe {
            let needle = |n: usize| needles.offset(step * n as isize).cast::<T>().read();
            let mut keys = [T::Key::default(); TOGETHER];
            (0..count).for_each(|n| keys[n] = needle(n).key());
            let side = if let Question::Position(side) = command.question { side } else { Side::Left };
            let places = match side {
                Side::Left => sorted.places(&keys, count, |element, needle| element < needle),
                Side::Right => sorted.places(&keys, count, |element, needle| element <= needle),
            };
            for (n, &place) in places.iter().enumerate().take(count) {
                let answer = out.offset(out_step * n as isize);
                match command.question {
                    Question::Position(_) => answer.cast::<i64>().write(place as i64),
                    Question::Equal(wanted) => {
                        let is_equal = place < sorted.length && sorted.key(place) == keys[n] && !needle(n).is_nan();
                        answer.cast::<bool>().write(is_equal == wanted);
                    }
                }
            }
        }
    });
}

/// The sorted elements.
struct Sorted<T> {
    start: *const T,
    step: isize,
    length: usize,
}

impl<T: Ordered> Sorted<T> {
    /// # Safety
    ///
    /// There are more than `n` elements, which can be read.
    #[inline(always)]
    unsafe fn key(&self, n: usize) -> T::Key {
        // SAFETY: the caller's promise.
        unsafe { self.start.offset(self.step * n as isize).read().key() }
    }

    /// How many elements come before each of the first `count` needles.
    ///
    /// # Safety
    ///
    /// The elements can be read.
    #[inline(always)]
    unsafe fn places(
        &self,
        needles: &[T::Key; TOGETHER],
        count: usize,
        is_before: impl Fn(T::Key, T::Key) -> bool,
    ) -> [usize; TOGETHER] {
        let mut places = [0; TOGETHER];
        let mut left = self.length;
        // All needles take the same steps, without branches.
        while left > 1 {
            let half = left / 2;
            for (place, &needle) in places.iter_mut().zip(needles).take(count) {
                // SAFETY: the caller's promise; `place + left` is never beyond the length.
                let is_before = is_before(unsafe { self.key(*place + half - 1) }, needle);
                *place += if is_before { half } else { 0 };
            }
            left -= half;
        }
        if left == 1 {
            for (place, &needle) in places.iter_mut().zip(needles).take(count) {
                // SAFETY: as above.
                *place += usize::from(is_before(unsafe { self.key(*place) }, needle));
            }
        }
        places
    }
}
