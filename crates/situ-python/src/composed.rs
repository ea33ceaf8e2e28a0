//! Functions composed of ops.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use situ_tensor::{Arg, Tensor, Tolerance};

use crate::args::{self, type_name};
use crate::array::PyArray;
use crate::elementwise::finish;
use crate::gil;
use crate::operands::{Operand, Operands, output, tensor};

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
#[pyo3(signature = (x, /, min=None, max=None, out=None, order="K"))]
fn clip<'py>(
    x: &Bound<'py, PyAny>,
    min: Option<&Bound<'py, PyAny>>,
    max: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    order: &str,
) -> PyResult<Py<PyAny>> {
    let py = x.py();
    let tensor = tensor(x, "clip", "x")?;
    let (low, high) = (bound(min, "min", tensor)?, bound(max, "max", tensor)?);
    let (low, high) = (low.as_ref().map(Operand::arg), high.as_ref().map(Operand::arg));
    let operands: Vec<Arg<'_>> = [Some(Arg::Array(tensor)), low, high].into_iter().flatten().collect();
    let order = args::order(order, "CFAK")?;
    match output(out)? {
        None => finish(
            py,
            gil::released_if(gil::is_long(&operands), py, || Ok(situ_tensor::clip(tensor, low, high, order)?))?,
        ),
        Some(out) => {
            let target = out.get().tensor();
            gil::released_if(gil::is_long(&operands), py, || Ok(situ_tensor::clip_into(tensor, low, high, target)?))?;
            Ok(out.clone().into_any().unbind())
        }
    }
}

/// A bound of [`clip`].
fn bound<'a, 'py>(
    object: Option<&'a Bound<'py, PyAny>>,
    name: &str,
    near: &Tensor,
) -> PyResult<Option<Operand<'a, 'py>>> {
    let Some(object) = object else { return Ok(None) };
    let wrong = || PyTypeError::new_err(format!("clip: {name} is a {}, not an array or a number", type_name(object)));
    Operand::parse(object, near)?.ok_or_else(wrong).map(Some)
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
    let tensor = tensor(condition, "where", "condition")?;
    let operands = Operands::parse("where", [condition, x1, x2])?;
    let args = operands.args();
    let order = args::order(order, "CFAK")?;
    match output(out)? {
        None => finish(
            py,
            gil::released_if(gil::is_long(&args), py, || Ok(situ_tensor::select(tensor, args[1], args[2], order)?))?,
        ),
        Some(out) => {
            let target = out.get().tensor();
            gil::released_if(gil::is_long(&args), py, || {
                Ok(situ_tensor::select_into(tensor, args[1], args[2], target)?)
            })?;
            Ok(out.clone().into_any().unbind())
        }
    }
}

/// Whether the elements of two arrays, broadcast against each other, are nearly equal.
///
/// They are if no element is further from the other than `atol`, or than `rtol` times the larger of the two. Infinities
/// are near themselves only, and integers and truth values must be equal.
///
/// Parameters:
///     a1 (ndarray): The one array.
///     a2 (ndarray): The other.
///     atol (float): The distance allowed in any case.
///     rtol (float): The distance allowed for numbers of size 1; for others it grows with them.
///     equal_nan (bool): Whether NaN is near NaN.
///
/// Returns:
///     ndarray: A truth value without axes.
///
/// >>> from situ import tensor
/// >>> x = tensor.asarray([1.0, 2.0])
/// >>> tensor.allclose(x, x + 1e-9)
/// ndarray(True)
#[pyfunction]
#[pyo3(signature = (a1, a2, atol=1e-8, rtol=1e-5, equal_nan=false))]
#[pyo3(text_signature = "(a1, a2, atol=1e-08, rtol=1e-05, equal_nan=False)")]
fn allclose(a1: &Bound<'_, PyAny>, a2: &Bound<'_, PyAny>, atol: f64, rtol: f64, equal_nan: bool) -> PyResult<PyArray> {
    let (one, other) = (tensor(a1, "allclose", "a1")?, tensor(a2, "allclose", "a2")?);
    let tolerance = Tolerance { absolute: atol, relative: rtol, equal_nan };
    Ok(PyArray::new(gil::released(a1.py(), || Ok(one.allclose(other, tolerance)?))?))
}

/// Puts the functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(clip, module)?)?;
    module.add_function(wrap_pyfunction!(where_, module)?)?;
    module.add_function(wrap_pyfunction!(allclose, module)?)
}
