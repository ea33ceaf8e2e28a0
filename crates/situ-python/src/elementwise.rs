//! Operators and elementwise functions, derived from the op table.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use situ_ir::Op;
use situ_tensor::{Arg, Tensor, apply, apply_into};
use situ_types::Order;

use crate::args::{numpy, order, type_name, weak};
use crate::array::PyArray;
use crate::creation::from_numpy_like;
use crate::errors::Outcome;

/// With operands in no more than this many bytes of memory an op runs without letting go of the interpreter, which would
/// cost more. (Asking for bytes of memory rather than of elements saves a division.)
const HOLD_BYTES: usize = 4096;

/// An operand from Python, kept alive for the call.
enum Given<'py> {
    Array(Bound<'py, PyArray>),
    /// A NumPy array or scalar, brought to the other operand's queue.
    Brought(Tensor),
    Weak(situ_tensor::Weak),
}

impl Given<'_> {
    fn arg(&self) -> Arg<'_> {
        match self {
            Given::Array(array) => Arg::Array(array.get().tensor()),
            Given::Brought(tensor) => Arg::Array(tensor),
            Given::Weak(weak) => Arg::Weak(*weak),
        }
    }
}

/// Parses an operand; `beside` is an array of the same call, which says where a NumPy operand goes.
fn given<'py>(object: &Bound<'py, PyAny>, beside: Option<&Tensor>) -> PyResult<Option<Given<'py>>> {
    if let Ok(array) = object.cast::<PyArray>() {
        return Ok(Some(Given::Array(array.clone())));
    }
    if let Some(weak) = weak(object)? {
        return Ok(Some(Given::Weak(weak)));
    }
    let Some(beside) = beside else { return Ok(None) };
    let numpy = numpy(object.py())?;
    let is_numpy = object.is_instance(&numpy.getattr("ndarray")?)? || object.is_instance(&numpy.getattr("generic")?)?;
    if !is_numpy {
        return Ok(None);
    }
    Ok(Some(Given::Brought(from_numpy_like(object, beside)?)))
}

/// Calls `work` without the interpreter if an operand is large.
fn released<T: Send>(py: Python<'_>, args: &[Arg<'_>], work: impl FnOnce() -> Outcome<T> + Send) -> PyResult<T> {
    let large = args.iter().any(|arg| matches!(arg, Arg::Array(t) if t.buffer().bytes() > HOLD_BYTES));
    Ok(if large { py.detach(work) } else { work() }?)
}

fn run(py: Python<'_>, op: Op, args: &[Arg<'_>], order: Order) -> PyResult<Tensor> {
    released(py, args, || Ok(apply(op, args, order)?))
}

fn run_into(py: Python<'_>, op: Op, args: &[Arg<'_>], out: &Tensor) -> PyResult<()> {
    released(py, args, || Ok(apply_into(op, args, out)?))
}

fn finish(py: Python<'_>, tensor: Tensor) -> PyResult<Py<PyAny>> {
    Ok(Bound::new(py, PyArray::new(tensor))?.into_any().unbind())
}

/// A binary operator, or its reflected form; `NotImplemented` where the other operand is nothing we know.
pub(crate) fn operator(
    op: Op,
    array: &Bound<'_, PyArray>,
    other: &Bound<'_, PyAny>,
    reflected: bool,
) -> PyResult<Py<PyAny>> {
    let py = array.py();
    let tensor = array.get().tensor();
    let ordered = |other| if reflected { [other, Arg::Array(tensor)] } else { [Arg::Array(tensor), other] };
    if let Ok(other) = other.cast::<PyArray>() {
        return finish(py, run(py, op, &ordered(Arg::Array(other.get().tensor())), Order::K)?);
    }
    match given(other, Some(tensor))? {
        Some(other) => finish(py, run(py, op, &ordered(other.arg()), Order::K)?),
        None => Ok(py.NotImplemented()),
    }
}

/// An in-place operator.
pub(crate) fn operator_in_place(op: Op, target: &Bound<'_, PyArray>, other: &Bound<'_, PyAny>) -> PyResult<()> {
    let tensor = target.get().tensor();
    let Some(other_given) = given(other, Some(tensor))? else {
        return Err(PyTypeError::new_err(format!("{op}: unsupported operand of type {}", type_name(other))));
    };
    run_into(target.py(), op, &[Arg::Array(tensor), other_given.arg()], tensor)
}

/// A unary operator.
pub(crate) fn unary(op: Op, x: &Bound<'_, PyArray>) -> PyResult<Py<PyAny>> {
    finish(x.py(), run(x.py(), op, &[Arg::Array(x.get().tensor())], Order::K)?)
}

/// An elementwise function: a row of the op table, callable.
#[pyclass(name = "ElementwiseFunction", module = "situ.tensor", frozen)]
#[derive(Debug)]
pub(crate) struct PyElementwise(Op);

#[pymethods]
impl PyElementwise {
    /// Number of inputs.
    #[getter]
    fn nin(&self) -> usize {
        self.0.arity()
    }

    /// Number of outputs.
    #[getter]
    fn nout(&self) -> usize {
        1
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.0.name()
    }

    #[getter]
    fn __doc__(&self) -> &'static str {
        self.0.doc()
    }

    /// The combinations of dtypes it computes with, in NumPy's letters.
    #[getter]
    fn types(&self) -> Vec<String> {
        let rule = self.0.rule();
        let signature = |d: &situ_types::DType| {
            let inputs: String = std::iter::repeat_n(d.letter(), self.0.arity()).collect();
            format!("{inputs}->{}", rule.out.apply(*d).letter())
        };
        rule.domain.iter().map(signature).collect()
    }

    #[pyo3(signature = (*args, out=None, order="K"))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, pyo3::types::PyTuple>,
        out: Option<&Bound<'_, PyAny>>,
        order: &str,
    ) -> PyResult<Py<PyAny>> {
        let op = self.0;
        if args.len() != op.arity() {
            return Err(PyTypeError::new_err(format!("{op} takes {} arrays, got {}", op.arity(), args.len())));
        }
        let order = crate::elementwise::order(order, "CFAK")?;
        let near = args.iter().find_map(|a| a.cast::<PyArray>().ok().cloned());
        let near = near.as_ref().map(|array| array.get().tensor());
        if near.is_none() {
            return Err(PyTypeError::new_err(format!(
                "{op}: at least one operand must be an array of situ; convert with situ.tensor.asarray first"
            )));
        }
        let mut parsed = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            parsed.push(given(&arg, near)?.ok_or_else(|| {
                PyTypeError::new_err(format!("{op}: operand {} is a {}, not an array", i + 1, type_name(&arg)))
            })?);
        }
        let operands: Vec<Arg<'_>> = parsed.iter().map(Given::arg).collect();
        let Some(out) = out else {
            return finish(py, run(py, op, &operands, order)?);
        };
        let target = out
            .cast::<PyArray>()
            .map_err(|_| PyTypeError::new_err(format!("out: expected an array of situ, got {}", type_name(out))))?;
        let tensor = target.get().tensor();
        run_into(py, op, &operands, tensor)?;
        Ok(target.clone().into_any().unbind())
    }

    fn __repr__(&self) -> String {
        format!("<elementwise function {}>", self.0)
    }
}

/// Every elementwise function, by name.
#[pyfunction]
fn elementwise_functions(py: Python<'_>) -> PyResult<Vec<(&'static str, Py<PyElementwise>)>> {
    Op::ALL.iter().map(|op| Ok((op.name(), Py::new(py, PyElementwise(*op))?))).collect()
}

/// Joins arrays along an axis.
#[pyfunction]
#[pyo3(signature = (arrays, /, *, axis=0))]
fn concat(py: Python<'_>, arrays: Vec<Bound<'_, PyAny>>, axis: isize) -> PyResult<PyArray> {
    let arrays: Vec<&Bound<'_, PyArray>> = arrays
        .iter()
        .enumerate()
        .map(|(i, array)| {
            array.cast::<PyArray>().map_err(|_| {
                PyTypeError::new_err(format!(
                    "concat: arrays[{i}] is a {}, not an array of situ; convert it with situ.tensor.asarray first",
                    type_name(array)
                ))
            })
        })
        .collect::<PyResult<_>>()?;
    if arrays.is_empty() {
        return Err(PyValueError::new_err("concat: no arrays were given"));
    }
    let tensors: Vec<&Tensor> = arrays.iter().map(|array| array.get().tensor()).collect();
    let ndim = tensors.first().map_or(0, |t| t.layout().ndim()) as isize;
    if axis < -ndim || axis >= ndim {
        return Err(PyValueError::new_err(format!(
            "concat: axis {axis} does not exist in arrays of {ndim} dimensions"
        )));
    }
    let made: Outcome<Tensor> = py.detach(|| Ok(Tensor::concat(&tensors, axis.rem_euclid(ndim) as usize)?));
    Ok(PyArray::new(made?))
}

/// Puts the functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyElementwise>()?;
    module.add_function(wrap_pyfunction!(elementwise_functions, module)?)?;
    module.add_function(wrap_pyfunction!(concat, module)?)
}
