//! Where elements belong among sorted ones.

use situ_hal::{Question, Search};
use situ_ir::order::{Key, Ordered, Side};

use super::{by_dtype, call_with, choose_element, spread};
use crate::elementwise::{Fork, Machine, load};
use crate::indexing::Space;
use crate::isa::Isa;

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
        unsafe {
            match command.question {
                Question::Equal(wanted) if command.length <= FEW => {
                    by_dtype!(command.dtype, compare_part(machine.isa, command, wanted, &space, (from, to)))
                }
                _ => by_dtype!(command.dtype, search_part(command, &space, from, to)),
            }
        }
    });
}

/// Sorted elements that are so few that a needle is compared with each.
const FEW: usize = 16;

/// Needles that are compared at a time.
const BLOCK: usize = 256;

/// Whether the needles at positions `from..to` are among few elements.
///
/// # Safety
///
/// As for [`search`], and the elements are of this type; there are at most [`FEW`] sorted ones. The processor has the
/// instruction set.
unsafe fn compare_part<T: Ordered>(
    isa: Isa,
    command: &Search,
    wanted: bool,
    space: &Space<2>,
    (from, to): (usize, usize),
) {
    let sorted = Sorted::<T> { start: command.sorted.0.cast(), step: command.step, length: command.length };
    let mut few = [T::Key::default(); FEW];
    // SAFETY: the caller's promise.
    few.iter_mut().enumerate().take(command.length).for_each(|(n, key)| *key = unsafe { sorted.key(n) });
    let few = &few[..command.length];
    let (step, out_step) = (space.step(0), space.step(1));
    let mut keys = [T::Key::default(); BLOCK];
    let mut found = [false; BLOCK];
    space.for_each_piece(from, to, BLOCK, |_, [needles, out], count| {
        // SAFETY: the caller vouches for needles and answers; no piece is longer than a block.
        unsafe {
            for n in 0..count {
                let needle = load(needles.offset(step * n as isize).cast::<T>());
                keys[n] = needle.key();
                found[n] = needle.is_nan();
            }
            compare(isa, &keys, few, &mut found);
            (0..count).for_each(|n| out.offset(out_step * n as isize).cast::<bool>().write(found[n] == wanted));
        }
    });
}

/// Whether each key is among few; not, where that has been said to be a NaN's.
///
/// # Safety
///
/// The processor has the instruction set.
unsafe fn compare<K: Key>(isa: Isa, keys: &[K; BLOCK], few: &[K], found: &mut [bool; BLOCK]) {
    #[inline(always)]
    fn body<K: Key>(keys: &[K; BLOCK], few: &[K], found: &mut [bool; BLOCK]) {
        let is_nan = std::mem::replace(found, [false; BLOCK]);
        for &one in few {
            found.iter_mut().zip(keys).for_each(|(found, &key)| *found |= key == one);
        }
        found.iter_mut().zip(&is_nan).for_each(|(found, &is_nan)| *found &= !is_nan);
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn avx512<K: Key>(keys: &[K; BLOCK], few: &[K], found: &mut [bool; BLOCK]) {
        body(keys, few, found);
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn avx2<K: Key>(keys: &[K; BLOCK], few: &[K], found: &mut [bool; BLOCK]) {
        body(keys, few, found);
    }
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Avx512 => unsafe { avx512(keys, few, found) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Avx2 => unsafe { avx2(keys, few, found) },
        _ => body(keys, few, found),
    }
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
            let needle = |n: usize| load(needles.offset(step * n as isize).cast::<T>());
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
        unsafe { load(self.start.offset(self.step * n as isize)).key() }
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
