//! The short way of an op, a choice or a conversion over few elements: arrays of one dtype on one queue, and numbers
//! that take that dtype.
//!
//! A call on a small array is mostly preparation. Here nothing is prepared that the usual case does not need: no
//! program, no command, no events. What is not the usual case is left to the general way, which gives the same result.

use std::ptr;

use situ_ir::{Op, StepKind};
use situ_runtime::{Counted, Queue};
use situ_types::{DType, Layout, Order, UsmKind};

use super::Arg;
use super::known::known;
use crate::shared_layout::{SHORT, kept_line};
use crate::submit::SmallSubmission;
use crate::{Result, Tensor};

/// The most results of an op that need no looking at its operand ([`Op::known_result`]) and are written before the call
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
    let limit = if op.known_result(dtype).is_some() { FILLED_AT_ONCE } else { SHORT };
    let Some(frame) = Frame::of(first, [also, None], order, limit) else { return Ok(None) };
    let mut work = frame.submission(StepKind::Apply(op), [reads, writes], ARITY);
    for (n, arg) in args.iter().enumerate() {
        match arg {
            Arg::Array(tensor) => {
                let Some(steps) = frame.steps(tensor.layout()) else { return Ok(None) };
                work.read(n, tensor, steps)?;
            }
            Arg::Weak(weak) => {
                if weak.kind() > dtype.kind() || op == Op::Pow && known(op, args).is_some() {
                    return Ok(None);
                }
                match weak.to_scalar(reads) {
                    Ok(number) => work.number(n, number),
                    // Integers outside the dtype can be compared with.
                    Err(_) if op.is_comparison() => return Ok(None),
                    Err(error) => return Err(error),
                }
            }
        }
    }
    // Placement may have something to say about different kinds.
    if also.is_some_and(|also| also.kind() != first.kind()) {
        return Ok(None);
    }
    Ok(work.produce(first.queue(), first.kind(), frame.layout))
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
    let mut work = frame.submission(StepKind::Select, [dtype, dtype], 3);
    let Some(steps) = frame.steps(condition.layout()) else { return Ok(None) };
    work.read(0, condition, steps)?;
    for (n, arg) in choices.iter().enumerate() {
        match arg {
            Arg::Array(tensor) => {
                let Some(steps) = frame.steps(tensor.layout()) else { return Ok(None) };
                work.read(n + 1, tensor, steps)?;
            }
            Arg::Weak(weak) => {
                if weak.kind() > dtype.kind() {
                    return Ok(None);
                }
                work.number(n + 1, weak.to_scalar(dtype)?);
            }
        }
    }
    if others.into_iter().flatten().any(|other| other.kind() != condition.kind()) {
        return Ok(None);
    }
    Ok(work.produce(queue, condition.kind(), frame.layout))
}

/// Converts few elements, in memory of a kind; `None` where the general way has to be taken.
#[inline]
pub(super) fn convert(x: &Tensor, dtype: DType, order: Order, kind: UsmKind, queue: &Queue) -> Result<Option<Tensor>> {
    if x.dtype() == dtype || x.queue() != queue {
        return Ok(None);
    }
    let Some(frame) = Frame::of(x, [None; 2], order, SHORT) else { return Ok(None) };
    let mut work = frame.submission(StepKind::Cast, [x.dtype(), dtype], 1);
    let Some(steps) = frame.steps(x.layout()) else { return Ok(None) };
    work.read(0, x, steps)?;
    Ok(work.produce(queue, kind, frame.layout))
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

/// What the result looks like.
struct Frame {
    layout: Counted<Layout>,
    rows: usize,
    columns: usize,
    /// Whether every array's elements lie as the result's do.
    is_flat: bool,
}

impl Frame {
    /// The frame of a result in the operands' own order; `None` where that is not obvious, or where it has more than
    /// `limit` elements.
    #[inline(always)]
    fn of(first: &Tensor, others: [Option<&Tensor>; 2], order: Order, limit: usize) -> Option<Frame> {
        let layout = first.layout();
        if order != Order::K || !first.queue().runs_inline() {
            return None;
        }
        let is_like = |other: &Layout| {
            let in_order = || if layout.is_c_contiguous() { other.is_c_contiguous() } else { other.is_f_contiguous() };
            ptr::eq(layout, other) || in_order() && other.has_shape_of(layout)
        };
        if layout.is_fresh() && others.iter().flatten().all(|other| is_like(other.layout())) {
            let count = layout.size();
            let layout = || first.shared_layout().clone();
            return (count <= limit).then(|| Frame { layout: layout(), rows: 1, columns: count, is_flat: true });
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
                Some(Frame { layout: kept_line(count)?, rows: 1, columns: count, is_flat: false })
            }
            [] if longest.layout().offset() == 0 => {
                let layout = longest.shared_layout().clone();
                Some(Frame { layout, rows: 1, columns: 1, is_flat: false })
            }
            [rows, columns] if longest.size() <= SHORT => {
                let mut models = [Some(first), others[0], others[1]].into_iter().flatten().filter(is_model);
                let model = models.find(|model| *model.shape() == [rows, columns])?;
                let layout = model.shared_layout().clone();
                Some(Frame { layout, rows, columns, is_flat: false })
            }
            _ => None,
        }
    }

    /// The element steps of an operand from row to row and from column to column, if it can be stretched to the frame.
    #[inline(always)]
    fn steps(&self, layout: &Layout) -> Option<[isize; 2]> {
        if self.is_flat {
            return Some([0, 1]);
        }
        let step = |length: usize, step: isize, wanted: usize| match length {
            _ if length == wanted => Some(step),
            1 => Some(0),
            _ => None,
        };
        match (layout.shape(), layout.strides()) {
            (&[columns], &[column]) if self.layout.ndim() > 0 => Some([0, step(columns, column, self.columns)?]),
            (&[rows, columns], &[row, column]) if self.layout.ndim() == 2 => {
                Some([step(rows, row, self.rows)?, step(columns, column, self.columns)?])
            }
            ([], []) => Some([0, 0]),
            _ => None,
        }
    }

    /// A step over this frame, whose inputs are yet to be set.
    #[inline(always)]
    fn submission<'a>(&self, kind: StepKind, dtypes: [DType; 2], inputs: usize) -> SmallSubmission<'a> {
        SmallSubmission::new(kind, dtypes, [self.rows, self.columns], inputs, self.is_flat)
    }
}
