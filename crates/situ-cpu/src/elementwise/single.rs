//! The short way for one op over one axis of dense or broadcast operands: no nest, no schedule.
//!
//! Small arrays spend more time in planning than in computing; this is what they take instead.

use std::mem::MaybeUninit;
use std::slice;

use situ_hal::{Elementwise, Operand};

use super::strided::repeat;
use super::table::{MAX_ARITY, loop_of};
use super::tile::Line;
use crate::bytes::LINE;
use crate::isa::Isa;

/// The most elements of a broadcast operand or of a result that overwrites an operand; more go by tiles.
const STAGED: usize = 128;

/// Bytes a staged operand takes at most.
const STAGE_BYTES: usize = STAGED * 16;

/// Executes a command if it is simple enough; whether it was.
///
/// # Safety
///
/// As for [`execute`](super::execute).
pub(super) unsafe fn execute(command: &Elementwise, isa: Isa) -> bool {
    let program = &command.program;
    let (&[count], [step], [result]) = (&command.shape[..], program.steps(), program.outputs()) else {
        return false;
    };
    let Some(Operand::Memory { address: out, strides }) = command.operands.last() else { return false };
    if result.index() != program.inputs().len() || !is_dense(strides, count) {
        return false;
    }
    let mut scratch = MaybeUninit::<[Line; (MAX_ARITY + 1) * STAGE_BYTES / LINE]>::uninit();
    let scratch = scratch.as_mut_ptr().cast::<u8>();
    let stage = |n: usize| scratch.wrapping_add(n * STAGE_BYTES);
    let out_bytes = count * step.dtype.size();
    let mut overlaps = false;
    let mut inputs = [std::ptr::null(); MAX_ARITY];
    for (n, (input, arg)) in inputs.iter_mut().zip(&step.args).enumerate() {
        let width = program.dtype_of(*arg).size();
        let value = match &command.operands[arg.index()] {
            Operand::Memory { address, strides } if is_dense(strides, count) => {
                overlaps |= address.value() < out.value() + out_bytes && out.value() < address.value() + count * width;
                *input = address.0.cast_const();
                continue;
            }
            Operand::Memory { address, strides } if strides[..] == [0] => address.0.cast_const(),
            Operand::Immediate(bytes) => bytes.as_ptr(),
            Operand::Memory { .. } | Operand::Index => return false,
        };
        if count > STAGED {
            return false;
        }
        // SAFETY: the value is valid for a read, and the stage has room for `count` elements of any width.
        unsafe { repeat(width, stage(n), value, count) };
        *input = stage(n).cast_const();
    }
    if overlaps && count > STAGED {
        return false;
    }
    let from = step.args.first().map_or(step.dtype, |arg| program.dtype_of(*arg));
    let body = loop_of(isa, step.kind, from, step.dtype);
    let to = if overlaps { stage(MAX_ARITY) } else { out.0 };
    // SAFETY: every input has `count` dense elements, in the caller's memory or staged; the results go where none of
    // them is, and there is room for them.
    unsafe {
        body(slice::from_raw_parts_mut(to.cast::<MaybeUninit<u8>>(), out_bytes), &inputs[..step.args.len()]);
        if overlaps {
            std::ptr::copy_nonoverlapping(to.cast_const(), out.0, out_bytes);
        }
    }
    true
}

fn is_dense(strides: &[isize], count: usize) -> bool {
    strides == [1] || count == 1
}
