//! The short way for one op over one axis: no nest, no schedule.
//!
//! Small arrays spend more time in planning than in computing; this is what they take instead.

use std::mem::MaybeUninit;
use std::slice;

use situ_hal::{Elementwise, Operand};
use situ_ir::Step;

use super::kernel::Loop;
use super::strided::{copy_line, repeat};
use super::table::{MAX_ARITY, loop_of};
use super::tile::Line;
use crate::bytes::LINE;
use crate::isa::Isa;

/// Lines held at a time of an operand that is not dense, or of a result that cannot go straight to the output.
const STAGE_LINES: usize = 32;

/// The same for few elements: a frame of several pages has to be touched page by page.
const SHORT_STAGE_LINES: usize = 8;

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
    let (operands, steps, inputs) = (command.operands(), command.steps(), program.inputs());
    let (Some(Operand::Memory(out)), Some(out_step)) = (operands.get(inputs.len()), steps.get(inputs.len())) else {
        return false;
    };
    if result.index() != inputs.len() {
        return false;
    }
    let (start, end) = (out.value(), out.value() + count * step.dtype.size());
    let mut pointers = [std::ptr::null(); MAX_ARITY];
    let mut is_plain = *out_step == 1 || count == 1;
    // The one step reads inputs only, so that their dtypes are all there are.
    for (pointer, arg) in pointers.iter_mut().zip(&step.args) {
        let n = arg.index();
        match &operands[n] {
            Operand::Memory(from) => {
                let is_clear = from.value() >= end || from.value() + count * inputs[n].size() <= start;
                is_plain &= is_clear && (steps[n] == 1 || count == 1);
                *pointer = from.0.cast_const();
            }
            Operand::Immediate(_) => is_plain = false,
            Operand::Index => return false,
        }
    }
    let from = step.args.first().map_or(step.dtype, |arg| inputs[arg.index()]);
    let body = loop_of(isa, step.kind, from, step.dtype);
    // SAFETY: for the plain way, every input has that many dense elements there, the output has room for the results,
    // and none of them overlaps it. For the others, the caller's promise; every operand is memory or a number.
    unsafe {
        if is_plain {
            let results = slice::from_raw_parts_mut(out.0.cast::<MaybeUninit<u8>>(), end - start);
            body(results, &pointers[..step.args.len()]);
        } else if count * WIDEST <= SHORT_STAGE_LINES * LINE {
            execute_staged::<SHORT_STAGE_LINES>(command, step, body, isa);
        } else {
            execute_staged::<STAGE_LINES>(command, step, body, isa);
        }
    }
    true
}

/// Bytes of the widest element.
const WIDEST: usize = 16;

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
/// As for [`execute`](super::execute); the command has one axis and one step, which the loop is of, and its operands
/// are memory or numbers.
#[inline(never)]
unsafe fn execute_staged<const STAGE: usize>(command: &Elementwise, step: &Step, body: Loop, isa: Isa) {
    let (operands, steps, inputs, count) =
        (command.operands(), command.steps(), command.program.inputs(), command.shape[0]);
    let mut stages: [MaybeUninit<[Line; STAGE]>; MAX_ARITY + 1] = [const { MaybeUninit::uninit() }; MAX_ARITY + 1];
    let Operand::Memory(out) = operands[inputs.len()] else { return };
    let out_width = step.dtype.size();
    let out_step = if count == 1 { 1 } else { steps[inputs.len()] };
    let widest = step.args.iter().map(|arg| inputs[arg.index()].size()).fold(out_width, usize::max);
    // Widths are powers of two, and a division takes as long as ten elements.
    let staged = count.min((STAGE * LINE) >> widest.trailing_zeros());
    let mut overlaps = false;
    let mut given = [Input { start: std::ptr::null(), width: 0, step: 0, is_collected: false }; MAX_ARITY];
    let given = &mut given[..step.args.len()];
    for ((input, arg), stage) in given.iter_mut().zip(&step.args).zip(&mut stages) {
        let width = inputs[arg.index()].size();
        let (start, step) = match &operands[arg.index()] {
            Operand::Memory(from) => (from.0.cast_const(), if count == 1 { 1 } else { steps[arg.index()] }),
            Operand::Immediate(bytes) => (bytes.as_ptr(), 0),
            Operand::Index => (std::ptr::null(), 0),
        };
        *input = Input { start, width, step: step * width as isize, is_collected: step != 1 && step != 0 };
        if step == 0 {
            // SAFETY: the value is valid for a read, and the stage has room for that many elements.
            unsafe { repeat(isa, width, stage.as_mut_ptr().cast(), start, staged) };
            input.start = stage.as_ptr().cast();
        } else if step == 1 {
            // A stepped operand is read before anything is written over it.
            overlaps |= start.addr() < out.value() + count * out_width && out.value() < start.addr() + count * width;
        }
    }
    let is_direct = out_step == 1 && !overlaps;

    let mut first = 0;
    while first < count {
        let length = staged.min(count - first);
        let mut pointers = [std::ptr::null(); MAX_ARITY];
        for ((pointer, input), stage) in pointers.iter_mut().zip(&*given).zip(&mut stages) {
            *pointer = input.start.wrapping_offset(first as isize * input.step);
            if input.is_collected {
                let stage = stage.as_mut_ptr().cast();
                // SAFETY: the piece lies inside the operand, and the stage has room for it.
                unsafe { copy_line(isa, input.width, stage, None, *pointer, Some(input.step), length) };
                *pointer = stage.cast_const();
            }
        }
        let home = out.0.wrapping_offset((first * out_width) as isize * out_step);
        let to = if is_direct { home } else { stages[MAX_ARITY].as_mut_ptr().cast() };
        // SAFETY: every input has a piece of dense elements there, in the caller's memory or staged; the results go
        // where none of them is, there is room for them, and the output's part of the axis is valid.
        unsafe {
            let results = slice::from_raw_parts_mut(to.cast::<MaybeUninit<u8>>(), length * out_width);
            body(results, &pointers[..step.args.len()]);
            if !is_direct {
                copy_line(isa, out_width, home, Some(out_step * out_width as isize), to, None, length);
            }
        }
        first += length;
    }
}
