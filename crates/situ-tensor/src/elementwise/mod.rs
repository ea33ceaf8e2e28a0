//! Applying the ops of the table to arrays.

mod clip;
mod command;
mod evaluate;
mod expression;
mod known;
mod promotion;
mod quick;
mod resolve;

use situ_ir::{Op, Program};
use situ_runtime::placement::{self, Placed, Rule};
use situ_runtime::{Command, Elementwise, ProgramRef, Queue};
use situ_types::layout::collapse;
use situ_types::{Casting, DType, Order, Scalar, UsmKind};
use smallvec::SmallVec;

pub use self::clip::{clip, clip_into};
use self::command::{arrays, is_flat, result_layout, submit_shaped, with_command};
pub(crate) use self::command::{common_shape, submit};
pub use self::evaluate::evaluate;
pub use self::expression::{Expression, Term, TermKind, TermOperand};
use self::known::{Known, known};
pub use self::promotion::{OperandType, common_dtype, compute_dtype};
pub use self::quick::FILLED_AT_ONCE;
use self::resolve::{input_dtypes, resolve, resolve_converted};
use crate::programs::{conversion, selection, single_op, uniform_op};
use crate::submit::{
    Submission, apart_or_same, is_apart_or_same, refuse_other_dtype, refuse_other_shape, refuse_unwritable,
};
use crate::{Error, Result, Tensor, Weak};

/// An operand of an elementwise function.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// An array.
    Array(&'a Tensor),
    /// A number that takes the arrays' dtype.
    Weak(Weak),
}

/// What operands are called in messages.
const NAMES: [&str; 3] = ["x1", "x2", "x3"];

/// Applies an op, allocating the result: what the methods of arrays do, for an op that is known only at run time.
#[inline]
pub fn apply<const ARITY: usize>(op: Op, args: &[Arg<'_>; ARITY], order: Order) -> Result<Tensor> {
    match quick::apply(op, args, order)? {
        Some(result) => Ok(result),
        None => apply_any(op, args, order),
    }
}

/// The same for any operands.
#[inline(never)]
fn apply_any<const ARITY: usize>(op: Op, args: &[Arg<'_>; ARITY], order: Order) -> Result<Tensor> {
    let (queue, kind) = place(op.name(), args)?;
    match known(op, args) {
        Some(Known::Apply(op, x)) => return apply(op, &[Arg::Array(x)], order),
        Some(Known::Constant(value, x)) => return full(op.name(), x, value, order, queue, kind),
        None => {}
    }
    allocate_and_run(op.name(), resolve(op, args, queue)?, args, order, queue, kind)
}

/// Applies an op, writing into an existing array, which may be one of the operands.
#[inline]
pub fn apply_into<const ARITY: usize>(op: Op, args: &[Arg<'_>; ARITY], out: &Tensor) -> Result<()> {
    let (queue, _) = place(op.name(), args)?;
    check_output(op.name(), queue, out)?;
    if let Some(known) = known(op, args) {
        return run_known(op.name(), known, out);
    }
    run_into(op.name(), resolve(op, args, queue)?, args, out)
}

/// Applies an op to an array and another operand, in the array's own memory: the result is converted to its dtype where
/// that is of the same kind or a greater one, and if there is no such result, as for int8 and uint64, the operand is.
pub fn apply_in_place(op: Op, target: &Tensor, other: Arg<'_>) -> Result<()> {
    let args = [Arg::Array(target), other];
    let (queue, _) = place(op.name(), &args)?;
    check_output(op.name(), queue, target)?;
    if let Some(known) = known(op, &args) {
        return run_known(op.name(), known, target);
    }
    let own = target.dtype();
    let program = match resolve(op, &args, queue) {
        Ok(program) if program.result() == own => program,
        Ok(program) if Casting::SameKind.allows(program.result(), own) => resolve_converted(op, &args, queue, own)?,
        // Integers that no integer dtype holds together: the array's own dtype has been chosen already.
        unfit => match other {
            Arg::Array(x) if Casting::SameKind.allows(x.dtype(), own) && op.rule().computes_in(own) => {
                single_op(op, &[own, x.dtype()], own)?
            }
            _ => unfit?,
        },
    };
    run_into(op.name(), program, &args, target)
}

/// Takes elements of `yes` where `condition` differs from zero, else of `no`, into a new array.
///
/// [`Tensor::choose`] is the same as a method.
pub fn select(condition: &Tensor, yes: Arg<'_>, no: Arg<'_>, order: Order) -> Result<Tensor> {
    if let Some(result) = quick::select(condition, [yes, no], order)? {
        return Ok(result);
    }
    let args = [Arg::Array(condition), yes, no];
    let (queue, kind) = place(SELECT, &args)?;
    allocate_and_run(SELECT, resolve_select(&args, queue)?, &args, order, queue, kind)
}

impl Tensor {
    /// Elements of `yes` where this array differs from zero, else of `no`.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// let x = Tensor::arange(5)?;
    /// assert_eq!(x.less(3)?.choose(&x, -1)?.to_string(), "[ 0  1  2 -1 -1]");
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn choose<'a>(&self, yes: impl Into<Arg<'a>>, no: impl Into<Arg<'a>>) -> Result<Tensor> {
        select(self, yes.into(), no.into(), Order::K)
    }
}

/// Like [`select`], into an existing array.
pub fn select_into(condition: &Tensor, yes: Arg<'_>, no: Arg<'_>, out: &Tensor) -> Result<()> {
    let args = [Arg::Array(condition), yes, no];
    let (queue, _) = place(SELECT, &args)?;
    check_output(SELECT, queue, out)?;
    run_into(SELECT, resolve_select(&args, queue)?, &args, out)
}

/// What [`select`] is called in messages.
const SELECT: &str = "where";

fn resolve_select(args: &[Arg<'_>; 3], queue: &Queue) -> Result<&'static Program> {
    let compute = resolve::common_dtype(&args[1..], queue.device().float_support());
    let dtypes = input_dtypes(&args[1..], compute)?;
    let Arg::Array(condition) = args[0] else { return Err(Error::Value("where: the condition is no array".into())) };
    selection([condition.dtype(), dtypes[0], dtypes[1]], compute)
}

/// A copy of an array, converted to a dtype, in memory of a kind that the queue reaches.
pub(crate) fn convert(x: &Tensor, dtype: DType, order: Order, kind: UsmKind, queue: &Queue) -> Result<Tensor> {
    const NAME: &str = "astype";
    if !queue.device().float_support().supports(dtype) {
        let device = queue.device().label();
        return Err(Error::Unsupported { operation: NAME.into(), dtype, device });
    }
    if let Some(converted) = quick::convert(x, dtype, order, kind, queue)? {
        return Ok(converted);
    }
    allocate_and_run(NAME, conversion(x.dtype(), dtype), &[Arg::Array(x)], order, queue, kind)
}

/// Runs a program over operands into a new array.
#[inline(always)]
fn allocate_and_run<'a>(
    name: &'static str,
    program: &'static Program,
    args: &(impl AsRef<[Arg<'a>]> + ?Sized),
    order: Order,
    queue: &Queue,
    kind: UsmKind,
) -> Result<Tensor> {
    let (layout, flat) = result_layout(name, args.as_ref(), order)?;
    let dtype = program.result();
    let mut work = Submission::on(queue);
    let new = work.allocate(name, layout.clone(), dtype, kind)?;
    let address = new.address();
    with_command(program, args.as_ref(), flat, address, &layout, &mut work, |work, command| work.produce(command, new))
}

/// A new array that looks like the result of an op over `x`, with one value throughout. Its elements are no wider.
///
/// Nothing of `x` is read, but it counts as read: where its contents are lost, so is every result.
fn full(name: &str, x: &Tensor, value: Scalar, order: Order, queue: &Queue, kind: UsmKind) -> Result<Tensor> {
    let (layout, _) = result_layout(name, &[Arg::Array(x)], order)?;
    let (width, count) = (value.dtype().size(), layout.size());
    let mut work = Submission::on(queue);
    work.follow(x)?;
    let new = work.allocate(name, layout, value.dtype(), kind)?;
    let command = Command::Fill { dst: new.address(), pattern: value.to_bytes(), width, count };
    work.produce(&command, new)
}

/// Writes what is known of an op into an existing array.
#[inline(never)]
fn run_known(name: &'static str, known: Known<'_>, out: &Tensor) -> Result<()> {
    let (value, x) = match known {
        Known::Apply(op, x) => return run_into(name, uniform_op(op, 1, x.dtype())?, &[Arg::Array(x)], out),
        Known::Constant(value, x) => (value, x),
    };
    refuse_other_dtype(name, value.dtype(), out)?;
    refuse_other_shape(name, x.shape(), out)?;
    let mut work = Submission::on(out.queue());
    work.follow(x)?;
    let (address, layout) = (work.write(out)?, out.layout());
    let (width, count) = (out.dtype().size(), out.size());
    if layout.is_c_contiguous() || layout.is_f_contiguous() {
        return work.run(&Command::Fill { dst: address, pattern: value.to_bytes(), width, count });
    }
    let (shape, steps) = collapse(out.shape(), &[layout.strides()]);
    let mut command = Elementwise::new(ProgramRef::Static(conversion(out.dtype(), out.dtype())), shape);
    command.push_immediate(value.to_bytes());
    steps.first().into_iter().for_each(|steps| command.push_memory(address, steps));
    work.run(&Command::Elementwise(command))
}

/// Whether an array may be written to from this queue.
fn check_output(name: &'static str, queue: &Queue, out: &Tensor) -> Result<()> {
    let placed = [("x1", queue), ("out", out.queue())].map(|(name, queue)| Placed { name, queue, kind: out.kind() });
    placement::resolve(name, placed.into_iter(), Rule::SameQueue)?;
    refuse_unwritable(name, out)
}

/// Runs a program over operands into an existing array.
#[inline(always)]
fn run_into<'a>(
    name: &'static str,
    program: &'static Program,
    args: &(impl AsRef<[Arg<'a>]> + ?Sized),
    out: &Tensor,
) -> Result<()> {
    let result = program.result();
    refuse_other_dtype(name, result, out)?;
    let mut direct = is_flat(args.as_ref(), out.layout());
    for tensor in arrays(args.as_ref()) {
        direct = direct && is_apart_or_same(tensor, out)?;
    }
    if direct {
        return submit_shaped(program, args, true, out);
    }
    run_into_any(name, program, args.as_ref(), out)
}

/// The same for any layouts and overlaps.
#[inline(never)]
fn run_into_any(name: &'static str, program: &'static Program, args: &[Arg<'_>], out: &Tensor) -> Result<()> {
    refuse_other_shape(name, &common_shape(name, args)?, out)?;
    let copy = |arg: &Arg<'_>| match arg {
        Arg::Array(tensor) => apart_or_same(tensor, out),
        Arg::Weak(_) => Ok(None),
    };
    let copies = args.iter().map(copy).collect::<Result<SmallVec<[_; 3]>>>()?;
    let safe = args.iter().zip(&copies).map(|(arg, copy)| copy.as_ref().map_or(*arg, Arg::Array));
    submit(program, &safe.collect::<SmallVec<[Arg<'_>; 3]>>(), out)
}

#[inline(always)]
fn place<'a>(name: &'static str, args: &[Arg<'a>]) -> Result<(&'a Queue, UsmKind)> {
    let names = if args.len() == 1 { &["x"][..] } else { &NAMES[..] };
    let names = names.iter().copied().chain(std::iter::repeat("a later operand"));
    let placed = args.iter().zip(names).filter_map(|(arg, name)| match arg {
        Arg::Array(t) => Some(Placed { name, queue: t.queue(), kind: t.kind() }),
        Arg::Weak(_) => None,
    });
    Ok(placement::resolve(name, placed, Rule::SameQueue)?)
}
