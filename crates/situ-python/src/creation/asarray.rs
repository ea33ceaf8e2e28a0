//! `asarray`: an array from anything that can be one.

use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::prelude::*;
use situ_tensor::Tensor;
use situ_types::{DType, Layout, Order, UsmKind};

use super::host::{from_host, is_numpy};
use super::nested::{from_sequence, is_sequence};
use super::numbers::number_for;
use super::{Object, Optional, Place, made, made_of, named_dtype};
use crate::args;
use crate::array::PyArray;
use crate::cuda_interface;
use crate::dlpack;
use crate::errors::{Outcome, Raised};
use crate::interface::Described;
use crate::place::default_queue;

/// What the caller wants the array to be.
pub(super) struct Wanted<'a, 'py> {
    pub(super) dtype: Option<DType>,
    pub(super) order: Order,
    /// `None`: only if needed.
    pub(super) copy: Option<bool>,
    pub(super) place: Place<'a, 'py>,
    /// The function and the argument, for messages.
    pub(super) what: &'a str,
}

/// An array from a number, a (nested) sequence, a NumPy array or any buffer, USM memory, or another array.
///
/// Parameters:
///     obj (ArrayLike): What to make an array of. Whatever knows its device (an array, USM memory, an object with
///         `__dlpack__` or `__cuda_array_interface__`) stays there unless the place is named; anything else goes to the
///         default device.
///     dtype (DTypeLike | None): The dtype of the elements; None for that of `obj`, or for Python numbers the usual one:
///         bool, int64, the device's default float or complex dtype.
///     device (DeviceLike | None): Where the array goes: a selector such as 'cpu' or 'cuda:0', a device, or a queue.
///     copy (bool | None): True copies in any case, False never, which is a ValueError where a copy is needed, and None
///         only where it is needed. Data of the host is always copied.
///     usm_type (str | None): The kind of memory: 'device', 'shared' or 'host'; None for that of `obj`, else 'device'.
///     sycl_queue (Queue | None): The queue the array belongs to, where `device` does not say it.
///     order (str): How the elements lie in memory: 'C', 'F', 'A' (Fortran's order if `obj` has it, else C's), or 'K' for
///         the order of `obj`.
///     queue (DeviceLike | None): Another name for `sycl_queue`, which takes a selector as well.
///
/// Returns:
///     ndarray: A new array, or `obj` itself where it is an array that already is as wanted.
///
/// >>> from situ import tensor
/// >>> tensor.asarray([[1, 2], [3, 4]], dtype="float32")
/// ndarray([[1., 2.],
///          [3., 4.]], dtype=float32)
/// >>> x = tensor.arange(3)
/// >>> tensor.asarray(x) is x, tensor.asarray(x, copy=True) is x
/// (True, False)
#[pyfunction]
#[pyo3(signature = (
    obj, /, *, dtype=None, device=None, copy=None, usm_type=None, sycl_queue=None, order="K", queue=None
))]
#[allow(clippy::too_many_arguments, reason = "the Array API's signature, and the keywords of placement")]
fn asarray<'py>(
    obj: &Bound<'py, PyAny>,
    dtype: Optional<'_, 'py>,
    device: Optional<'_, 'py>,
    copy: Option<bool>,
    usm_type: Optional<'_, 'py>,
    sycl_queue: Optional<'_, 'py>,
    order: &str,
    queue: Optional<'_, 'py>,
) -> PyResult<Bound<'py, PyArray>> {
    let place = Place { device, usm_type, sycl_queue, queue };
    let (dtype, order) = (named_dtype(dtype)?, args::order(order, "CFAK")?);
    array_from(obj, &Wanted { dtype, order, copy, place, what: "asarray: obj" })
}

/// A copy of a NumPy array, or of anything NumPy makes one of.
///
/// Parameters:
///     np_ary (ArrayLike): What is copied.
#[doc = parameter!(place)]
///
/// Returns:
///     ndarray: A new array.
///
/// >>> import numpy
/// >>> from situ import tensor
/// >>> tensor.from_numpy(numpy.eye(2), usm_type="shared").usm_type
/// 'shared'
#[pyfunction]
#[pyo3(signature = (np_ary, /, *, device=None, usm_type=None, sycl_queue=None, queue=None))]
fn from_numpy<'py>(
    np_ary: &Bound<'py, PyAny>,
    device: Optional<'_, 'py>,
    usm_type: Optional<'_, 'py>,
    sycl_queue: Optional<'_, 'py>,
    queue: Optional<'_, 'py>,
) -> PyResult<PyArray> {
    let place = Place { device, usm_type, sycl_queue, queue };
    let (kind, queue) = (place.kind_or_device()?, place.queue(np_ary.py())?);
    Ok(PyArray::new(from_host(np_ary, None, Order::K, kind, &queue, "from_numpy: np_ary")?))
}

/// The array of an object. Whatever knows its own device decides where, unless the caller does.
pub(super) fn array_from<'py>(object: Object<'_, 'py>, wanted: &Wanted<'_, 'py>) -> PyResult<Bound<'py, PyArray>> {
    let py = object.py();
    if let Ok(array) = object.cast::<PyArray>() {
        return from_array(py, array.get().tensor().clone(), Some(array), wanted);
    }
    let what = wanted.what;
    if let Some(number) = number_for(object, wanted.dtype, what)? {
        refuse_sharing(wanted)?;
        let (kind, queue) = (wanted.place.kind_or_device()?, wanted.place.queue(py)?);
        let dtype = wanted.dtype.unwrap_or_else(|| number.default_dtype(queue.device().float_support()));
        let value = number.to_scalar(dtype).map_err(Raised::from)?;
        let layout = Layout::dense(&[], Order::C).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let make = || Ok(Tensor::full_in("asarray", layout, value, kind, &queue)?);
        return made_of(py, dtype.size(), &queue, make);
    }
    if is_sequence(object) {
        refuse_sharing(wanted)?;
        return PyArray::new(from_sequence(object, wanted)?).into_object(py);
    }
    if !is_numpy(object)? {
        if let Some(tensor) = device_data(object)? {
            return from_array(py, tensor, None, wanted);
        }
        refuse_sharing(wanted)?;
        if let Some(imported) = imported(object)? {
            // What is on a device stays there; what the host has goes where new arrays go.
            let is_host = imported.kind() == UsmKind::Host;
            let stay = || if is_host { default_queue(Some(py)) } else { Ok(imported.queue().clone()) };
            let queue = wanted.place.queue_or(stay)?;
            let kind = wanted.place.kind()?.unwrap_or(if is_host { UsmKind::Device } else { imported.kind() });
            let dtype = wanted.dtype.unwrap_or_else(|| queue.device().float_support().nearest(imported.dtype()));
            let order = wanted.order;
            return made(py, || Ok(imported.converted(dtype, order, kind, &queue)?));
        }
    }
    refuse_sharing(wanted)?;
    let (kind, queue) = (wanted.place.kind_or_device()?, wanted.place.queue(py)?);
    PyArray::new(from_host(object, wanted.dtype, wanted.order, kind, &queue, what)?).into_object(py)
}

/// A new array of the values in a list, where the keywords of a constructor say.
pub(crate) fn values<'py>(
    list: Object<'_, 'py>,
    dtype: Option<DType>,
    order: Order,
    kind: Optional<'_, 'py>,
    queue: Optional<'_, 'py>,
) -> PyResult<Tensor> {
    let place = Place { device: None, usm_type: kind, sycl_queue: None, queue };
    from_sequence(list, &Wanted { dtype, order, copy: None, place, what: "ndarray: shape" })
}

/// The array over USM memory that an object holds or describes, if it does.
pub(crate) fn device_data(object: Object<'_, '_>) -> PyResult<Option<Tensor>> {
    if let Some(held) = object.getattr_opt("__usm_ndarray__")?
        && let Ok(array) = held.cast::<PyArray>()
    {
        return Ok(Some(array.get().tensor().clone()));
    }
    let Some(described) = Described::of(object)? else { return Ok(None) };
    let Described { buffer, queue, dtype, layout, readonly, .. } = described;
    let tensor = Tensor::from_buffer(buffer, queue, dtype, layout).map_err(Raised::from)?;
    Ok(Some(tensor.with_writable(!readonly)))
}

/// The array that an object offers through DLPack or, if it cannot be had this way, as memory of a CUDA device. There
/// may be another way still.
fn imported(object: Object<'_, '_>) -> PyResult<Option<Tensor>> {
    if dlpack::is_exporter(object)? {
        match dlpack::import(object, None, None) {
            Err(error) if error.is_instance_of::<PyBufferError>(object.py()) => {}
            result => return result.map(Some),
        }
    }
    cuda_interface::read(object, None)
}

/// Host data is never shared: work on it would not be ordered with what the host does to it.
fn refuse_sharing(wanted: &Wanted<'_, '_>) -> PyResult<()> {
    if wanted.copy != Some(false) {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "{}: host data cannot be used without a copy; leave copy=None, or share it with situ.tensor.from_dlpack",
        wanted.what
    )))
}

fn from_array<'py>(
    py: Python<'py>,
    source: Tensor,
    same: Option<&Bound<'py, PyArray>>,
    wanted: &Wanted<'_, 'py>,
) -> PyResult<Bound<'py, PyArray>> {
    let place = wanted.place;
    let queue = place.queue_or(|| Ok(source.queue().clone()))?;
    let dtype = wanted.dtype.unwrap_or_else(|| queue.device().float_support().nearest(source.dtype()));
    let kind = place.kind()?.unwrap_or(source.kind());
    let is_ordered = match wanted.order {
        Order::C => source.layout().is_c_contiguous(),
        Order::F => source.layout().is_f_contiguous(),
        Order::A | Order::K => true,
    };
    let is_ready =
        dtype == source.dtype() && kind == source.kind() && queue.context() == source.context() && is_ordered;
    if wanted.copy == Some(false) && !is_ready {
        return Err(PyValueError::new_err(format!(
            "{}: another dtype, device, order or kind of memory needs a copy; leave copy=None",
            wanted.what
        )));
    }
    let shares = is_ready && wanted.copy != Some(true);
    if shares
        && queue == *source.queue()
        && let Some(array) = same
    {
        return Ok(array.clone());
    }
    let order = wanted.order;
    let result: Outcome<Tensor> = py
        .detach(|| Ok(if shares { source.to_queue(&queue)? } else { source.converted(dtype, order, kind, &queue)? }));
    PyArray::new(result?).into_object(py)
}

/// Puts the functions into the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(asarray, module)?)?;
    module.add_function(wrap_pyfunction!(from_numpy, module)?)
}
