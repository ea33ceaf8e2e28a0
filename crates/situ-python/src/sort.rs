//! Sorting and searching.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use situ_ir::order::Side;
use situ_tensor::Tensor;
use situ_types::DTypeKind;

use crate::args::{shown, type_name};
use crate::array::PyArray;
use crate::errors::Outcome;
use crate::gil;
use crate::manipulate::Axis;
use crate::operands::{Operand, array, tensor};
use crate::reduce::{integer, one_axis};

type Object<'a, 'py> = &'a Bound<'py, PyAny>;
type Optional<'a, 'py> = Option<Object<'a, 'py>>;

/// The array that `work` makes of another one.
fn made<'py>(
    py: Python<'py>,
    x: &Tensor,
    work: impl FnOnce() -> Outcome<Tensor> + Send,
) -> PyResult<Bound<'py, PyArray>> {
    PyArray::new(gil::released_if(gil::is_long_with(x), py, work)?).into_object(py)
}

/// A named tuple of `situ.tensor` with these arrays.
pub(crate) fn named<'py, const N: usize>(
    py: Python<'py>,
    name: &str,
    arrays: [Tensor; N],
) -> PyResult<Bound<'py, PyAny>> {
    let mut objects = Vec::with_capacity(N);
    for array in arrays {
        objects.push(PyArray::new(array).into_object(py)?);
    }
    py.import("situ.tensor._results")?.getattr(name)?.call1(pyo3::types::PyTuple::new(py, objects)?)
}

/// An error if a `kind` argument is no way of sorting, or none for the array's dtype.
fn check_kind(function: &str, kind: Optional<'_, '_>, x: &Tensor) -> PyResult<()> {
    let Some(kind) = kind else { return Ok(()) };
    let name = kind.cast::<PyString>().ok().map(|name| name.to_cow()).transpose()?;
    match name.as_deref() {
        Some("stable" | "mergesort") => Ok(()),
        Some("radixsort") if x.dtype().kind() != DTypeKind::Complex => Ok(()),
        Some("radixsort") => Err(PyValueError::new_err(format!(
            "{function}: kind 'radixsort' is not for dtype {}; leave it out, or write 'stable'",
            x.dtype()
        ))),
        _ => Err(PyValueError::new_err(format!(
            "{function}: kind must be None, 'stable', 'mergesort' or 'radixsort', not {}",
            shown(kind)
        ))),
    }
}

/// The descriptions of what functions that sort are given.
macro_rules! sorting {
    (axis) => {
        "    axis (SupportsIndex): The axis along which, counted from either end."
    };
    (options) => {
        "    descending (bool): Whether the greatest come first.
    stable (bool): Whether equal elements keep their order; they always do.
    kind (str | None): The way to sort, which changes nothing: 'stable', 'mergesort' or, but for complex numbers, 'radixsort'."
    };
}

/// The elements of an array in their order along an axis.
///
/// What is not a number comes last, or first in descending order; complex numbers are ordered by their real parts, then by
/// their imaginary ones.
///
/// Parameters:
///     x (ndarray): The array.
#[doc = sorting!(axis)]
#[doc = sorting!(options)]
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> tensor.sort(tensor.asarray([3, 1, 2]))
/// ndarray([1, 2, 3])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=Axis(None), descending=false, stable=true, kind=None))]
#[pyo3(text_signature = "(x, /, *, axis=-1, descending=False, stable=True, kind=None)")]
fn sort<'py>(
    x: Object<'_, 'py>,
    axis: Axis<'py>,
    descending: bool,
    stable: bool,
    kind: Optional<'_, 'py>,
) -> PyResult<Bound<'py, PyArray>> {
    let _ = stable;
    let tensor = tensor(x, "sort", "x")?;
    check_kind("sort", kind, tensor)?;
    let axis = axis.or("sort", -1)?;
    made(x.py(), tensor, || Ok(tensor.sort(axis, descending)?))
}

/// Where the elements of an array are that `sort` puts next to each other.
///
/// Parameters:
///     x (ndarray): The array.
#[doc = sorting!(axis)]
#[doc = sorting!(options)]
///
/// Returns:
///     ndarray: A new array of positions along the axis, of dtype int64.
///
/// >>> from situ import tensor
/// >>> tensor.argsort(tensor.asarray([3, 1, 2]))
/// ndarray([1, 2, 0])
#[pyfunction]
#[pyo3(signature = (x, /, axis=Axis(None), descending=false, stable=true, kind=None))]
#[pyo3(text_signature = "(x, /, axis=-1, descending=False, stable=True, kind=None)")]
fn argsort<'py>(
    x: Object<'_, 'py>,
    axis: Axis<'py>,
    descending: bool,
    stable: bool,
    kind: Optional<'_, 'py>,
) -> PyResult<Bound<'py, PyArray>> {
    let _ = stable;
    let tensor = tensor(x, "argsort", "x")?;
    check_kind("argsort", kind, tensor)?;
    let axis = axis.or("argsort", -1)?;
    made(x.py(), tensor, || Ok(tensor.argsort(axis, descending)?))
}

/// The greatest or least elements of an array along an axis, and where they are.
///
/// What is not a number counts as greater than all numbers. Of equal elements those that come first are taken.
///
/// Parameters:
///     x (ndarray): The array.
///     k (SupportsIndex): How many.
///     axis (SupportsIndex | None): The axis along which; None for the elements of the whole array in C order.
///     mode (str): 'largest' or 'smallest'.
///
/// Returns:
///     TopKResult: The `values`, the greatest or least first, and their `indices`, of dtype int64.
///
/// >>> from situ import tensor
/// >>> values, indices = tensor.top_k(tensor.asarray([3, 1, 4, 1, 5]), 2)
/// >>> print(values, indices)
/// [5 4] [4 2]
#[pyfunction]
#[pyo3(signature = (x, k, /, *, axis=None, mode="largest"))]
fn top_k<'py>(
    x: Object<'_, 'py>,
    k: Object<'_, 'py>,
    axis: Optional<'_, 'py>,
    mode: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let largest = match mode {
        "largest" => true,
        "smallest" => false,
        _ => return Err(PyValueError::new_err(format!("top_k: mode must be 'largest' or 'smallest', not {mode:?}"))),
    };
    let (py, tensor) = (x.py(), tensor(x, "top_k", "x")?);
    let k = integer("top_k", "k", k, "")?;
    let k = usize::try_from(k).map_err(|_| PyValueError::new_err(format!("top_k: k must not be negative, got {k}")))?;
    let axis = axis.map(|axis| one_axis("top_k", axis)).transpose()?;
    let top = gil::released_if(gil::is_long_with(tensor), py, || Ok(tensor.top_k(k, axis, largest)?))?;
    named(py, "TopKResult", [top.values, top.indices])
}

/// Where elements would have to be inserted into a sorted array so that it stays sorted.
///
/// Parameters:
///     x1 (ndarray): The array, of one dimension and sorted in the order of `sort`.
///     x2 (ndarray | ArrayOperand): The elements: an array of any shape, or a number.
///     side (str): 'left' for the place before all elements that are equal, 'right' for the one behind them.
///     sorter (ndarray | None): Indices that sort `x1`, if it is not sorted.
///
/// Returns:
///     ndarray: A new array of the shape of `x2` and dtype int64.
///
/// >>> from situ import tensor
/// >>> x = tensor.asarray([1, 2, 2, 5])
/// >>> tensor.searchsorted(x, tensor.asarray([2, 3]), side="right")
/// ndarray([3, 3])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, side="left", sorter=None))]
fn searchsorted<'py>(
    x1: Object<'_, 'py>,
    x2: Object<'_, 'py>,
    side: &str,
    sorter: Optional<'_, 'py>,
) -> PyResult<Bound<'py, PyArray>> {
    const NAME: &str = "searchsorted";
    let tensor = tensor(x1, NAME, "x1")?;
    let needles = Operand::parse(x2, tensor)?.ok_or_else(|| {
        let found = type_name(x2);
        PyTypeError::new_err(format!("{NAME}: x2 must be an array or a number, got {found}; convert it with asarray"))
    })?;
    let sorter = sorter.map(|sorter| array(sorter, NAME, "sorter")).transpose()?;
    let side = match side {
        "left" => Side::Left,
        "right" => Side::Right,
        _ => return Err(PyValueError::new_err(format!("{NAME}: side must be 'left' or 'right', not {side:?}"))),
    };
    let (needles, sorter) = (needles.arg(), sorter.map(|sorter| sorter.get().tensor()));
    let py = x1.py();
    let takes_long = gil::is_long(&[tensor.into(), needles]);
    let found = gil::released_if(takes_long, py, || Ok(tensor.searchsorted(needles, side, sorter)?))?;
    PyArray::new(found).into_object(py)
}

/// Puts the functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(sort, module)?)?;
    module.add_function(wrap_pyfunction!(argsort, module)?)?;
    module.add_function(wrap_pyfunction!(top_k, module)?)?;
    module.add_function(wrap_pyfunction!(searchsorted, module)?)
}
