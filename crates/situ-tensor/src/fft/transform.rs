//! The commands of a transform.

use situ_runtime::{Command, Fft, FftKind, Sequences};
use situ_types::{DType, DTypeKind, Dims, Layout, Order, Space, Strides};
use smallvec::SmallVec;

use super::sizes::{Length, complex, precision};
use crate::reduce::moved_by;
use crate::submit::Submission;
use crate::{Error, Result, Tensor, Weak};

/// One step of a transform: along one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) kind: FftKind,
    pub(super) length: Length,
}

/// Transforms an array along one axis after another, and multiplies what comes of it. Only the first step may be from
/// real numbers, and only the last one to them.
pub(super) fn transform(name: &'static str, x: &Tensor, steps: &[Step], scale: f64) -> Result<Tensor> {
    let precision = precision(x);
    if !x.device().float_support().supports(precision) {
        return Err(Error::Unsupported { operation: name.into(), dtype: precision, device: x.device().label() });
    }
    let mut steps: SmallVec<[Step; 4]> = SmallVec::from_slice(steps);
    if let Some(first) = steps.first_mut().filter(|first| first.kind == FftKind::Forward)
        && x.dtype().kind() != DTypeKind::Complex
    {
        // Half of the work.
        first.kind = FftKind::RealWhole;
    }
    if steps.is_empty() {
        // Nothing to be transformed, but a new array all the same.
        return x.astype(complex(precision), Order::K);
    }
    let starts_real = steps.first().is_some_and(|step| step.kind.is_from_real());
    let ends_real = steps.last().is_some_and(|step| step.kind == FftKind::RealInverse);
    // What no step would read is left out, so that it is not converted either.
    let mut shape = Dims::from_slice(x.shape());
    for Step { kind, length } in &steps {
        shape[length.axis] = shape[length.axis].min(kind.reads(length.n));
    }
    let mut x = x.under(shortened(name, x.layout(), &shape)?);
    let dtype = if starts_real { precision } else { complex(precision) };
    if x.dtype() != dtype {
        x = x.astype(dtype, Order::K)?;
    }
    let mut to_complex = &steps[..];
    if let (true, Some((_, others))) = (ends_real, steps.split_last()) {
        to_complex = others;
    }
    let scale_of = |n: usize| if n + 1 == steps.len() { scale } else { 1.0 };
    if let Some(out) = container(name, &x, to_complex, complex(precision))? {
        for (n, step) in to_complex.iter().enumerate() {
            shape[step.length.axis] = step.kind.writes(step.length.n);
            // Steps after the first find their elements where their results go.
            let part = out.under(shortened(name, out.layout(), &shape)?);
            run(name, &x, &part, step, scale_of(n))?;
            x = part;
        }
        x = out;
    }
    if let (true, Some((last, _))) = (ends_real, steps.split_last())
        && let Some(out) = container(name, &x, &[*last], precision)?
    {
        run(name, &x, &out, last, scale)?;
        x = out;
    }
    Ok(x)
}

/// A new array for what comes of steps, if there are any. Its axes follow each other in memory as the array's do.
fn container(name: &'static str, x: &Tensor, steps: &[Step], dtype: DType) -> Result<Option<Tensor>> {
    if steps.is_empty() {
        // Nothing to be transformed, but a new array all the same.
        return Ok(None);
    }
    let mut shape = Dims::from_slice(x.shape());
    for Step { kind, length } in steps {
        shape[length.axis] = kind.writes(length.n);
    }
    let layout = if x.layout().is_c_contiguous() {
        Layout::dense(&shape, Order::C)
    } else {
        Layout::strided(&shape, x.layout().strides(), 0).map(|layout| layout.like(Order::K))
    }
    .map_err(Error::layout(name))?;
    Tensor::empty_in(name, layout, dtype, x.kind(), x.queue()).map(Some)
}

/// The first elements along each axis.
fn shortened(name: &'static str, layout: &Layout, shape: &[usize]) -> Result<Layout> {
    if layout.shape() == shape {
        return Ok(layout.clone());
    }
    Layout::strided(shape, layout.strides(), layout.offset()).map_err(Error::layout(name))
}

/// Transforms an array along one axis into another, which may be where the array is.
fn run(name: &'static str, x: &Tensor, out: &Tensor, step: &Step, scale: f64) -> Result<()> {
    let Step { kind, length: Length { axis, n } } = *step;
    if out.size() == 0 {
        return Ok(());
    }
    let given = x.shape()[axis];
    if given == 0 {
        return out.fill_with(Weak::Int(0));
    }
    let (own, to) = (x.layout(), out.layout());
    let others = || (0..own.ndim()).filter(|&other| other != axis);
    let steps = |layout: &Layout| others().map(|other| layout.strides()[other]).collect::<Strides>();
    let lengths: Dims = others().map(|other| own.shape()[other]).collect();
    let mut space = Space::new(&lengths, [&steps(own)[..], &steps(to)]);
    space.drop_unit_axes();
    space.reverse_negative(1);
    // Neighbours in memory are neighbours in the batch.
    space.sort_by_key(|axis| axis.steps[1].unsigned_abs());
    space.merge();
    let sequences = |operand: usize, array: &Tensor, address| Sequences {
        address: moved_by(address, space.starts[operand], array.dtype()),
        step: array.layout().strides()[axis],
        batch_steps: space.steps(operand).collect(),
    };
    let mut work = Submission::on(x.queue());
    let to = work.write(out)?;
    let from = if x.address()? == to { to } else { work.read(x)? };
    let dtype = x.dtype().real_part();
    let (input, out) = (sequences(0, x, from), sequences(1, out, to));
    let batch = space.lengths().collect();
    let command = Fft { kind, dtype, length: n, given, scale, batch, input, out };
    work.run(&Command::Fft(Box::new(command))).map_err(|error| error.of_function(name, x.device()))
}
