//! Functions that return views, and `reshape`, which does where it can.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_tensor::Tensor;
use situ_types::Dims;

use super::{Object, Optional, axes, integers};
use crate::args;
use crate::array::PyArray;
use crate::errors::{Outcome, Raised};
use crate::gil;
use crate::operands::{array, tensor};
use crate::reduce::one_axis;

type Array<'py> = PyResult<Bound<'py, PyArray>>;

/// A view of an array, which belongs to the same namespace.
fn view<'py>(x: &Bound<'py, PyArray>, of: impl FnOnce(&Tensor) -> Outcome<Tensor>) -> Array<'py> {
    let (py, array) = (x.py(), x.get());
    array.derived(py, of(array.tensor())?).into_object(py)
}

/// The elements of an array in another shape: a view where strides can say it, else a copy.
pub(crate) fn reshaped<'py>(
    x: &Bound<'py, PyArray>,
    shape: Object<'_, 'py>,
    order: &str,
    copy: Option<bool>,
) -> Array<'py> {
    let py = x.py();
    let (shape, order) = (integers("reshape", "shape", shape)?, args::order(order, "CFA")?);
    let array = x.get();
    let tensor = array.tensor();
    let made = gil::released_if(gil::is_long_with(tensor), py, || Ok(tensor.reshape_in(&shape, order, copy)?))?;
    array.derived(py, made).into_object(py)
}

/// The elements of an array in another shape: a view where strides can say it, else a copy.
///
/// Parameters:
///     x (ndarray): The array.
///     shape (SupportsIndex | Sequence[SupportsIndex]): The shape; one length may be -1, for what is left.
///     order (str): The order in which elements are counted: 'C' for the last axis first, 'F' for the first axis first,
///         'A' for 'F' if the array lies that way.
///     copy (bool | None): Whether to copy; False is an error where a view cannot be had.
///
/// Returns:
///     ndarray: The array in that shape.
///
/// >>> from situ import tensor
/// >>> tensor.reshape(tensor.arange(6), (2, -1))
/// ndarray([[0, 1, 2],
///          [3, 4, 5]])
#[pyfunction]
#[pyo3(signature = (x, /, shape, *, order="C", copy=None))]
fn reshape<'py>(x: Object<'_, 'py>, shape: Object<'_, 'py>, order: &str, copy: Option<bool>) -> Array<'py> {
    reshaped(array(x, "reshape", "x")?, shape, order, copy)
}

/// An array with its axes in another order, as a view.
///
/// Parameters:
///     x (ndarray): The array.
///     axes (SupportsIndex | Sequence[SupportsIndex]): The axes in their new order, counted from either end.
///
/// Returns:
///     ndarray: A view.
///
/// >>> from situ import tensor
/// >>> tensor.permute_dims(tensor.zeros((2, 3, 4)), (2, 0, 1)).shape
/// (4, 2, 3)
#[pyfunction]
#[pyo3(signature = (x, /, axes))]
fn permute_dims<'py>(x: Object<'_, 'py>, axes: Object<'_, 'py>) -> Array<'py> {
    let x = array(x, "permute_dims", "x")?;
    let axes = integers("permute_dims", "axes", axes)?;
    view(x, |tensor| Ok(tensor.permute_dims(&axes)?))
}

/// An array with some axes moved to other places and the others in their old order, as a view.
///
/// Parameters:
///     x (ndarray): The array.
///     source (SupportsIndex | Sequence[SupportsIndex]): The axes that move, counted from either end.
///     destination (SupportsIndex | Sequence[SupportsIndex]): Where each of them goes.
///
/// Returns:
///     ndarray: A view.
///
/// >>> from situ import tensor
/// >>> tensor.moveaxis(tensor.zeros((2, 3, 4)), 0, -1).shape
/// (3, 4, 2)
#[pyfunction]
#[pyo3(signature = (x, source, destination, /))]
fn moveaxis<'py>(x: Object<'_, 'py>, source: Object<'_, 'py>, destination: Object<'_, 'py>) -> Array<'py> {
    let x = array(x, "moveaxis", "x")?;
    let (from, to) = (integers("moveaxis", "source", source)?, integers("moveaxis", "destination", destination)?);
    view(x, |tensor| Ok(tensor.moveaxis(&from, &to)?))
}

/// An array with two axes exchanged, as a view.
///
/// Parameters:
///     x (ndarray): The array.
///     axis1 (SupportsIndex): One axis, counted from either end.
///     axis2 (SupportsIndex): The other.
///
/// Returns:
///     ndarray: A view.
///
/// >>> from situ import tensor
/// >>> tensor.swapaxes(tensor.zeros((2, 3, 4)), 0, 2).shape
/// (4, 3, 2)
#[pyfunction]
fn swapaxes<'py>(x: Object<'_, 'py>, axis1: Object<'_, 'py>, axis2: Object<'_, 'py>) -> Array<'py> {
    let x = array(x, "swapaxes", "x")?;
    let (first, second) = (one_axis("swapaxes", axis1)?, one_axis("swapaxes", axis2)?);
    view(x, |tensor| Ok(tensor.swapaxes(first, second)?))
}

/// A stack of matrices with the axes of each exchanged, as a view.
///
/// Parameters:
///     x (ndarray): A matrix, or a stack of them.
///
/// Returns:
///     ndarray: A view.
///
/// >>> from situ import tensor
/// >>> tensor.matrix_transpose(tensor.asarray([[1, 2], [3, 4]]))
/// ndarray([[1, 3],
///          [2, 4]])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn matrix_transpose<'py>(x: Object<'_, 'py>) -> Array<'py> {
    view(array(x, "matrix_transpose", "x")?, |tensor| Ok(tensor.matrix_transpose()?))
}

/// An array with axes of length 1 put in, as a view.
///
/// Parameters:
///     x (ndarray): The array.
///     axis (SupportsIndex | Sequence[SupportsIndex]): Where the new axes are in the result, counted from either end.
///
/// Returns:
///     ndarray: A view.
///
/// >>> from situ import tensor
/// >>> tensor.expand_dims(tensor.arange(3), (0, -1)).shape
/// (1, 3, 1)
#[pyfunction]
#[pyo3(signature = (x, /, axis=None), text_signature = "(x, /, axis=0)")]
fn expand_dims<'py>(x: Object<'_, 'py>, axis: Optional<'_, 'py>) -> Array<'py> {
    let x = array(x, "expand_dims", "x")?;
    let at = axis.map(|axis| integers("expand_dims", "axis", axis)).transpose()?;
    view(x, |tensor| Ok(tensor.expand_dims(at.as_deref().unwrap_or(&[0]))?))
}

/// An array without axes of length 1, as a view.
///
/// Parameters:
///     x (ndarray): The array.
///     axis (SupportsIndex | Sequence[SupportsIndex] | None): The axes to take out, counted from either end; None for every
///         axis of length 1.
///
/// Returns:
///     ndarray: A view, or the array itself where no axis is taken out.
///
/// >>> from situ import tensor
/// >>> tensor.squeeze(tensor.zeros((1, 3, 1)), 0).shape
/// (3, 1)
#[pyfunction]
#[pyo3(signature = (x, /, axis=None))]
fn squeeze<'py>(x: Object<'_, 'py>, axis: Optional<'_, 'py>) -> Array<'py> {
    let x = array(x, "squeeze", "x")?;
    let axes = axes("squeeze", axis)?;
    let squeezed = x.get().tensor().squeeze(axes).map_err(Raised::from)?;
    if squeezed.shape() == x.get().tensor().shape() {
        return Ok(x.clone());
    }
    view(x, |_| Ok(squeezed))
}

/// An array with its elements along axes in reverse order, as a view.
///
/// Parameters:
///     x (ndarray): The array.
///     axis (SupportsIndex | Sequence[SupportsIndex] | None): The axes, counted from either end; None for all of them.
///
/// Returns:
///     ndarray: A view.
///
/// >>> from situ import tensor
/// >>> tensor.flip(tensor.arange(4))
/// ndarray([3, 2, 1, 0])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=None))]
fn flip<'py>(x: Object<'_, 'py>, axis: Optional<'_, 'py>) -> Array<'py> {
    let x = array(x, "flip", "x")?;
    let axes = axes("flip", axis)?;
    view(x, |tensor| Ok(tensor.flip(axes)?))
}

/// The parts of an array along an axis, each without it, as views.
///
/// Parameters:
///     x (ndarray): The array.
///     axis (SupportsIndex): The axis, counted from either end.
///
/// Returns:
///     tuple[ndarray, ...]: As many views as the axis is long.
///
/// >>> from situ import tensor
/// >>> tensor.unstack(tensor.asarray([[1, 2], [3, 4]]))
/// (ndarray([1, 2]), ndarray([3, 4]))
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=None), text_signature = "(x, /, *, axis=0)")]
fn unstack<'py>(x: Object<'_, 'py>, axis: Optional<'_, 'py>) -> PyResult<Bound<'py, PyTuple>> {
    let x = array(x, "unstack", "x")?;
    let axis = axis.map_or(Ok(0), |axis| one_axis("unstack", axis))?;
    let parts = x.get().tensor().unstack(axis).map_err(Raised::from)?;
    let views: Vec<_> = parts.into_iter().map(|part| view(x, |_| Ok(part))).collect::<PyResult<_>>()?;
    PyTuple::new(x.py(), views)
}

/// An array stretched to a larger shape, as a view: axes of length 1 and new axes in front repeat what there is.
///
/// Parameters:
///     x (ndarray): The array.
///     shape (SupportsIndex | Sequence[SupportsIndex]): The shape.
///
/// Returns:
///     ndarray: A view whose elements share memory, so that no function writes to it.
///
/// >>> from situ import tensor
/// >>> tensor.broadcast_to(tensor.arange(3), (2, 3))
/// ndarray([[0, 1, 2],
///          [0, 1, 2]])
#[pyfunction]
#[pyo3(signature = (x, /, shape))]
fn broadcast_to<'py>(x: Object<'_, 'py>, shape: Object<'_, 'py>) -> Array<'py> {
    let x = array(x, "broadcast_to", "x")?;
    let shape = args::shape(shape)?;
    view(x, |tensor| Ok(tensor.broadcast_to(&shape)?))
}

/// Arrays stretched to their common shape, as views.
///
/// Parameters:
///     arrays (ndarray): The arrays.
///
/// Returns:
///     tuple[ndarray, ...]: As many views as were given arrays; an array that has the shape already is returned as it is.
///
/// >>> from situ import tensor
/// >>> [x.shape for x in tensor.broadcast_arrays(tensor.arange(3), tensor.zeros((2, 1)))]
/// [(2, 3), (2, 3)]
#[pyfunction]
#[pyo3(signature = (*arrays))]
fn broadcast_arrays<'py>(arrays: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyTuple>> {
    const NAME: &str = "broadcast_arrays";
    let objects: Vec<_> = arrays.iter().collect();
    let named = |(i, object)| tensor(object, NAME, &format!("arrays[{i}]"));
    let tensors: Vec<&Tensor> = objects.iter().enumerate().map(named).collect::<PyResult<_>>()?;
    let stretched = Tensor::broadcast_arrays(&tensors).map_err(Raised::from)?;
    let back = |(object, stretched): (&Bound<'py, PyAny>, Tensor)| {
        let given = array(object, NAME, "arrays")?;
        if given.get().tensor().shape() == stretched.shape() {
            return Ok(given.clone());
        }
        view(given, |_| Ok(stretched))
    };
    PyTuple::new(arrays.py(), objects.iter().zip(stretched).map(back).collect::<PyResult<Vec<_>>>()?)
}

/// The common shape that shapes stretch to.
///
/// Parameters:
///     shapes (SupportsIndex | Sequence[SupportsIndex]): The shapes.
///
/// Returns:
///     tuple[int, ...]: The shape.
///
/// >>> from situ import tensor
/// >>> tensor.broadcast_shapes((3, 1), (4,))
/// (3, 4)
#[pyfunction]
#[pyo3(signature = (*shapes))]
fn broadcast_shapes<'py>(shapes: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyTuple>> {
    let given: Vec<Dims> = shapes.iter().map(|shape| args::shape(&shape)).collect::<PyResult<_>>()?;
    let common = situ_tensor::broadcast_shapes(given.iter().map(|shape| &shape[..])).map_err(Raised::from)?;
    PyTuple::new(shapes.py(), &common[..])
}

/// Puts the functions into the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(reshape, module)?)?;
    module.add_function(wrap_pyfunction!(permute_dims, module)?)?;
    module.add_function(wrap_pyfunction!(moveaxis, module)?)?;
    module.add_function(wrap_pyfunction!(swapaxes, module)?)?;
    module.add_function(wrap_pyfunction!(matrix_transpose, module)?)?;
    module.add_function(wrap_pyfunction!(expand_dims, module)?)?;
    module.add_function(wrap_pyfunction!(squeeze, module)?)?;
    module.add_function(wrap_pyfunction!(flip, module)?)?;
    module.add_function(wrap_pyfunction!(unstack, module)?)?;
    module.add_function(wrap_pyfunction!(broadcast_to, module)?)?;
    module.add_function(wrap_pyfunction!(broadcast_arrays, module)?)?;
    module.add_function(wrap_pyfunction!(broadcast_shapes, module)?)
}
