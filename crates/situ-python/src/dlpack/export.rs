//! Arrays for other libraries.

use std::ptr;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use situ_runtime::{Access, Queue};
use situ_tensor::Tensor;
use situ_types::{BackendKind, Order, UsmKind};

use super::abi::{self, DlDType, DlDevice, DlTensor, Legacy, Managed, Versioned};
use super::stream::{Consumer, Stream};
use crate::errors::{Outcome, Raised};

/// The device an array is on, in the protocol's numbers.
pub(crate) fn device_of(tensor: &Tensor) -> (i32, i32) {
    if tensor.context().reaches_host() {
        return (abi::CPU, 0);
    }
    let number = i32::try_from(tensor.device().number()).unwrap_or(i32::MAX);
    match (tensor.queue().backend(), tensor.kind()) {
        (BackendKind::Cuda, UsmKind::Device) => (abi::CUDA, number),
        (BackendKind::Cuda, UsmKind::Shared) => (abi::CUDA_MANAGED, number),
        (BackendKind::Cuda, UsmKind::Host) => (abi::CUDA_HOST, 0),
        _ => (abi::EXTENSION, 0),
    }
}

/// What the consumer asks for.
#[derive(Debug)]
pub(crate) struct Request<'a, 'py> {
    pub(crate) stream: Option<&'a Bound<'py, PyAny>>,
    pub(crate) max_version: Option<(i64, i64)>,
    pub(crate) dl_device: Option<(i64, i64)>,
    pub(crate) copy: Option<bool>,
}

/// How an array gets to the device that it is wanted on.
#[derive(Debug)]
enum Way {
    /// It is there.
    There,
    /// By a copy on this queue, in this kind of memory.
    Copied(Queue, UsmKind),
}

/// The way to a device; `None` if there is none.
fn way_to(wanted: (i32, i32), tensor: &Tensor) -> Outcome<Option<Way>> {
    let own = device_of(tensor);
    let is_here = wanted.0 == abi::CUDA && wanted.1 == i32::try_from(tensor.device().number()).unwrap_or(i32::MAX);
    Ok(match own.0 {
        abi::EXTENSION if wanted == own => None,
        _ if wanted == own => Some(Way::There),
        abi::CUDA_HOST | abi::CUDA_MANAGED if wanted == (abi::CPU, 0) => Some(Way::There),
        _ if wanted == (abi::CPU, 0) => Some(Way::Copied(situ_runtime::host_queue()?, tensor.kind())),
        abi::CUDA_MANAGED if is_here => Some(Way::There),
        abi::CUDA_HOST if is_here => Some(Way::Copied(tensor.queue().clone(), UsmKind::Device)),
        _ => None,
    })
}

/// A capsule with the array, in which the consumer's stream sees what has been submitted so far. Host memory has no
/// stream to wait on, so that this waits itself.
pub(crate) fn export<'py>(py: Python<'py>, tensor: &Tensor, request: &Request<'_, '_>) -> PyResult<Bound<'py, PyAny>> {
    let stream = Stream::of(request.stream, tensor.queue())?;
    let own = device_of(tensor);
    let wanted = request.dl_device.unwrap_or((own.0.into(), own.1.into()));
    let numbers = i32::try_from(wanted.0).ok().zip(i32::try_from(wanted.1).ok());
    let found = numbers.map(|wanted| way_to(wanted, tensor).map(|way| way.map(|way| (wanted, way)))).transpose()?;
    let Some((label, way)) = found.flatten() else {
        let device = tensor.device().label();
        return Err(PyBufferError::new_err(if own.0 == abi::EXTENSION && wanted == (own.0.into(), own.1.into()) {
            format!("__dlpack__: memory of {device} cannot be shared; ask for a copy with dl_device=(1, 0)")
        } else {
            format!(
                "__dlpack__: an array on {device}, which is DLPack's device {own:?}, cannot be exported to device \
                 {wanted:?}, only to itself or to (1, 0), the host; bring it to another device with to_device first"
            )
        }));
    };
    let way = match way {
        Way::There if request.copy == Some(true) => Way::Copied(tensor.queue().clone(), tensor.kind()),
        Way::Copied(..) if request.copy == Some(false) => {
            return Err(PyBufferError::new_err("__dlpack__: another device needs a copy, which copy=False forbids"));
        }
        way => way,
    };
    let copies = matches!(way, Way::Copied(..));
    let is_versioned = request.max_version.is_some_and(|(major, _)| major >= 1);
    if !tensor.is_writable() && !copies && !is_versioned {
        return Err(PyBufferError::new_err(
            "__dlpack__: a read-only array can only be exported to a consumer that asks for version 1 of DLPack, which \
             has a flag for it; pass max_version=(1, 0), or copy=True",
        ));
    }
    // Who can reach the memory from the host and names no stream may be about to read it there.
    let on_host = label.0 == abi::CPU || label.0 != abi::CUDA && matches!(stream, Stream::Unnamed);
    let ready: Outcome<(Tensor, Consumer)> = py.detach(|| {
        let tensor = match way {
            Way::There => tensor.clone(),
            Way::Copied(queue, kind) => {
                let copy = tensor.converted(tensor.dtype(), Order::K, kind, &queue)?;
                if matches!(stream, Stream::Unordered) {
                    // Nobody else can see to the order of a command that nobody else knows of.
                    copy.contents()?.wait_before(Access::Read)?;
                }
                copy
            }
        };
        let consumer = stream.wait_for(&tensor, on_host)?;
        Ok((tensor, consumer))
    });
    let (tensor, consumer) = ready?;
    let flags = if copies { abi::IS_COPIED } else { 0 };
    if is_versioned {
        sealed::<Versioned>(py, tensor, consumer, label, flags)
    } else {
        sealed::<Legacy>(py, tensor, consumer, label, flags)
    }
}

/// Everything a managed tensor points to.
struct Exported<M> {
    managed: M,
    shape: Box<[i64]>,
    strides: Box<[i64]>,
    /// Keeps the memory.
    tensor: Tensor,
    consumer: Consumer,
}

fn sealed<M: Managed>(
    py: Python<'_>,
    tensor: Tensor,
    consumer: Consumer,
    (kind, id): (i32, i32),
    flags: u64,
) -> PyResult<Bound<'_, PyAny>> {
    let flags = if tensor.is_writable() { flags } else { flags | abi::READ_ONLY };
    tensor.contents().map_err(Raised::from)?.publish();
    // Nothing is at the address of an empty array, and the protocol wants it to say so.
    let data = if tensor.size() == 0 { ptr::null_mut() } else { tensor.address().map_err(Raised::from)?.0.cast() };
    let array = DlTensor {
        data,
        device: DlDevice { kind, id },
        ndim: tensor.layout().ndim() as i32,
        dtype: DlDType::of(tensor.dtype()),
        shape: ptr::null_mut(),
        strides: ptr::null_mut(),
        byte_offset: 0,
    };
    let shape = tensor.shape().iter().map(|&n| n as i64).collect();
    let strides = tensor.layout().strides().iter().map(|&step| step as i64).collect();
    let managed = M::new(array, flags, release::<M>);
    let exported = Box::into_raw(Box::new(Exported { managed, shape, strides, tensor, consumer }));
    // SAFETY: the box was just made and nobody else has seen it; the slices it owns stay where they are.
    let managed = unsafe {
        let (shape, strides) = ((*exported).shape.as_mut_ptr(), (*exported).strides.as_mut_ptr());
        (*exported).managed.point_to(shape, strides, exported.cast());
        &raw mut (*exported).managed
    };
    // SAFETY: the pointer is not null, the name is static, and the destructor expects exactly this content.
    let capsule = unsafe { ffi::PyCapsule_New(managed.cast(), M::NAME.as_ptr(), Some(discard::<M>)) };
    if capsule.is_null() {
        // SAFETY: no capsule took the managed tensor, so it is still ours to release.
        drop(unsafe { Box::from_raw(exported) });
        return Err(PyErr::fetch(py));
    }
    // SAFETY: `capsule` is a new, owned, non-null reference.
    Ok(unsafe { Bound::from_owned_ptr(py, capsule) })
}

/// The deleter of exported arrays. Consumers may call it on any thread, with or without the interpreter.
unsafe extern "C" fn release<M: Managed>(managed: *mut M) {
    if managed.is_null() {
        return;
    }
    // SAFETY: the consumer calls this once, with the managed tensor that `sealed` made; its context is the box.
    let exported = unsafe { Box::from_raw((*managed).context().cast::<Exported<M>>()) };
    exported.consumer.finish(&exported.tensor);
}

/// Releases what a capsule holds that nobody has taken.
unsafe extern "C" fn discard<M: Managed>(capsule: *mut ffi::PyObject) {
    // SAFETY: the interpreter calls this with a live capsule, attached; the name is static.
    if unsafe { ffi::PyCapsule_IsValid(capsule, M::NAME.as_ptr()) } != 1 {
        return;
    }
    // SAFETY: under its first name the capsule holds the managed tensor of `sealed`, which nobody else will release;
    // its context is the box. Nobody has used the memory, so that there is nothing to wait for.
    unsafe {
        let managed = ffi::PyCapsule_GetPointer(capsule, M::NAME.as_ptr()).cast::<M>();
        drop(Box::from_raw((*managed).context().cast::<Exported<M>>()));
    }
}
