//! Arrays for other libraries.

use std::ptr;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use situ_runtime::{Access, Queue};
use situ_tensor::Tensor;
use situ_types::{BackendKind, Order};

use super::abi::{self, DlDType, DlDevice, DlTensor, Legacy, Managed, Versioned};
use crate::args::{shown, type_name};
use crate::errors::{Outcome, Raised};
use crate::queue::PyQueue;

/// The device an array is on, in the protocol's numbers.
pub(crate) fn device_of(tensor: &Tensor) -> (i32, i32) {
    match tensor.queue().backend() {
        BackendKind::Native => (abi::CPU, 0),
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

/// A capsule with the array, once no command writes it any more: host memory has no stream to wait on.
pub(crate) fn export<'py>(py: Python<'py>, tensor: &Tensor, request: &Request<'_, '_>) -> PyResult<Bound<'py, PyAny>> {
    if let Some(stream) = request.stream
        && !stream.is_instance_of::<PyQueue>()
    {
        let given = format!("{} {}", type_name(stream), shown(stream));
        return Err(PyTypeError::new_err(format!("__dlpack__: stream must be None or a Queue, got {given}")));
    }
    let own = device_of(tensor);
    let wanted = request.dl_device.unwrap_or((own.0.into(), own.1.into()));
    let is_here = wanted == (own.0.into(), own.1.into());
    let host = (i64::from(abi::CPU), 0);
    if wanted != host {
        let label = tensor.device().label();
        return Err(PyBufferError::new_err(if is_here {
            format!("__dlpack__: memory of {label} cannot be shared; ask for a copy with dl_device=(1, 0)")
        } else {
            format!("__dlpack__: an array on {label} cannot be exported to device {wanted:?}, only to (1, 0), the host")
        }));
    }
    let copies = request.copy == Some(true) || !is_here;
    if copies && request.copy == Some(false) {
        return Err(PyBufferError::new_err("__dlpack__: another device needs a copy, which copy=False forbids"));
    }
    let is_versioned = request.max_version.is_some_and(|(major, _)| major >= 1);
    if !tensor.is_writable() && !copies && !is_versioned {
        return Err(PyBufferError::new_err(
            "__dlpack__: a read-only array can only be exported to a consumer that asks for version 1 of DLPack, which \
             has a flag for it; pass max_version=(1, 0), or copy=True",
        ));
    }
    let ready: Outcome<Tensor> = py.detach(|| {
        let tensor = if !is_here {
            tensor.converted(tensor.dtype(), Order::K, tensor.kind(), &host_queue()?)?
        } else if copies {
            tensor.copy(Order::K)?
        } else {
            tensor.clone()
        };
        tensor.queue().check()?;
        // The consumer may write, so earlier readers must be done as well.
        tensor.buffer().wait_before(if tensor.is_writable() { Access::Update } else { Access::Read })?;
        Ok(tensor)
    });
    let flags = if copies { abi::IS_COPIED } else { 0 };
    if is_versioned { sealed::<Versioned>(py, ready?, flags) } else { sealed::<Legacy>(py, ready?, flags) }
}

/// The native device's queue.
pub(super) fn host_queue() -> Result<Queue, Raised> {
    Ok(Queue::cached(&situ_runtime::Device::select("native:cpu")?)?)
}

/// Everything a managed tensor points to.
struct Exported<M> {
    managed: M,
    shape: Box<[i64]>,
    strides: Box<[i64]>,
    /// Keeps the memory.
    _tensor: Tensor,
}

fn sealed<M: Managed>(py: Python<'_>, tensor: Tensor, flags: u64) -> PyResult<Bound<'_, PyAny>> {
    let (kind, id) = device_of(&tensor);
    let flags = if tensor.is_writable() { flags } else { flags | abi::READ_ONLY };
    let array = DlTensor {
        // Nothing is at the address of an empty array, and the protocol wants it to say so.
        data: if tensor.size() == 0 { ptr::null_mut() } else { tensor.address().0.cast() },
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
    let exported = Box::into_raw(Box::new(Exported { managed, shape, strides, _tensor: tensor }));
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
        unsafe { release::<M>(managed) };
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
    drop(unsafe { Box::from_raw((*managed).context().cast::<Exported<M>>()) });
}

/// Releases what a capsule holds that nobody has taken.
unsafe extern "C" fn discard<M: Managed>(capsule: *mut ffi::PyObject) {
    // SAFETY: the interpreter calls this with a live capsule, attached; the name is static.
    if unsafe { ffi::PyCapsule_IsValid(capsule, M::NAME.as_ptr()) } != 1 {
        return;
    }
    // SAFETY: under its first name the capsule holds the managed tensor of `sealed`, which nobody else will release.
    unsafe { release::<M>(ffi::PyCapsule_GetPointer(capsule, M::NAME.as_ptr()).cast()) };
}
