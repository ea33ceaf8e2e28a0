//! The short way for one op over one axis: no nest, no schedule.
//!
//! Small arrays spend more time in planning than in computing; this is what they take instead.

use std::mem::MaybeUninit;
use std::slice;

use situ_hal::{Elementwise, Operand};
use situ_ir::{Op, StepKind};
use situ_types::{DType, DTypeKind};

use super::kernel::Loop;
use super::strided::{copy_line, repeat};
use super::table::{MAX_ARITY, loop_for};
use super::tile::Line;
use crate::bytes::LINE;
use crate::isa::Isa;

/// Lines held at a time of an operand that is not dense, or of a result that cannot go straight to the output.
const STAGE_LINES: usize = 32;

/// The same for many elements: fewer calls of the loop.
const LONG_STAGE_LINES: usize = 64;

/// From so many elements on they are many.
const MANY: usize = 4096;

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
    let out = Output { start: out.0, width: step.dtype.size(), step: if count == 1 { 1 } else { *out_step } };
    let (start, end) = (out.start.addr(), out.start.addr() + count * out.width);
    let mut pointers = [std::ptr::null(); MAX_ARITY];
    let mut given = [Input::NONE; MAX_ARITY];
    let mut is_plain = out.step == 1;
    let mut ends_with_one = false;
    // The one step reads inputs only, so that their dtypes are all there are.
    for ((pointer, input), arg) in pointers.iter_mut().zip(&mut given).zip(&step.args) {
        let (n, width) = (arg.index(), inputs[arg.index()].size());
        *input = match &operands[n] {
            Operand::Memory(from) => Input::new(from.0, width, if count == 1 { 1 } else { steps[n] }),
            Operand::Immediate(bytes) => Input::new(bytes.as_ptr(), width, 0),
            Operand::Index => return false,
        };
        *pointer = input.start;
        ends_with_one = input.step == 0;
        let is_clear = pointer.addr() >= end || pointer.addr() + count * width <= start;
        is_plain &= is_clear && input.step == width as isize;
    }
    let from = step.args.first().map_or(step.dtype, |arg| inputs[arg.index()]);
    let body = loop_for(isa, step.kind, from, step.dtype, ends_with_one);
    // SAFETY: for the plain way, every input has that many dense elements there, the output has room for the results,
    // and none of them overlaps it. For the others, the caller's promise. A complex input meets no output of its parts'
    // dtype.
    unsafe {
        if is_plain {
            let results = slice::from_raw_parts_mut(out.start.cast::<MaybeUninit<u8>>(), end - start);
            body(results, &pointers[..step.args.len()]);
        } else if let Some(part) = part(step.kind, from) {
            // A part is copied from where it is: elements need not be brought together whole.
            let start = given[0].start.wrapping_add(part * out.width);
            let step = Some(out.step * out.width as isize);
            copy_line(isa, out.width, out.start, step, start, Some(given[0].step), count);
        } else {
            run_staged(&mut given[..step.args.len()], out, count, body, isa);
        }
    }
    true
}

/// Which part of a complex number an op returns as it is: the first or the second.
pub(super) fn part(kind: StepKind, from: DType) -> Option<usize> {
    match kind {
        StepKind::Apply(Op::Real) if from.kind() == DTypeKind::Complex => Some(0),
        StepKind::Apply(Op::Imag) if from.kind() == DTypeKind::Complex => Some(1),
        _ => None,
    }
}

/// Bytes of the widest element.
const WIDEST: usize = 16;

/// An input on its way along the axis.
#[derive(Clone, Copy)]
struct Input {
    start: *const u8,
    width: usize,
    /// Bytes from one element to the next; none for one value.
    step: isize,
}

impl Input {
    const NONE: Input = Input { start: std::ptr::null(), width: 0, step: 0 };

    /// An input with a step in elements.
    fn new(start: *const u8, width: usize, step: isize) -> Input {
        Input { start, width, step: step * width as isize }
    }

    fn is_dense(&self) -> bool {
        self.step == self.width as isize
    }

    /// Whether its elements are brought together in its stage, piece by piece.
    fn is_collected(&self) -> bool {
        !self.is_dense() && self.step != 0
    }
}

/// The output, with its step in elements.
#[derive(Clone, Copy)]
struct Output {
    start: *mut u8,
    width: usize,
    step: isize,
}

/// Runs a loop where operands are stepped or broadcast, or the output is one of them.
///
/// # Safety
///
/// Every input and the output have so many elements, which the loop is for; the output coincides with an input or lies
/// apart from it.
unsafe fn run_staged(inputs: &mut [Input], out: Output, count: usize, body: Loop, isa: Isa) {
    // SAFETY: passed on from the caller.
    unsafe {
        if count * WIDEST <= SHORT_STAGE_LINES * LINE {
            run_through::<SHORT_STAGE_LINES>(inputs, out, count, body, isa);
        } else if count < MANY {
            run_through::<STAGE_LINES>(inputs, out, count, body, isa);
        } else {
            run_through::<LONG_STAGE_LINES>(inputs, out, count, body, isa);
        }
    }
}

/// The same, piece by piece, by way of the stack. Out of line, because clearing the way for so large a frame costs as
/// much as a small command.
///
/// # Safety
///
/// As for [`run_staged`].
#[inline(never)]
unsafe fn run_through<const STAGE: usize>(inputs: &mut [Input], out: Output, count: usize, body: Loop, isa: Isa) {
    let mut stages: [MaybeUninit<[Line; STAGE]>; MAX_ARITY + 1] = [const { MaybeUninit::uninit() }; MAX_ARITY + 1];
    let widest = inputs.iter().map(|input| input.width).fold(out.width, usize::max);
    // Widths are powers of two, and a division takes as long as ten elements.
    let staged = count.min((STAGE * LINE) >> widest.trailing_zeros());
    let mut overlaps = false;
    for (input, stage) in inputs.iter_mut().zip(&mut stages) {
        if input.step == 0 {
            // SAFETY: the value is valid for a read, and the stage has room for that many elements.
            unsafe { repeat(isa, input.width, stage.as_mut_ptr().cast(), input.start, staged) };
            input.start = stage.as_ptr().cast();
        } else if input.is_dense() {
            // A stepped operand is read before anything is written over it.
            let (start, end) = (input.start.addr(), input.start.addr() + count * input.width);
            overlaps |= start < out.start.addr() + count * out.width && out.start.addr() < end;
        }
    }
    let is_direct = out.step == 1 && !overlaps;

    let mut first = 0;
    while first < count {
        let length = staged.min(count - first);
        let mut pointers = [std::ptr::null(); MAX_ARITY];
        for ((pointer, input), stage) in pointers.iter_mut().zip(&*inputs).zip(&mut stages) {
            *pointer = input.start.wrapping_offset(first as isize * input.step);
            if input.is_collected() {
                let stage = stage.as_mut_ptr().cast();
                // SAFETY: the piece lies inside the operand, and the stage has room for it.
                unsafe { copy_line(isa, input.width, stage, None, *pointer, Some(input.step), length) };
                *pointer = stage.cast_const();
            }
        }
        let home = out.start.wrapping_offset((first * out.width) as isize * out.step);
        let to = if is_direct { home } else { stages[MAX_ARITY].as_mut_ptr().cast() };
        // SAFETY: every input has a piece of dense elements there, in the caller's memory or staged; the results go
        // where none of them is, there is room for them, and the output's part of the axis is valid.
        unsafe {
            let results = slice::from_raw_parts_mut(to.cast::<MaybeUninit<u8>>(), length * out.width);
            body(results, &pointers[..inputs.len()]);
            if !is_direct {
                copy_line(isa, out.width, home, Some(out.step * out.width as isize), to, None, length);
            }
        }
        first += length;
    }
}
