//! A short program over few elements in any layout: block by block through the stack, without a nest or a schedule.
//!
//! Planning a command the general way costs more than computing a thousand elements. Here the two innermost axes are
//! cut into blocks that fit a stage: several rows, or a piece of a long one. Operands whose elements of a block do not
//! lie side by side are brought together there, intermediate values live there, and results that cannot be written in
//! place go out from there. Each step is then one call for the whole block.

use std::mem::MaybeUninit;
use std::slice;

use situ_hal::Elementwise;
use situ_ir::Program;

use super::kernel::Loop;
use super::plane::{BlockLayout, MAX_AXES, Plane, PlaneOperand, advance, block_layout, plane_operand, shares_memory};
use super::small_step::part;
use super::strided::{Block, copy_block, repeat};
use super::table::{MAX_ARITY, loop_for};
use super::tile::Line;
use crate::bytes::LINE;
use crate::isa::Isa;

/// Bytes of all stages together: half of a small first-level cache. Stages that are a whole number of pages apart would
/// make loads wait for unrelated stores, hence the odd lines here and below.
const SCRATCH_BYTES: usize = 16384 + 5 * LINE;

/// The most bytes of a stage.
const STAGE_BYTES: usize = 8192 - LINE;

/// The most operands and steps together.
const MAX_VALUES: usize = 8;

/// Blocks of fewer elements are not worth a call; a schedule puts more axes into a tile.
const SHORT_BLOCK: usize = 16;

/// Few blocks are done here however short they are.
const FEW_BLOCKS: usize = 4;

/// Executes a command if it is simple enough; whether it was.
///
/// # Safety
///
/// As for [`execute`](super::execute).
#[inline]
pub(super) unsafe fn execute(command: &Elementwise, isa: Isa) -> bool {
    // SAFETY: passed on from the caller.
    unsafe { run_in_place(command, isa).is_some() || run_in_blocks(command, isa) }
}

/// Executes one step over operands that are dense along one axis and apart from the output: a call of the loop.
///
/// # Safety
///
/// As for [`execute`].
unsafe fn run_in_place(command: &Elementwise, isa: Isa) -> Option<()> {
    let program = &*command.program;
    let (&[count], [step], [result]) = (&command.shape[..], program.steps(), program.outputs()) else { return None };
    let inputs = program.inputs();
    if result.index() != inputs.len() {
        return None;
    }
    let is_dense = |operand: &PlaneOperand| operand.steps[0] == operand.width as isize;
    let out = plane_operand(command, inputs.len()).filter(is_dense)?;
    let mut args = [std::ptr::null(); MAX_ARITY];
    for (place, arg) in args.iter_mut().zip(&step.args) {
        let operand = plane_operand(command, arg.index()).filter(is_dense)?;
        *place = operand.start.cast_const();
        if shares_memory(&operand, &out, &command.shape) {
            return None;
        }
    }
    let from = step.args.first().map_or(step.dtype, |arg| inputs[arg.index()]);
    let body = loop_for(isa, step.kind, from, step.dtype, false);
    // SAFETY: every input has so many dense elements, the output has room for the results, and none overlaps it.
    unsafe {
        let results = slice::from_raw_parts_mut(out.start.cast::<MaybeUninit<u8>>(), count * out.width);
        body(results, &args[..step.args.len()]);
    }
    Some(())
}

/// Executes a command block by block, if it is simple enough; whether it was. Out of line, because its frame is large.
///
/// # Safety
///
/// As for [`execute`].
#[inline(never)]
unsafe fn run_in_blocks(command: &Elementwise, isa: Isa) -> bool {
    let (program, axes) = (&*command.program, command.shape.len());
    let (inputs, steps) = (program.inputs().len(), program.steps());
    let values = inputs + steps.len();
    let ends_there = matches!(program.outputs(), [last] if last.index() + 1 == values);
    if !ends_there || values >= MAX_VALUES || axes > MAX_AXES {
        return false;
    }
    let Some(mut out) = plane_operand(command, inputs) else { return false };
    let mut given = [out; MAX_VALUES];
    for (n, operand) in given[..inputs].iter_mut().enumerate() {
        match plane_operand(command, n) {
            Some(found) => *operand = found,
            None => return false,
        }
    }
    let given = &mut given[..inputs];
    let (rows, columns) = (if axes > 1 { command.shape[axes - 2] } else { 1 }, command.shape[axes - 1]);
    let mut plane = Plane { inner: axes - 1, rows, columns, high: 1, wide: columns };
    let planes: usize = command.shape[..axes.saturating_sub(2)].iter().product();
    if let Some(source) = copied(program, given) {
        if source.layout == BlockLayout::Uniform || rows * columns < SHORT_BLOCK && planes > FEW_BLOCKS {
            return false;
        }
        // An array written to where it already is stays as it is; a command has no other overlap.
        let is_apart = !shares_memory(&source, &out, &command.shape);
        debug_assert!(is_apart || (source.start, source.steps) == (out.start, out.steps));
        if is_apart {
            // SAFETY: the caller's promise; the two are apart.
            unsafe { copy(source, out, &plane, &command.shape, isa) };
        }
        return true;
    }

    let widest = widest(program);
    let Some(is_blocked) = plane.suits_blocks(given.iter().chain([&out]), widest) else { return false };
    for operand in given.iter_mut().chain([&mut out]).filter(|operand| operand.layout != BlockLayout::Uniform) {
        operand.layout = block_layout(operand, &plane, is_blocked);
    }
    let overlaps = given.iter().any(|operand| shares_memory(operand, &out, &command.shape));
    let is_direct = out.layout == BlockLayout::Dense && !overlaps;
    let staged = given.iter().filter(|operand| operand.layout != BlockLayout::Dense).count() + steps.len()
        - usize::from(is_direct);
    let apart = STAGE_BYTES.min(SCRATCH_BYTES / staged.max(1) / LINE * LINE);
    if staged > 0 {
        plane.cut(is_blocked, apart, widest);
    } else if is_blocked {
        plane.high = rows;
    }
    if plane.high * plane.wide < SHORT_BLOCK && planes * rows.div_ceil(plane.high) > FEW_BLOCKS {
        return false;
    }

    let mut scratch = MaybeUninit::<[Line; SCRATCH_BYTES / LINE]>::uninit();
    let mut stages = (0..staged).map(|n| scratch.as_mut_ptr().cast::<u8>().wrapping_add(n * apart));
    let mut stage = || stages.next().unwrap_or(std::ptr::null_mut());
    let mut places = [std::ptr::null_mut::<u8>(); MAX_VALUES];
    let mut bodies: [MaybeUninit<Loop>; MAX_VALUES] = [MaybeUninit::uninit(); MAX_VALUES];
    for (n, operand) in given.iter().enumerate().filter(|(_, operand)| operand.layout != BlockLayout::Dense) {
        places[n] = stage();
        // SAFETY: the elements are valid for reads, and the stage has room for a block.
        unsafe {
            match operand.layout {
                BlockLayout::Uniform => repeat(isa, operand.width, places[n], operand.start, plane.high * plane.wide),
                BlockLayout::Repeated => collect(isa, operand, &plane, places[n], (0, 0), (plane.high, columns)),
                BlockLayout::Dense | BlockLayout::Collected => {}
            }
        }
    }
    for (n, (body, step)) in bodies.iter_mut().zip(steps).enumerate() {
        let from = step.args.first().map_or(step.dtype, |arg| program.dtype_of(*arg));
        let last = step.args.last().and_then(|arg| given.get(arg.index()));
        let ends_with_one = last.is_some_and(|operand| operand.layout == BlockLayout::Uniform);
        body.write(loop_for(isa, step.kind, from, step.dtype, ends_with_one));
        if !(is_direct && n + 1 == steps.len()) {
            places[inputs + n] = stage();
        }
    }

    let mut index = [0; MAX_AXES];
    loop {
        for row in (0..rows).step_by(plane.high) {
            for column in (0..columns).step_by(plane.wide) {
                let (high, wide) = (plane.high.min(rows - row), plane.wide.min(columns - column));
                for (n, operand) in given.iter().enumerate() {
                    match operand.layout {
                        BlockLayout::Dense => places[n] = plane.block(operand, row, column).start,
                        // SAFETY: the block lies inside the operand, and the stage has room for it.
                        BlockLayout::Collected => unsafe {
                            collect(isa, operand, &plane, places[n], (row, column), (high, wide));
                        },
                        BlockLayout::Uniform | BlockLayout::Repeated => {}
                    }
                }
                let home = plane.block(&out, row, column);
                if is_direct {
                    places[values - 1] = home.start;
                }
                for (n, (step, body)) in steps.iter().zip(&bodies).enumerate() {
                    let mut args = [std::ptr::null(); MAX_ARITY];
                    for (arg, read) in args.iter_mut().zip(&step.args) {
                        *arg = places[read.index()].cast_const();
                    }
                    // SAFETY: there is a body for each step. Its arguments have a block of dense elements each, in
                    // memory or staged; the results go to a stage of their own, or to the output where no operand
                    // shares its memory.
                    unsafe {
                        let bytes = high * wide * step.dtype.size();
                        let results = slice::from_raw_parts_mut(places[inputs + n].cast::<MaybeUninit<u8>>(), bytes);
                        body.assume_init()(results, &args[..step.args.len()]);
                    }
                }
                if !is_direct {
                    let from = Block::dense(places[values - 1], wide, out.width);
                    // SAFETY: the last step has filled its stage with the block, and the output's part is valid.
                    unsafe { copy_block(isa, out.width, home, from, high, wide) };
                }
            }
        }
        if !advance(&mut index, &command.shape, given.iter_mut().chain([&mut out])) {
            return true;
        }
    }
}

/// Brings the elements of a block together: `at` its first row and column, `size` how many of them.
///
/// # Safety
///
/// The block lies inside the operand, and `to` has room for it.
unsafe fn collect(
    isa: Isa,
    operand: &PlaneOperand,
    plane: &Plane,
    to: *mut u8,
    at: (usize, usize),
    (high, wide): (usize, usize),
) {
    let to = Block::dense(to, wide, operand.width);
    // SAFETY: passed on from the caller; a stage is apart from every operand.
    unsafe { copy_block(isa, operand.width, to, plane.block(operand, at.0, at.1), high, wide) }
}

/// What a program copies as it is, if that is all it does: its last input, or a part of what its step reads.
fn copied(program: &Program, given: &[PlaneOperand]) -> Option<PlaneOperand> {
    match program.steps() {
        [] => given.last().copied(),
        [step] => {
            let read = step.args.first()?.index();
            let (part, width) = (part(step.kind, program.inputs()[read])?, step.dtype.size());
            Some(PlaneOperand { start: given[read].start.wrapping_add(part * width), width, ..given[read] })
        }
        _ => None,
    }
}

/// Copies an operand to where another one is.
///
/// # Safety
///
/// Both are valid for that shape, and share no memory.
unsafe fn copy(mut from: PlaneOperand, mut to: PlaneOperand, plane: &Plane, shape: &[usize], isa: Isa) {
    let mut index = [0; MAX_AXES];
    loop {
        let (home, source) = (plane.block(&to, 0, 0), plane.block(&from, 0, 0));
        // SAFETY: the two innermost axes lie inside both operands.
        unsafe { copy_block(isa, to.width, home, source, plane.rows, plane.columns) };
        if !advance(&mut index, shape, [&mut from, &mut to].into_iter()) {
            return;
        }
    }
}

/// The widest value of a program.
fn widest(program: &Program) -> usize {
    let dtypes = program.inputs().iter().copied().chain(program.steps().iter().map(|step| step.dtype));
    dtypes.map(|dtype| dtype.size()).max().unwrap_or(1)
}
