//! Applying the ops of the table to arrays.

use std::sync::Arc;

use situ_ir::{Op, Program};
use situ_runtime::placement::{self, Placed, Rule};
use situ_runtime::{Access, Address, Buffer, Command, Elementwise, ProgramRef, Queue};
use situ_types::layout::{broadcast_shapes, collapse, fmt_dims};
use situ_types::{DType, Dims, FloatSupport, Layout, Order, UsmKind, promote};
use smallvec::{SmallVec, smallvec};

use crate::programs::{single_op, uniform_op};
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

/// Applies an op, allocating the result.
///
/// ```
/// use situ_ir::Op;
/// use situ_tensor::{Arg, Tensor, Weak, apply};
/// use situ_types::{DType, Order};
///
/// let x = Tensor::arange(3)?;
/// let y = apply(Op::Add, &[Arg::Array(&x), Arg::Weak(Weak::Int(10))], Order::K)?;
/// assert_eq!(y.to_vec::<i64>()?, [10, 11, 12]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn apply(op: Op, args: &[Arg<'_>], order: Order) -> Result<Tensor> {
    let (queue, kind) = place(op, args)?;
    let program = resolve(op, args, queue)?;
    let layout = result_layout(op, args, order)?;
    let dtype = program.operand_dtype(args.len());
    // Every input's bytes fit in an `isize`, but the broadcast result's might not.
    let bytes = layout.size().checked_mul(dtype.size()).filter(|&bytes| bytes <= isize::MAX as usize);
    let bytes = bytes.ok_or_else(|| too_large(op, layout.shape()))?;
    let make = |address: Address| command(program, args, address, &layout);
    // SAFETY: the result's layout is dense and starts at 0, so that the command stays inside its bytes; otherwise as in
    // `submit`.
    let buffer = unsafe { Buffer::produce(queue, kind, bytes, &reads(args), make) }?;
    Ok(Tensor::assemble(buffer, dtype, layout))
}

/// Applies an op, writing into an existing array, which may be one of the operands.
pub fn apply_into(op: Op, args: &[Arg<'_>], out: &Tensor) -> Result<()> {
    let (queue, _) = place(op, args)?;
    let placed = [("x1", queue), ("out", out.queue())].map(|(name, queue)| Placed { name, queue, kind: out.kind() });
    placement::resolve(op.name(), placed.into_iter(), Rule::SameQueue)?;
    if !out.is_writable() {
        return Err(Error::Value(format!("{op}: the output array is read-only")));
    }
    if out.layout().shape().iter().zip(out.layout().strides()).any(|(&length, &stride)| length > 1 && stride == 0) {
        return Err(Error::Value(format!("{op}: the output array is broadcast, so that its elements share memory")));
    }
    let program = resolve(op, args, queue)?;
    let result = program.operand_dtype(args.len());
    if result != out.dtype() {
        return Err(Error::Value(format!(
            "{op}: the result has dtype {result}, but the output array has dtype {}; convert the operand with astype \
             first",
            out.dtype()
        )));
    }
    let shape = common_shape(op, args)?;
    if shape[..] != *out.shape() {
        let (result, given) = (fmt_dims(&shape), fmt_dims(out.shape()));
        return Err(Error::Value(format!(
            "{op}: the result has shape {result}, but the output array has shape {given}"
        )));
    }
    let copies = args.iter().map(|arg| copy_if_overlapping(arg, out)).collect::<Result<SmallVec<[_; 3]>>>()?;
    let safe = args.iter().zip(&copies).map(|(arg, copy)| copy.as_ref().map_or(*arg, Arg::Array));
    submit(program, &safe.collect::<SmallVec<[Arg<'_>; 3]>>(), out)
}

fn too_large(op: Op, shape: &[usize]) -> Error {
    Error::layout(op.name())(situ_types::LayoutError::TooLarge { shape: shape.into() })
}

#[inline(always)]
fn place<'a>(op: Op, args: &[Arg<'a>]) -> Result<(&'a Queue, UsmKind)> {
    let names = if args.len() == 1 { &["x"][..] } else { &NAMES[..] };
    let placed = args.iter().zip(names).filter_map(|(arg, name)| match arg {
        Arg::Array(t) => Some(Placed { name, queue: t.queue(), kind: t.kind() }),
        Arg::Weak(_) => None,
    });
    Ok(placement::resolve(op.name(), placed, Rule::SameQueue)?)
}

/// The dtype that every operand is an array of, if there is one.
#[inline(always)]
fn shared_dtype(args: &[Arg<'_>]) -> Option<DType> {
    let Arg::Array(first) = args.first()? else { return None };
    let same = |arg: &Arg<'_>| matches!(arg, Arg::Array(tensor) if tensor.dtype() == first.dtype());
    args.iter().all(same).then(|| first.dtype())
}

/// The dtype the inputs agree on before the op's own rule.
fn common_dtype(args: &[Arg<'_>], floats: FloatSupport) -> DType {
    let mut common = None;
    for arg in args {
        if let Arg::Array(tensor) = arg {
            common = Some(common.map_or(tensor.dtype(), |dtype| promote(dtype, tensor.dtype())));
        }
    }
    let mut common = common.unwrap_or(DType::Bool);
    for arg in args {
        if let Arg::Weak(weak) = arg {
            common = weak.combine(common, floats);
        }
    }
    common
}

/// The program for an op over these operands.
fn resolve(op: Op, args: &[Arg<'_>], queue: &Queue) -> Result<&'static Program> {
    let floats = queue.device().float_support();
    if let Some(dtype) = shared_dtype(args)
        && op.rule().computes_in(dtype)
    {
        return uniform_op(op, args.len(), dtype);
    }
    let common = common_dtype(args, floats);
    let compute = op.rule().compute_dtype(common, floats).ok_or_else(|| {
        let dtypes = args.iter().map(|arg| match arg {
            Arg::Array(t) => t.dtype(),
            Arg::Weak(w) => w.default_dtype(floats),
        });
        Error::DTypes { op, dtypes: dtypes.collect() }
    })?;
    let mut dtypes: SmallVec<[DType; 4]> = SmallVec::new();
    for arg in args {
        match *arg {
            Arg::Array(tensor) => dtypes.push(tensor.dtype()),
            Arg::Weak(weak) => {
                // An integer that does not fit is an error before anything is allocated.
                weak.to_scalar(compute)?;
                dtypes.push(compute);
            }
        }
    }
    single_op(op, &dtypes, compute)
}

/// The shape all arrays stretch to.
fn common_shape(op: Op, args: &[Arg<'_>]) -> Result<Dims> {
    let mut shape: Option<Dims> = None;
    for arg in args {
        if let Arg::Array(tensor) = arg {
            shape = Some(match shape {
                None => Dims::from_slice(tensor.shape()),
                Some(shape) => broadcast_shapes(&shape, tensor.shape()).map_err(Error::layout(op.name()))?,
            });
        }
    }
    Ok(shape.unwrap_or_default())
}

/// The layout of a fresh result. With [`Order::K`] it is that of the arrays with the result's shape, if they agree.
fn result_layout(op: Op, args: &[Arg<'_>], order: Order) -> Result<Arc<Layout>> {
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
    let shape = common_shape(op, args)?;
    let dense = |order| Layout::dense(&shape, order).map_err(Error::layout(op.name()));
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
fn copy_if_overlapping(arg: &Arg<'_>, out: &Tensor) -> Result<Option<Tensor>> {
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
    let command = command(program, args, out.address(), out.layout())?;
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
fn reads<'a>(args: &[Arg<'a>]) -> SmallVec<[(&'a Buffer, Access); 4]> {
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
fn command(program: &'static Program, args: &[Arg<'_>], address: Address, out: &Layout) -> Result<Command> {
    let flat = out.is_c_contiguous()
        && args.iter().all(|arg| match arg {
            Arg::Array(tensor) => tensor.layout().is_c_contiguous() && tensor.layout().has_shape_of(out),
            Arg::Weak(_) => true,
        });
    let program = ProgramRef::Static(program);
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
