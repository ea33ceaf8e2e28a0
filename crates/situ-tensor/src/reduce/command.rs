//! From arrays and axes to the command a queue runs.

use std::sync::Arc;

use situ_ir::tree::Direction;
use situ_runtime::placement::{self, Placed, Rule};
use situ_runtime::{Address, Command, Mapped, Operand, Reduce, ReductionRef};
use situ_types::{DType, Dims, Layout, Order, Scalar, Space, Strides, UsmKind};
use smallvec::SmallVec;

use crate::submit::{Output, Submission, apart_from, refuse_other_dtype, refuse_other_shape, refuse_unwritable};
use crate::{Error, Result, Tensor};

/// What is combined, and how.
#[derive(Debug)]
pub(crate) struct Combining<'a> {
    /// The function, for messages.
    pub(crate) name: &'static str,
    pub(crate) reduction: ReductionRef,
    /// The inputs of the map, on one queue. The first has the shape of the space; others are broadcast to it.
    pub(crate) inputs: &'a [&'a Tensor],
    /// Which axes of the space are reduced. None of them has length 0.
    pub(crate) reduced: &'a [bool],
    /// Whether positions along the reduced axes matter, so that these keep their order.
    pub(crate) in_c_order: bool,
    /// The shape of the result.
    pub(crate) shape: &'a [usize],
    /// What the finishing program reads after the combined value.
    pub(crate) numbers: &'a [Scalar],
    /// The kind of a new array's memory.
    pub(crate) kind: UsmKind,
    pub(crate) out: Option<&'a Tensor>,
}

/// Combines arrays into a new one or the caller's.
pub(crate) fn combine(what: &Combining<'_>) -> Result<Tensor> {
    let (name, reduction) = (what.name, &what.reduction);
    let first = what.inputs[0];
    if let Some(out) = what.out {
        check_output(name, first, out, what.shape, reduction.result())?;
    }
    let inputs: SmallVec<[Tensor; 2]> =
        what.inputs.iter().map(|input| apart(input, what.out)).collect::<Result<_>>()?;
    let mut work = Submission::on(first.queue());
    let layout = Layout::dense(what.shape, Order::C).map_err(Error::layout(name))?;
    let output = work.output(name, what.out, layout, reduction.result(), what.kind)?;
    if what.shape.contains(&0) {
        return match what.out {
            Some(out) => Ok(out.clone()),
            None => Tensor::empty(what.shape, reduction.result(), Order::C, what.kind, first.queue()),
        };
    }
    if let [input] = &inputs[..]
        && is_flat(what, input)
    {
        return flat(what, input, work, output);
    }
    let (kept, reduced) = spaces(what, &inputs, output.layout())?;
    let length = reduced.size();
    let inner = |space: &Space| space.axes.last().map(|axis| axis.steps[0]);
    let direction = Direction::of(length, kept.size(), inner(&reduced).unwrap_or(0), inner(&kept));
    let mut mapped = Mapped::new(kept.lengths().chain(reduced.lengths()).collect());
    for (n, input) in inputs.iter().enumerate() {
        let steps: Strides = kept.steps(n).chain(reduced.steps(n)).collect();
        let moved = kept.starts[n] + reduced.starts[n];
        let address = work.read(input)?;
        mapped.push(Operand::Memory(moved_by(address, moved, input.dtype())), &steps);
    }
    mapped.push_constants(reduction.map());
    let last = inputs.len();
    let command = Reduce {
        reduction: general(reduction),
        inputs: mapped,
        kept: kept.axes.len(),
        direction,
        numbers: numbers(what),
        out: moved_by(output.address()?, kept.starts[last], reduction.result()),
        out_steps: kept.steps(last).collect(),
    };
    let [result] = work.produce_all(&Command::Reduce(Box::new(command)), [output])?;
    Ok(result)
}

/// The reduction as a command has it, which has the constants of the map beside it: one kernel serves all of them.
fn general(reduction: &ReductionRef) -> ReductionRef {
    match reduction {
        ReductionRef::Shared(reduction) => ReductionRef::Shared(Arc::new(reduction.general())),
        ReductionRef::Static(_) => reduction.clone(),
    }
}

/// What the finishing program reads after the combined value.
fn numbers(what: &Combining<'_>) -> SmallVec<[[u8; 16]; 1]> {
    what.numbers.iter().copied().chain(what.reduction.finish().constants()).map(Scalar::to_bytes).collect()
}

/// Whether all elements of an array that has no gaps are combined, in any order or the one they lie in.
fn is_flat(what: &Combining<'_>, input: &Tensor) -> bool {
    let layout = input.layout();
    what.reduced.iter().all(|reduced| *reduced)
        && (layout.is_c_contiguous() || layout.is_f_contiguous() && !what.in_c_order)
}

/// Combines all elements of an array that has no gaps: the usual case, which needs no looking at axes. The result is the
/// same as that of [`spaces`].
fn flat<'a>(what: &Combining<'_>, input: &'a Tensor, mut work: Submission<'a>, output: Output<'a>) -> Result<Tensor> {
    let mut mapped = Mapped::new(Dims::from_elem(input.size(), 1));
    mapped.push(Operand::Memory(work.read(input)?), &[1]);
    mapped.push_constants(what.reduction.map());
    let command = Reduce {
        reduction: general(&what.reduction),
        inputs: mapped,
        kept: 0,
        direction: Direction::Along,
        numbers: numbers(what),
        out: output.address()?,
        out_steps: SmallVec::new(),
    };
    let [result] = work.produce_all(&Command::Reduce(Box::new(command)), [output])?;
    Ok(result)
}

/// An array, or a copy of it where it may share memory with the output.
pub(super) fn apart(input: &Tensor, out: Option<&Tensor>) -> Result<Tensor> {
    match out {
        None => Ok(input.clone()),
        Some(out) => apart_from(input.clone(), out),
    }
}

/// The address so many elements on.
pub(crate) fn moved_by(address: Address, elements: isize, dtype: DType) -> Address {
    address.offset(elements * dtype.size() as isize)
}

/// Whether an array can take a result of that shape and dtype from work on another one's queue.
pub(crate) fn check_output(name: &'static str, x: &Tensor, out: &Tensor, shape: &[usize], dtype: DType) -> Result<()> {
    let placed =
        [("x", x), ("out", out)].map(|(name, array)| Placed { name, queue: array.queue(), kind: array.kind() });
    placement::resolve(name, placed.into_iter(), Rule::SameQueue)?;
    refuse_unwritable(name, out)?;
    refuse_other_dtype(name, dtype, out)?;
    refuse_other_shape(name, shape, out)
}

/// The axes that are kept, with the inputs' and the output's steps, and those that are reduced, with the inputs': as few
/// as possible, in the order in which the first input lies in memory.
fn spaces(what: &Combining<'_>, inputs: &[Tensor], out: &Layout) -> Result<(Space, Space)> {
    let (shape, reduced) = (inputs[0].shape(), what.reduced);
    let part = |wanted: bool| (0..shape.len()).filter(move |&axis| reduced[axis] == wanted);
    let lengths = |wanted: bool| part(wanted).map(|axis| shape[axis]).collect::<SmallVec<[usize; 4]>>();
    let (mut kept, mut combined) = (Space::new(&lengths(false), []), Space::new(&lengths(true), []));
    for input in inputs {
        let stretched = input.layout().broadcast_to(shape).map_err(Error::layout(what.name))?;
        let steps = |wanted: bool| part(wanted).map(|axis| stretched.strides()[axis]).collect::<Strides>();
        kept.push(&steps(false));
        combined.push(&steps(true));
    }
    // Reduced axes are gone from the output, or have length 1 there.
    let keeps_axes = out.ndim() == shape.len();
    let own = part(false).enumerate().map(|(n, axis)| out.strides()[if keeps_axes { axis } else { n }]);
    kept.push(&own.collect::<Strides>());
    kept.drop_unit_axes();
    kept.reverse_negative(0);
    kept.sort_by_key(|axis| axis.steps[0].unsigned_abs());
    kept.merge();
    if what.reduction.combine().is_idempotent() {
        // A view may repeat one element more often than anybody could count to.
        combined.axes.retain(|axis| axis.steps.iter().any(|step| *step != 0));
    }
    combined.drop_unit_axes();
    if !what.in_c_order {
        combined.reverse_negative(0);
        combined.sort_by_key(|axis| axis.steps[0].unsigned_abs());
    }
    combined.simplify();
    Ok((kept, combined))
}
