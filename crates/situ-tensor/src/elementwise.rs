//! Applying the ops of the table to arrays.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};

use parking_lot::RwLock;
use situ_ir::{Op, Program};
use situ_runtime::placement::{self, Placed, Rule};
use situ_runtime::{Access, Buffer, Command, Elementwise, Operand, Queue};
use situ_types::layout::{broadcast_shapes, collapse};
use situ_types::{DType, Dims, FloatSupport, Layout, Order, Strides, UsmKind, promote};
use smallvec::{SmallVec, smallvec};

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

fn place<'a>(op: Op, args: &[Arg<'a>]) -> Result<(&'a Queue, UsmKind)> {
    let names = if args.len() == 1 { &["x"][..] } else { &NAMES[..] };
    let placed = args.iter().zip(names).filter_map(|(arg, name)| match arg {
        Arg::Array(t) => Some(Placed { name, queue: t.queue(), kind: t.kind() }),
        Arg::Weak(_) => None,
    });
    Ok(placement::resolve(op.name(), placed, Rule::SameQueue)?)
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
    let plan = Plan::new(op, args, queue)?;
    let layout = plan.result_layout(order)?;
    let bytes = layout.size() * plan.result.size();
    let buffer = Buffer::allocate(queue, kind, bytes, 0)?;
    let out = Tensor::assemble(buffer, queue.clone(), plan.result, layout);
    submit(&plan, &out)?;
    Ok(out)
}

/// Applies an op, writing into an existing array, which may be one of the operands.
pub fn apply_into(op: Op, args: &[Arg<'_>], out: &Tensor) -> Result<()> {
    let (queue, _) = place(op, args)?;
    let placed = [("x1", queue), ("out", out.queue())].map(|(name, queue)| Placed { name, queue, kind: out.kind() });
    placement::resolve(op.name(), placed.into_iter(), Rule::SameQueue)?;
    if !out.is_writable() {
        return Err(Error::Value(format!("{op}: the output array is read-only")));
    }
    let plan = Plan::new(op, args, queue)?;
    if plan.result != out.dtype() {
        return Err(Error::Value(format!(
            "{op}: the result has dtype {}, but the output array has dtype {}; convert the operand with astype first",
            plan.result,
            out.dtype()
        )));
    }
    if plan.shape[..] != *out.shape() {
        let (result, given) = (situ_types::layout::fmt_dims(&plan.shape), situ_types::layout::fmt_dims(out.shape()));
        return Err(Error::Value(format!(
            "{op}: the result has shape {result}, but the output array has shape {given}"
        )));
    }
    let copies = plan.overlapping_inputs(out)?;
    submit(&plan.reading(&copies), out)
}

/// An op with everything about it resolved but its output.
struct Plan<'a> {
    program: Arc<Program>,
    inputs: SmallVec<[Input<'a>; 3]>,
    queue: &'a Queue,
    shape: Dims,
    result: DType,
}

enum Input<'a> {
    Array(&'a Tensor),
    Immediate([u8; 16]),
}

impl<'a> Plan<'a> {
    fn new(op: Op, args: &[Arg<'a>], queue: &'a Queue) -> Result<Plan<'a>> {
        let floats = queue.device().float_support();
        let common = common_dtype(args, floats);
        let rule = op.rule();
        let compute = rule.compute_dtype(common, floats).ok_or_else(|| {
            let dtypes = args.iter().map(|arg| match arg {
                Arg::Array(t) => t.dtype(),
                Arg::Weak(w) => w.default_dtype(floats),
            });
            Error::DTypes { op, dtypes: dtypes.collect() }
        })?;
        let mut shape: Option<Dims> = None;
        let mut inputs = SmallVec::new();
        let mut dtypes: SmallVec<[DType; 3]> = SmallVec::new();
        for arg in args {
            match *arg {
                Arg::Array(tensor) => {
                    shape = Some(match shape {
                        None => tensor.shape().into(),
                        Some(shape) => broadcast_shapes(&shape, tensor.shape()).map_err(Error::layout(op.name()))?,
                    });
                    dtypes.push(tensor.dtype());
                    inputs.push(Input::Array(tensor));
                }
                Arg::Weak(weak) => {
                    dtypes.push(compute);
                    // In the common dtype first: an integer that does not fit there is an error even where the op
                    // computes in floating point.
                    weak.to_scalar(common)?;
                    inputs.push(Input::Immediate(weak.to_scalar(compute)?.to_bytes()));
                }
            }
        }
        let program = single_op_program(op, &dtypes, compute)?;
        Ok(Plan { program, inputs, queue, shape: shape.unwrap_or_default(), result: rule.out.apply(compute) })
    }

    /// The layout of a fresh result.
    fn result_layout(&self, order: Order) -> Result<Layout> {
        let arrays = self.inputs.iter().filter_map(|input| match input {
            Input::Array(tensor) => Some(tensor.layout()),
            Input::Immediate(_) => None,
        });
        let mut alike = arrays.filter(|layout| *layout.shape() == self.shape[..]);
        match order {
            Order::C | Order::F => Layout::dense(&self.shape, order).map_err(Error::layout("result")),
            Order::A | Order::K => match alike.next() {
                Some(layout) => Ok(layout.like(order)),
                None => Layout::dense(&self.shape, Order::C).map_err(Error::layout("result")),
            },
        }
    }

    /// The same plan with some inputs replaced.
    fn reading<'b>(self, copies: &'b [Option<Tensor>]) -> Plan<'b>
    where
        'a: 'b,
    {
        let inputs = self.inputs.into_iter().zip(copies).map(|(input, copy)| match (input, copy) {
            (_, Some(copy)) => Input::Array(copy),
            (Input::Array(tensor), None) => Input::Array(tensor),
            (Input::Immediate(bytes), None) => Input::Immediate(bytes),
        });
        Plan {
            program: self.program,
            inputs: inputs.collect(),
            queue: self.queue,
            shape: self.shape,
            result: self.result,
        }
    }

    /// Copies of the inputs that share memory with the output without coinciding with it: the backend would read
    /// elements it has already overwritten.
    fn overlapping_inputs(&self, out: &Tensor) -> Result<SmallVec<[Option<Tensor>; 3]>> {
        self.inputs
            .iter()
            .map(|input| match input {
                Input::Array(tensor) if overlaps(tensor, out) => tensor.copy(Order::K).map(Some),
                _ => Ok(None),
            })
            .collect()
    }
}

/// Submits a plan whose output overlaps no input, or coincides with it.
fn submit(plan: &Plan<'_>, out: &Tensor) -> Result<()> {
    let mut accesses: SmallVec<[(&Buffer, Access); 4]> = SmallVec::new();
    let mut operands: SmallVec<[Operand; 3]> = SmallVec::new();
    let mut layouts: SmallVec<[&Layout; 4]> = SmallVec::new();
    for input in &plan.inputs {
        match input {
            Input::Array(tensor) => {
                accesses.push((tensor.buffer(), Access::Read));
                layouts.push(tensor.layout());
                operands.push(Operand::Memory { address: tensor.address(), strides: Strides::new() });
            }
            Input::Immediate(bytes) => operands.push(Operand::Immediate(*bytes)),
        }
    }
    accesses.push((out.buffer(), Access::Write));
    layouts.push(out.layout());
    operands.push(Operand::Memory { address: out.address(), strides: Strides::new() });
    let shape = iteration_space(&layouts, &mut operands)?;
    let command = Command::Elementwise(Elementwise { program: plan.program.clone(), shape, operands });
    // SAFETY: every array's layout lies inside its buffer (`Tensor` invariant), the iteration space visits only
    // elements of those layouts, every buffer is named, and all are in the queue's context.
    unsafe { plan.queue.submit(&command, &accesses, &[]) }?;
    Ok(())
}

/// Whether two arrays share some memory without being element for element the same.
fn overlaps(a: &Tensor, b: &Tensor) -> bool {
    if a.buffer() != b.buffer() {
        return false;
    }
    if a.dtype() == b.dtype() && a.layout() == b.layout() {
        return false;
    }
    let bytes = |t: &Tensor| {
        let size = t.dtype().size() as isize;
        t.layout().bounds().map(|(low, high)| (low * size, high * size))
    };
    match (bytes(a), bytes(b)) {
        (Some((a0, a1)), Some((b0, b1))) => a0 < b1 && b0 < a1,
        _ => true,
    }
}

/// Fills in the strides of the operands in memory, whose layouts are given, over a common iteration space with as few
/// axes as possible. The last layout is the output's.
pub(crate) fn iteration_space(layouts: &[&Layout], operands: &mut [Operand]) -> Result<Dims> {
    let Some(out) = layouts.last() else { return Ok(Dims::new()) };
    if layouts.iter().all(|layout| layout.shape() == out.shape() && layout.is_c_contiguous()) {
        for operand in operands {
            if let Operand::Memory { strides, .. } = operand {
                strides.push(1);
            }
        }
        return Ok(smallvec![out.size()]);
    }
    let stretched: SmallVec<[Layout; 4]> = layouts
        .iter()
        .map(|layout| layout.broadcast_to(out.shape()))
        .collect::<Result<_, _>>()
        .map_err(Error::layout("broadcast"))?;
    let views: SmallVec<[&[isize]; 4]> = stretched.iter().map(Layout::strides).collect();
    let (shape, collapsed) = collapse(out.shape(), &views);
    let mut collapsed = collapsed.into_iter();
    for operand in operands {
        if let Operand::Memory { strides, .. } = operand
            && let Some(steps) = collapsed.next()
        {
            *strides = steps;
        }
    }
    Ok(shape)
}

/// The program of one op, made once per combination of dtypes.
fn single_op_program(op: Op, inputs: &[DType], compute: DType) -> Result<Arc<Program>> {
    type Key = (Op, SmallVec<[DType; 3]>, DType);
    static UNIFORM: [[OnceLock<Arc<Program>>; DType::ALL.len()]; Op::COUNT] =
        [const { [const { OnceLock::new() }; DType::ALL.len()] }; Op::COUNT];
    static MIXED: LazyLock<RwLock<HashMap<Key, Arc<Program>>>> = LazyLock::new(RwLock::default);

    let make = || Program::single(op, inputs, compute).map(Arc::new);
    if inputs.iter().all(|dtype| *dtype == compute) {
        let slot = &UNIFORM[op as usize][compute as usize];
        if let Some(program) = slot.get() {
            return Ok(program.clone());
        }
        let program = make()?;
        return Ok(slot.get_or_init(|| program).clone());
    }
    let key: Key = (op, SmallVec::from_slice(inputs), compute);
    if let Some(program) = MIXED.read().get(&key) {
        return Ok(program.clone());
    }
    let program = make()?;
    Ok(MIXED.write().entry(key).or_insert(program).clone())
}
