//! Products of arrays.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyTuple};
use situ_tensor::{Contracted, Multiplying, Tensor};
use situ_types::Order;

use crate::args::{self, type_name};
use crate::array::PyArray;
use crate::elementwise::finish;
use crate::errors::Outcome;
use crate::gil;
use crate::offload;
use crate::operands::{Operand, array, output};

type Object<'a, 'py> = &'a Bound<'py, PyAny>;

/// Product of matrices, or of stacks of them.
///
/// The last two axes of an array are those of its matrices; along the others, which are broadcast, there is a product each. An
/// array of one dimension is a row before matrices and a column behind them, and that axis is not in the result. Integers
/// wrap, and of truth values the sum is *or* and the product *and*. `x1 @ x2` is the same.
///
/// Parameters:
///     x1 (ndarray): The first factor, of at least one dimension.
///     x2 (ndarray): The second factor, with as many rows as the first has columns.
#[doc = parameter!(out)]
///     dtype (DTypeLike | None): The dtype to compute in and of the result; None for the one that both arrays promote to.
///     order (str): How a new array lies in memory: 'C', 'F', 'A', or 'K' for an order like the factors'; anything else means 'K'.
///
/// Returns:
///     ndarray: A new array, or `out`.
///
/// >>> from situ import tensor
/// >>> x = tensor.asarray([[1, 2], [3, 4]])
/// >>> print(tensor.matmul(x, x))
/// [[ 7 10]
///  [15 22]]
/// >>> print(x @ tensor.asarray([1, 10]))
/// [21 43]
#[pyfunction]
#[pyo3(signature = (x1, x2, out=None, dtype=None, order="K"))]
fn matmul<'py>(
    x1: Object<'_, 'py>,
    x2: Object<'_, 'py>,
    out: Option<Object<'_, 'py>>,
    dtype: Option<Object<'_, 'py>>,
    order: &str,
) -> PyResult<Py<PyAny>> {
    let (a, b) = (array(x1, "matmul", "x1")?.get().tensor(), array(x2, "matmul", "x2")?.get().tensor());
    let out = output(out)?;
    let how = Multiplying {
        dtype: dtype.map(args::dtype).transpose()?,
        order: args::order(order, "CFAK").unwrap_or(Order::K),
        out: out.map(|out| out.get().tensor()),
    };
    let made = computed(x1.py(), [a, b], || Ok(situ_tensor::matmul(a, b, &how)?))?;
    match out {
        Some(out) => Ok(out.clone().into_any().unbind()),
        None => finish(x1.py(), made),
    }
}

/// Sums of products over axes of two arrays.
///
/// The result has the axes that are not summed over, those of the first array before those of the second.
///
/// Parameters:
///     x1 (ndarray): The first array.
///     x2 (ndarray): The second array.
///     axes (SupportsIndex | tuple[Sequence[SupportsIndex], Sequence[SupportsIndex]]): How many axes are summed over, the last
///         ones of `x1` and the first ones of `x2`; or the axes of `x1`, and those of `x2` in the same order.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> x = tensor.asarray([[1, 2], [3, 4]])
/// >>> tensor.tensordot(x, x, axes=((0,), (1,)))
/// ndarray([[ 7, 15],
///          [10, 22]])
/// >>> print(tensor.tensordot(x, x))
/// 30
#[pyfunction]
#[pyo3(signature = (x1, x2, axes=None))]
#[pyo3(text_signature = "(x1, x2, axes=2)")]
fn tensordot<'py>(x1: Object<'_, 'py>, x2: Object<'_, 'py>, axes: Option<Object<'_, 'py>>) -> PyResult<Py<PyAny>> {
    let (a, b) = (array(x1, "tensordot", "x1")?.get().tensor(), array(x2, "tensordot", "x2")?.get().tensor());
    let axes = axes.map_or(Ok(Contracted::Inner(2)), contracted)?;
    finish(x1.py(), computed(x1.py(), [a, b], || Ok(situ_tensor::tensordot(a, b, &axes)?))?)
}

/// The `axes` of a contraction.
fn contracted(axes: Object<'_, '_>) -> PyResult<Contracted> {
    if let Ok(tuple) = axes.cast::<PyTuple>() {
        let several = |axes: Bound<'_, PyAny>| -> PyResult<Vec<isize>> {
            match axes.extract() {
                Ok(axis) => return Ok(vec![axis]),
                Err(too_large) if axes.is_instance_of::<PyInt>() => return Err(too_large),
                Err(_) => {}
            }
            let wrong = |_| {
                let found = type_name(&axes);
                PyTypeError::new_err(format!(
                    "tensordot: axes must be two sequences of integers, one of them is a {found}"
                ))
            };
            axes.extract().map_err(wrong)
        };
        let [first, second] = tuple.iter().collect::<Vec<_>>().try_into().map_err(|given: Vec<_>| {
            let given = given.len();
            PyValueError::new_err(format!(
                "tensordot: axes must be two sequences, the axes of x1 and of x2, got {given}"
            ))
        })?;
        return Ok(Contracted::Pairs(several(first)?, several(second)?));
    }
    let count: isize = axes.extract().map_err(|_| {
        let found = type_name(axes);
        PyTypeError::new_err(format!(
            "tensordot: axes must be an integer or a tuple of two sequences of them, got {found}"
        ))
    })?;
    let negative = |_| PyValueError::new_err(format!("tensordot: axes must not be negative, got {count}"));
    usize::try_from(count).map(Contracted::Inner).map_err(negative)
}

/// Sums of products along an axis, the first array's conjugates where they are complex.
///
/// Parameters:
///     x1 (ndarray): The first array.
///     x2 (ndarray): The second array, as long along the axis; other axes are broadcast.
///     axis (SupportsIndex): The axis along which, counted from the end.
///
/// Returns:
///     ndarray: A new array, without that axis.
///
/// >>> from situ import tensor
/// >>> x = tensor.asarray([[1, 2], [3, 4]])
/// >>> tensor.vecdot(x, tensor.asarray([1, 10]))
/// ndarray([21, 43])
#[pyfunction]
#[pyo3(signature = (x1, x2, axis=-1))]
#[pyo3(text_signature = "(x1, x2, axis=-1)")]
fn vecdot<'py>(x1: Object<'_, 'py>, x2: Object<'_, 'py>, axis: isize) -> PyResult<Py<PyAny>> {
    let (a, b) = (array(x1, "vecdot", "x1")?.get().tensor(), array(x2, "vecdot", "x2")?.get().tensor());
    finish(x1.py(), computed(x1.py(), [a, b], || Ok(situ_tensor::vecdot(a, b, axis)?))?)
}

fn computed(py: Python<'_>, factors: [&Tensor; 2], work: impl FnOnce() -> Outcome<Tensor> + Send) -> PyResult<Tensor> {
    gil::released_if(factors.into_iter().any(gil::is_long_with), py, work)
}

/// `x1 @ x2`, or its reflected form; `NotImplemented` where the other operand is no array.
pub(crate) fn operator<'py>(x: &Bound<'py, PyArray>, other: Object<'_, 'py>, reflected: bool) -> PyResult<Py<PyAny>> {
    offload::operator(x, other, |x, other| {
        let (py, tensor) = (x.py(), x.get().tensor());
        let operand = Operand::parse(other, tensor)?;
        let other = match &operand {
            Some(Operand::Array(other)) => other.get().tensor(),
            Some(Operand::Brought(other)) => other,
            Some(Operand::Weak(_)) | None => return Ok(py.NotImplemented()),
        };
        let (a, b) = if reflected { (other, tensor) } else { (tensor, other) };
        finish(py, computed(py, [a, b], || Ok(a.matmul(b)?))?)
    })
}

/// `x1 @= x2`.
pub(crate) fn operator_in_place<'py>(x: &Bound<'py, PyArray>, other: Object<'_, 'py>) -> PyResult<()> {
    let tensor = x.get().tensor();
    let other = &offload::beside(x, other)?;
    let operand = Operand::parse(other, tensor)?;
    let factor = match &operand {
        Some(Operand::Array(other)) => other.get().tensor(),
        Some(Operand::Brought(other)) => other,
        Some(Operand::Weak(_)) | None => {
            return Err(PyTypeError::new_err(format!("matmul: unsupported operand of type {}", type_name(other))));
        }
    };
    let takes_long = [tensor, factor].into_iter().any(gil::is_long_with);
    gil::released_if(takes_long, x.py(), || Ok(situ_tensor::matmul_in_place(tensor, factor)?))
}

/// Puts the functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(matmul, module)?)?;
    module.add_function(wrap_pyfunction!(tensordot, module)?)?;
    module.add_function(wrap_pyfunction!(vecdot, module)?)
}
