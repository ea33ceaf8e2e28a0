//! The short way of an op over few elements: arrays of one dtype on one queue, and numbers that take that dtype.
//!
//! A call on a small array is mostly preparation. Here nothing is prepared that the usual case does not need: no
//! program, no command, no events. What is not the usual case is left to the general way, which gives the same result.

use std::ptr;

use situ_ir::{Op, StepKind};
use situ_runtime::{Buffer, Counted, Queue, SHEET_INPUTS, Sheet, SheetForm};
use situ_types::{DType, Layout, Order, UsmKind};

use super::Arg;
use super::resolve::{is_comparison, known_power};
use crate::shared_layout::{SHORT, kept_line};
use crate::{Result, Tensor};

/// Applies an op to few elements, in memory of a new array; `None` where the general way has to be taken.
#[inline(always)]
pub(super) fn apply<const ARITY: usize>(op: Op, args: &[Arg<'_>; ARITY], order: Order) -> Result<Option<Tensor>> {
    let Some((first, also)) = arrays(args) else { return Ok(None) };
    let dtype = first.dtype();
    if op.arity() != ARITY || also.is_some_and(|also| also.dtype() != dtype || also.queue() != first.queue()) {
        return Ok(None);
    }
    let (reads, writes) = match op.result(dtype) {
        Some(writes) => (dtype, writes),
        None => match lifted(op, dtype, first.queue()) {
            Some(lifted) => lifted,
            None => return Ok(None),
        },
    };
    let Some(frame) = Frame::of(first, also, order) else { return Ok(None) };
    let mut numbers = [Number([0; 16]); ARITY];
    let mut sheet = frame.sheet(StepKind::Apply(op), reads, writes, ARITY);
    sheet.is_dense &= dtype == reads;
    for (n, arg) in args.iter().enumerate() {
        match arg {
            Arg::Array(tensor) => {
                sheet.starts[n] = tensor.address().0.cast_const();
                if !frame.is_flat {
                    let Some((row, column)) = frame.steps(tensor.layout()) else { return Ok(None) };
                    sheet.forms[n] = SheetForm { dtype, row, column };
                } else {
                    sheet.forms[n].dtype = dtype;
                }
            }
            Arg::Weak(weak) => {
                if weak.kind() > dtype.kind() || op == Op::Pow && known_power(args)?.is_some() {
                    return Ok(None);
                }
                numbers[n] = match weak.to_scalar(reads) {
                    Ok(number) => Number(number.to_bytes()),
                    // Integers outside the dtype can be compared with.
                    Err(_) if is_comparison(op) => return Ok(None),
                    Err(error) => return Err(error),
                };
                sheet.starts[n] = numbers[n].0.as_ptr();
                sheet.forms[n] = SheetForm { dtype: reads, row: 0, column: 0 };
                sheet.is_dense &= frame.count == 1;
            }
        }
    }
    let kind = also.map_or(first.kind(), |also| first.kind().coerce(also.kind()));
    // SAFETY: an array's layout lies inside its buffer (`Tensor` invariant) and the sheet visits only elements of it,
    // and numbers are where `numbers` has them. The op computes in the dtype that is read.
    Ok(unsafe { frame.filled(&mut sheet, first.queue(), kind, first.buffer(), also.map(Tensor::buffer)) })
}

/// Converts few elements, in memory of a kind; `None` where the general way has to be taken.
#[inline]
pub(super) fn convert(x: &Tensor, dtype: DType, order: Order, kind: UsmKind, queue: &Queue) -> Option<Tensor> {
    if x.dtype() == dtype || x.queue() != queue {
        return None;
    }
    let frame = Frame::of(x, None, order)?;
    let mut sheet = frame.sheet(StepKind::Cast, x.dtype(), dtype, 1);
    sheet.starts[0] = x.address().0.cast_const();
    if !frame.is_flat {
        let (row, column) = frame.steps(x.layout())?;
        sheet.forms[0] = SheetForm { dtype: x.dtype(), row, column };
    }
    // SAFETY: as in `apply`; every dtype can be converted to every other one.
    unsafe { frame.filled(&mut sheet, queue, kind, x.buffer(), None) }
}

/// The dtype an op computes in over operands of a dtype that it does not compute in, and that of the result.
#[inline(never)]
fn lifted(op: Op, dtype: DType, queue: &Queue) -> Option<(DType, DType)> {
    let rule = op.rule();
    let reads = rule.compute_dtype(dtype, queue.device().float_support())?;
    Some((reads, rule.out.apply(reads)))
}

/// The arrays among one or two operands.
#[inline(always)]
fn arrays<'a, const ARITY: usize>(args: &[Arg<'a>; ARITY]) -> Option<(&'a Tensor, Option<&'a Tensor>)> {
    match &args[..] {
        [Arg::Array(a)] | [Arg::Array(a), Arg::Weak(_)] | [Arg::Weak(_), Arg::Array(a)] => Some((a, None)),
        [Arg::Array(a), Arg::Array(b)] => Some((a, Some(b))),
        _ => None,
    }
}

/// The bytes of a number, aligned for every dtype.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Number([u8; 16]);

/// What the result looks like.
struct Frame {
    layout: Counted<Layout>,
    rows: usize,
    columns: usize,
    count: usize,
    /// Whether every array's elements lie as the result's do.
    is_flat: bool,
}

impl Frame {
    /// The frame of a result in the operands' own order; `None` where that is not obvious.
    #[inline(always)]
    fn of(first: &Tensor, also: Option<&Tensor>, order: Order) -> Option<Frame> {
        let layout = first.layout();
        if order != Order::K || !first.queue().runs_at_once() {
            return None;
        }
        let is_like = |other: &Layout| {
            let in_order = || if layout.is_c_contiguous() { other.is_c_contiguous() } else { other.is_f_contiguous() };
            ptr::eq(layout, other) || in_order() && other.has_shape_of(layout)
        };
        if layout.is_fresh() && also.is_none_or(|also| is_like(also.layout())) {
            let count = layout.size();
            let shared = first.shared_layout().clone();
            return (count <= SHORT).then_some(Frame { layout: shared, rows: 1, columns: count, count, is_flat: true });
        }
        Frame::of_sheet(first, also)
    }

    /// The same for one axis, or for two if an operand lies as the result does.
    #[inline(always)]
    fn of_sheet(first: &Tensor, also: Option<&Tensor>) -> Option<Frame> {
        let is_model = |tensor: &&Tensor| {
            let layout = tensor.layout();
            layout.ndim() == 2 && layout.is_c_contiguous() && layout.is_fresh()
        };
        // An operand that is stretched is left to `steps`, which refuses one that does not fit.
        let longer = also.filter(|also| also.size() > first.size()).unwrap_or(first);
        match *longer.shape() {
            [count] if count <= SHORT && count > 0 => {
                Some(Frame { layout: kept_line(count)?, rows: 1, columns: count, count, is_flat: false })
            }
            [] if longer.layout().offset() == 0 => {
                let layout = longer.shared_layout().clone();
                Some(Frame { layout, rows: 1, columns: 1, count: 1, is_flat: false })
            }
            [rows, columns] if longer.size() <= SHORT => {
                let model = Some(first).filter(is_model).or(also.filter(is_model))?;
                let layout = model.shared_layout().clone();
                let is_whole = *model.shape() == [rows, columns];
                is_whole.then_some(Frame { layout, rows, columns, count: rows * columns, is_flat: false })
            }
            _ => None,
        }
    }

    /// The element steps of an operand from row to row and from column to column, if it can be stretched to the frame.
    #[inline(always)]
    fn steps(&self, layout: &Layout) -> Option<(isize, isize)> {
        let step = |length: usize, step: isize, wanted: usize| match length {
            _ if length == wanted => Some(step),
            1 => Some(0),
            _ => None,
        };
        match (layout.shape(), layout.strides()) {
            (&[columns], &[column]) if self.layout.ndim() > 0 => Some((0, step(columns, column, self.columns)?)),
            (&[rows, columns], &[row, column]) if self.layout.ndim() == 2 => {
                Some((step(rows, row, self.rows)?, step(columns, column, self.columns)?))
            }
            ([], []) => Some((0, 0)),
            _ => None,
        }
    }

    /// A sheet of this frame, whose inputs are yet to be set.
    #[inline(always)]
    fn sheet(&self, kind: StepKind, reads: DType, writes: DType, inputs: usize) -> Sheet {
        let form = SheetForm { dtype: reads, row: 0, column: 1 };
        Sheet {
            kind,
            reads,
            writes,
            rows: self.rows,
            columns: self.columns,
            inputs,
            starts: [ptr::null(); SHEET_INPUTS],
            forms: [form; SHEET_INPUTS],
            is_dense: self.is_flat,
            out: situ_runtime::Address(ptr::null_mut()),
        }
    }

    /// An array of what a sheet computes, if it can be had at once.
    ///
    /// # Safety
    ///
    /// The sheet is of this frame, its inputs lie in these buffers or in nobody's memory, and its step is for its
    /// dtypes.
    #[inline(always)]
    unsafe fn filled(
        self,
        sheet: &mut Sheet,
        queue: &Queue,
        kind: UsmKind,
        read: &Buffer,
        also: Option<&Buffer>,
    ) -> Option<Tensor> {
        let (dtype, bytes) = (sheet.writes, self.count * sheet.writes.size());
        // SAFETY: the caller's promise; the frame has so many elements, all operands are in the queue's context.
        let buffer = unsafe { Buffer::filled_at_once(queue, kind, bytes, (read, also), sheet) };
        buffer.map(|buffer| Tensor::with_shared_layout(buffer, dtype, self.layout))
    }
}
