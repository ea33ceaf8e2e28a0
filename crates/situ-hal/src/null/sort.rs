//! Sorting, searching and runs, by the plain functions of [`situ_ir::order`].

use std::ptr;

use situ_ir::order;
use situ_ir::order::Side;
use situ_types::{DType, Scalar};

use super::compute::element;
use super::indexing::for_each;
use crate::{Address, Question, RunCount, RunSelect, Search, Sort, Strided};

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn sort(command: &Sort) -> Option<()> {
    let (&length, others) = command.shape.split_last()?;
    let at = |operand: &Strided, index: &[usize], n: usize, width: usize| {
        let (along, across) = operand.strides.split_last()?;
        Some(element(element(operand.address, across, index, width), &[*along], &[n], width))
    };
    let mut is_well_formed = Some(());
    for_each(others, |_, index| {
        let row = (0..length).map(|n| at(&command.input, index, n, command.dtype.size()));
        // SAFETY: the caller vouches for every element of the input.
        let row: Option<Vec<Scalar>> = row.map(|place| Some(unsafe { read(place?, command.dtype) })).collect();
        let Some(row) = row else {
            is_well_formed = None;
            return;
        };
        for (n, from) in order::sorted(&row, command.descending).into_iter().take(command.count).enumerate() {
            let outputs = [(&command.values, row[from]), (&command.indices, Scalar::I64(from as i64))];
            for (output, value) in outputs {
                let place = output.as_ref().and_then(|output| at(output, index, n, value.dtype().size()));
                // SAFETY: the caller vouches for every element of the outputs.
                place.into_iter().for_each(|place| unsafe { write(place, value) });
            }
        }
    });
    is_well_formed
}

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn search(command: &Search) -> Option<()> {
    let &Search { dtype, sorted, step, length, .. } = command;
    let place = |n: usize| element(sorted, &[step], &[n], dtype.size());
    // SAFETY: the caller vouches for the sorted elements.
    let sorted: Vec<Scalar> = (0..length).map(|n| unsafe { read(place(n), dtype) }).collect();
    for_each(&command.shape, |_, index| {
        // SAFETY: the caller vouches for every needle.
        let needle =
            unsafe { read(element(command.needles.address, &command.needles.strides, index, dtype.size()), dtype) };
        let answer = match command.question {
            Question::Position(side) => Scalar::I64(order::position(&sorted, needle, side) as i64),
            Question::Equal(wanted) => {
                let found = sorted.get(order::position(&sorted, needle, Side::Left));
                Scalar::Bool(found.is_some_and(|&found| order::equal(found, needle)) == wanted)
            }
        };
        let place = element(command.out.address, &command.out.strides, index, answer.dtype().size());
        // SAFETY: the caller vouches for the place of every answer.
        unsafe { write(place, answer) };
    });
    Some(())
}

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn run_count(command: &RunCount) -> Option<()> {
    // SAFETY: the caller's promise.
    let starts = unsafe { run_starts(command.sorted, command.length, command.dtype) };
    // SAFETY: the caller vouches for the place of the answer.
    unsafe { write(command.count, Scalar::I64(starts.len() as i64)) };
    Some(())
}

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn run_select(command: &RunSelect) -> Option<()> {
    let &RunSelect { dtype, sorted, length, .. } = command;
    // SAFETY: the caller's promise.
    let starts = unsafe { run_starts(sorted, length, dtype) };
    let put = |output: Option<Address>, n: usize, value: Scalar| {
        let Some(output) = output else { return };
        // SAFETY: the caller vouches for the places of `capacity` runs, and of as many numbers as there are elements.
        unsafe { write(element(output, &[1], &[n], value.dtype().size()), value) };
    };
    let position = |n: usize| {
        // SAFETY: the caller vouches for a position of every element.
        let value = command.positions.map(|positions| unsafe { read(element(positions, &[1], &[n], 8), DType::I64) });
        if let Some(Scalar::I64(position)) = value { position } else { 0 }
    };
    for (run, &start) in starts.iter().enumerate().take(command.capacity) {
        let end = starts.get(run + 1).copied().unwrap_or(length);
        // SAFETY: the caller vouches for the sorted elements.
        put(command.values, run, unsafe { read(element(sorted, &[1], &[start], dtype.size()), dtype) });
        put(command.firsts, run, Scalar::I64(position(start)));
        put(command.counts, run, Scalar::I64((end - start) as i64));
        (start..end).for_each(|n| put(command.inverse, position(n) as usize, Scalar::I64(run as i64)));
    }
    Some(())
}

/// Where runs of equal elements begin.
///
/// # Safety
///
/// The elements can be read.
unsafe fn run_starts(sorted: Address, length: usize, dtype: DType) -> Vec<usize> {
    // SAFETY: the caller's promise.
    let at = |n: usize| unsafe { read(element(sorted, &[1], &[n], dtype.size()), dtype) };
    (0..length).filter(|&n| n == 0 || !order::equal(at(n - 1), at(n))).collect()
}

/// # Safety
///
/// An element of that dtype can be read there.
unsafe fn read(place: Address, dtype: DType) -> Scalar {
    let mut bytes = [0; 16];
    // SAFETY: the caller's promise; no element is wider than 16 bytes.
    unsafe { ptr::copy_nonoverlapping(place.0, bytes.as_mut_ptr(), dtype.size()) };
    Scalar::from_bytes(dtype, bytes)
}

/// # Safety
///
/// An element of the value's dtype can be written there.
unsafe fn write(place: Address, value: Scalar) {
    // SAFETY: the caller's promise; the bytes lie on the stack.
    unsafe { ptr::copy_nonoverlapping(value.to_bytes().as_ptr(), place.0, value.dtype().size()) };
}
