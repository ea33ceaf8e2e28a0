//! A short program over few elements in any layout: row by row through the stack, without a nest or a schedule.
//!
//! Planning a command the general way costs more than computing a thousand elements. Here each row of the innermost axis is
//! cut into pieces that fit a stage; operands that are not dense are brought together there, intermediate values live
//! there, and results that cannot be written in place go out from there.

use std::mem::MaybeUninit;
use std::slice;

use situ_hal::{Elementwise, Operand};
use situ_ir::Program;

use super::kernel::Loop;
use super::strided::{copy_line, repeat};
use super::table::{MAX_ARITY, loop_of};
use super::tile::Line;
use crate::bytes::LINE;
use crate::isa::Isa;

/// Bytes of one value's stage.
const STAGE_BYTES: usize = 2048;

/// The most operands and steps together.
const MAX_VALUES: usize = 8;

/// Rows shorter than this go several to a tile, which takes a schedule.
const SHORT_ROW: usize = 16;

/// Few rows are done here however short they are.
const FEW_ROWS: usize = 4;

/// The most axes; commands have as few as possible, so that more are rare.
const MAX_AXES: usize = 4;

/// An operand on its way through the rows.
#[derive(Clone, Copy)]
struct Strand {
    /// Its first element in the current row.
    row: *mut u8,
    width: usize,
    /// Byte steps along the axes.
    steps: [isize; MAX_AXES],
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Elements of a row lie side by side.
    Dense,
    /// One element for all rows, repeated in the stage.
    Uniform,
    /// One element for each row.
    PerRow,
    /// A step between the elements of a row.
    Stepped,
}

/// Executes a command if it is simple enough; whether it was.
///
/// # Safety
///
/// As for [`execute`](super::execute).
pub(super) unsafe fn execute(command: &Elementwise, isa: Isa) -> bool {
    let (program, axes) = (&*command.program, command.shape.len());
    let (inputs, steps) = (program.inputs().len(), program.steps());
    let values = inputs + steps.len();
    let length = command.shape[axes - 1];
    let rows: usize = command.shape[..axes - 1].iter().product();
    let ends_there = matches!(program.outputs(), [last] if last.index() + 1 == values);
    if !ends_there || values >= MAX_VALUES || axes > MAX_AXES || length < SHORT_ROW && rows > FEW_ROWS {
        return false;
    }
    let Some(mut out) = strand(command, inputs) else { return false };
    let mut given = [out; MAX_VALUES];
    for (n, operand) in given[..inputs].iter_mut().enumerate() {
        match strand(command, n) {
            Some(strand) => *operand = strand,
            None => return false,
        }
    }
    let given = &mut given[..inputs];
    let shares = |operand: &Strand| shares_memory(operand, &out, &command.shape);
    if steps.is_empty() {
        let source = given[inputs - 1];
        if source.form == Form::Uniform {
            return false;
        }
        // An array written to where it already is stays as it is; a command has no other overlap.
        debug_assert!(!shares(&source) || (source.row, source.steps) == (out.row, out.steps));
        if !shares(&source) {
            // SAFETY: the caller's promise; the two are apart.
            unsafe { copy(source, out, &command.shape) };
        }
        return true;
    }
    let overlaps = given.iter().any(shares);
    let is_direct = out.form == Form::Dense && !overlaps;

    let mut scratch = MaybeUninit::<[Line; MAX_VALUES * STAGE_BYTES / LINE]>::uninit();
    let scratch = scratch.as_mut_ptr().cast::<u8>();
    let stage = |value: usize| scratch.wrapping_add(value * STAGE_BYTES);
    let is_staged = !is_direct || steps.len() > 1 || given.iter().any(|operand| operand.form != Form::Dense);
    let piece = if is_staged { length.min(STAGE_BYTES / widest(program)) } else { length };
    let mut bodies: [MaybeUninit<Loop>; MAX_VALUES] = [MaybeUninit::uninit(); MAX_VALUES];
    for (body, step) in bodies.iter_mut().zip(steps) {
        let from = step.args.first().map_or(step.dtype, |arg| program.dtype_of(*arg));
        body.write(loop_of(isa, step.kind, from, step.dtype));
    }
    for (n, operand) in given.iter().enumerate().filter(|(_, operand)| operand.form == Form::Uniform) {
        // SAFETY: the element is valid for a read, and the stage has room for a piece.
        unsafe { repeat(operand.width, stage(n), operand.row, piece) };
    }

    let mut index = [0; MAX_AXES];
    let mut places = [std::ptr::null_mut::<u8>(); MAX_VALUES];
    loop {
        for (n, operand) in given.iter().enumerate().filter(|(_, operand)| operand.form == Form::PerRow) {
            // SAFETY: as above, for this row's element.
            unsafe { repeat(operand.width, stage(n), operand.row, piece) };
        }
        for first in (0..length).step_by(piece) {
            let count = piece.min(length - first);
            for (n, operand) in given.iter().enumerate() {
                let step = operand.steps[axes - 1];
                let start = operand.row.wrapping_offset(first as isize * step);
                places[n] = if operand.form == Form::Dense { start } else { stage(n) };
                if operand.form == Form::Stepped {
                    // SAFETY: the piece lies inside the row, and the stage has room for it.
                    unsafe { copy_line(operand.width, stage(n), None, start, Some(step), count) };
                }
            }
            let home = out.row.wrapping_offset(first as isize * out.steps[axes - 1]);
            for (n, (step, body)) in steps.iter().zip(&bodies).enumerate() {
                let value = inputs + n;
                places[value] = if is_direct && value + 1 == values { home } else { stage(value) };
                let mut args = [std::ptr::null(); MAX_ARITY];
                for (arg, read) in args.iter_mut().zip(&step.args) {
                    *arg = places[read.index()].cast_const();
                }
                // SAFETY: there is a body for each step. Its arguments have a piece of dense elements each, in memory or
                // staged; the results go to a stage of their own, or to the output where no operand shares its memory.
                unsafe {
                    let bytes = count * step.dtype.size();
                    let results = slice::from_raw_parts_mut(places[value].cast::<MaybeUninit<u8>>(), bytes);
                    body.assume_init()(results, &args[..step.args.len()]);
                }
            }
            if !is_direct {
                let step = (out.form != Form::Dense).then_some(out.steps[axes - 1]);
                // SAFETY: the last step has filled its stage with the piece, and the output's part of the row is valid.
                unsafe { copy_line(out.width, home, step, stage(values - 1), None, count) };
            }
        }
        if !advance(&mut index, &command.shape, given.iter_mut().chain([&mut out])) {
            return true;
        }
    }
}

/// Copies an operand to where another one is, row by row.
///
/// # Safety
///
/// Both are valid for that shape, and share no memory.
unsafe fn copy(mut from: Strand, mut to: Strand, shape: &[usize]) {
    let last = shape.len() - 1;
    let mut index = [0; MAX_AXES];
    loop {
        // SAFETY: the row lies inside both operands.
        unsafe { copy_line(to.width, to.row, Some(to.steps[last]), from.row, Some(from.steps[last]), shape[last]) };
        if !advance(&mut index, shape, [&mut from, &mut to].into_iter()) {
            return;
        }
    }
}

/// Goes on to the next row; whether there is one.
fn advance<'a>(index: &mut [usize; MAX_AXES], shape: &[usize], strands: impl Iterator<Item = &'a mut Strand>) -> bool {
    let mut axis = shape.len() - 1;
    let mut moved = [0; MAX_AXES];
    loop {
        if axis == 0 {
            return false;
        }
        axis -= 1;
        index[axis] += 1;
        if index[axis] < shape[axis] {
            moved[axis] = 1;
            break;
        }
        moved[axis] = 1 - shape[axis] as isize;
        index[axis] = 0;
    }
    for strand in strands {
        let bytes: isize = strand.steps.iter().zip(&moved).map(|(step, moved)| step * moved).sum();
        strand.row = strand.row.wrapping_offset(bytes);
    }
    true
}

/// The widest value of a program.
fn widest(program: &Program) -> usize {
    let dtypes = program.inputs().iter().copied().chain(program.steps().iter().map(|step| step.dtype));
    dtypes.map(|dtype| dtype.size()).max().unwrap_or(1)
}

/// An operand as rows; `None` for one that is not memory or a number.
fn strand(command: &Elementwise, n: usize) -> Option<Strand> {
    let (width, axes) = (command.program.operand_dtype(n).size(), command.shape.len());
    let mut steps = [0; MAX_AXES];
    let row = match &command.operands()[n] {
        Operand::Memory(address) => {
            steps.iter_mut().zip(command.strides(n)).for_each(|(step, &given)| *step = given * width as isize);
            address.0
        }
        Operand::Immediate(bytes) => bytes.as_ptr().cast_mut(),
        Operand::Index => return None,
    };
    let form = match steps[axes - 1] {
        0 if steps[..axes].iter().all(|step| *step == 0) => Form::Uniform,
        0 => Form::PerRow,
        step if step == width as isize => Form::Dense,
        _ if command.shape[axes - 1] == 1 => Form::Dense,
        _ => Form::Stepped,
    };
    Some(Strand { row, width, steps, form })
}

/// Whether an operand's range of addresses meets the output's.
fn shares_memory(arg: &Strand, out: &Strand, shape: &[usize]) -> bool {
    let range = |strand: &Strand| {
        let (mut low, mut high) = (strand.row as isize, strand.row as isize + strand.width as isize);
        for (&length, &step) in shape.iter().zip(&strand.steps) {
            let reach = step * (length as isize - 1);
            if reach < 0 { low += reach } else { high += reach }
        }
        (low, high)
    };
    let ((low, high), (out_low, out_high)) = (range(arg), range(out));
    low < out_high && out_low < high
}
