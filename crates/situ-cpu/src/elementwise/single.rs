//! The short way for one op over one axis: no nest, no schedule.
//!
//! Small arrays spend more time in planning than in computing; this is what they take instead.

use std::mem::MaybeUninit;
use std::slice;

use situ_hal::{Address, Elementwise, Operand};
use situ_ir::Step;

use super::strided::{copy_line, repeat};
use super::table::{MAX_ARITY, loop_of};
use super::tile::Line;
use crate::bytes::LINE;
use crate::isa::Isa;

/// Bytes held at a time of an operand that is not dense, or of a result that cannot go straight to the output.
const STAGE_BYTES: usize = 2048;

/// Executes a command if it is simple enough; whether it was.
///
/// # Safety
///
/// As for [`execute`](super::execute).
pub(super) unsafe fn execute(command: &Elementwise, isa: Isa) -> bool {
    let program = &*command.program;
    let (&[count], [step], [result]) = (&command.shape[..], program.steps(), program.outputs()) else {
        return false;
    };
    let (operands, inputs) = (command.operands(), program.inputs());
    let Some(Operand::Memory(out)) = operands.get(inputs.len()) else { return false };
    if result.index() != inputs.len() {
        return false;
    }
    let is_dense = |n: usize| is_dense(command.strides(n), count);
    let (start, end) = (out.value(), out.value() + count * step.dtype.size());
    let mut pointers = [std::ptr::null(); MAX_ARITY];
    let mut is_plain = is_dense(inputs.len());
    // The one step reads inputs only, so that their dtypes are all there are.
    for (pointer, arg) in pointers.iter_mut().zip(&step.args) {
        let n = arg.index();
        match operands[n] {
            Operand::Memory(from)
                if is_dense(n) && (from.value() >= end || from.value() + count * inputs[n].size() <= start) =>
            {
                *pointer = from.0.cast_const();
            }
            Operand::Index => return false,
            _ => is_plain = false,
        }
    }
    if !is_plain {
        // SAFETY: the caller's promise; there is one axis and one step, and every operand is memory or a number.
        unsafe { execute_staged(command, step, *out, isa) };
        return true;
    }
    let from = step.args.first().map_or(step.dtype, |arg| inputs[arg.index()]);
    let body = loop_of(isa, step.kind, from, step.dtype);
    // SAFETY: every input has that many dense elements there, the output has room for the results, and none of them
    // overlaps it.
    unsafe {
        let results = slice::from_raw_parts_mut(out.0.cast::<MaybeUninit<u8>>(), end - start);
        body(results, &pointers[..step.args.len()]);
    }
    true
}

/// An input on its way along the axis.
#[derive(Clone, Copy)]
struct Input {
    start: *const u8,
    width: usize,
    /// Bytes from one element to the next; none for one that lies in its stage from the beginning.
    step: isize,
    /// Whether its elements are brought together in its stage, piece by piece.
    is_collected: bool,
}

/// The same where operands are stepped or broadcast, or the output is one of them: piece by piece, by way of the stack.
/// Out of line, because clearing the way for so large a frame costs as much as a small command.
///
/// # Safety
///
/// As for [`execute`](super::execute); the command has one axis and this one step, and its operands are memory or numbers.
#[inline(never)]
unsafe fn execute_staged(command: &Elementwise, step: &Step, out: Address, isa: Isa) {
    let (program, operands, count) = (&command.program, command.operands(), command.shape[0]);
    let mut scratch = MaybeUninit::<[Line; (MAX_ARITY + 1) * STAGE_BYTES / LINE]>::uninit();
    let scratch = scratch.as_mut_ptr().cast::<u8>();
    let stage = |n: usize| scratch.wrapping_add(n * STAGE_BYTES);

    let step_of = |n: usize| if is_dense(command.strides(n), count) { 1 } else { command.strides(n)[0] };
    let out_width = step.dtype.size();
    let out_step = step_of(program.inputs().len());
    let widest = step.args.iter().map(|arg| program.dtype_of(*arg).size()).max().unwrap_or(1).max(out_width);
    // Widths are powers of two, and a division takes as long as ten elements.
    let staged = count.min(STAGE_BYTES >> widest.trailing_zeros());
    let mut overlaps = false;
    let mut is_staged = out_step != 1;
    let nothing = Input { start: std::ptr::null(), width: 0, step: 0, is_collected: false };
    let mut inputs = [nothing; MAX_ARITY];
    for (n, (input, arg)) in inputs.iter_mut().zip(&step.args).enumerate() {
        let width = program.dtype_of(*arg).size();
        let (start, step) = match &operands[arg.index()] {
            Operand::Memory(address) => (address.0.cast_const(), step_of(arg.index())),
            Operand::Immediate(bytes) => (bytes.as_ptr(), 0),
            Operand::Index => (std::ptr::null(), 0),
        };
        *input = Input { start, width, step: step * width as isize, is_collected: step != 1 && step != 0 };
        match step {
            0 => {
                // SAFETY: the value is valid for a read, and the stage has room for that many elements.
                unsafe { repeat(width, stage(n), start, staged) };
                input.start = stage(n).cast_const();
            }
            // A stepped operand is read before anything is written over it.
            1 => {
                overlaps |= start.addr() < out.value() + count * out_width && out.value() < start.addr() + count * width
            }
            _ => {}
        }
        is_staged |= step != 1;
    }
    let is_direct = out_step == 1 && !overlaps;

    let from = step.args.first().map_or(step.dtype, |arg| program.dtype_of(*arg));
    let body = loop_of(isa, step.kind, from, step.dtype);
    let piece = if is_staged || overlaps { staged } else { count };
    let mut first = 0;
    while first < count {
        let length = piece.min(count - first);
        let mut pointers = [std::ptr::null(); MAX_ARITY];
        for (n, (pointer, input)) in pointers.iter_mut().zip(&inputs[..step.args.len()]).enumerate() {
            *pointer = input.start.wrapping_offset(first as isize * input.step);
            if input.is_collected {
                // SAFETY: the piece lies inside the operand, and the stage has room for it.
                unsafe { copy_line(input.width, stage(n), None, *pointer, Some(input.step), length) };
                *pointer = stage(n).cast_const();
            }
        }
        let home = out.0.wrapping_offset((first * out_width) as isize * out_step);
        let to = if is_direct { home } else { stage(MAX_ARITY) };
        // SAFETY: every input has a piece of dense elements there, in the caller's memory or staged; the results go where
        // none of them is, there is room for them, and the output's part of the axis is valid.
        unsafe {
            let results = slice::from_raw_parts_mut(to.cast::<MaybeUninit<u8>>(), length * out_width);
            body(results, &pointers[..step.args.len()]);
            if !is_direct {
                copy_line(out_width, home, Some(out_step * out_width as isize), to, None, length);
            }
        }
        first += length;
    }
}

fn is_dense(strides: &[isize], count: usize) -> bool {
    matches!(strides, [1]) || count == 1
}
