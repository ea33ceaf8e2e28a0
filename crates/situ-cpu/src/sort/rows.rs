//! Sequences, sorted one by one.

use situ_hal::{Sort, Strided};
use situ_ir::order::{Key, Ordered};

use super::{by_dtype, call_with, choose_element, spread};
use crate::elementwise::{Fork, Machine};

/// Executes the command.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over.
#[inline(never)]
pub(crate) unsafe fn sort(command: &Sort, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    spread(command.sequences(), nanoseconds, machine, fork, &|_, from, to| {
        // SAFETY: the caller's promise; parts are different sequences.
        unsafe { by_dtype!(command.dtype, sort_rows(command, from, to)) }
    });
}

/// Sorts the sequences `from..to`.
///
/// # Safety
///
/// As for [`sort`], and the elements are of this type.
unsafe fn sort_rows<T: Ordered>(command: &Sort, from: usize, to: usize) {
    let length = command.length();
    for row in from..to {
        let input = Row::<T>::of(&command.input, &command.shape, row);
        // SAFETY: the caller vouches for the input.
        let key = |n: usize| unsafe { input.at(n).read().key() };
        let mut order: Vec<(T::Key, usize)> =
            (0..length).map(|n| (if command.descending { key(n).complement() } else { key(n) }, n)).collect();
        order.sort_by_key(|(key, _)| *key);
        for (n, &(_, position)) in order.iter().enumerate().take(command.count) {
            if let Some(values) = &command.values {
                // SAFETY: the caller vouches for input and output.
                unsafe { Row::<T>::of(values, &command.shape, row).at(n).write(input.at(position).read()) };
            }
            if let Some(indices) = &command.indices {
                // SAFETY: the caller vouches for the output.
                unsafe { Row::<i64>::of(indices, &command.shape, row).at(n).write(position as i64) };
            }
        }
    }
}

/// One sequence of an operand.
struct Row<T> {
    start: *mut T,
    step: isize,
}

impl<T> Row<T> {
    fn of(operand: &Strided, shape: &[usize], row: usize) -> Row<T> {
        let last = shape.len() - 1;
        let (mut offset, mut rest) = (0, row);
        for axis in (0..last).rev() {
            offset += (rest % shape[axis]) as isize * operand.strides[axis];
            rest /= shape[axis];
        }
        Row { start: operand.address.0.cast::<T>().wrapping_offset(offset), step: operand.strides[last] }
    }

    fn at(&self, n: usize) -> *mut T {
        self.start.wrapping_offset(self.step * n as isize)
    }
}
