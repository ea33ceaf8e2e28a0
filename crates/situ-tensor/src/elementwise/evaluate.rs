//! Running programs of any length.

use std::cell::RefCell;
use std::sync::Arc;

use situ_ir::Program;
use situ_runtime::{Command, ProgramRef};
use situ_types::Order;
use smallvec::SmallVec;

use super::command::{result_layout, strided_command};
use super::{Arg, place};
use crate::submit::{Output, Submission};
use crate::{Error, Result, Tensor};

const NAME: &str = "evaluate";

/// What is run for a program.
#[derive(Clone)]
struct Prepared {
    /// The program, simplified.
    program: Arc<Program>,
    /// The same for any constants.
    general: Arc<Program>,
}

/// Programs that a thread keeps prepared.
const MOST_KEPT: usize = 16;

thread_local! {
    /// In the order in which they came; the oldest makes room. A program that is kept stays where it is, and is known by that.
    static KEPT: RefCell<Vec<(Arc<Program>, Prepared)>> = const { RefCell::new(Vec::new()) };
}

/// Prepares a program, or finds that it was.
fn prepared(program: &Arc<Program>) -> Prepared {
    let find = |kept: &mut Vec<(Arc<Program>, Prepared)>| {
        if let Some((_, prepared)) = kept.iter().rev().find(|(known, _)| Arc::ptr_eq(known, program)) {
            return prepared.clone();
        }
        let simple = program.simplified().map_or_else(|| program.clone(), Arc::new);
        let prepared = Prepared { general: Arc::new(simple.general()), program: simple };
        if kept.len() == MOST_KEPT {
            kept.remove(0);
        }
        kept.push((program.clone(), prepared.clone()));
        prepared
    };
    KEPT.with_borrow_mut(find)
}

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
    if inputs.len() != program.given().len() {
        let (wanted, given) = (program.given().len(), inputs.len());
        return Err(Error::Value(format!("{NAME}: the program has {wanted} inputs, but {given} arrays were given")));
    }
    for (n, (tensor, &wanted)) in inputs.iter().zip(program.given()).enumerate() {
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
    let Prepared { program, general } = prepared(program);
    let mut work = Submission::on(queue);
    let allocate = |&value| work.allocate(NAME, layout.clone(), program.dtype_of(value), kind);
    let results = program.outputs().iter().map(allocate).collect::<Result<Vec<_>>>()?;
    let Some((first, others)) = results.split_first() else { return Ok(Vec::new()) };
    let mut command = strided_command(ProgramRef::Shared(program.clone()), &args, first.address(), &layout, &mut work)?;
    // Every output has the first one's layout.
    let strides = command.strides(program.inputs().len()).to_vec();
    others.iter().for_each(|other| command.push_memory(other.address(), &strides));
    // The command has the constants now, and a kernel for one number serves them all.
    command.program = ProgramRef::Shared(general);
    work.produce_list(&Command::Elementwise(command), results.into_iter().map(Output::New).collect())
}
