//! Programs, reductions, scans and products, one element after another, by the interpreter of `situ-ir`.
//!
//! Each function returns `None` for a command that is not well formed.

use std::ptr;

use situ_ir::product;
use situ_types::{DType, Scalar};
use smallvec::SmallVec;

use super::indexing::for_each;
use crate::{Address, Elementwise, Join, Mapped, Matrices, Operand, Product, Reduce, Scan};

type Inputs = SmallVec<[Scalar; 4]>;

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn elementwise(command: &Elementwise) -> Option<()> {
    let (program, inputs) = (&command.program, command.program.inputs().len());
    let mut is_well_formed = Some(());
    for_each(&command.shape, |position, index| {
        // SAFETY: the caller vouches for every element of every operand.
        let read = |n: usize| unsafe {
            read(&command.operands()[n], program.inputs()[n], command.strides(n), index, position)
        };
        let Some(results) = program.evaluate(&(0..inputs).map(read).collect::<Inputs>()) else {
            is_well_formed = None;
            return;
        };
        for (n, result) in (inputs..).zip(results) {
            if let Operand::Memory(address) = command.operands()[n] {
                // SAFETY: the caller vouches for every element of every operand.
                unsafe { write(address, command.strides(n), index, result) };
            }
        }
    });
    is_well_formed
}

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn join(command: &Join) -> Option<()> {
    // SAFETY: passed on from the caller.
    command.pieces.iter().try_for_each(|piece| unsafe { elementwise(piece) })
}

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn reduce(command: &Reduce) -> Option<()> {
    let Reduce { reduction, inputs, direction, .. } = command;
    let numbers: Inputs = (reduction.finish().inputs().iter().skip(1))
        .zip(&command.numbers)
        .map(|(&dtype, &bytes)| Scalar::from_bytes(dtype, bytes))
        .collect();
    let mut is_well_formed = Some(());
    for_each(command.kept_shape(), |_, kept| {
        // SAFETY: the caller vouches for every element of every input.
        let sequence = unsafe { sequence(inputs, reduction.map().inputs(), kept) };
        match reduction.evaluate(sequence, *direction, &numbers) {
            // SAFETY: the caller vouches for every element of the result.
            Some(result) => unsafe { write(command.out, &command.out_steps, kept, result) },
            None => is_well_formed = None,
        }
    });
    is_well_formed
}

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn scan(command: &Scan) -> Option<()> {
    let Scan { reduction, inputs, .. } = command;
    let (_, others) = inputs.shape.split_last()?;
    let (along, across) = command.out_steps.split_last()?;
    let mut is_well_formed = Some(());
    for_each(others, |_, index| {
        // SAFETY: the caller vouches for every element of every input.
        let sequence = unsafe { sequence(inputs, reduction.map().inputs(), index) };
        let Some(results) = reduction.evaluate_scan(sequence) else {
            is_well_formed = None;
            return;
        };
        for (i, result) in results.into_iter().enumerate() {
            let place = element(command.out, &[*along], &[i], result.dtype().size());
            // SAFETY: the caller vouches for every element of the result.
            unsafe { write(place, across, index, result) };
        }
    });
    is_well_formed
}

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn product(command: &Product) -> Option<()> {
    let Product { dtype, ref left, ref right, ref out, .. } = *command;
    let place = |matrices: &Matrices, batch: &[usize], row: usize, column: usize| {
        let matrix = element(matrices.address, &matrices.batch_steps, batch, dtype.size());
        element(matrix, &[matrices.row_step, matrices.column_step], &[row, column], dtype.size())
    };
    let shape: Vec<usize> = command.batch.iter().copied().chain([command.rows, command.columns]).collect();
    let mut is_well_formed = Some(());
    for_each(&shape, |_, index| {
        let (batch, at) = index.split_at(command.batch.len());
        let pairs = (0..command.depth).map(|k| {
            let places = [place(left, batch, at[0], k), place(right, batch, k, at[1])];
            // SAFETY: the caller vouches for every element of both factors.
            places.map(|place| unsafe { read(&Operand::Memory(place), dtype, &[], &[], 0) })
        });
        match product::evaluate(dtype, pairs) {
            // SAFETY: the caller vouches for every element of the result.
            Some(value) => unsafe { write(place(out, batch, at[0], at[1]), &[], &[], value) },
            None => is_well_formed = None,
        }
    });
    is_well_formed
}

/// What a map reads along the axes of a space that follow those with an index, in C order.
///
/// # Safety
///
/// Every element of every input can be read.
unsafe fn sequence(inputs: &Mapped, dtypes: &[DType], first: &[usize]) -> Vec<Inputs> {
    let (mut sequence, mut index) = (Vec::new(), first.to_vec());
    for_each(&inputs.shape[first.len()..], |position, rest| {
        index.truncate(first.len());
        index.extend_from_slice(rest);
        let elements = dtypes.iter().zip(inputs.operands()).enumerate().map(|(n, (&dtype, operand))| {
            // SAFETY: the caller's promise.
            unsafe { read(operand, dtype, inputs.strides(n), &index, position) }
        });
        sequence.push(elements.collect());
    });
    sequence
}

/// # Safety
///
/// An element of that dtype can be read there, if the operand is in memory.
unsafe fn read(operand: &Operand, dtype: DType, strides: &[isize], index: &[usize], position: usize) -> Scalar {
    match *operand {
        Operand::Memory(address) => {
            let mut bytes = [0; 16];
            let from = element(address, strides, index, dtype.size());
            // SAFETY: the caller's promise; no element is wider than 16 bytes.
            unsafe { ptr::copy_nonoverlapping(from.0, bytes.as_mut_ptr(), dtype.size()) };
            Scalar::from_bytes(dtype, bytes)
        }
        Operand::Immediate(bytes) => Scalar::from_bytes(dtype, bytes),
        Operand::Index => Scalar::I64(position as i64),
    }
}

/// # Safety
///
/// An element of the value's dtype can be written there.
unsafe fn write(address: Address, strides: &[isize], index: &[usize], value: Scalar) {
    let width = value.dtype().size();
    // SAFETY: the caller's promise; the bytes lie on the stack.
    unsafe { ptr::copy_nonoverlapping(value.to_bytes().as_ptr(), element(address, strides, index, width).0, width) };
}

pub(super) fn element(first: Address, strides: &[isize], index: &[usize], width: usize) -> Address {
    let steps: isize = index.iter().zip(strides).map(|(&i, step)| i as isize * step).sum();
    first.offset(steps * width as isize)
}
