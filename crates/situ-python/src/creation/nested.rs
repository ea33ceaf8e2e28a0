//! Lists and tuples of arrays and numbers.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList, PyString, PyTuple};
use situ_runtime::Queue;
use situ_runtime::placement::{Placed, Rule, resolve};
use situ_tensor::{Nested, Piece, Tensor, Weak};
use situ_types::{DType, Dims, FloatSupport, Order, UsmKind, promote_all};

use super::Object;
use super::asarray::{Wanted, device_data};
use super::host::{HostArray, from_host, host_array, is_numpy};
use super::numbers::number_for;
use crate::array::PyArray;
use crate::errors::{Outcome, Raised};

/// As many axes as NumPy has.
pub(crate) const DEEPEST: usize = 64;

/// Whether an object is a list or a tuple.
pub(super) fn is_sequence(object: Object<'_, '_>) -> bool {
    object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>()
}

/// What a sequence holds in the end.
enum Leaf<'py> {
    Device(Tensor),
    /// A NumPy array, or a sequence without arrays on a device.
    Host(HostArray<'py>),
    Number(Weak),
}

impl Leaf<'_> {
    fn shape(&self) -> Dims {
        match self {
            Leaf::Device(tensor) => Dims::from_slice(tensor.shape()),
            Leaf::Host(array) => Dims::from_slice(array.layout.shape()),
            Leaf::Number(_) => Dims::new(),
        }
    }

    fn dtype(&self) -> DType {
        match self {
            Leaf::Device(tensor) => tensor.dtype(),
            Leaf::Host(array) => array.dtype,
            Leaf::Number(number) => number.default_dtype(FloatSupport::ALL),
        }
    }
}

/// The array of a list or tuple. Arrays in it are copied by their devices, not by way of the host.
pub(super) fn from_sequence(object: Object<'_, '_>, wanted: &Wanted<'_, '_>) -> PyResult<Tensor> {
    let py = object.py();
    let place = wanted.place;
    if !holds_arrays(object, 0)? {
        let (kind, queue) = (place.kind_or_device()?, place.queue(py)?);
        return from_host(object, wanted.dtype, wanted.order, kind, &queue, wanted.what);
    }
    let nested = parse(object, wanted, 0)?;
    nested.shape(&Leaf::shape).map_err(Raised::from)?;
    let (queue, kind) = place_of(&nested, wanted)?;
    let mut dtypes: Vec<DType> = Vec::new();
    nested.each("obj", &mut |_, leaf: &Leaf<'_>| dtypes.push(leaf.dtype()));
    let floats = queue.device().float_support();
    let dtype = wanted.dtype.unwrap_or_else(|| floats.nearest(promote_all(dtypes).unwrap_or(DType::F64)));
    let pieces = nested.map(&mut |leaf| -> PyResult<Piece> {
        Ok(match leaf {
            Leaf::Device(tensor) => Piece::Array(tensor),
            Leaf::Host(array) => Piece::Array(array.copy_to(Some(dtype), Order::K, UsmKind::Device, &queue)?),
            Leaf::Number(number) => {
                number.to_scalar(dtype).map_err(Raised::from)?;
                Piece::Number(number)
            }
        })
    })?;
    let order = wanted.order;
    let made: Outcome<Tensor> = py.detach(|| Ok(Tensor::from_nested(&pieces, dtype, order, kind, &queue)?));
    Ok(made?)
}

/// The place that is named, else the one all arrays are at.
fn place_of(nested: &Nested<Leaf<'_>>, wanted: &Wanted<'_, '_>) -> PyResult<(Queue, UsmKind)> {
    let mut found: Vec<(String, &Tensor)> = Vec::new();
    nested.each("obj", &mut |name, leaf| {
        if let Leaf::Device(tensor) = leaf {
            found.push((name.into(), tensor));
        }
    });
    let place = wanted.place;
    let kinds = found.iter().map(|(_, tensor)| tensor.kind());
    let kind = place.kind()?.or(kinds.reduce(UsmKind::coerce)).unwrap_or(UsmKind::Device);
    let queue = place.queue_or(|| {
        let placed = found.iter().map(|(name, t)| Placed { name, queue: t.queue(), kind: t.kind() });
        let (queue, _) = resolve("asarray", placed, Rule::SameQueue).map_err(Raised::from)?;
        Ok(queue.clone())
    })?;
    Ok((queue, kind))
}

fn too_deep() -> PyErr {
    PyValueError::new_err(format!("asarray: sequences are nested deeper than {DEEPEST} levels"))
}

/// The items of a list or tuple; `None` for anything else.
fn items<'py>(object: Object<'_, 'py>) -> Option<Box<dyn Iterator<Item = Bound<'py, PyAny>> + 'py>> {
    if let Ok(list) = object.cast::<PyList>() {
        return Some(Box::new(list.clone().into_iter()));
    }
    object.cast::<PyTuple>().ok().map(|tuple| Box::new(tuple.clone().into_iter()) as Box<_>)
}

/// Whether an array on a device is anywhere in a sequence.
fn holds_arrays(object: Object<'_, '_>, depth: usize) -> PyResult<bool> {
    let Some(items) = items(object) else { return is_on_device(object) };
    if depth == DEEPEST {
        return Err(too_deep());
    }
    for item in items {
        if !is_plain(&item) && holds_arrays(&item, depth + 1)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether an object is what long sequences are made of.
#[inline]
fn is_plain(object: Object<'_, '_>) -> bool {
    object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_exact_instance_of::<PyComplex>()
        || object.is_exact_instance_of::<PyString>()
}

fn is_on_device(object: Object<'_, '_>) -> PyResult<bool> {
    if is_plain(object) || is_numpy(object)? {
        return Ok(false);
    }
    Ok(object.is_instance_of::<PyArray>()
        || object.hasattr("__sycl_usm_array_interface__")?
        || object.hasattr("__usm_ndarray__")?)
}

fn parse<'py>(object: Object<'_, 'py>, wanted: &Wanted<'_, 'py>, depth: usize) -> PyResult<Nested<Leaf<'py>>> {
    if let Some(number) = number_for(object, wanted.dtype, wanted.what)? {
        return Ok(Nested::One(Leaf::Number(number)));
    }
    if let Ok(array) = object.cast::<PyArray>() {
        return Ok(Nested::One(Leaf::Device(array.get().tensor().clone())));
    }
    if holds_arrays(object, depth)? {
        if let Some(items) = items(object) {
            return Ok(Nested::Many(items.map(|item| parse(&item, wanted, depth + 1)).collect::<PyResult<_>>()?));
        }
        let tensor = device_data(object)?;
        let gone = || PyTypeError::new_err(format!("{}: an array is not what it was a moment ago", wanted.what));
        return Ok(Nested::One(Leaf::Device(tensor.ok_or_else(gone)?)));
    }
    Ok(Nested::One(Leaf::Host(host_array(object, wanted.dtype, wanted.what)?)))
}
