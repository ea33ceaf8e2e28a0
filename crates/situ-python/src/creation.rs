//! Creation functions.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use situ_runtime::Queue;
use situ_tensor::{Tensor, Weak};
use situ_types::{DType, Dims, Order, UsmKind};

use crate::args::{self, numpy, shown, type_name, usm_kind, weak};
use crate::array::PyArray;
use crate::errors::Outcome;
use crate::interface::Described;
use crate::place::{default_queue, placement};

type Object<'a, 'py> = &'a Bound<'py, PyAny>;
type Optional<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Where a new array goes.
fn place(py: Python<'_>, device: Optional<'_, '_>, sycl_queue: Optional<'_, '_>) -> PyResult<Queue> {
    placement(device, sycl_queue, || default_queue(Some(py)))
}

fn chosen_dtype(dtype: Optional<'_, '_>, default: impl FnOnce() -> DType) -> PyResult<DType> {
    match dtype {
        Some(dtype) if !dtype.is_none() => args::dtype(dtype),
        _ => Ok(default()),
    }
}

fn made(py: Python<'_>, make: impl FnOnce() -> Outcome<Tensor> + Send) -> PyResult<PyArray> {
    Ok(PyArray::new(py.detach(make)?))
}

/// The arguments `empty`, `zeros` and `ones` share.
struct Blank {
    shape: Dims,
    dtype: DType,
    order: Order,
    kind: UsmKind,
    queue: Queue,
}

fn blank(
    shape: Object<'_, '_>,
    dtype: Optional<'_, '_>,
    order: &str,
    device: Optional<'_, '_>,
    usm_type: Optional<'_, '_>,
    sycl_queue: Optional<'_, '_>,
) -> PyResult<Blank> {
    let queue = place(shape.py(), device, sycl_queue)?;
    Ok(Blank {
        shape: args::shape(shape)?,
        dtype: chosen_dtype(dtype, || queue.device().float_support().default_float())?,
        order: args::order(order, "CF")?,
        kind: usm_type.map_or(Ok(UsmKind::Device), usm_kind)?,
        queue,
    })
}

macro_rules! blank_functions {
    ($($(#[$doc:meta])* $name:ident = $make:expr;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (shape, *, dtype=None, order="C", device=None, usm_type=None, sycl_queue=None))]
        fn $name(
            shape: Object<'_, '_>,
            dtype: Optional<'_, '_>,
            order: &str,
            device: Optional<'_, '_>,
            usm_type: Optional<'_, '_>,
            sycl_queue: Optional<'_, '_>,
        ) -> PyResult<PyArray> {
            let arguments = blank(shape, dtype, order, device, usm_type, sycl_queue)?;
            made(shape.py(), move || ($make)(arguments))
        }
    )*};
}

blank_functions! {
    /// A new array whose contents are undefined.
    empty = |b: Blank| Ok(Tensor::empty(&b.shape, b.dtype, b.order, b.kind, &b.queue)?);
    /// A new array of zeros.
    zeros = |b: Blank| filled(b, 0);
    /// A new array of ones.
    ones = |b: Blank| filled(b, 1);
}

fn filled(b: Blank, value: i128) -> Outcome<Tensor> {
    Ok(Tensor::full(&b.shape, Weak::Int(value).to_scalar(b.dtype)?, b.order, b.kind, &b.queue)?)
}

/// A new array filled with a value: a number, or an array that is broadcast to the shape.
#[pyfunction]
#[pyo3(signature = (shape, fill_value, *, dtype=None, order="C", device=None, usm_type=None, sycl_queue=None))]
fn full(
    shape: Object<'_, '_>,
    fill_value: Object<'_, '_>,
    dtype: Optional<'_, '_>,
    order: &str,
    device: Optional<'_, '_>,
    usm_type: Optional<'_, '_>,
    sycl_queue: Optional<'_, '_>,
) -> PyResult<PyArray> {
    let py = shape.py();
    let (shape, order) = (args::shape(shape)?, args::order(order, "CF")?);
    let kind = usm_type.map(usm_kind).transpose()?;
    if let Some(value) = weak(fill_value)? {
        let queue = place(py, device, sycl_queue)?;
        let dtype = chosen_dtype(dtype, || value.default_dtype(queue.device().float_support()))?;
        let kind = kind.unwrap_or(UsmKind::Device);
        return made(py, move || Ok(Tensor::full(&shape, value.to_scalar(dtype)?, order, kind, &queue)?));
    }
    let (value, queue) = match fill_value.cast::<PyArray>() {
        Ok(array) => {
            let value = array.get().tensor().clone();
            let queue = placement(device, sycl_queue, || Ok(value.queue().clone()))?;
            (value, queue)
        }
        Err(_) => {
            let queue = place(py, device, sycl_queue)?;
            (from_numpy(fill_value, Order::K, UsmKind::Device, &queue, "fill_value")?, queue)
        }
    };
    let dtype = chosen_dtype(dtype, || value.dtype())?;
    let kind = kind.unwrap_or(value.kind());
    made(py, move || Ok(Tensor::full_from(&shape, &value, dtype, order, kind, &queue)?))
}

/// A number argument of `arange` or `linspace`.
fn number(object: Object<'_, '_>, function: &str, name: &str) -> PyResult<Weak> {
    if let Some(value) = weak(object)? {
        return Ok(value);
    }
    let generic = numpy(object.py())?.getattr("generic")?;
    if object.is_instance(&generic)?
        && let Some(value) = weak(&object.call_method0("item")?)?
    {
        return Ok(value);
    }
    Err(PyValueError::new_err(format!("{function}: {name} must be a number, got {}", type_name(object))))
}

/// Evenly spaced values in the half-open interval from start to stop.
#[pyfunction]
#[pyo3(signature = (start, /, stop=None, step=None, *, dtype=None, device=None, usm_type=None, sycl_queue=None))]
fn arange(
    start: Object<'_, '_>,
    stop: Optional<'_, '_>,
    step: Optional<'_, '_>,
    dtype: Optional<'_, '_>,
    device: Optional<'_, '_>,
    usm_type: Optional<'_, '_>,
    sycl_queue: Optional<'_, '_>,
) -> PyResult<PyArray> {
    let py = start.py();
    let first = number(start, "arange", "start")?;
    let (start, stop) = match stop {
        Some(stop) => (first, number(stop, "arange", "stop")?),
        None => (Weak::Int(0), first),
    };
    let step = step.map_or(Ok(Weak::Int(1)), |step| number(step, "arange", "step"))?;
    let queue = place(py, device, sycl_queue)?;
    let dtype = dtype.filter(|d| !d.is_none()).map(args::dtype).transpose()?;
    let kind = usm_type.map_or(Ok(UsmKind::Device), usm_kind)?;
    made(py, move || Ok(Tensor::range(start, stop, step, dtype, kind, &queue)?))
}

/// `num` evenly spaced values from start to stop.
#[pyfunction]
#[pyo3(signature = (start, stop, /, num, *, dtype=None, device=None, endpoint=true, sycl_queue=None, usm_type=None))]
#[allow(clippy::too_many_arguments, reason = "the Array API's signature")]
fn linspace(
    start: Object<'_, '_>,
    stop: Object<'_, '_>,
    num: Object<'_, '_>,
    dtype: Optional<'_, '_>,
    device: Optional<'_, '_>,
    endpoint: bool,
    sycl_queue: Optional<'_, '_>,
    usm_type: Optional<'_, '_>,
) -> PyResult<PyArray> {
    let py = start.py();
    let (first, last) = (number(start, "linspace", "start")?, number(stop, "linspace", "stop")?);
    let num: i128 = num
        .call_method0("__index__")
        .and_then(|index| index.extract())
        .map_err(|_| PyTypeError::new_err(format!("linspace: num must be an integer, got {}", shown(num))))?;
    let num = usize::try_from(num).map_err(|_| PyValueError::new_err(format!("linspace: num cannot be {num}")))?;
    let queue = place(py, device, sycl_queue)?;
    let floats = queue.device().float_support();
    let is_complex = matches!(first, Weak::Complex(_)) || matches!(last, Weak::Complex(_));
    let compute = if is_complex { floats.default_complex() } else { floats.default_float() };
    let dtype = chosen_dtype(dtype, || compute)?;
    let kind = usm_type.map_or(Ok(UsmKind::Device), usm_kind)?;
    made(py, move || {
        let (first, last) = (first.to_scalar(compute)?, last.to_scalar(compute)?);
        Ok(Tensor::linspace(first, last, num, endpoint, dtype, kind, &queue)?)
    })
}

/// An array from a number, a (nested) sequence, a NumPy array or any buffer, USM memory, or another array.
#[pyfunction]
#[pyo3(signature = (obj, /, *, dtype=None, device=None, copy=None, usm_type=None, sycl_queue=None, order="K"))]
#[allow(clippy::too_many_arguments, reason = "the Array API's signature")]
fn asarray<'py>(
    obj: &Bound<'py, PyAny>,
    dtype: Optional<'_, 'py>,
    device: Optional<'_, 'py>,
    copy: Option<bool>,
    usm_type: Optional<'_, 'py>,
    sycl_queue: Optional<'_, 'py>,
    order: &str,
) -> PyResult<Bound<'py, PyArray>> {
    let py = obj.py();
    let dtype = dtype.filter(|d| !d.is_none()).map(args::dtype).transpose()?;
    let order = args::order(order, "CFAK")?;
    let kind = usm_type.filter(|k| !k.is_none()).map(usm_kind).transpose()?;
    if let Some(source) = Described::of(obj)? {
        let same = obj.cast::<PyArray>().ok();
        return from_described(py, source, same, dtype, (device, sycl_queue), copy, kind, order);
    }
    if copy == Some(false) {
        return Err(PyValueError::new_err("asarray: host data cannot be used without a copy; leave copy=None"));
    }
    let queue = place(py, device, sycl_queue)?;
    let kind = kind.unwrap_or(UsmKind::Device);
    if let Some(value) = weak(obj)? {
        let dtype = dtype.unwrap_or_else(|| value.default_dtype(queue.device().float_support()));
        let array = made(py, || Ok(Tensor::full(&[], value.to_scalar(dtype)?, Order::C, kind, &queue)?))?;
        return Bound::new(py, array);
    }
    let tensor = from_numpy(obj, order, kind, &queue, "obj")?;
    let array = match dtype {
        Some(dtype) if dtype != tensor.dtype() => made(py, || Ok(tensor.astype(dtype, Order::K)?))?,
        _ => PyArray::new(tensor),
    };
    Bound::new(py, array)
}

#[allow(clippy::too_many_arguments, reason = "everything asarray was told")]
fn from_described<'py>(
    py: Python<'py>,
    source: Described,
    same: Option<&Bound<'py, PyArray>>,
    dtype: Option<DType>,
    place: (Optional<'_, 'py>, Optional<'_, 'py>),
    copy: Option<bool>,
    kind: Option<UsmKind>,
    order: Order,
) -> PyResult<Bound<'py, PyArray>> {
    let queue = placement(place.0, place.1, || Ok(source.queue.clone()))?;
    let (dtype, kind) = (dtype.unwrap_or(source.dtype), kind.unwrap_or(source.buffer.kind()));
    let fits = match order {
        Order::C => source.layout.is_c_contiguous(),
        Order::F => source.layout.is_f_contiguous(),
        Order::A | Order::K => true,
    };
    let in_place =
        dtype == source.dtype && kind == source.buffer.kind() && queue.context() == source.queue.context() && fits;
    if copy == Some(false) && !in_place {
        return Err(PyValueError::new_err(
            "asarray: another dtype, device, order or kind of memory needs a copy; leave copy=None",
        ));
    }
    if copy != Some(true)
        && in_place
        && queue == source.queue
        && let Some(array) = same
    {
        return Ok(array.clone());
    }
    let result: Outcome<Tensor> = py.detach(|| {
        let Described { buffer, queue: own, dtype: found, layout, readonly, .. } = source;
        let tensor = Tensor::from_buffer(buffer, own, found, layout)?.with_writable(!readonly);
        if in_place && copy != Some(true) {
            return Ok(tensor.to_queue(&queue)?);
        }
        let moved = if queue.context() == tensor.context() && kind == tensor.kind() {
            tensor.to_queue(&queue)?
        } else {
            let moved = tensor.copied_to(&queue, kind)?;
            if dtype == found && fits {
                return Ok(moved.with_writable(true));
            }
            moved
        };
        Ok(moved.astype(dtype, order)?)
    });
    Bound::new(py, PyArray::new(result?))
}

/// A NumPy operand brought to another array's queue and kind of memory.
pub(crate) fn from_numpy_like(object: Object<'_, '_>, beside: &Tensor) -> PyResult<Tensor> {
    from_numpy(object, Order::K, beside.kind(), beside.queue(), "operand")
}

/// A copy of whatever NumPy can make an array of.
fn from_numpy(object: Object<'_, '_>, order: Order, kind: UsmKind, queue: &Queue, what: &str) -> PyResult<Tensor> {
    let py = object.py();
    let numpy = numpy(py)?;
    let array = numpy.call_method1("asarray", (object,))?;
    let dtype = args::dtype(&array.getattr("dtype")?).map_err(|error| {
        if array.getattr("dtype").and_then(|d| d.getattr("kind")).is_ok_and(|k| k.to_string() == "O") {
            PyTypeError::new_err(format!("{what}: {} cannot be made into an array", shown(object)))
        } else {
            error
        }
    })?;
    let flags = array.getattr("flags")?;
    let flag = |name: &str| -> PyResult<bool> { flags.get_item(name)?.extract() };
    let (is_c, is_f) = (flag("C_CONTIGUOUS")?, flag("F_CONTIGUOUS")?);
    let wanted = match order {
        Order::C => Order::C,
        Order::F => Order::F,
        Order::A | Order::K if is_f && !is_c => Order::F,
        Order::A | Order::K => Order::C,
    };
    let dense = flag("ALIGNED")? && if wanted == Order::F { is_f } else { is_c };
    let array = if dense {
        array
    } else {
        let options = pyo3::types::PyDict::new(py);
        options.set_item("order", if wanted == Order::F { "F" } else { "C" })?;
        numpy.call_method("array", (array,), Some(&options))?
    };
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let (pointer, _): (usize, bool) = array.getattr("__array_interface__")?.get_item("data")?.extract()?;
    // SAFETY: NumPy says the array is dense, aligned and of this shape and dtype, and `array` keeps it alive until
    // the copy, which waits, has returned.
    let copied: Outcome<Tensor> =
        py.detach(|| Ok(unsafe { Tensor::from_host(pointer as *const u8, &shape, dtype, wanted, kind, queue) }?));
    drop(array);
    Ok(copied?)
}

/// Puts the functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(empty, module)?)?;
    module.add_function(wrap_pyfunction!(zeros, module)?)?;
    module.add_function(wrap_pyfunction!(ones, module)?)?;
    module.add_function(wrap_pyfunction!(full, module)?)?;
    module.add_function(wrap_pyfunction!(arange, module)?)?;
    module.add_function(wrap_pyfunction!(linspace, module)?)?;
    module.add_function(wrap_pyfunction!(asarray, module)?)
}
