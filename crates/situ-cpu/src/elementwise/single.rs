//! The short way for one op over one axis of dense or broadcast operands: no nest, no schedule.
//!
//! Small arrays spend more time in planning than in computing; this is what they take instead.

use std::mem::MaybeUninit;
use std::slice;

use situ_hal::{Address, Elementwise, Operand};
use situ_ir::{Step, Value};

use super::strided::repeat;
use super::table::{MAX_ARITY, loop_of};
use super::tile::Line;
use crate::bytes::LINE;
use crate::isa::Isa;

/// Bytes of a broadcast operand, or of a result on its way to where an operand is, held at a time.
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
    let is_dense = |n: usize| command.is_dense() || is_dense(command.strides(n), count);
    if result.index() != inputs.len() || !is_dense(inputs.len()) {
        return false;
    }
    let (start, end) = (out.value(), out.value() + count * step.dtype.size());
    let mut pointers = [std::ptr::null(); MAX_ARITY];
    // The one step reads inputs only, so that their dtypes are all there are.
    for (pointer, arg) in pointers.iter_mut().zip(&step.args) {
        let n = arg.index();
        match operands[n] {
            Operand::Memory(from)
                if is_dense(n) && (from.value() >= end || from.value() + count * inputs[n].size() <= start) =>
            {
                *pointer = from.0.cast_const();
            }
            Operand::Memory(_) if !is_dense(n) && *command.strides(n) != [0] => return false,
            // SAFETY: the caller's promise.
            _ => return unsafe { execute_staged(command, step, *out, isa) },
        }
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

/// The same where operands are broadcast, or the output is one of them: tile by tile, by way of the stack. Out of line,
/// because clearing the way for so large a frame costs as much as a small command.
///
/// # Safety
///
/// As for [`execute`](super::execute); the command has one axis, this one step, and a dense output.
#[inline(never)]
unsafe fn execute_staged(command: &Elementwise, step: &Step, out: Address, isa: Isa) -> bool {
    let (program, operands, count) = (&command.program, command.operands(), command.shape[0]);
    let mut scratch = MaybeUninit::<[Line; (MAX_ARITY + 1) * STAGE_BYTES / LINE]>::uninit();
    let scratch = scratch.as_mut_ptr().cast::<u8>();
    let stage = |n: usize| scratch.wrapping_add(n * STAGE_BYTES);

    let from = step.args.first().map_or(step.dtype, |arg| program.dtype_of(*arg));
    let width_of = |arg: &Value| program.dtype_of(*arg).size();
    let out_width = step.dtype.size();
    let widest = step.args.iter().map(width_of).max().unwrap_or(1).max(out_width);
    let staged = count.min(STAGE_BYTES / widest);
    let (mut overlaps, mut broadcasts) = (false, false);
    let mut inputs = [(std::ptr::null(), 0); MAX_ARITY];
    for (n, (input, arg)) in inputs.iter_mut().zip(&step.args).enumerate() {
        let width = width_of(arg);
        let value = match &operands[arg.index()] {
            Operand::Memory(address) if is_dense(command.strides(arg.index()), count) => {
                let (start, end) = (address.value(), address.value() + count * width);
                overlaps |= start < out.value() + count * out_width && out.value() < end;
                *input = (address.0.cast_const(), width);
                continue;
            }
            Operand::Memory(address) if *command.strides(arg.index()) == [0] => address.0.cast_const(),
            Operand::Immediate(bytes) => bytes.as_ptr(),
            Operand::Memory(_) | Operand::Index => return false,
        };
        // SAFETY: the value is valid for a read, and the stage has room for that many elements.
        unsafe { repeat(width, stage(n), value, staged) };
        *input = (stage(n).cast_const(), 0);
        broadcasts = true;
    }

    let body = loop_of(isa, step.kind, from, step.dtype);
    let tile = if overlaps || broadcasts { staged } else { count };
    for first in (0..count).step_by(tile) {
        let bytes = tile.min(count - first) * out_width;
        let pointers = inputs.map(|(start, step)| start.wrapping_add(first * step));
        let home = out.0.wrapping_add(first * out_width);
        let to = if overlaps { stage(MAX_ARITY) } else { home };
        // SAFETY: every input has a tile of dense elements there, in the caller's memory or staged; the results go
        // where none of them is, and there is room for them.
        unsafe {
            body(slice::from_raw_parts_mut(to.cast::<MaybeUninit<u8>>(), bytes), &pointers[..step.args.len()]);
            if overlaps {
                std::ptr::copy_nonoverlapping(to.cast_const(), home, bytes);
            }
        }
    }
    true
}

fn is_dense(strides: &[isize], count: usize) -> bool {
    matches!(strides, [1]) || count == 1
}
