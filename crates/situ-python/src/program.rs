//! Elementwise programs from Python: what the benchmark and the tests of fusion are written with.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use situ_ir::{Op, Program};
use situ_tensor::Tensor;

use crate::array::PyArray;
use crate::errors::Outcome;

fn ill_formed(reason: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("evaluate: {reason}"))
}

/// Runs ops over arrays in one pass. Values are numbered, inputs first, then steps in order; a step is the name of an
/// op and the values it reads.
#[pyfunction]
fn evaluate(
    py: Python<'_>,
    inputs: Vec<Bound<'_, PyArray>>,
    steps: Vec<(String, Vec<usize>)>,
    outputs: Vec<usize>,
) -> PyResult<Vec<PyArray>> {
    let tensors: Vec<&Tensor> = inputs.iter().map(|array| array.get().tensor()).collect();
    let mut builder = Program::builder();
    let mut values: Vec<_> = tensors.iter().map(|tensor| builder.input(tensor.dtype())).collect();
    let value =
        |values: &[_], n: usize| values.get(n).copied().ok_or_else(|| ill_formed(format!("there is no value {n}")));
    for (name, args) in steps {
        let op = Op::from_name(&name).ok_or_else(|| ill_formed(format!("there is no op {name:?}")))?;
        let args = args.into_iter().map(|n| value(&values, n)).collect::<PyResult<Vec<_>>>()?;
        values.push(builder.apply(op, &args).map_err(ill_formed)?);
    }
    let outputs = outputs.into_iter().map(|n| value(&values, n)).collect::<PyResult<Vec<_>>>()?;
    let program = Arc::new(builder.finish(&outputs).map_err(ill_formed)?);
    let results: Outcome<Vec<Tensor>> = py.detach(|| Ok(situ_tensor::evaluate(&program, &tensors)?));
    Ok(results?.into_iter().map(PyArray::new).collect())
}

/// Puts the function into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(evaluate, module)?)
}
