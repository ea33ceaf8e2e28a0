//! Arrays of other libraries.

use std::ffi::CStr;
use std::ptr;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use situ_runtime::{Address, Buffer, Queue};
use situ_tensor::Tensor;
use situ_types::{BackendKind, DType, Layout, Order, UsmKind};

use super::abi::{self, DlTensor, Legacy, Managed, Versioned};
use super::export::host_queue;
use crate::args::{shown, type_name};
use crate::array::PyArray;
use crate::errors::Outcome;
use crate::place::default_queue;

/// As many axes as any library has.
const DEEPEST: i32 = 64;

/// Whether an object offers its memory through DLPack.
pub(crate) fn is_exporter(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.hasattr("__dlpack__")? && object.hasattr("__dlpack_device__")?)
}

fn unusable(reason: impl std::fmt::Display) -> PyErr {
    PyBufferError::new_err(format!("from_dlpack: {reason}"))
}

/// The array of an object that offers its memory through DLPack: the same memory wherever that is possible and
/// `copy` does not say otherwise. It goes to the given queue, else to a queue of the device its memory is on.
pub(crate) fn import(object: &Bound<'_, PyAny>, queue: Option<Queue>, copy: Option<bool>) -> PyResult<Tensor> {
    let py = object.py();
    if !is_exporter(object)? {
        return Err(PyTypeError::new_err(format!(
            "from_dlpack: x must have __dlpack__ and __dlpack_device__, but {} does not; copy it with \
             situ.tensor.asarray instead",
            type_name(object)
        )));
    }
    if let Ok(array) = object.cast::<PyArray>() {
        // Memory of our own comes with its order of commands.
        let tensor = array.get().tensor();
        return place(py, tensor.clone(), &queue.unwrap_or_else(|| tensor.queue().clone()), copy);
    }
    let device: (i64, i64) = object.call_method0("__dlpack_device__")?.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "from_dlpack: __dlpack_device__ of {} gave no pair of integers",
            type_name(object)
        ))
    })?;
    let is_host = [abi::CPU, abi::CUDA_HOST, abi::ROCM_HOST].iter().any(|&kind| device.0 == i64::from(kind));
    if !is_host && (queue.is_none() || copy == Some(false)) {
        return Err(unusable(format!(
            "x is on device {device:?}, whose memory situ cannot use in place; name a device= to copy it to"
        )));
    }
    let capsule = capsule_of(object, !is_host, copy)?;
    let here = match &queue {
        Some(queue) if queue.backend() == BackendKind::Native => queue.clone(),
        _ => {
            Some(default_queue(Some(py))?).filter(|q| q.backend() == BackendKind::Native).map_or_else(host_queue, Ok)?
        }
    };
    let (tensor, is_fresh) = take(&capsule, &here, copy)?;
    let copy = if is_fresh && copy == Some(true) { None } else { copy };
    place(py, tensor, &queue.unwrap_or(here), copy)
}

/// The array on a queue.
fn place(py: Python<'_>, tensor: Tensor, queue: &Queue, copy: Option<bool>) -> PyResult<Tensor> {
    let moves = queue.context() != tensor.context();
    if moves && copy == Some(false) {
        let (from, to) = (tensor.device().label(), queue.device().label());
        return Err(unusable(format!(
            "memory of {from} cannot be used on {to} without a copy, which copy=False forbids"
        )));
    }
    let placed: Outcome<Tensor> = py.detach(|| {
        Ok(if moves || copy == Some(true) {
            tensor.converted(tensor.dtype(), Order::K, tensor.kind(), queue)?
        } else {
            tensor.to_queue(queue)?
        })
    });
    Ok(placed?)
}

/// Asks for a capsule, in the words of version 1 of the protocol or, failing that, of the first.
fn capsule_of<'py>(object: &Bound<'py, PyAny>, to_host: bool, copy: Option<bool>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let request = PyDict::new(py);
    request.set_item("max_version", (abi::VERSION.major, abi::VERSION.minor))?;
    if to_host {
        request.set_item("dl_device", (abi::CPU, 0))?;
    }
    if copy == Some(false) {
        request.set_item("copy", false)?;
    }
    match object.call_method("__dlpack__", (), Some(&request)) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) && !to_host => object.call_method0("__dlpack__"),
        result => result,
    }
}

/// Takes the array out of a capsule; also whether it is a copy already.
fn take(capsule: &Bound<'_, PyAny>, queue: &Queue, copy: Option<bool>) -> PyResult<(Tensor, bool)> {
    let is_called = |name: &CStr| {
        // SAFETY: a live object, attached; the name is static. Anything but a capsule is not valid.
        unsafe { ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) == 1 }
    };
    if is_called(Versioned::NAME) {
        return adopt::<Versioned>(capsule, queue, copy);
    }
    if is_called(Legacy::NAME) {
        return adopt::<Legacy>(capsule, queue, copy);
    }
    Err(if is_called(Versioned::USED) || is_called(Legacy::USED) {
        unusable("the capsule has been used already; __dlpack__ must make a new one at each call")
    } else {
        PyTypeError::new_err(format!("from_dlpack: __dlpack__ gave {}, not a DLPack capsule", shown(capsule)))
    })
}

/// What a capsule describes, checked.
#[derive(Debug)]
struct Described {
    dtype: DType,
    /// Relative to `start`, in elements.
    layout: Layout,
    start: usize,
    bytes: usize,
    is_aligned: bool,
}

fn adopt<M: Managed + 'static>(
    capsule: &Bound<'_, PyAny>,
    queue: &Queue,
    copy: Option<bool>,
) -> PyResult<(Tensor, bool)> {
    // SAFETY: the caller has checked the name, by which the capsule holds a managed tensor of this kind.
    let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), M::NAME.as_ptr()) }.cast::<M>();
    if !pointer.cast::<u64>().is_aligned() {
        return Err(unusable("the capsule's pointer is not that of a DLPack tensor"));
    }
    // Until it is renamed, the capsule owns the tensor: errors leave both to its destructor.
    // SAFETY: as above; the pointer is not null, because no capsule's is.
    let managed = unsafe { &*pointer };
    if let Some(version) = managed.version()
        && version.major != abi::VERSION.major
    {
        let (major, minor) = (version.major, version.minor);
        return Err(unusable(format!("the exporter speaks version {major}.{minor} of DLPack; situ knows version 1")));
    }
    let described = describe(managed.tensor())?;
    if !described.is_aligned && copy == Some(false) {
        return Err(unusable(format!(
            "the memory is not aligned for {}, so that it must be copied, which copy=False forbids",
            described.dtype
        )));
    }
    let flags = managed.flags();
    // SAFETY: the capsule is valid and the new name static.
    if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), M::USED.as_ptr()) } != 0 {
        return Err(PyErr::fetch(capsule.py()));
    }
    let owner = Owned(pointer);
    let Described { dtype, layout, start, bytes, is_aligned } = described;
    let adopted: Outcome<Tensor> = capsule.py().detach(|| {
        if layout.size() == 0 {
            return Ok(Tensor::empty_in("from_dlpack", layout.like(Order::K), dtype, UsmKind::Host, queue)?);
        }
        let adopt = if flags & abi::READ_ONLY == 0 { Buffer::foreign } else { Buffer::lent };
        // SAFETY: the exporter says that the memory is the host's and holds these elements; it does so until the owner
        // calls its deleter.
        let buffer = unsafe { adopt(queue, UsmKind::Host, Address(start as *mut u8), bytes, Box::new(owner)) };
        if is_aligned {
            return Ok(Tensor::from_buffer(buffer, queue.clone(), dtype, layout)?);
        }
        // Byte by byte to where the elements lie on their boundaries, then without the gaps.
        let aligned = Buffer::allocate(queue, UsmKind::Host, bytes, 0)?;
        queue.copy(&aligned, 0, &buffer, 0, bytes, &[])?;
        Ok(Tensor::from_buffer(aligned, queue.clone(), dtype, layout)?.copy(Order::K)?)
    });
    let is_copy = !is_aligned || flags & abi::IS_COPIED != 0;
    Ok((adopted?.with_writable(flags & abi::READ_ONLY == 0 || !is_aligned), is_copy))
}

/// A managed tensor whose deleter is called when this is dropped.
struct Owned<M: Managed>(*mut M);

// SAFETY: the protocol lets any thread release a tensor, and nothing else is done with the pointer.
unsafe impl<M: Managed> Send for Owned<M> {}
// SAFETY: as above; there is nothing to do through a shared reference.
unsafe impl<M: Managed> Sync for Owned<M> {}

impl<M: Managed> Drop for Owned<M> {
    fn drop(&mut self) {
        // Many deleters give up a Python object. When the interpreter is gone, so is the object.
        Python::try_attach(|_| {
            let (mut class, mut value, mut trace) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
            // SAFETY: attached. An exception that is on its way is put aside, because a deleter may run Python code. The
            // capsule was renamed, so that this is the tensor's only owner, and this happens once.
            unsafe {
                ffi::PyErr_Fetch(&raw mut class, &raw mut value, &raw mut trace);
                if let Some(deleter) = (*self.0).deleter() {
                    deleter(self.0);
                }
                ffi::PyErr_Restore(class, value, trace);
            }
        });
    }
}

/// Reads and checks what the exporter says.
fn describe(tensor: &DlTensor) -> PyResult<Described> {
    let dtype = tensor.dtype.dtype().ok_or_else(|| {
        let abi::DlDType { code, bits, lanes } = tensor.dtype;
        unusable(format!("elements of type code {code} with {bits} bits and {lanes} lanes have no dtype here"))
    })?;
    if ![abi::CPU, abi::CUDA_HOST, abi::ROCM_HOST].contains(&tensor.device.kind) {
        let device = (tensor.device.kind, tensor.device.id);
        return Err(unusable(format!("the capsule's memory is on device {device:?}, not on the host as was said")));
    }
    if !(0..=DEEPEST).contains(&tensor.ndim) {
        return Err(unusable(format!("an array of {} dimensions cannot be right", tensor.ndim)));
    }
    let ndim = tensor.ndim as usize;
    let lengths = numbers(tensor.shape, ndim).ok_or_else(|| unusable("the shape is missing"))?;
    let shape: Option<Vec<usize>> = lengths.iter().map(|&n| usize::try_from(n).ok()).collect();
    let shape = shape.ok_or_else(|| unusable(format!("shape {lengths:?} has a negative length")))?;
    let dense = Layout::dense(&shape, Order::C).map_err(unusable)?;
    let strides: Vec<isize> = match numbers(tensor.strides, ndim) {
        Some(strides) => strides.iter().map(|&step| step as isize).collect(),
        None => dense.strides().to_vec(),
    };
    let size = dtype.size();
    let too_far = || unusable(format!("an array of shape {shape:?} with strides {strides:?} reaches too far"));
    let layout = Layout::strided(&shape, &strides, 0).map_err(unusable)?;
    if layout.size() == 0 {
        return Ok(Described { dtype, layout, start: 0, bytes: 0, is_aligned: true });
    }
    if tensor.data.is_null() {
        return Err(unusable(format!("an array of shape {shape:?} has no memory")));
    }
    let first = usize::try_from(tensor.byte_offset).ok().and_then(|offset| (tensor.data as usize).checked_add(offset));
    let first = first.ok_or_else(too_far)?;
    let (low, high) = layout.bounds().ok_or_else(too_far)?;
    let reach = |elements: isize| elements.checked_mul(size as isize).ok_or_else(too_far);
    let start = first.checked_add_signed(reach(low)?).filter(|&start| start > 0).ok_or_else(too_far)?;
    let bytes = reach(high.checked_sub(low).ok_or_else(too_far)?)? as usize;
    start.checked_add(bytes).ok_or_else(too_far)?;
    let layout = Layout::strided(&shape, &strides, -low).map_err(unusable)?;
    let is_aligned = start.is_multiple_of(size.min(8));
    Ok(Described { dtype, layout, start, bytes, is_aligned })
}

/// So many numbers from a place; `None` where there is none to read them from.
fn numbers(from: *const i64, count: usize) -> Option<Vec<i64>> {
    if count == 0 {
        return Some(Vec::new());
    }
    if from.is_null() {
        return None;
    }
    // SAFETY: the protocol puts as many numbers there as the array has dimensions; where they start is not promised to
    // be aligned.
    Some((0..count).map(|i| unsafe { from.add(i).read_unaligned() }).collect())
}
