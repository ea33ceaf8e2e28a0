//! Scans: what elements come to up to each of them.

use situ_ir::Statistic;
use situ_ir::statistic::Empty;
use situ_ir::tree::Direction;
use situ_runtime::{Command, Mapped, Operand, ReductionRef, Scan};
use situ_types::{DType, Dims, Layout, Order, Space, Strides};

use super::axes::axis_of;
use super::command::{check_output, moved_by};
use super::{reductions, value_dtype};
use crate::submit::{Submission, apart_or_same};
use crate::{Arg, Error, Item, Result, Slice, Tensor, Weak};

/// How an array is scanned.
#[derive(Clone, Debug, Default)]
pub struct Accumulating<'a> {
    /// The axis along which; an array of one dimension need not say it.
    pub axis: Option<isize>,
    /// The dtype to combine in and of the result, where another than the usual one is wanted.
    pub dtype: Option<DType>,
    /// Whether the result begins with what nothing comes to.
    pub include_initial: bool,
    /// The array to write to, instead of a new one.
    pub out: Option<&'a Tensor>,
}

/// What a reduction comes to up to each element along an axis.
///
/// ```
/// use situ_ir::Statistic;
/// use situ_tensor::{Accumulating, Tensor, accumulate};
///
/// let x = Tensor::arange(5)?;
/// let sums = accumulate("cumulative_sum", Statistic::Sum, &x, &Accumulating::default())?;
/// assert_eq!(sums.to_vec::<i64>()?, [0, 1, 3, 6, 10]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn accumulate(name: &'static str, statistic: Statistic, x: &Tensor, how: &Accumulating<'_>) -> Result<Tensor> {
    let ndim = x.layout().ndim();
    let axis = match how.axis {
        Some(axis) => axis_of(name, axis, ndim)?,
        None if ndim <= 1 => 0,
        None => {
            return Err(Error::Value(format!(
                "{name}: an array of {ndim} dimensions needs an axis to go along; name one"
            )));
        }
    };
    let dtype = value_dtype(name, statistic, x.dtype(), x.device(), how.dtype)?;
    // A number is a sequence of one element.
    let lone = if ndim == 0 { x.reshaped(&[1])? } else { None };
    let x = lone.as_ref().unwrap_or(x);
    let mut shape = Dims::from_slice(x.shape());
    shape[axis] += usize::from(how.include_initial);
    let flat = ndim == 0 && !how.include_initial;
    let result = match how.out {
        Some(out) => {
            check_output(name, x, out, if flat { &[] } else { &shape }, dtype)?;
            if flat { out.reshaped(&[1])?.unwrap_or_else(|| out.clone()) } else { out.clone() }
        }
        None => Tensor::empty(&shape, dtype, Order::C, x.kind(), x.queue())?,
    };
    let along = |slice: Slice| {
        let whole = (0..axis).map(|_| Item::Slice(Slice::ALL));
        result.index(&whole.chain([Item::Slice(slice)]).collect::<Vec<_>>())
    };
    // Read before anything is written.
    let copy = apart_or_same(x, &result)?;
    let input = copy.as_ref().unwrap_or(x);
    let target = if how.include_initial {
        let Empty::Number(initial) = statistic.empty() else {
            return Err(Error::Value(format!("{name}: nothing comes to no value to begin with")));
        };
        let first = along(Slice { start: Some(0), stop: Some(1), step: 1 })?;
        first.set_index(&[Item::Ellipsis], Arg::Weak(Weak::Float(initial)))?;
        along(Slice { start: Some(1), stop: None, step: 1 })?
    } else {
        result.clone()
    };
    if x.size() > 0 {
        scan(name, statistic, input, axis, dtype, &target)?;
    }
    match how.out {
        Some(out) => Ok(out.clone()),
        None if flat => Ok(result.reshaped(&[])?.unwrap_or(result)),
        None => Ok(result),
    }
}

fn scan(name: &'static str, statistic: Statistic, x: &Tensor, axis: usize, dtype: DType, out: &Tensor) -> Result<()> {
    let reduction = reductions::of(statistic, x.dtype(), dtype)?;
    let others: Dims = (0..x.layout().ndim()).filter(|&other| other != axis).collect();
    let of = |strides: &[isize]| others.iter().map(|&axis| strides[axis]).collect::<Strides>();
    let lengths: Dims = others.iter().map(|&axis| x.shape()[axis]).collect();
    let layouts: [&Layout; 2] = [x.layout(), out.layout()];
    let mut space = Space::new(&lengths, []);
    layouts.iter().for_each(|layout| space.push(&of(layout.strides())));
    space.drop_unit_axes();
    space.reverse_negative(0);
    space.sort_by_key(|axis| axis.steps[0].unsigned_abs());
    space.merge();
    let length = x.shape()[axis];
    let along = layouts.map(|layout| layout.strides()[axis]);
    let inner = space.axes.last().map(|axis| axis.steps[0]);
    let mut work = Submission::on(x.queue());
    let mut inputs = Mapped::new(space.lengths().chain([length]).collect());
    let from = moved_by(work.read(x)?, space.starts[0], x.dtype());
    inputs.push(Operand::Memory(from), &space.steps(0).chain([along[0]]).collect::<Strides>());
    inputs.push_constants(reduction.map());
    let to = moved_by(work.write(out)?, space.starts[1], dtype);
    let command = Scan {
        reduction: ReductionRef::Static(reduction),
        inputs,
        direction: Direction::of(length, space.size(), along[0], inner),
        out: to,
        out_steps: space.steps(1).chain([along[1]]).collect(),
    };
    debug_assert_eq!(reduction.result(), dtype, "{name} writes what it says");
    work.run(&Command::Scan(Box::new(command)))
}
