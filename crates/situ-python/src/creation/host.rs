//! Host data, by way of NumPy.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyInt, PyRange};
use situ_runtime::Queue;
use situ_tensor::Tensor;
use situ_types::{DType, Layout, Order, UsmKind};

use super::Object;
use super::nested::is_sequence;
use super::numbers::too_large;
use crate::args::{self, dtype_object, numpy, shown, type_name};
use crate::errors::Outcome;
use crate::numpy_array::{Described, described, is_array};
use crate::wait;

/// Whether an object is a NumPy array or a NumPy scalar.
pub(crate) fn is_numpy(object: Object<'_, '_>) -> PyResult<bool> {
    static SCALAR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let scalar = SCALAR.get_or_try_init(py, || Ok::<_, PyErr>(numpy(py)?.getattr("generic")?.unbind()))?;
    Ok(is_array(object)? || object.is_instance(scalar.bind(py))?)
}

/// A NumPy operand brought to another array's queue and kind of memory.
pub(crate) fn from_numpy_like(object: Object<'_, '_>, beside: &Tensor) -> PyResult<Tensor> {
    from_host_like(object, beside, "operand")
}

/// The same for an argument that errors name.
pub(crate) fn from_host_like(object: Object<'_, '_>, beside: &Tensor, what: &str) -> PyResult<Tensor> {
    from_host(object, None, Order::K, beside.kind(), beside.queue(), what)
}

/// A NumPy array brought to a queue, in memory of a kind.
pub(crate) fn from_host_on(object: Object<'_, '_>, kind: UsmKind, queue: &Queue) -> PyResult<Tensor> {
    from_host(object, None, Order::K, kind, queue, "operand")
}

/// A copy of whatever NumPy can make an array of. Without a dtype its own is taken, or the nearest the device has.
pub(super) fn from_host(
    object: Object<'_, '_>,
    dtype: Option<DType>,
    order: Order,
    kind: UsmKind,
    queue: &Queue,
    what: &str,
) -> PyResult<Tensor> {
    let array = host_array(object, dtype, what)?;
    array.copy_to(dtype, order, kind, queue)
}

/// A NumPy array whose dtype is one of ours and whose elements lie on element boundaries.
#[derive(Debug)]
pub(super) struct HostArray<'py> {
    array: Bound<'py, PyAny>,
    pointer: usize,
    pub(super) dtype: DType,
    /// Counts from the address of the first element.
    pub(super) layout: Layout,
}

/// The NumPy array of an object. A sequence of Python numbers is converted to the dtype number by number, so that those
/// that do not fit are noticed; an array is not converted.
pub(super) fn host_array<'py>(object: Object<'_, 'py>, dtype: Option<DType>, what: &str) -> PyResult<HostArray<'py>> {
    if let Some(array) = HostArray::known(object, what)? {
        return Ok(array);
    }
    let py = object.py();
    let numpy = numpy(py)?;
    let array = match dtype {
        Some(dtype) if is_sequence(object) || object.is_instance_of::<PyRange>() => {
            numpy.call_method1("asarray", (object, dtype_object(py, dtype)?))?
        }
        // To NumPy bytes are a string.
        _ if object.is_instance_of::<PyBytes>() => {
            let view = py.import("builtins")?.getattr("memoryview")?.call1((object,))?;
            numpy.call_method1("asarray", (view,))?
        }
        _ => numpy.call_method1("asarray", (object,))?,
    };
    if let Some(array) = HostArray::known(&array, what)? {
        return Ok(array);
    }
    match HostArray::of(&array, object, what)? {
        Some(found) => Ok(found),
        None => {
            let dense = array.call_method1("copy", ("K",))?;
            let odd = || PyTypeError::new_err(format!("{what}: the elements do not lie on their boundaries"));
            HostArray::of(&dense, object, what)?.ok_or_else(odd)
        }
    }
}

/// The dtype of an array that was made of an object.
fn own_dtype(array: Object<'_, '_>, typestr: &str, object: Object<'_, '_>, what: &str) -> PyResult<DType> {
    let native = if cfg!(target_endian = "little") { '<' } else { '>' };
    if let Some(found) = DType::from_typestr(typestr.trim_start_matches(['|', native])) {
        return Ok(found);
    }
    let kind = typestr.trim_start_matches(['|', '<', '>']).chars().next();
    if !matches!(kind, Some('O' | 'S' | 'U')) {
        return args::dtype(&array.getattr("dtype")?);
    }
    if kind == Some('O') {
        for item in array.getattr("flat")?.try_iter()? {
            let item = item?;
            let fits = item.extract::<i64>().is_ok() || item.extract::<u64>().is_ok();
            if item.is_instance_of::<PyInt>() && !fits {
                return Err(too_large(&item, None, what));
            }
        }
    }
    Err(PyTypeError::new_err(format!("{what}: {} {} cannot be made into an array", type_name(object), shown(object))))
}

impl<'py> HostArray<'py> {
    /// An array of NumPy's; `None` for anything else, and where its elements are none of NumPy's own dtypes that we
    /// have too or do not lie on their boundaries.
    fn known(array: Object<'_, 'py>, what: &str) -> PyResult<Option<HostArray<'py>>> {
        let Some(found) = described(array)? else { return Ok(None) };
        let Described { start, dtype, shape, mut strides } = found;
        let (pointer, size) = (start as usize, dtype.size() as isize);
        let are_odd = strides.iter().any(|step| step % size != 0);
        if are_odd || !pointer.is_multiple_of(dtype.size().min(8)) {
            return Ok(None);
        }
        strides.iter_mut().for_each(|step| *step /= size);
        let layout = Layout::strided(&shape, &strides, 0);
        let layout = layout.map_err(|error| PyTypeError::new_err(format!("{what}: {error}")))?;
        Ok(Some(HostArray { array: array.clone(), pointer, dtype, layout }))
    }

    /// An array that was made of an object; `None` where its elements do not lie on their boundaries.
    fn of(array: &Bound<'py, PyAny>, object: Object<'_, 'py>, what: &str) -> PyResult<Option<HostArray<'py>>> {
        // One dictionary says everything, and sooner than the attributes would.
        let interface = array.getattr("__array_interface__")?.cast_into::<PyDict>()?;
        let missing = |key: &str| PyTypeError::new_err(format!("{what}: NumPy does not say its {key}"));
        let entry = |key: &str| interface.get_item(key)?.ok_or_else(|| missing(key));
        let dtype = own_dtype(array, &entry("typestr")?.extract::<String>()?, object, what)?;
        let size = dtype.size() as isize;
        let (pointer, _): (usize, bool) = entry("data")?.extract()?;
        let shape: Vec<usize> = entry("shape")?.extract()?;
        let layout = match interface.get_item("strides")?.filter(|strides| !strides.is_none()) {
            None => Layout::dense(&shape, Order::C),
            Some(strides) => {
                let strides: Vec<isize> = strides.extract()?;
                if strides.iter().any(|step| step % size != 0) {
                    return Ok(None);
                }
                let steps: Vec<isize> = strides.iter().map(|step| step / size).collect();
                Layout::strided(&shape, &steps, 0)
            }
        };
        if !pointer.is_multiple_of(dtype.size().min(8)) {
            return Ok(None);
        }
        let layout = layout.map_err(|error| PyTypeError::new_err(format!("{what}: {error}")))?;
        Ok(Some(HostArray { array: array.clone(), pointer, dtype, layout }))
    }

    /// A copy on a queue. Without a dtype its own is taken, or the nearest the device has.
    pub(super) fn copy_to(&self, dtype: Option<DType>, order: Order, kind: UsmKind, queue: &Queue) -> PyResult<Tensor> {
        let py = self.array.py();
        let floats = queue.device().float_support();
        let dtype = dtype.unwrap_or_else(|| floats.nearest(self.dtype));
        if !floats.supports(self.dtype) && floats.supports(dtype) {
            // Only the host can convert what the device does not have.
            let options = PyDict::new(py);
            options.set_item("order", "K")?;
            let converted = self.array.call_method("astype", (dtype_object(py, dtype)?,), Some(&options))?;
            return host_array(&converted, None, "asarray")?.copy_to(Some(dtype), order, kind, queue);
        }
        let (pointer, layout, from) = (self.pointer, &self.layout, self.dtype);
        let copy = || -> Outcome<Tensor> {
            let data = pointer as *const u8;
            // SAFETY: NumPy says where the elements are and that they are aligned; the array keeps them alive until the
            // copy, which waits, has returned.
            Ok(unsafe { Tensor::from_host_layout(data, layout, from, dtype, order, kind, queue) }?)
        };
        wait::for_work(py, layout.size().saturating_mul(from.size()), queue, None, copy)
    }
}
