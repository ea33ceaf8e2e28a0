//! Operators and elementwise functions, derived from the op table.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use situ_ir::Op;
use situ_tensor::{Arg, Tensor, Weak, apply, apply_in_place, apply_into};
use situ_types::{DType, DTypeKind, Order};
use smallvec::SmallVec;

use crate::args::{numpy, type_name, weak};
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
    let other = other_given.arg();
    released(target.py(), &[Arg::Array(tensor), other], || Ok(apply_in_place(op, tensor, other)?))
}

/// `x ** y`; the exponents everybody writes have functions of their own.
pub(crate) fn power(x: &Bound<'_, PyArray>, exponent: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let dtype = x.get().tensor().dtype();
    match weak(exponent)? {
        Some(Weak::Int(2)) if dtype != DType::Bool => unary(Op::Square, x),
        Some(Weak::Float(2.0)) if dtype.kind() >= DTypeKind::Float => unary(Op::Square, x),
        Some(Weak::Float(0.5)) if dtype.kind() == DTypeKind::Float => unary(Op::Sqrt, x),
        _ => operator(Op::Pow, x, exponent, false),
    }
}

/// A unary operator.
pub(crate) fn unary(op: Op, x: &Bound<'_, PyArray>) -> PyResult<Py<PyAny>> {
    finish(x.py(), run(x.py(), op, &[Arg::Array(x.get().tensor())], Order::K)?)
}

/// The operands of one call, at least one of them an array.
struct Operands<'py>(SmallVec<[Given<'py>; 3]>);

impl<'py> Operands<'py> {
    /// Parses them; NumPy's go where the first array is.
    fn parse(function: &str, objects: &[Bound<'py, PyAny>]) -> PyResult<Operands<'py>> {
        let near = objects.iter().find_map(|object| object.cast::<PyArray>().ok());
        let near = near.map(|array| array.get().tensor());
        if near.is_none() {
            return Err(PyTypeError::new_err(format!(
                "{function}: at least one operand must be an array of situ; convert with situ.tensor.asarray first"
            )));
        }
        let mut parsed = SmallVec::new();
        for (i, object) in objects.iter().enumerate() {
            parsed.push(given(object, near)?.ok_or_else(|| {
                let found = type_name(object);
                PyTypeError::new_err(format!("{function}: operand {} is a {found}, not an array", i + 1))
            })?);
        }
        Ok(Operands(parsed))
    }

    fn args(&self) -> SmallVec<[Arg<'_>; 3]> {
        self.0.iter().map(Given::arg).collect()
    }
}

/// The keyword arguments every elementwise function takes.
fn out_and_order<'py>(op: Op, options: &Bound<'py, PyDict>) -> PyResult<(Option<Bound<'py, PyArray>>, Order)> {
    let (mut out, mut order) = (None, Order::K);
    for (key, value) in options {
        match &*key.cast::<PyString>()?.to_cow()? {
            "out" => out = output(&value)?,
            "order" => order = crate::args::order(&value.extract::<String>()?, "CFAK")?,
            other => return Err(PyTypeError::new_err(format!("{op} takes no argument {other:?}, only out and order"))),
        }
    }
    Ok((out, order))
}

/// An `out` argument.
fn output<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyArray>>> {
    if object.is_none() {
        return Ok(None);
    }
    let array = object.cast::<PyArray>();
    let array = array
        .map_err(|_| PyTypeError::new_err(format!("out: expected an array of situ, got {}", type_name(object))))?;
    Ok(Some(array.clone()))
}

/// Each element, limited to an interval. A bound that is None does not limit.
#[pyfunction]
#[pyo3(signature = (x, /, min=None, max=None, *, out=None, order="K"))]
fn clip<'py>(
    x: &Bound<'py, PyAny>,
    min: Option<&Bound<'py, PyAny>>,
    max: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    order: &str,
) -> PyResult<Py<PyAny>> {
    let py = x.py();
    let array = x
        .cast::<PyArray>()
        .map_err(|_| PyTypeError::new_err(format!("clip: x is a {}, not an array of situ", type_name(x))))?;
    let tensor = array.get().tensor();
    let bound = |object: Option<&Bound<'py, PyAny>>, name: &str| match object {
        None => Ok(None),
        Some(object) => match given(object, Some(tensor))? {
            Some(given) => Ok(Some(given)),
            None => {
                Err(PyTypeError::new_err(format!("clip: {name} is a {}, not an array or a number", type_name(object))))
            }
        },
    };
    let (low, high) = (bound(min, "min")?, bound(max, "max")?);
    let (low, high) = (low.as_ref().map(Given::arg), high.as_ref().map(Given::arg));
    let order = crate::args::order(order, "CFAK")?;
    match out.map(output).transpose()?.flatten() {
        None => finish(py, released(py, &[Arg::Array(tensor)], || Ok(situ_tensor::clip(tensor, low, high, order)?))?),
        Some(out) => {
            let target = out.get().tensor();
            released(py, &[Arg::Array(tensor)], || Ok(situ_tensor::clip_into(tensor, low, high, target)?))?;
            Ok(out.into_any().unbind())
        }
    }
}

/// Elements of `x1` where the condition holds, else of `x2`.
#[pyfunction]
#[pyo3(name = "where", signature = (condition, x1, x2, /, *, order="K", out=None))]
fn where_<'py>(
    condition: &Bound<'py, PyAny>,
    x1: &Bound<'py, PyAny>,
    x2: &Bound<'py, PyAny>,
    order: &str,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Py<PyAny>> {
    let py = condition.py();
    let array = condition.cast::<PyArray>().map_err(|_| {
        PyTypeError::new_err(format!("where: the condition is a {}, not an array of situ", type_name(condition)))
    })?;
    let operands = Operands::parse("where", &[condition.clone(), x1.clone(), x2.clone()])?;
    let (tensor, args) = (array.get().tensor(), operands.args());
    let order = crate::args::order(order, "CFAK")?;
    match out.map(output).transpose()?.flatten() {
        None => finish(py, released(py, &args, || Ok(situ_tensor::select(tensor, args[1], args[2], order)?))?),
        Some(out) => {
            let target = out.get().tensor();
            released(py, &args, || Ok(situ_tensor::select_into(tensor, args[1], args[2], target)?))?;
            Ok(out.into_any().unbind())
        }
    }
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

    #[pyo3(signature = (*args, **options))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let op = self.0;
        if args.len() != op.arity() {
            return Err(PyTypeError::new_err(format!("{op} takes {} arrays, got {}", op.arity(), args.len())));
        }
        let (out, order) = match options {
            None => (None, Order::K),
            Some(options) => out_and_order(op, options)?,
        };
        let objects: SmallVec<[Bound<'_, PyAny>; 3]> = args.iter().collect();
        let operands = Operands::parse(op.name(), &objects)?;
        let operands = operands.args();
        match out {
            None => finish(py, run(py, op, &operands, order)?),
            Some(target) => {
                run_into(py, op, &operands, target.get().tensor())?;
                Ok(target.into_any().unbind())
            }
        }
    }

    fn __repr__(&self) -> String {
        format!("<elementwise function {}>", self.0)
    }
}

/// Every elementwise function, by name.
#[pyfunction]
fn elementwise_functions(py: Python<'_>) -> PyResult<Vec<(&'static str, Py<PyElementwise>)>> {
    // Functions of three operands have signatures of their own.
    let ops = Op::ALL.iter().filter(|op| op.arity() < 3);
    ops.map(|op| Ok((op.name(), Py::new(py, PyElementwise(*op))?))).collect()
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
    module.add_function(wrap_pyfunction!(clip, module)?)?;
    module.add_function(wrap_pyfunction!(where_, module)?)?;
    module.add_function(wrap_pyfunction!(concat, module)?)
}
