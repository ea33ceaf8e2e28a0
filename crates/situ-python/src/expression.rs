//! Expressions of arrays, run in one pass: what `situ.njit` makes of the functions it traces.

use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use situ_ir::{Op, Program, Statistic};
use situ_runtime::Queue;
use situ_tensor::{Expression, Reducing, Tensor, Term, TermKind, TermOperand, Weak, evaluate, reduce_program};
use situ_types::FloatSupport;

use crate::args::{self, type_name};
use crate::array::PyArray;
use crate::errors::{Outcome, Raised};
use crate::gil;
use crate::reduce::axes;

type Object<'a, 'py> = &'a Bound<'py, PyAny>;

/// A term as Python writes it: the name of a function, its operands, and the dtype of a conversion. Operands are
/// numbered: arrays and terms from 0 upwards, Python's numbers from -1 downwards.
type Written<'py> = (String, Vec<isize>, Option<Bound<'py, PyAny>>);

/// Calls of elementwise functions that run as one, over arrays of given dtypes. The functions are those of
/// `situ.tensor`, by their names; `where` and `astype` are among them.
#[pyclass(name = "Expression", module = "situ._native", frozen)]
#[derive(Debug)]
struct PyExpression {
    expression: Expression,
    /// The program for the numbers and the kind of device of the last call, which are usually those of the next.
    last: std::sync::Mutex<Option<(Known, Arc<Program>)>>,
}

/// What a program depends on beside the expression.
type Known = (Vec<(u8, [u64; 2])>, FloatSupport);

/// What tells one number from another: also zeros of different signs, and nothing from itself.
fn identity(number: Weak) -> (u8, [u64; 2]) {
    match number {
        Weak::Bool(value) => (0, [value.into(), 0]),
        Weak::Int(value) => (1, [value as u64, (value >> 64) as u64]),
        Weak::Huge(value) => (2, [value.to_bits(), 0]),
        Weak::Float(value) => (3, [value.to_bits(), 0]),
        Weak::Complex(value) => (4, [value.re.to_bits(), value.im.to_bits()]),
    }
}

fn term(written: Written<'_>) -> PyResult<Term> {
    let (name, operands, dtype) = written;
    let kind =
        match (&*name, dtype) {
            ("where", _) => TermKind::Select,
            ("astype", Some(dtype)) => TermKind::Convert(args::dtype(&dtype)?),
            _ => TermKind::Apply(Op::from_name(&name).ok_or_else(|| {
                PyValueError::new_err(format!("Expression: there is no elementwise function {name:?}"))
            })?),
        };
    let operand = |n: isize| if n < 0 { TermOperand::Number(!n as usize) } else { TermOperand::Value(n as usize) };
    Ok(Term { kind, operands: operands.into_iter().map(operand).collect() })
}

impl PyExpression {
    fn program(&self, numbers: &[Bound<'_, PyAny>], queue: &Queue) -> PyResult<Arc<Program>> {
        let mut parsed = Vec::with_capacity(numbers.len());
        for number in numbers {
            parsed.push(args::weak(number)?.ok_or_else(|| {
                PyTypeError::new_err(format!("Expression: expected a number, got {}", type_name(number)))
            })?);
        }
        let known = (parsed.iter().copied().map(identity).collect(), queue.device().float_support());
        if let Ok(last) = self.last.lock()
            && let Some((before, program)) = &*last
            && *before == known
        {
            return Ok(program.clone());
        }
        let program = Arc::new(self.expression.program(&parsed, queue).map_err(Raised::from)?);
        if let Ok(mut last) = self.last.lock() {
            *last = Some((known, program.clone()));
        }
        Ok(program)
    }
}

/// The arrays of a call, and the queue of the first.
fn tensors<'a>(inputs: &'a [Bound<'_, PyArray>]) -> PyResult<(Vec<&'a Tensor>, &'a Queue)> {
    let tensors: Vec<&Tensor> = inputs.iter().map(|array| array.get().tensor()).collect();
    match tensors.first().map(|first| first.queue()) {
        Some(queue) => Ok((tensors, queue)),
        None => Err(PyValueError::new_err("Expression: at least one operand must be an array of situ")),
    }
}

#[pymethods]
impl PyExpression {
    #[new]
    fn new(inputs: Vec<Bound<'_, PyAny>>, terms: Vec<Written<'_>>, outputs: Vec<usize>) -> PyResult<PyExpression> {
        let inputs = inputs.iter().map(args::dtype).collect::<PyResult<_>>()?;
        let terms = terms.into_iter().map(term).collect::<PyResult<_>>()?;
        Ok(PyExpression { expression: Expression { inputs, terms, outputs }, last: std::sync::Mutex::new(None) })
    }

    /// Computes the outputs.
    fn run(
        &self,
        py: Python<'_>,
        inputs: Vec<Bound<'_, PyArray>>,
        numbers: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<PyArray>> {
        let (tensors, queue) = tensors(&inputs)?;
        let program = self.program(&numbers, queue)?;
        let takes_long = tensors.iter().any(|tensor| gil::is_long_with(tensor));
        let results = gil::released_if(takes_long, py, || Ok(evaluate(&program, &tensors)?))?;
        Ok(results.into_iter().map(PyArray::new).collect())
    }

    /// Reduces the only output, by the reduction of that name.
    #[pyo3(signature = (reduction, inputs, numbers, axis, keepdims, dtype))]
    #[allow(clippy::too_many_arguments, reason = "what is reduced, and how")]
    fn reduce<'py>(
        &self,
        py: Python<'py>,
        reduction: &str,
        inputs: Vec<Bound<'py, PyArray>>,
        numbers: Vec<Bound<'py, PyAny>>,
        axis: Option<Object<'_, 'py>>,
        keepdims: bool,
        dtype: Option<Object<'_, 'py>>,
    ) -> PyResult<PyArray> {
        let statistic = Statistic::ALL.iter().copied().find(|statistic| statistic.name() == reduction);
        let statistic = statistic
            .ok_or_else(|| PyValueError::new_err(format!("Expression: there is no reduction {reduction:?}")))?;
        let (tensors, queue) = tensors(&inputs)?;
        let program = self.program(&numbers, queue)?;
        let (axes, dtype) = (axes(statistic.name(), axis)?, dtype.map(args::dtype).transpose()?);
        let how = Reducing { axes, dtype, keepdims, out: None };
        let takes_long = tensors.iter().any(|tensor| gil::is_long_with(tensor));
        let work = || -> Outcome<Tensor> { Ok(reduce_program(statistic, &program, &tensors, &how)?) };
        Ok(PyArray::new(gil::released_if(takes_long, py, work)?))
    }
}

/// Puts the class into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyExpression>()
}
