//! Operators and elementwise functions, derived from the op table.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use situ_ir::Op;
use situ_tensor::{Arg, FILLED_AT_ONCE, Tensor, Weak, apply, apply_in_place, apply_into};
use situ_types::{DTypeKind, Order};

use crate::args::{type_name, weak};
use crate::array::PyArray;
use crate::errors::Raised;
use crate::gil;
use crate::offload;
use crate::operands::{Operand, Operands, all_plain, output, plain};

/// Whether there is nothing to do but to write results, few enough to hold on to the interpreter.
#[inline]
fn is_known(op: Op, args: &[Arg<'_>]) -> bool {
    let is_known = |t: &Tensor| op.known_result(t.dtype()).is_some() && t.size() <= FILLED_AT_ONCE;
    let is_near = |t: &Tensor| !gil::is_long_to_allocate(t.queue());
    args.iter().all(|arg| matches!(arg, Arg::Array(t) if is_known(t) && is_near(t)))
}

#[inline]
fn run<const N: usize>(py: Python<'_>, op: Op, args: &[Arg<'_>; N], order: Order) -> PyResult<Py<PyAny>> {
    // Written out, so that small work has a way of its own, without a detour of its result through memory.
    if gil::is_long(args) && !is_known(op, args) {
        return run_released(py, op, args, order);
    }
    finish(py, apply(op, args, order).map_err(Raised::from)?)
}

#[inline(never)]
fn run_released<const N: usize>(py: Python<'_>, op: Op, args: &[Arg<'_>; N], order: Order) -> PyResult<Py<PyAny>> {
    finish(py, py.detach(|| apply(op, args, order)).map_err(Raised::from)?)
}

fn run_into<const N: usize>(py: Python<'_>, op: Op, args: &[Arg<'_>; N], out: &Tensor) -> PyResult<()> {
    gil::released_if(gil::is_long(args), py, || Ok(apply_into(op, args, out)?))
}

pub(crate) fn finish(py: Python<'_>, tensor: Tensor) -> PyResult<Py<PyAny>> {
    Ok(PyArray::new(tensor).into_object(py)?.into_any().unbind())
}

/// A binary operator, or its reflected form; `NotImplemented` where the other operand is nothing we know.
pub(crate) fn operator<'py>(
    op: Op,
    array: &Bound<'py, PyArray>,
    other: &Bound<'py, PyAny>,
    reflected: bool,
) -> PyResult<Py<PyAny>> {
    offload::operator(array, other, |array, other| {
        let py = array.py();
        let tensor = array.get().tensor();
        let ordered = |other| if reflected { [other, Arg::Array(tensor)] } else { [Arg::Array(tensor), other] };
        if let Some(other) = plain(other) {
            return run(py, op, &ordered(other), Order::K);
        }
        match Operand::parse(other, tensor)? {
            Some(other) => run(py, op, &ordered(other.arg()), Order::K),
            None => Ok(py.NotImplemented()),
        }
    })
}

/// An in-place operator.
pub(crate) fn operator_in_place<'py>(op: Op, target: &Bound<'py, PyArray>, other: &Bound<'py, PyAny>) -> PyResult<()> {
    let tensor = target.get().tensor();
    let other = offload::beside(target, other)?;
    let Some(parsed) = Operand::parse(&other, tensor)? else {
        return Err(PyTypeError::new_err(format!("{op}: unsupported operand of type {}", type_name(&other))));
    };
    let other = parsed.arg();
    let takes_long = gil::is_long(&[Arg::Array(tensor), other]);
    gil::released_if(takes_long, target.py(), || Ok(apply_in_place(op, tensor, other)?))
}

/// `x ** y`, where 1/2 is a square root, as in NumPy; other known exponents are `situ-tensor`'s business.
pub(crate) fn power<'py>(x: &Bound<'py, PyArray>, exponent: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
    match weak(exponent)? {
        Some(Weak::Float(0.5)) if x.get().tensor().dtype().kind() == DTypeKind::Float => unary(Op::Sqrt, x),
        _ => operator(Op::Pow, x, exponent, false),
    }
}

/// A unary operator.
pub(crate) fn unary(op: Op, x: &Bound<'_, PyArray>) -> PyResult<Py<PyAny>> {
    let result = run(x.py(), op, &[Arg::Array(x.get().tensor())], Order::K)?;
    Ok(offload::like(x, result.into_bound(x.py()))?.unbind())
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
    match output(out)? {
        None => run(py, op, &args, order),
        Some(out) => {
            run_into(py, op, &args, out.get().tensor())?;
            Ok(out.clone().into_any().unbind())
        }
    }
}
