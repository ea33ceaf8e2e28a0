//! From operands to the command a queue runs: shapes, layouts, overlap.

use situ_ir::Program;
use situ_runtime::{Address, Command, Counted, Elementwise, LINE_OPERANDS, Operand, ProgramRef};
use situ_types::layout::{broadcast_shapes, collapse};
use situ_types::{Dims, Layout, Order};
use smallvec::SmallVec;

use super::Arg;
use crate::shared_layout::{line_layout, shared};
use crate::submit::Submission;
use crate::{Error, Result, Tensor};

/// The shape all arrays stretch to.
pub(crate) fn common_shape(name: &str, args: &[Arg<'_>]) -> Result<Dims> {
    let mut shape: Option<Dims> = None;
    for arg in args {
        if let Arg::Array(tensor) = arg {
            shape = Some(match shape {
                None => Dims::from_slice(tensor.shape()),
                Some(shape) => broadcast_shapes(&shape, tensor.shape()).map_err(Error::layout(name))?,
            });
        }
    }
    Ok(shape.unwrap_or_default())
}

/// The layout of a fresh result, and whether every operand [is flat](is_flat) beside it. With [`Order::K`] it is that
/// of the arrays with the result's shape, if they agree.
#[inline(always)]
pub(super) fn result_layout(name: &str, args: &[Arg<'_>], order: Order) -> Result<(Counted<Layout>, bool)> {
    match arrays(args).next() {
        // The usual case: the result looks just like the first operand.
        Some(first) if is_plain(first.layout(), order) && is_flat(args, first.layout()) => {
            Ok((first.shared_layout().clone(), true))
        }
        _ => {
            let layout = match common_length(args) {
                // One axis has one order.
                Some(count) => line_layout(count).map_err(Error::layout(name))?,
                None => arranged_layout(name, args, order)?,
            };
            let flat = is_flat(args, &layout);
            Ok((layout, flat))
        }
    }
}

/// The arrays among operands.
#[inline(always)]
pub(super) fn arrays<'a>(args: &[Arg<'a>]) -> impl Iterator<Item = &'a Tensor> + Clone {
    args.iter().filter_map(|arg| match arg {
        Arg::Array(tensor) => Some(*tensor),
        Arg::Weak(_) => None,
    })
}

/// Whether a layout is what a fresh array of its shape gets where all operands are like it.
#[inline(always)]
fn is_plain(layout: &Layout, order: Order) -> bool {
    let is_dense = match order {
        Order::C => layout.is_c_contiguous(),
        Order::F => layout.is_f_contiguous(),
        Order::A | Order::K => true,
    };
    is_dense && layout.is_fresh()
}

/// Whether every array has this layout's shape, and their elements and the layout's lie densely in one order, so that
/// they can be taken for one axis.
#[inline(always)]
pub(super) fn is_flat(args: &[Arg<'_>], out: &Layout) -> bool {
    let is_alike = |layout: &Layout| {
        let in_order = if out.is_c_contiguous() { layout.is_c_contiguous() } else { layout.is_f_contiguous() };
        std::ptr::eq(layout, out) || in_order && layout.has_shape_of(out)
    };
    let mut flat = out.is_c_contiguous() || out.is_f_contiguous();
    for arg in args {
        if let Arg::Array(tensor) = arg {
            flat = flat && is_alike(tensor.layout());
        }
    }
    flat
}

/// Whether the arrays and this layout have one axis of one length.
#[inline(always)]
fn is_line(args: &[Arg<'_>], out: &Layout) -> bool {
    out.ndim() == 1 && arrays(args).all(|tensor| tensor.layout().has_shape_of(out))
}

/// The length of the arrays, if all of them have one axis and the same length.
#[inline(always)]
fn common_length(args: &[Arg<'_>]) -> Option<usize> {
    let mut arrays = arrays(args);
    match *arrays.next()?.shape() {
        [count] if arrays.all(|tensor| *tensor.shape() == [count]) => Some(count),
        _ => None,
    }
}

#[inline(never)]
fn arranged_layout(name: &str, args: &[Arg<'_>], order: Order) -> Result<Counted<Layout>> {
    let arrays = || arrays(args);
    let shape = common_shape(name, args)?;
    let dense = |order| Layout::dense(&shape, order).map_err(Error::layout(name));
    let whole = || arrays().filter(|tensor| *tensor.shape() == shape[..]);
    let is_fresh = |tensor: &&Tensor| tensor.layout().is_fresh() && tensor.layout().is_c_contiguous();
    if order == Order::K
        && let Some(tensor) = whole().find(is_fresh)
    {
        // Whether the others agree or not, C order is what comes out.
        return Ok(tensor.shared_layout().clone());
    }
    let mut alike = whole().map(|tensor| tensor.layout().like(Order::K));
    Ok(shared(match order {
        Order::C => dense(Order::C)?,
        Order::F => dense(Order::F)?,
        Order::A => {
            let all_f = arrays().all(|tensor| tensor.layout().is_f_contiguous());
            let all_c = arrays().all(|tensor| tensor.layout().is_c_contiguous());
            dense(if all_f && !all_c { Order::F } else { Order::C })?
        }
        Order::K => match alike.next() {
            Some(layout) if alike.all(|other| other == layout) => layout,
            _ => dense(Order::C)?,
        },
    }))
}

/// Submits a program over operands that are broadcast to the output's shape. The output overlaps no operand, or
/// coincides with it.
pub(crate) fn submit(program: &'static Program, args: &[Arg<'_>], out: &Tensor) -> Result<()> {
    submit_shaped(program, args, is_flat(args, out.layout()), out)
}

/// The same where it is known whether every operand [is flat](is_flat).
#[inline(always)]
pub(super) fn submit_shaped<'a>(
    program: &'static Program,
    args: &(impl AsRef<[Arg<'a>]> + ?Sized),
    flat: bool,
    out: &Tensor,
) -> Result<()> {
    let mut work = Submission::on(out.queue());
    let address = work.write(out)?;
    with_command(program, args.as_ref(), flat, address, out.layout(), &mut work, |work, command| work.run(command))
}

/// Calls `submit` with the command that runs a program over operands, which are registered and broadcast to the shape of
/// the output, which is at this address. (Commands are large, and this way they stay where they are made.)
#[inline(always)]
pub(super) fn with_command<'a, R>(
    program: &'static Program,
    args: &[Arg<'a>],
    flat: bool,
    address: Address,
    out: &Layout,
    work: &mut Submission<'a>,
    submit: impl FnOnce(&Submission<'a>, &Command) -> Result<R>,
) -> Result<R> {
    let (line, any);
    let is_given = program.constants().len() == 0;
    let command = if args.len() < LINE_OPERANDS && is_given && (flat || is_line(args, out)) {
        // What is not an input is the output.
        let mut operands = [Operand::Memory(address); LINE_OPERANDS];
        let step_of = |layout: &Layout| if flat { 1 } else { layout.strides()[0] };
        let mut steps = [step_of(out); LINE_OPERANDS];
        for (n, arg) in args.iter().enumerate() {
            (operands[n], steps[n]) = match arg {
                Arg::Array(tensor) => (Operand::Memory(work.read(tensor)?), step_of(tensor.layout())),
                Arg::Weak(weak) => (Operand::Immediate(weak.to_scalar(program.operand_dtype(n))?.to_bytes()), 0),
            };
        }
        let (program, used) = (ProgramRef::Static(program), args.len() + 1);
        line = Command::Elementwise(Elementwise::line(program, out.size(), operands, steps, used));
        &line
    } else {
        any = Command::Elementwise(strided_command(ProgramRef::Static(program), args, address, out, work)?);
        &any
    };
    submit(work, command)
}

/// The command for any layouts, with as few axes as possible, whose operands are registered.
#[inline(never)]
pub(super) fn strided_command<'a>(
    program: ProgramRef,
    args: &[Arg<'a>],
    address: Address,
    out: &Layout,
    work: &mut Submission<'a>,
) -> Result<Elementwise> {
    let mut stretched: SmallVec<[Option<Layout>; 4]> = SmallVec::new();
    for tensor in arrays(args) {
        let stretch = || tensor.layout().broadcast_to(out.shape()).map_err(Error::layout("broadcast"));
        stretched.push(if tensor.shape() == out.shape() { None } else { Some(stretch()?) });
    }
    let own = arrays(args).map(Tensor::layout);
    let layouts = stretched.iter().zip(own).map(|(stretched, own)| stretched.as_ref().unwrap_or(own));
    let strides: SmallVec<[&[isize]; 4]> = layouts.chain([out]).map(Layout::strides).collect();
    let (shape, collapsed) = collapse(out.shape(), &strides);
    let mut command = Elementwise::new(program, shape);
    let mut steps = collapsed.iter();
    let mut next = || steps.next().map_or(&[][..], |steps| &steps[..]);
    for (n, arg) in args.iter().enumerate() {
        match arg {
            Arg::Array(tensor) => command.push_memory(work.read(tensor)?, next()),
            Arg::Weak(weak) => {
                let value = weak.to_scalar(command.program.operand_dtype(n))?;
                command.push_immediate(value.to_bytes());
            }
        }
    }
    command.push_constants();
    command.push_memory(address, next());
    Ok(command)
}
