//! From operands to the command a queue runs: shapes, layouts, overlap.

use std::sync::Arc;

use situ_ir::Program;
use situ_runtime::{Access, Address, Buffer, Command, Elementwise, ProgramRef};
use situ_types::layout::{broadcast_shapes, collapse};
use situ_types::{Dims, Layout, Order};
use smallvec::{SmallVec, smallvec};

use super::Arg;
use crate::{Error, Result, Tensor, Weak};

/// The shape all arrays stretch to.
pub(super) fn common_shape(name: &str, args: &[Arg<'_>]) -> Result<Dims> {
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

/// The layout of a fresh result. With [`Order::K`] it is that of the arrays with the result's shape, if they agree.
pub(super) fn result_layout(name: &str, args: &[Arg<'_>], order: Order) -> Result<Arc<Layout>> {
    let arrays = || {
        args.iter().filter_map(|arg| match arg {
            Arg::Array(tensor) => Some(*tensor),
            Arg::Weak(_) => None,
        })
    };
    if let Some(first) = arrays().next()
        && order == Order::K
        && arrays().all(|tensor| tensor.layout().is_c_contiguous() && tensor.layout().has_shape_of(first.layout()))
    {
        let layout = first.shared_layout();
        // The usual case: the result looks just like the first operand.
        if layout.offset() == 0 && !layout.shape().contains(&1) {
            return Ok(layout.clone());
        }
    }
    let shape = common_shape(name, args)?;
    let dense = |order| Layout::dense(&shape, order).map_err(Error::layout(name));
    let mut alike = arrays().filter(|tensor| *tensor.shape() == shape[..]).map(|tensor| tensor.layout().like(Order::K));
    Ok(Arc::new(match order {
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

/// A copy of an operand that shares memory with the output without coinciding with it: the backend would read elements
/// it has already overwritten.
pub(super) fn copy_if_overlapping(arg: &Arg<'_>, out: &Tensor) -> Result<Option<Tensor>> {
    match arg {
        Arg::Array(tensor) if overlaps(tensor, out) => tensor.copy(Order::K).map(Some),
        _ => Ok(None),
    }
}

/// Whether two arrays share some memory without being element for element the same.
fn overlaps(a: &Tensor, b: &Tensor) -> bool {
    let form = |t: &Tensor| (t.dtype(), t.address());
    if form(a) == form(b) && a.shape() == b.shape() && a.layout().strides() == b.layout().strides() {
        return false;
    }
    // Addresses, not buffers: where other libraries describe memory, two buffers can be of the same.
    let bytes = |t: &Tensor| {
        let (base, size) = (t.buffer().address().value() as isize, t.dtype().size() as isize);
        t.layout().bounds().map(|(low, high)| (base + low * size, base + high * size))
    };
    match (bytes(a), bytes(b)) {
        (Some((a0, a1)), Some((b0, b1))) => a0 < b1 && b0 < a1,
        _ => true,
    }
}

/// Submits a program over operands that are broadcast to the output's shape. The output overlaps no operand, or
/// coincides with it.
pub(crate) fn submit(program: &'static Program, args: &[Arg<'_>], out: &Tensor) -> Result<()> {
    let command = command(ProgramRef::Static(program), args, out.address(), out.layout())?;
    let mut accesses = reads(args);
    let whole = out.layout().is_c_contiguous() && out.size() * out.dtype().size() == out.buffer().bytes();
    accesses.push((out.buffer(), if whole { Access::Write } else { Access::Update }));
    // SAFETY: every array's layout lies inside its buffer (`Tensor` invariant), the command visits only elements of
    // those layouts, every buffer is named, and all are in the queue's context.
    unsafe { out.queue().submit(&command, &accesses, &[]) }?;
    Ok(())
}

/// The buffers that operands are read from.
#[inline(always)]
pub(super) fn reads<'a>(args: &[Arg<'a>]) -> SmallVec<[(&'a Buffer, Access); 4]> {
    let mut accesses = SmallVec::new();
    for arg in args {
        if let Arg::Array(tensor) = arg {
            accesses.push((tensor.buffer(), Access::Read));
        }
    }
    accesses
}

/// The command that runs a program over operands broadcast to the shape of the output, which is at this address.
#[inline(always)]
pub(super) fn command(program: ProgramRef, args: &[Arg<'_>], address: Address, out: &Layout) -> Result<Command> {
    let flat = out.is_c_contiguous()
        && args.iter().all(|arg| match arg {
            Arg::Array(tensor) => tensor.layout().is_c_contiguous() && tensor.layout().has_shape_of(out),
            Arg::Weak(_) => true,
        });
    Ok(Command::Elementwise(if flat {
        flat_command(program, args, address, out)?
    } else {
        strided_command(program, args, address, out)?
    }))
}

/// The command where every array is dense and of the output's shape: one axis.
#[inline(always)]
fn flat_command(program: ProgramRef, args: &[Arg<'_>], address: Address, out: &Layout) -> Result<Elementwise> {
    let mut command = Elementwise::new(program, smallvec![out.size()]);
    for (n, arg) in args.iter().enumerate() {
        match arg {
            Arg::Array(tensor) => command.push_memory(tensor.address(), &[1]),
            Arg::Weak(weak) => push_weak(&mut command, n, *weak)?,
        }
    }
    command.push_memory(address, &[1]);
    Ok(command)
}

/// The command for any layouts, with as few axes as possible.
fn strided_command(program: ProgramRef, args: &[Arg<'_>], address: Address, out: &Layout) -> Result<Elementwise> {
    let mut stretched: SmallVec<[Layout; 4]> = SmallVec::new();
    for arg in args {
        if let Arg::Array(tensor) = arg {
            stretched.push(tensor.layout().broadcast_to(out.shape()).map_err(Error::layout("broadcast"))?);
        }
    }
    stretched.push(out.clone());
    let strides: SmallVec<[&[isize]; 4]> = stretched.iter().map(Layout::strides).collect();
    let (shape, collapsed) = collapse(out.shape(), &strides);
    let mut steps = collapsed.iter();
    let mut next = || steps.next().map_or(&[][..], |steps| &steps[..]);
    let mut command = Elementwise::new(program, shape);
    for (n, arg) in args.iter().enumerate() {
        match arg {
            Arg::Array(tensor) => command.push_memory(tensor.address(), next()),
            Arg::Weak(weak) => push_weak(&mut command, n, *weak)?,
        }
    }
    command.push_memory(address, next());
    Ok(command)
}

fn push_weak(command: &mut Elementwise, n: usize, weak: Weak) -> Result<()> {
    let value = weak.to_scalar(command.program.operand_dtype(n))?;
    command.push_immediate(value.to_bytes());
    Ok(())
}
