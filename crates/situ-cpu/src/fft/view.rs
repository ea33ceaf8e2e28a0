//! Numbers in memory as transforms see them, brought side by side and back.

use std::ops::Range;
use std::ptr;

use num_complex::Complex;
use situ_hal::{Address, Fft, FftKind, Sequences};

use super::plan::{Plan, Real};
use crate::bytes;

/// Neighbouring sequences that are brought together at a time, where their elements are side by side.
pub(super) const TOGETHER: usize = 8;

/// Numbers of each of them that are brought together at a time: those of one sequence fill a cache line or half of one.
const LINES: usize = 4;

/// How many numbers ahead memory is asked for.
const AHEAD: usize = 16;

/// Complex numbers of neighbouring sequences in memory. All distances are counted in real numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<T> {
    /// The first number's real part.
    pub(super) first: *mut T,
    /// From a number to the next.
    pub(super) step: isize,
    /// From a real part to the imaginary one; 0 where there are none.
    pub(super) imaginary: isize,
    /// From a sequence to the next.
    pub(super) next: isize,
    /// How many real parts there are that are read.
    pub(super) real_parts: usize,
    /// How many imaginary parts there are that are read.
    pub(super) imaginary_parts: usize,
}

// SAFETY: threads use it for numbers that are theirs, which `batch` and `long` see to.
unsafe impl<T> Send for View<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for View<T> {}

impl<T: Real> View<T> {
    /// What a command reads, from a place on.
    pub(super) fn of_input(command: &Fft, plan: &Plan<T>, address: Address, next: isize) -> View<T> {
        let given = command.given;
        match command.kind {
            kind if kind.is_from_real() && plan.is_half => View {
                real_parts: given.div_ceil(2),
                imaginary_parts: given / 2,
                ..pairs(&command.input, address, next)
            },
            kind if kind.is_from_real() => View { real_parts: given, ..lone(&command.input, address, next) },
            _ => View { real_parts: given, imaginary_parts: given, ..complex(&command.input, address, next) },
        }
    }

    /// What a command writes, from a place on.
    pub(super) fn of_output(command: &Fft, plan: &Plan<T>, address: Address, next: isize) -> View<T> {
        match command.kind {
            FftKind::RealInverse if plan.is_half => pairs(&command.out, address, next),
            FftKind::RealInverse => lone(&command.out, address, next),
            _ => complex(&command.out, address, next),
        }
    }

    /// The view from another number on.
    pub(super) fn starting_at(self, number: usize) -> View<T> {
        let (real_parts, imaginary_parts) =
            (self.real_parts.saturating_sub(number), self.imaginary_parts.saturating_sub(number));
        View { first: self.first.wrapping_offset(self.step * number as isize), real_parts, imaginary_parts, ..self }
    }

    /// Whether the numbers of a sequence are side by side.
    pub(super) fn is_dense(&self) -> bool {
        self.step == 2 && self.imaginary == 1
    }

    #[inline(always)]
    fn place(&self, row: usize, number: usize) -> *mut T {
        self.first.wrapping_offset(self.next * row as isize + self.step * number as isize)
    }

    /// Brings numbers of some sequences to rows, with zeros after those that there are.
    ///
    /// # Safety
    ///
    /// The view's numbers of these sequences can be read, and `count` numbers be written from `to` on and each `pitch` numbers
    /// after it. Where the two share memory, they are the same numbers in the same places.
    pub(super) unsafe fn load(&self, rows: usize, count: usize, to: *mut Complex<T>, pitch: usize) {
        let (whole, halves) = (self.imaginary_parts.min(count), self.real_parts.min(count));
        let at = |row: usize, number: usize| to.wrapping_add(row * pitch + number);
        // SAFETY: whole numbers have both parts in memory, halves the first; the caller vouches for the rest.
        unsafe {
            if self.is_dense() {
                (0..rows).for_each(|row| ptr::copy(self.place(row, 0).cast(), at(row, 0), whole));
            } else {
                let together = if self.lies_across() { rows - rows % TOGETHER } else { 0 };
                (0..together).step_by(TOGETHER).for_each(|row| self.load_across(row, whole, at(row, 0), pitch));
                self.visit(together..rows, 0..whole, |row, number| {
                    let place = self.place(row, number);
                    *at(row, number) = Complex::new(*place, *place.wrapping_offset(self.imaginary));
                });
            }
            self.visit(0..rows, whole..halves, |row, number| {
                *at(row, number) = Complex::new(*self.place(row, number), T::zero());
            });
            let zero = Complex::new(T::zero(), T::zero());
            (0..rows).for_each(|row| (halves..count).for_each(|number| *at(row, number) = zero));
        }
    }

    /// Whether neighbouring sequences have their elements side by side, and those of one sequence are far apart.
    fn lies_across(&self) -> bool {
        let side_by_side = if self.imaginary == 1 { 2 } else { 1 };
        self.next == side_by_side && self.step.unsigned_abs() > TOGETHER
    }

    /// Brings numbers of so many neighbouring sequences that lie across to rows: a line of memory after another.
    ///
    /// # Safety
    ///
    /// As for [`Self::load`].
    unsafe fn load_across(&self, row: usize, count: usize, to: *mut Complex<T>, pitch: usize) {
        let rows: [*mut Complex<T>; TOGETHER] = std::array::from_fn(|n| to.wrapping_add(n * pitch));
        for start in (0..count).step_by(LINES) {
            (0..LINES).for_each(|m| self.fetch(row, start + m + AHEAD, count));
            let lines: [*mut T; LINES] = std::array::from_fn(|m| self.place(row, start + m));
            // SAFETY: the caller's promise, for both parts of the numbers of these sequences.
            unsafe {
                if self.imaginary == 1 && start + LINES <= count {
                    for (n, row) in rows.iter().enumerate() {
                        for (m, line) in lines.iter().enumerate() {
                            *row.add(start + m) = *line.cast::<Complex<T>>().add(n);
                        }
                    }
                    continue;
                }
                let next = if self.imaginary == 1 { 2 } else { 1 };
                for (m, line) in lines.iter().enumerate().take(count - start) {
                    let other = line.wrapping_offset(self.imaginary);
                    for (n, row) in rows.iter().enumerate() {
                        *row.add(start + m) = Complex::new(*line.add(next * n), *other.add(next * n));
                    }
                }
            }
        }
    }

    /// The other way round.
    ///
    /// # Safety
    ///
    /// As for [`Self::store`].
    unsafe fn store_across(&self, row: usize, count: usize, from: *const Complex<T>, pitch: usize) {
        let rows: [*const Complex<T>; TOGETHER] = std::array::from_fn(|n| from.wrapping_add(n * pitch));
        for start in (0..count).step_by(LINES) {
            (0..LINES).for_each(|m| self.fetch(row, start + m + AHEAD, count));
            for number in start..count.min(start + LINES) {
                let place = self.place(row, number);
                // SAFETY: the caller's promise, for both parts of the numbers of these sequences.
                unsafe {
                    if self.imaginary == 1 {
                        let line: *mut Complex<T> = place.cast();
                        for (n, row) in rows.iter().enumerate() {
                            *line.add(n) = *row.add(number);
                        }
                        continue;
                    }
                    let other = place.wrapping_offset(self.imaginary);
                    for (n, row) in rows.iter().enumerate() {
                        let value = *row.add(number);
                        *place.add(n) = value.re;
                        if self.imaginary != 0 {
                            *other.add(n) = value.im;
                        }
                    }
                }
            }
        }
    }

    /// Asks for the memory of a number's line, if there is one: processors do not guess steps of several pages.
    #[inline(always)]
    fn fetch(&self, row: usize, number: usize, count: usize) {
        if number < count {
            let place = self.place(row, number);
            bytes::fetch(place.cast());
            let half = if self.imaginary == 1 { TOGETHER as isize } else { self.imaginary };
            bytes::fetch(place.wrapping_offset(half).cast());
        }
    }

    /// Calls a function for numbers of some sequences, those next to each other in memory one after another.
    #[inline(always)]
    fn visit(&self, rows: Range<usize>, numbers: Range<usize>, mut each: impl FnMut(usize, usize)) {
        if self.next.unsigned_abs() < self.step.unsigned_abs() {
            numbers.for_each(|number| rows.clone().for_each(|row| each(row, number)));
        } else {
            rows.for_each(|row| numbers.clone().for_each(|number| each(row, number)));
        }
    }

    /// Brings numbers of rows to some sequences.
    ///
    /// # Safety
    ///
    /// `count` numbers of the view's sequences can be written, and read from `from` on and each `pitch` numbers after it. Where
    /// the two share memory, they are the same numbers in the same places.
    pub(super) unsafe fn store(&self, rows: usize, count: usize, from: *const Complex<T>, pitch: usize) {
        let at = |row: usize, number: usize| from.wrapping_add(row * pitch + number);
        // SAFETY: the caller's promise.
        unsafe {
            if self.is_dense() {
                (0..rows).for_each(|row| ptr::copy(at(row, 0), self.place(row, 0).cast(), count));
                return;
            }
            let together = if self.lies_across() { rows - rows % TOGETHER } else { 0 };
            (0..together).step_by(TOGETHER).for_each(|row| self.store_across(row, count, at(row, 0), pitch));
            self.visit(together..rows, 0..count, |row, number| {
                let place = self.place(row, number);
                *place = (*at(row, number)).re;
                if self.imaginary != 0 {
                    *place.wrapping_offset(self.imaginary) = (*at(row, number)).im;
                }
            });
        }
    }
}

fn complex<T>(sequences: &Sequences, address: Address, next: isize) -> View<T> {
    let (step, next) = (2 * sequences.step, 2 * next);
    View { first: address.0.cast(), step, imaginary: 1, next, real_parts: 0, imaginary_parts: 0 }
}

/// Two real numbers each as a complex one.
fn pairs<T>(sequences: &Sequences, address: Address, next: isize) -> View<T> {
    let (step, imaginary) = (2 * sequences.step, sequences.step);
    View { first: address.0.cast(), step, imaginary, next, real_parts: 0, imaginary_parts: 0 }
}

/// Each real number as a complex one.
fn lone<T>(sequences: &Sequences, address: Address, next: isize) -> View<T> {
    let step = sequences.step;
    View { first: address.0.cast(), step, imaginary: 0, next, real_parts: 0, imaginary_parts: 0 }
}
