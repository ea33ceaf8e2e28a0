//! The shortest way: one step over few elements, straight from the call.
//!
//! Inputs that are dense are read where they lie. Others are brought together on the stack, and converted there, piece
//! by piece: a number of rows, or a part of one.

use std::mem::MaybeUninit;
use std::slice;

use situ_hal::{SMALL_STEP_INPUTS, SmallStep, SmallStepInput};
use situ_ir::{Op, StepKind};
use situ_types::{DType, DTypeKind};

use super::kernel::Loop;
use super::strided::{Block, copy_block};
use super::table::{loop_for, loop_of};
use super::tile::Line;
use crate::bytes::LINE;
use crate::isa::Isa;

/// The most elements of a piece. Stages a whole number of pages apart would make loads wait for unrelated stores.
const PIECE: usize = 248;

/// So few elements are brought together one by one, which is over before a move is chosen; and they have stages that do
/// not take up pages of the stack, which would have to be touched one after another.
const FEW: usize = 32;

/// Bytes of the widest element.
const WIDEST: usize = 16;

/// Executes a small step.
///
/// # Safety
///
/// As for [`situ_hal::Queue::run_inline`]; the processor has the instruction set.
#[inline]
pub(super) unsafe fn run(small_step: &SmallStep, isa: Isa) {
    // SAFETY: the caller's promise: every input has its elements, and the output, where none of them is, has room for
    // the results.
    unsafe {
        if small_step.is_dense {
            let body = loop_of(isa, small_step.kind, small_step.reads, small_step.writes);
            body(results(small_step, 0, small_step.count()), &small_step.starts[..small_step.inputs]);
        } else {
            run_staged(small_step, isa);
        }
    }
}

/// The same where inputs are not dense or not of the dtype that is read.
///
/// # Safety
///
/// As for [`run`].
#[inline(never)]
unsafe fn run_staged(small_step: &SmallStep, isa: Isa) {
    let body = loop_for(isa, small_step.kind, small_step.reads, small_step.writes, small_step.ends_with_one());
    // SAFETY: passed on from the caller.
    unsafe {
        match part(small_step.kind, small_step.forms[0].dtype) {
            Some(part) => copy_part(small_step, part, isa),
            None if small_step.count() <= FEW => run_few(small_step, body, isa),
            None => run_in_pieces(small_step, body, isa),
        }
    }
}

/// Which part of a complex number an op returns as it is: the first or the second.
pub(super) fn part(kind: StepKind, from: DType) -> Option<usize> {
    match kind {
        StepKind::Apply(Op::Real) if from.kind() == DTypeKind::Complex => Some(0),
        StepKind::Apply(Op::Imag) if from.kind() == DTypeKind::Complex => Some(1),
        _ => None,
    }
}

/// Copies a part of complex elements from where it is: they need not be brought together whole.
///
/// # Safety
///
/// As for [`run`]; the only input is complex.
unsafe fn copy_part(small_step: &SmallStep, part: usize, isa: Isa) {
    let (form, width) = (&small_step.forms[0], small_step.writes.size());
    let step = |elements: isize| elements * form.dtype.size() as isize;
    let start = small_step.starts[0].wrapping_add(part * width).cast_mut();
    let from = Block { start, row: step(form.row), column: step(form.column) };
    // SAFETY: passed on from the caller; a part is as wide as a result.
    unsafe {
        copy_block(
            isa,
            width,
            Block::dense(small_step.out.0, small_step.columns, width),
            from,
            small_step.rows,
            small_step.columns,
        )
    }
}

/// The room for some of the results.
///
/// # Safety
///
/// As for [`run`]; there are so many, from the first on.
#[inline(always)]
unsafe fn results<'a>(small_step: &SmallStep, first: usize, count: usize) -> &'a mut [MaybeUninit<u8>] {
    let width = small_step.writes.size();
    // SAFETY: passed on from the caller; nobody else has that memory.
    unsafe { slice::from_raw_parts_mut(small_step.out.0.add(first * width).cast::<MaybeUninit<u8>>(), count * width) }
}

/// Room for the elements of an input, as they are and as they are read.
struct Stage<const LINES: usize> {
    collected: MaybeUninit<[Line; LINES]>,
    converted: MaybeUninit<[Line; LINES]>,
}

impl<const LINES: usize> Stage<LINES> {
    const NEW: Stage<LINES> = Stage { collected: MaybeUninit::uninit(), converted: MaybeUninit::uninit() };

    /// Converts so many elements to what the small step reads; where they are then.
    ///
    /// # Safety
    ///
    /// There are so many at `from`, and there is room for them.
    #[inline(always)]
    unsafe fn convert(&mut self, from: *const u8, dtype: DType, reads: DType, count: usize, isa: Isa) -> *const u8 {
        if dtype == reads {
            return from;
        }
        let place = self.converted.as_mut_ptr().cast::<MaybeUninit<u8>>();
        let cast = loop_of(isa, StepKind::Cast, dtype, reads);
        // SAFETY: passed on from the caller; the stage is apart from what is converted.
        unsafe { cast(slice::from_raw_parts_mut(place, count * reads.size()), &[from]) };
        place.cast_const().cast()
    }
}

/// Executes a small step of few elements.
///
/// # Safety
///
/// As for [`run`], with its loop.
unsafe fn run_few(small_step: &SmallStep, body: Loop, isa: Isa) {
    let count = small_step.count();
    let mut stages = [const { Stage::<{ FEW * WIDEST / LINE }>::NEW }; SMALL_STEP_INPUTS];
    let mut starts = small_step.starts;
    for n in 0..small_step.inputs.min(SMALL_STEP_INPUTS) {
        let (form, stage) = (&small_step.forms[n], &mut stages[n]);
        // SAFETY: the input has that many elements, and the stage has room for them.
        unsafe {
            if !is_dense(form, small_step.columns, small_step.rows) {
                let to = stage.collected.as_mut_ptr().cast::<u8>();
                match form.dtype.size() {
                    1 => collect::<u8>(to, starts[n], form, small_step),
                    2 => collect::<u16>(to, starts[n], form, small_step),
                    4 => collect::<u32>(to, starts[n], form, small_step),
                    8 => collect::<u64>(to, starts[n], form, small_step),
                    _ => collect::<[u64; 2]>(to, starts[n], form, small_step),
                }
                starts[n] = to;
            }
            starts[n] = stage.convert(starts[n], form.dtype, small_step.read_dtype(n), count, isa);
        }
    }
    // SAFETY: every input has its elements there, dense and as they are read; passed on from the caller for the rest.
    unsafe { body(results(small_step, 0, count), &starts[..small_step.inputs]) };
}

/// Brings the elements of an input together, one by one.
///
/// # Safety
///
/// The input has a small step's elements, of the type's width, and `to` has room for them.
#[inline(always)]
unsafe fn collect<T: Copy>(to: *mut u8, from: *const u8, form: &SmallStepInput, small_step: &SmallStep) {
    let (mut to, from) = (to.cast::<T>(), from.cast::<T>());
    for row in 0..small_step.rows {
        let mut next = from.wrapping_offset(row as isize * form.row);
        for _ in 0..small_step.columns {
            // SAFETY: passed on from the caller.
            unsafe { to.write(next.read()) };
            (to, next) = (to.wrapping_add(1), next.wrapping_offset(form.column));
        }
    }
}

/// Whether that many rows of an input lie one beside another, and so do their elements.
#[inline(always)]
fn is_dense(form: &SmallStepInput, columns: usize, rows: usize) -> bool {
    form.column == 1 && (rows == 1 || form.row == columns as isize)
}

/// Executes a small step piece by piece.
///
/// # Safety
///
/// As for [`run`], with its loop.
#[inline(never)]
unsafe fn run_in_pieces(small_step: &SmallStep, body: Loop, isa: Isa) {
    let mut stages = [const { Stage::<{ PIECE * WIDEST / LINE }>::NEW }; SMALL_STEP_INPUTS];
    let (rows, columns) = (small_step.rows, small_step.columns);
    let wide = columns.min(PIECE);
    let high = if wide == columns { (PIECE / wide).min(rows) } else { 1 };
    let mut starts = small_step.starts;
    for row in (0..rows).step_by(high) {
        for column in (0..columns).step_by(wide) {
            let (high, wide) = (high.min(rows - row), wide.min(columns - column));
            let is_first = row == 0 && column == 0;
            for n in 0..small_step.inputs.min(SMALL_STEP_INPUTS) {
                let (form, stage) = (&small_step.forms[n], &mut stages[n]);
                // What is the same in every piece is brought together for the first, which is the largest.
                let is_same = form.row == 0 && (form.column == 0 || wide == columns);
                if is_same && !is_first {
                    continue;
                }
                let width = form.dtype.size();
                let offset = row as isize * form.row + column as isize * form.column;
                let from = small_step.starts[n].wrapping_offset(offset * width as isize);
                // SAFETY: the piece lies inside the input, and the stage has room for it.
                unsafe {
                    starts[n] = from;
                    if !is_dense(form, wide, high) {
                        let to = stage.collected.as_mut_ptr().cast::<u8>();
                        let steps = (form.row * width as isize, form.column * width as isize);
                        let from = Block { start: from.cast_mut(), row: steps.0, column: steps.1 };
                        copy_block(isa, width, Block::dense(to, wide, width), from, high, wide);
                        starts[n] = to;
                    }
                    starts[n] = stage.convert(starts[n], form.dtype, small_step.read_dtype(n), high * wide, isa);
                }
            }
            // SAFETY: every input has its elements there, dense and as they are read; passed on from the caller for the
            // rest. A piece is whole rows, or a part of one.
            unsafe { body(results(small_step, row * columns + column, high * wide), &starts[..small_step.inputs]) };
        }
    }
}
