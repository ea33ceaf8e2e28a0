//! Operators and elementwise functions, derived from the op table.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use situ_ir::Op;
use situ_tensor::{Arg, FILLED_AT_ONCE, Tensor, Weak, apply, apply_in_place, apply_into};
use situ_types::{DTypeKind, Order};

use crate::args::{order, plain_number, type_name, weak};
use crate::array::PyArray;
use crate::creation::{from_numpy_like, is_numpy};
use crate::errors::{Outcome, Raised};

/// With operands in no more than this many bytes of memory an op runs without letting go of the interpreter, which
/// would cost more. (Asking for bytes of memory rather than of elements saves a division.)
pub(crate) const HOLD_BYTES: usize = 16384;

/// An operand from Python.
enum Given<'a, 'py> {
    Array(&'a Bound<'py, PyArray>),
    /// A NumPy array or scalar, brought to the other operand's queue.
    Brought(Tensor),
    Weak(Weak),
}

impl Given<'_, '_> {
    #[inline]
    fn arg(&self) -> Arg<'_> {
        match self {
            Given::Array(array) => Arg::Array(array.get().tensor()),
            Given::Brought(tensor) => Arg::Array(tensor),
            Given::Weak(weak) => Arg::Weak(*weak),
        }
    }
}

/// An operand that needs no parsing: an array, a float or an integer of usual size.
#[inline(always)]
fn plain<'a>(object: &'a Bound<'_, PyAny>) -> Option<Arg<'a>> {
    match object.cast_exact::<PyArray>() {
        Ok(array) => Some(Arg::Array(array.get().tensor())),
        Err(_) => plain_number(object).map(Arg::Weak),
    }
}

/// Parses an operand; `beside` is an array of the same call, which says where a NumPy operand goes.
#[inline(never)]
fn given<'a, 'py>(object: &'a Bound<'py, PyAny>, beside: &Tensor) -> PyResult<Option<Given<'a, 'py>>> {
    if let Ok(array) = object.cast::<PyArray>() {
        return Ok(Some(Given::Array(array)));
    }
    if let Some(weak) = weak(object)? {
        return Ok(Some(Given::Weak(weak)));
    }
    if !is_numpy(object)? {
        return Ok(None);
    }
    Ok(Some(Given::Brought(from_numpy_like(object, beside)?)))
}

/// Whether an operand is so large, or so far away, that the op should let go of the interpreter.
#[inline]
fn is_large(args: &[Arg<'_>]) -> bool {
    let takes_long = |t: &Tensor| t.buffer().bytes() > HOLD_BYTES || t.queue().is_remote();
    args.iter().any(|arg| matches!(arg, Arg::Array(t) if takes_long(t)))
}

/// Whether there is nothing to do but to write results, few enough to hold on to the interpreter.
#[inline]
fn is_known(op: Op, args: &[Arg<'_>]) -> bool {
    let is_known = |t: &Tensor| op.foregone(t.dtype()).is_some() && t.size() <= FILLED_AT_ONCE;
    let is_near = |t: &Tensor| !t.queue().is_remote() && !t.queue().may_wait_for_memory();
    args.iter().all(|arg| matches!(arg, Arg::Array(t) if is_known(t) && is_near(t)))
}

/// Calls `work` without the interpreter if an operand is large.
#[inline]
pub(crate) fn released<T: Send>(
    py: Python<'_>,
    args: &[Arg<'_>],
    work: impl FnOnce() -> Outcome<T> + Send,
) -> PyResult<T> {
    Ok(if is_large(args) { py.detach(work) } else { work() }?)
}

#[inline]
fn run<const N: usize>(py: Python<'_>, op: Op, args: &[Arg<'_>; N], order: Order) -> PyResult<Py<PyAny>> {
    // Written out, so that small work has a way of its own, without a detour of its result through memory.
    if is_large(args) && !is_known(op, args) {
        return run_released(py, op, args, order);
    }
    finish(py, apply(op, args, order).map_err(Raised::from)?)
}

#[inline(never)]
fn run_released<const N: usize>(py: Python<'_>, op: Op, args: &[Arg<'_>; N], order: Order) -> PyResult<Py<PyAny>> {
    finish(py, py.detach(|| apply(op, args, order)).map_err(Raised::from)?)
}

fn run_into<const N: usize>(py: Python<'_>, op: Op, args: &[Arg<'_>; N], out: &Tensor) -> PyResult<()> {
    released(py, args, || Ok(apply_into(op, args, out)?))
}

fn finish(py: Python<'_>, tensor: Tensor) -> PyResult<Py<PyAny>> {
    Ok(PyArray::new(tensor).into_object(py)?.into_any().unbind())
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
    if let Some(other) = plain(other) {
        return run(py, op, &ordered(other), Order::K);
    }
    match given(other, tensor)? {
        Some(other) => run(py, op, &ordered(other.arg()), Order::K),
        None => Ok(py.NotImplemented()),
    }
}

/// An in-place operator.
pub(crate) fn operator_in_place(op: Op, target: &Bound<'_, PyArray>, other: &Bound<'_, PyAny>) -> PyResult<()> {
    let tensor = target.get().tensor();
    let Some(other_given) = given(other, tensor)? else {
        return Err(PyTypeError::new_err(format!("{op}: unsupported operand of type {}", type_name(other))));
    };
    let other = other_given.arg();
    released(target.py(), &[Arg::Array(tensor), other], || Ok(apply_in_place(op, tensor, other)?))
}

/// `x ** y`, where 1/2 is a square root, as in NumPy; other known exponents are `situ-tensor`'s business.
pub(crate) fn power(x: &Bound<'_, PyArray>, exponent: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    match weak(exponent)? {
        Some(Weak::Float(0.5)) if x.get().tensor().dtype().kind() == DTypeKind::Float => unary(Op::Sqrt, x),
        _ => operator(Op::Pow, x, exponent, false),
    }
}

/// A unary operator.
pub(crate) fn unary(op: Op, x: &Bound<'_, PyArray>) -> PyResult<Py<PyAny>> {
    run(x.py(), op, &[Arg::Array(x.get().tensor())], Order::K)
}

/// The operands of one call, at least one of them an array.
struct Operands<'a, 'py, const N: usize>([Given<'a, 'py>; N]);

impl<'a, 'py, const N: usize> Operands<'a, 'py, N> {
    /// Parses them; NumPy's go where the first array is.
    fn parse(function: &str, objects: [&'a Bound<'py, PyAny>; N]) -> PyResult<Operands<'a, 'py, N>> {
        let Some(near) = objects.iter().find_map(|object| object.cast::<PyArray>().ok()) else {
            return Err(PyTypeError::new_err(format!(
                "{function}: at least one operand must be an array of situ; convert with situ.tensor.asarray first"
            )));
        };
        let near = near.get().tensor();
        let mut parsed = [const { Given::Weak(Weak::Bool(false)) }; N];
        for (i, (parsed, object)) in parsed.iter_mut().zip(objects).enumerate() {
            *parsed = given(object, near)?.ok_or_else(|| {
                let found = type_name(object);
                PyTypeError::new_err(format!("{function}: operand {} is a {found}, not an array", i + 1))
            })?;
        }
        Ok(Operands(parsed))
    }

    fn args(&self) -> [Arg<'_>; N] {
        self.0.each_ref().map(Given::arg)
    }
}

/// An `order` argument.
pub(crate) fn order_of(object: &Bound<'_, PyAny>) -> PyResult<Order> {
    order(&object.cast::<PyString>()?.to_cow()?, "CFAK")
}

/// An `out` argument.
fn output<'a, 'py>(object: &'a Bound<'py, PyAny>) -> PyResult<Option<&'a Bound<'py, PyArray>>> {
    if object.is_none() {
        return Ok(None);
    }
    let array = object.cast::<PyArray>();
    let array = array
        .map_err(|_| PyTypeError::new_err(format!("out: expected an array of situ, got {}", type_name(object))))?;
    Ok(Some(array))
}

/// Each element, limited to an interval.
///
/// Parameters:
///     x (ndarray): The array.
///     min (ndarray | ArrayOperand | None): The least value; None does not limit.
///     max (ndarray | ArrayOperand | None): The greatest value; None does not limit.
#[doc = parameter!(out)]
#[doc = parameter!(order)]
///
/// Returns:
///     ndarray: A new array, or `out`.
///
/// >>> from situ import tensor
/// >>> tensor.clip(tensor.arange(6), 1, 4)
/// ndarray([1, 1, 2, 3, 4, 4])
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
    let array = x.cast::<PyArray>().map_err(|_| {
        PyTypeError::new_err(format!(
            "clip: x is a {}, not an array of situ; convert it with situ.tensor.asarray first",
            type_name(x)
        ))
    })?;
    let tensor = array.get().tensor();
    let (low, high) = (bound(min, "min", tensor)?, bound(max, "max", tensor)?);
    let (low, high) = (low.as_ref().map(Given::arg), high.as_ref().map(Given::arg));
    let operands: Vec<Arg<'_>> = [Some(Arg::Array(tensor)), low, high].into_iter().flatten().collect();
    let order = crate::args::order(order, "CFAK")?;
    match out.map(output).transpose()?.flatten() {
        None => finish(py, released(py, &operands, || Ok(situ_tensor::clip(tensor, low, high, order)?))?),
        Some(out) => {
            let target = out.get().tensor();
            released(py, &operands, || Ok(situ_tensor::clip_into(tensor, low, high, target)?))?;
            Ok(out.clone().into_any().unbind())
        }
    }
}

/// A bound of [`clip`].
fn bound<'a, 'py>(
    object: Option<&'a Bound<'py, PyAny>>,
    name: &str,
    beside: &Tensor,
) -> PyResult<Option<Given<'a, 'py>>> {
    let Some(object) = object else { return Ok(None) };
    let wrong = || PyTypeError::new_err(format!("clip: {name} is a {}, not an array or a number", type_name(object)));
    given(object, beside)?.ok_or_else(wrong).map(Some)
}

/// Elements of one array where a condition holds, else of another.
///
/// Parameters:
///     condition (ndarray): What is not 0 holds.
///     x1 (ndarray | ArrayOperand): What to take where it holds.
///     x2 (ndarray | ArrayOperand): What to take where it does not.
#[doc = parameter!(order)]
#[doc = parameter!(out)]
///
/// Returns:
///     ndarray: A new array, or `out`.
///
/// >>> from situ import tensor
/// >>> x = tensor.arange(5)
/// >>> tensor.where(x < 3, x, -1)
/// ndarray([ 0,  1,  2, -1, -1])
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
        PyTypeError::new_err(format!(
            "where: the condition is a {}, not an array of situ; convert it with situ.tensor.asarray first",
            type_name(condition)
        ))
    })?;
    let operands = Operands::parse("where", [condition, x1, x2])?;
    let (tensor, args) = (array.get().tensor(), operands.args());
    let order = crate::args::order(order, "CFAK")?;
    match out.map(output).transpose()?.flatten() {
        None => finish(py, released(py, &args, || Ok(situ_tensor::select(tensor, args[1], args[2], order)?))?),
        Some(out) => {
            let target = out.get().tensor();
            released(py, &args, || Ok(situ_tensor::select_into(tensor, args[1], args[2], target)?))?;
            Ok(out.clone().into_any().unbind())
        }
    }
}

/// Applies an op to the operands of a call.
pub(crate) fn call<'py, const N: usize>(
    op: Op,
    objects: [&Bound<'py, PyAny>; N],
    out: Option<&Bound<'py, PyAny>>,
    order: Order,
) -> PyResult<Py<PyAny>> {
    let py = objects[0].py();
    let operands;
    let args = match all_plain(&objects) {
        Some(args) => args,
        None => {
            operands = Operands::parse(op.name(), objects)?;
            operands.args()
        }
    };
    match out.map(output).transpose()?.flatten() {
        None => run(py, op, &args, order),
        Some(out) => {
            run_into(py, op, &args, out.get().tensor())?;
            Ok(out.clone().into_any().unbind())
        }
    }
}

/// The operands where none needs parsing and one is an array: the usual case.
#[inline(always)]
fn all_plain<'a, const N: usize>(objects: &[&'a Bound<'_, PyAny>; N]) -> Option<[Arg<'a>; N]> {
    let (mut args, mut any_array) = ([Arg::Weak(Weak::Bool(false)); N], false);
    for (arg, object) in args.iter_mut().zip(objects) {
        *arg = plain(object)?;
        any_array |= matches!(arg, Arg::Array(_));
    }
    any_array.then_some(args)
}

/// Joins arrays along an axis.
///
/// Parameters:
///     arrays (Sequence[ndarray]): The arrays, alike in shape but for the axis.
///     axis (int): The axis.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> tensor.concat([tensor.arange(3), tensor.ones(2, dtype="int64")])
/// ndarray([0, 1, 2, 1, 1])
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
    module.add_function(wrap_pyfunction!(clip, module)?)?;
    module.add_function(wrap_pyfunction!(where_, module)?)?;
    module.add_function(wrap_pyfunction!(concat, module)?)
}
