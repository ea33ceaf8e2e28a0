//! Expressions of arrays as programs: what functions of arrays would compute one after the other, in one pass.

use std::collections::HashMap;

use situ_ir::{Op, Program, ProgramBuilder, ProgramError, StepKind, Value};
use situ_runtime::Queue;
use situ_types::{DType, Order, Scalar, UsmKind};
use smallvec::SmallVec;

use super::known::{Known, known};
use super::resolve::resolve;
use super::{Arg, resolve_select};
use crate::programs::{conversion, uniform_op};
use crate::{Error, Result, Tensor, Weak};

/// An operand of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermOperand {
    /// An array that is given, or after these the result of a term, by its number.
    Value(usize),
    /// A number that takes the arrays' dtype, by its own number.
    Number(usize),
}

/// What a term computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermKind {
    /// An op of the table.
    Apply(Op),
    /// The second operand where the first differs from zero, else the third.
    Select,
    /// The operand in another dtype.
    Convert(DType),
}

/// One function call of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What it computes.
    pub kind: TermKind,
    /// Its operands, at least one of them an array.
    pub operands: SmallVec<[TermOperand; 3]>,
}

/// Calls of elementwise functions, each of arrays that are given, of numbers, and of results of earlier ones.
///
/// ```
/// use std::sync::Arc;
/// use situ_ir::Op;
/// use situ_tensor::{Expression, TermOperand, Tensor, Term, TermKind, Weak, evaluate};
///
/// let x = Tensor::arange(3)?;
/// let term = |op, operands: &[_]| Term { kind: TermKind::Apply(op), operands: operands.into() };
/// // (x + 0.5) * x, where the sum is of float64.
/// let terms = vec![
///     term(Op::Add, &[TermOperand::Value(0), TermOperand::Number(0)]),
///     term(Op::Multiply, &[TermOperand::Value(1), TermOperand::Value(0)]),
/// ];
/// let expression = Expression { inputs: vec![x.dtype()], terms, outputs: vec![2] };
/// let program = Arc::new(expression.program(&[Weak::Float(0.5)], x.queue())?);
/// assert_eq!(evaluate(&program, &[&x])?[0].to_vec::<f64>()?, [0.0, 1.5, 5.0]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The dtypes of the arrays that are given.
    pub inputs: Vec<DType>,
    /// The calls, in order.
    pub terms: Vec<Term>,
    /// The values that are wanted: arrays that are given are numbered first, then terms.
    pub outputs: Vec<usize>,
}

/// A term whose dtypes are known.
struct Resolved {
    program: &'static Program,
    /// What the program is given.
    given: SmallVec<[Given; 3]>,
}

enum Given {
    Value(usize),
    Constant(Scalar),
}

impl Expression {
    /// The program that computes what calling the functions on a queue would, bit for bit, with these numbers.
    pub fn program(&self, numbers: &[Weak], queue: &Queue) -> Result<Program> {
        let mut dtypes = self.inputs.clone();
        let mut stand_ins = StandIns { queue, made: HashMap::new() };
        let mut resolved = Vec::with_capacity(self.terms.len());
        for term in &self.terms {
            let term = stand_ins.resolve(term, &dtypes, numbers)?;
            dtypes.push(term.program.result());
            resolved.push(term);
        }
        let mut builder = Program::builder();
        let mut values: Vec<Value> = self.inputs.iter().map(|&dtype| builder.input(dtype)).collect();
        // A program has its constants before its steps, each once: there is only so much room for operands in a kernel.
        let mut constants = Vec::with_capacity(resolved.len());
        let mut known = HashMap::new();
        let mut constant =
            |value: Scalar| *known.entry((value.dtype(), value.to_bytes())).or_insert_with(|| builder.constant(value));
        for term in &resolved {
            let own = term.given.iter().filter_map(|given| match given {
                Given::Constant(value) => Some(*value),
                Given::Value(_) => None,
            });
            let own: SmallVec<[Value; 3]> = own.chain(term.program.constants()).map(&mut constant).collect();
            constants.push(own);
        }
        for (term, constants) in resolved.iter().zip(&constants) {
            let value = inlined(&mut builder, term, &values, constants)?;
            values.push(value);
        }
        let missing = |&n: &usize| values.get(n).copied().ok_or(ProgramError::Undefined { value: n });
        let outputs = self.outputs.iter().map(missing).collect::<std::result::Result<Vec<_>, _>>()?;
        Ok(builder.finish(&outputs)?)
    }
}

/// Adds the steps of a term; returns its result.
fn inlined(builder: &mut ProgramBuilder, term: &Resolved, values: &[Value], constants: &[Value]) -> Result<Value> {
    let mut constants = constants.iter().copied();
    let mut own = SmallVec::<[Value; 8]>::new();
    for given in &term.given {
        let value = match given {
            Given::Value(n) => values.get(*n).copied(),
            Given::Constant(_) => constants.next(),
        };
        own.push(value.ok_or(ProgramError::Undefined { value: own.len() })?);
    }
    own.extend(constants);
    for step in term.program.steps() {
        let args: SmallVec<[Value; 3]> = step.args.iter().map(|arg| own[arg.index()]).collect();
        own.push(match (step.kind, &args[..]) {
            (StepKind::Apply(op), args) => builder.apply(op, args)?,
            (StepKind::Select, &[condition, yes, no]) => builder.select(condition, yes, no)?,
            (StepKind::Cast | StepKind::Select, _) => builder.cast(args[0], step.dtype)?,
        });
    }
    Ok(own[term.program.outputs()[0].index()])
}

/// Arrays without elements, one for each dtype: what an op does with an array depends on nothing else.
struct StandIns<'a> {
    queue: &'a Queue,
    made: HashMap<DType, Tensor>,
}

impl StandIns<'_> {
    fn resolve(&mut self, term: &Term, dtypes: &[DType], numbers: &[Weak]) -> Result<Resolved> {
        for operand in &term.operands {
            if let TermOperand::Value(n) = *operand {
                let dtype = *dtypes.get(n).ok_or(ProgramError::Undefined { value: n })?;
                if !self.made.contains_key(&dtype) {
                    let made = Tensor::empty(&[0], dtype, Order::C, UsmKind::Device, self.queue)?;
                    self.made.insert(dtype, made);
                }
            }
        }
        let mut args = SmallVec::<[Arg<'_>; 3]>::new();
        for operand in &term.operands {
            args.push(match *operand {
                TermOperand::Value(n) => Arg::Array(&self.made[&dtypes[n]]),
                TermOperand::Number(n) => Arg::Weak(*numbers.get(n).ok_or(ProgramError::Undefined { value: n })?),
            });
        }
        let arrays = term.operands.iter().filter_map(|operand| match *operand {
            TermOperand::Value(n) => Some(Given::Value(n)),
            TermOperand::Number(_) => None,
        });
        let program = match term.kind {
            TermKind::Apply(op) => match known(op, &args) {
                Some(Known::Apply(op, x)) => {
                    let given = arrays.collect();
                    return Ok(Resolved { program: uniform_op(op, 1, x.dtype())?, given });
                }
                Some(Known::Constant(value, _)) => {
                    let given = SmallVec::from_iter([Given::Constant(value)]);
                    return Ok(Resolved { program: conversion(value.dtype(), value.dtype()), given });
                }
                None => resolve(op, &args, self.queue)?,
            },
            TermKind::Select => {
                let args: [Arg<'_>; 3] = args[..]
                    .try_into()
                    .map_err(|_| Error::Value(format!("where: it takes 3 operands, not {}", term.operands.len())))?;
                resolve_select(&args, self.queue)?
            }
            TermKind::Convert(dtype) => {
                if !self.queue.device().float_support().supports(dtype) {
                    let device = self.queue.device().label();
                    return Err(Error::Unsupported { operation: "astype".into(), dtype, device });
                }
                let from = arrays.clone().next().and_then(|given| match given {
                    Given::Value(n) => dtypes.get(n).copied(),
                    Given::Constant(_) => None,
                });
                conversion(from.ok_or(ProgramError::Undefined { value: 0 })?, dtype)
            }
        };
        let mut given = SmallVec::new();
        for (n, operand) in term.operands.iter().enumerate() {
            given.push(match (*operand, args[n]) {
                (TermOperand::Value(n), _) => Given::Value(n),
                (TermOperand::Number(_), Arg::Weak(number)) => Given::Constant(number.to_scalar(program.inputs()[n])?),
                (TermOperand::Number(n), Arg::Array(_)) => return Err(ProgramError::Undefined { value: n }.into()),
            });
        }
        Ok(Resolved { program, given })
    }
}
