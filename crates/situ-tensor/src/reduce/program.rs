//! Reductions of what a program computes, without writing that to memory.

use std::sync::Arc;

use situ_ir::statistic::Finish;
use situ_ir::{Program, Statistic};
use situ_runtime::ReductionRef;
use situ_runtime::placement::{self, Placed, Rule};
use smallvec::SmallVec;

use super::axes::shape_left;
use super::command::{Combining, combine};
use super::{Reducing, reduce, reductions, value_dtype};
use crate::elementwise::common_shape;
use crate::{Arg, Error, Result, Tensor, Weak, evaluate};

/// Reduces the first result of a program over arrays: the same bits as of the array that the program makes, in one pass where
/// the arrays lie as that one would.
///
/// ```
/// use std::sync::Arc;
/// use situ_ir::{Op, Program, Statistic};
/// use situ_tensor::{Reducing, Tensor, reduce_program};
/// use situ_types::DType;
///
/// let mut p = Program::builder();
/// let x = p.input(DType::I64);
/// let square = p.apply(Op::Square, &[x])?;
/// let program = Arc::new(p.finish(&[square])?);
/// let sum = reduce_program(Statistic::Sum, &program, &[&Tensor::arange(4)?], &Reducing::default())?;
/// assert_eq!(sum.to_vec::<i64>()?, [14]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn reduce_program(
    statistic: Statistic,
    program: &Arc<Program>,
    inputs: &[&Tensor],
    how: &Reducing<'_>,
) -> Result<Tensor> {
    let name = statistic.name();
    let args: SmallVec<[Arg<'_>; 4]> = inputs.iter().map(|input| Arg::Array(input)).collect();
    let shape = common_shape(name, &args)?;
    let lies_as_result = |input: &&Tensor| input.shape() != &shape[..] || input.layout().is_c_contiguous();
    let first = inputs.first().filter(|first| first.shape() == &shape[..] && inputs.iter().all(lies_as_result));
    let takes_inputs = inputs.iter().map(|input| input.dtype()).eq(program.given().iter().copied());
    let Some(first) = first.filter(|first| {
        takes_inputs && first.size() > 0 && how.dtype.is_none_or(|dtype| statistic.values().takes(dtype))
    }) else {
        let [made] = <[Tensor; 1]>::try_from(evaluate(program, inputs)?)
            .map_err(|made| Error::Value(format!("{name}: the program has {} results, not one", made.len())))?;
        return reduce(statistic, &made, how);
    };
    let placed = inputs.iter().map(|input| Placed { name: "x", queue: input.queue(), kind: input.kind() });
    let (queue, kind) = placement::resolve(name, placed, Rule::SameQueue)?;
    let reduced = how.axes.among(name, shape.len())?;
    let dtype = value_dtype(name, statistic, program.result(), queue.device(), how.dtype)?;
    let simplified = program.simplified().unwrap_or_else(|| Program::clone(program));
    let reduction = Arc::new(reductions::over(statistic, simplified, dtype)?);
    let length: usize = shape.iter().zip(&reduced).filter(|(_, reduced)| **reduced).map(|(n, _)| n).product();
    let numbers = match statistic.finish() {
        Finish::AsIs => None,
        Finish::ByCount => Some(Weak::Float(length as f64).to_scalar(reduction.accumulator())?),
    };
    debug_assert_eq!(first.shape(), &shape[..], "the first input has the shape of the space");
    combine(&Combining {
        name,
        reduction: ReductionRef::Shared(reduction),
        inputs,
        reduced: &reduced,
        in_c_order: statistic.is_position(),
        shape: &shape_left(&shape, &reduced, how.keepdims),
        numbers: numbers.as_slice(),
        kind,
        out: how.out,
    })
}
