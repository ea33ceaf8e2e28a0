//! Running programs of any length.

use std::sync::Arc;

use situ_ir::Program;
use situ_runtime::{Access, Command, ProgramRef};
use situ_types::Order;
use smallvec::SmallVec;

use super::command::{reads, result_layout, strided_command};
use super::{Arg, place};
use crate::{Error, Result, Tensor};

const NAME: &str = "evaluate";

/// Runs a program over arrays in one pass: one new array for each of its outputs, no temporaries between.
///
/// The arrays have the dtypes of the program's inputs, and are broadcast against each other.
///
/// ```
/// use std::sync::Arc;
/// use situ_ir::{Op, Program};
/// use situ_tensor::{Tensor, evaluate};
/// use situ_types::DType;
///
/// let mut p = Program::builder();
/// let (x, y) = (p.input(DType::I64), p.input(DType::I64));
/// let sum = p.apply(Op::Add, &[x, y])?;
/// let square = p.apply(Op::Square, &[sum])?;
/// let program = Arc::new(p.finish(&[square])?);
///
/// let x = Tensor::arange(3)?;
/// let results = evaluate(&program, &[&x, &x])?;
/// assert_eq!(results[0].to_vec::<i64>()?, [0, 4, 16]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn evaluate(program: &Arc<Program>, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
    if inputs.len() != program.inputs().len() {
        let (wanted, given) = (program.inputs().len(), inputs.len());
        return Err(Error::Value(format!("{NAME}: the program has {wanted} inputs, but {given} arrays were given")));
    }
    for (n, (tensor, &wanted)) in inputs.iter().zip(program.inputs()).enumerate() {
        if tensor.dtype() != wanted {
            return Err(Error::Value(format!(
                "{NAME}: input {n} of the program has dtype {wanted}, but the array has dtype {}; convert it with astype \
                 first",
                tensor.dtype()
            )));
        }
    }
    let args: SmallVec<[Arg<'_>; 4]> = inputs.iter().map(|tensor| Arg::Array(tensor)).collect();
    let (queue, kind) = place(NAME, &args)?;
    let (layout, _) = result_layout(NAME, &args, Order::K)?;
    let mut results = Vec::with_capacity(program.outputs().len());
    for &value in program.outputs() {
        let dense = Tensor::empty(layout.shape(), program.dtype_of(value), Order::C, kind, queue)?;
        results.push(Tensor::with_shared_layout(dense.buffer().clone(), dense.dtype(), layout.clone()));
    }
    submit_into(program, &args, &results)?;
    Ok(results)
}

/// Submits a program whose outputs are new arrays of one layout.
fn submit_into(program: &Arc<Program>, args: &[Arg<'_>], results: &[Tensor]) -> Result<()> {
    let Some((first, others)) = results.split_first() else { return Ok(()) };
    let program = ProgramRef::Shared(program.clone());
    let mut command = strided_command(program, args, first.address(), first.layout())?;
    // Every output has the first one's layout.
    let strides = command.strides(args.len()).to_vec();
    others.iter().for_each(|other| command.push_memory(other.address(), &strides));
    let written = results.iter().map(|tensor| (tensor.buffer(), Access::Write));
    let accesses = reads(args).map(|buffer| (buffer, Access::Read)).chain(written);
    // SAFETY: as in `submit`; the outputs are dense arrays of the command's shape that nobody else has seen.
    Ok(unsafe { first.queue().run(&Command::Elementwise(command), accesses) }?)
}
