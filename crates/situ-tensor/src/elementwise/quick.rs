//! The short way of an op, a choice or a conversion over few elements: arrays of one dtype on one queue, and numbers
//! that take that dtype.
//!
//! A call on a small array is mostly preparation. Here nothing is prepared that the usual case does not need: no
//! program, no command, no events. What is not the usual case is left to the general way, which gives the same result.

use std::ptr;

use situ_ir::{Op, StepKind};
use situ_runtime::{Buffer, Counted, Queue, SMALL_STEP_INPUTS, SmallStep, SmallStepInput};
use situ_types::{DType, Layout, Order, UsmKind};

use super::Arg;
use super::resolve::{is_comparison, known_power};
use crate::shared_layout::{SHORT, kept_line};
use crate::{Result, Tensor};

/// The most results of an op that need no looking at its operand ([`Op::foregone`]) and are written before the call
/// returns: so many take a few microseconds.
pub const FILLED_AT_ONCE: usize = 1 << 17;

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
    let limit = if op.foregone(dtype).is_some() { FILLED_AT_ONCE } else { SHORT };
    let Some(frame) = Frame::of(first, [also, None], order, limit) else { return Ok(None) };
    let mut numbers = [Number([0; 16]); ARITY];
    let mut small_step = frame.small_step(StepKind::Apply(op), reads, writes, ARITY);
    small_step.is_dense &= dtype == reads;
    for (n, arg) in args.iter().enumerate() {
        match arg {
            Arg::Array(tensor) => {
                if !frame.place(tensor, &mut small_step, n) {
                    return Ok(None);
                }
            }
            Arg::Weak(weak) => {
                if weak.kind() > dtype.kind() || op == Op::Pow && known_power(args).is_some() {
                    return Ok(None);
                }
                numbers[n] = match weak.to_scalar(reads) {
                    Ok(number) => Number(number.to_bytes()),
                    // Integers outside the dtype can be compared with.
                    Err(_) if is_comparison(op) => return Ok(None),
                    Err(error) => return Err(error),
                };
                frame.place_number(&numbers[n], &mut small_step, n);
            }
        }
    }
    let kind = also.map_or(first.kind(), |also| first.kind().coerce(also.kind()));
    // SAFETY: an array's layout lies inside its buffer (`Tensor` invariant) and the small step visits only elements of it,
    // and numbers are where `numbers` has them. The op computes in the dtype that is read.
    Ok(unsafe { frame.filled(&mut small_step, first.queue(), kind, first, [also, None]) })
}

/// Chooses few elements, in memory of a new array; `None` where the general way has to be taken.
#[inline]
pub(super) fn select(condition: &Tensor, choices: [Arg<'_>; 2], order: Order) -> Result<Option<Tensor>> {
    let others = choices.map(|arg| match arg {
        Arg::Array(tensor) => Some(tensor),
        Arg::Weak(_) => None,
    });
    let queue = condition.queue();
    let [Some(model), also] = (if others[0].is_some() { others } else { [others[1], None] }) else { return Ok(None) };
    let dtype = model.dtype();
    if model.queue() != queue || also.is_some_and(|also| also.dtype() != dtype || also.queue() != queue) {
        return Ok(None);
    }
    let Some(frame) = Frame::of(condition, others, order, SHORT) else { return Ok(None) };
    let mut numbers = [Number([0; 16]); 2];
    let mut small_step = frame.small_step(StepKind::Select, dtype, dtype, 3);
    small_step.is_dense &= condition.dtype() == DType::Bool;
    if !frame.place(condition, &mut small_step, 0) {
        return Ok(None);
    }
    for (n, arg) in choices.iter().enumerate() {
        match arg {
            Arg::Array(tensor) => {
                if !frame.place(tensor, &mut small_step, n + 1) {
                    return Ok(None);
                }
            }
            Arg::Weak(weak) => {
                if weak.kind() > dtype.kind() {
                    return Ok(None);
                }
                numbers[n] = Number(weak.to_scalar(dtype)?.to_bytes());
                frame.place_number(&numbers[n], &mut small_step, n + 1);
            }
        }
    }
    let kind = others.into_iter().flatten().fold(condition.kind(), |kind, other| kind.coerce(other.kind()));
    // SAFETY: as in `apply`; any dtype can be chosen from, and the condition is read as truth values.
    Ok(unsafe { frame.filled(&mut small_step, queue, kind, condition, others) })
}

/// Converts few elements, in memory of a kind; `None` where the general way has to be taken.
#[inline]
pub(super) fn convert(x: &Tensor, dtype: DType, order: Order, kind: UsmKind, queue: &Queue) -> Option<Tensor> {
    if x.dtype() == dtype || x.queue() != queue {
        return None;
    }
    let frame = Frame::of(x, [None; 2], order, SHORT)?;
    let mut small_step = frame.small_step(StepKind::Cast, x.dtype(), dtype, 1);
    if !frame.place(x, &mut small_step, 0) {
        return None;
    }
    // SAFETY: as in `apply`; every dtype can be converted to every other one.
    unsafe { frame.filled(&mut small_step, queue, kind, x, [None; 2]) }
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
    /// The frame of a result in the operands' own order; `None` where that is not obvious, or where it has more than
    /// `limit` elements.
    #[inline(always)]
    fn of(first: &Tensor, others: [Option<&Tensor>; 2], order: Order, limit: usize) -> Option<Frame> {
        let layout = first.layout();
        if order != Order::K || !first.queue().runs_at_once() {
            return None;
        }
        let is_like = |other: &Layout| {
            let in_order = || if layout.is_c_contiguous() { other.is_c_contiguous() } else { other.is_f_contiguous() };
            ptr::eq(layout, other) || in_order() && other.has_shape_of(layout)
        };
        if layout.is_fresh() && others.iter().flatten().all(|other| is_like(other.layout())) {
            let count = layout.size();
            let layout = || first.shared_layout().clone();
            return (count <= limit).then(|| Frame { layout: layout(), rows: 1, columns: count, count, is_flat: true });
        }
        Frame::of_small_step(first, others)
    }

    /// The same for one axis, or for two if an operand lies as the result does.
    #[inline(always)]
    fn of_small_step(first: &Tensor, others: [Option<&Tensor>; 2]) -> Option<Frame> {
        let is_model = |tensor: &&Tensor| {
            let layout = tensor.layout();
            layout.ndim() == 2 && layout.is_c_contiguous() && layout.is_fresh()
        };
        // An operand that is stretched is left to `steps`, which refuses one that does not fit.
        let mut longest = first;
        for other in others.into_iter().flatten() {
            longest = if other.size() > longest.size() { other } else { longest };
        }
        match *longest.shape() {
            [count] if count <= SHORT && count > 0 => {
                Some(Frame { layout: kept_line(count)?, rows: 1, columns: count, count, is_flat: false })
            }
            [] if longest.layout().offset() == 0 => {
                let layout = longest.shared_layout().clone();
                Some(Frame { layout, rows: 1, columns: 1, count: 1, is_flat: false })
            }
            [rows, columns] if longest.size() <= SHORT => {
                let mut models = [Some(first), others[0], others[1]].into_iter().flatten().filter(is_model);
                let model = models.find(|model| *model.shape() == [rows, columns])?;
                let layout = model.shared_layout().clone();
                Some(Frame { layout, rows, columns, count: rows * columns, is_flat: false })
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

    /// Makes an array an input of a small step of this frame; whether it can be.
    #[inline(always)]
    fn place(&self, tensor: &Tensor, small_step: &mut SmallStep, input: usize) -> bool {
        small_step.starts[input] = tensor.address().0.cast_const();
        let (row, column) = match self.is_flat {
            true => (0, 1),
            false => match self.steps(tensor.layout()) {
                Some(steps) => steps,
                None => return false,
            },
        };
        small_step.forms[input] = SmallStepInput { dtype: tensor.dtype(), row, column };
        true
    }

    /// Makes a number of the dtype that is read an input of a small step of this frame.
    #[inline(always)]
    fn place_number(&self, number: &Number, small_step: &mut SmallStep, input: usize) {
        small_step.starts[input] = number.0.as_ptr();
        small_step.forms[input] = SmallStepInput { dtype: small_step.reads, row: 0, column: 0 };
        small_step.is_dense &= self.count == 1;
    }

    /// A small step of this frame, whose inputs are yet to be set.
    #[inline(always)]
    fn small_step(&self, kind: StepKind, reads: DType, writes: DType, inputs: usize) -> SmallStep {
        let form = SmallStepInput { dtype: reads, row: 0, column: 1 };
        SmallStep {
            kind,
            reads,
            writes,
            rows: self.rows,
            columns: self.columns,
            inputs,
            starts: [ptr::null(); SMALL_STEP_INPUTS],
            forms: [form; SMALL_STEP_INPUTS],
            is_dense: self.is_flat,
            out: situ_runtime::Address(ptr::null_mut()),
        }
    }

    /// An array of what a small step computes, if it can be had at once.
    ///
    /// # Safety
    ///
    /// The small step is of this frame, its inputs lie in these arrays or in nobody's memory, and its step is for its dtypes.
    #[inline(always)]
    unsafe fn filled(
        self,
        small_step: &mut SmallStep,
        queue: &Queue,
        kind: UsmKind,
        read: &Tensor,
        others: [Option<&Tensor>; 2],
    ) -> Option<Tensor> {
        let (dtype, bytes) = (small_step.writes, self.count * small_step.writes.size());
        let others = others.map(|other| other.map(Tensor::buffer));
        // SAFETY: the caller's promise; the frame has so many elements, all operands are in the queue's context.
        let buffer = unsafe { Buffer::filled_at_once(queue, kind, bytes, read.buffer(), others, small_step) };
        buffer.map(|buffer| Tensor::with_shared_layout(buffer, dtype, self.layout))
    }
}
