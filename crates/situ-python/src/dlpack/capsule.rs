//! What is in a capsule.

use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::ptr;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use situ_tensor::Tensor;

use super::abi::{self, DlTensor, Legacy, Managed, Versioned};
use super::import::{Home, unusable};
use crate::args::shown;
use crate::errors::Outcome;
use crate::foreign::Foreign;

/// As many axes as any library has.
const DEEPEST: i32 = 64;

/// Takes the array out of a capsule; also whether it is a copy already.
pub(super) fn take(capsule: &Bound<'_, PyAny>, home: &Home, copy: Option<bool>) -> PyResult<(Tensor, bool)> {
    let is_called = |name: &CStr| {
        // SAFETY: a live object, attached; the name is static. Anything but a capsule is not valid.
        unsafe { ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) == 1 }
    };
    if is_called(Versioned::NAME) {
        return adopt::<Versioned>(capsule, home, copy);
    }
    if is_called(Legacy::NAME) {
        return adopt::<Legacy>(capsule, home, copy);
    }
    Err(if is_called(Versioned::USED) || is_called(Legacy::USED) {
        unusable("the capsule has been used already; __dlpack__ must make a new one at each call")
    } else {
        PyTypeError::new_err(format!("from_dlpack: __dlpack__ gave {}, not a DLPack capsule", shown(capsule)))
    })
}

fn adopt<M: Managed + 'static>(
    capsule: &Bound<'_, PyAny>,
    home: &Home,
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
    let flags = managed.flags();
    let foreign = describe(managed.tensor(), home, flags & abi::READ_ONLY != 0)?;
    if !foreign.is_aligned && copy == Some(false) {
        return Err(unusable(format!(
            "the memory is not aligned for {}, so that it must be copied, which copy=False forbids",
            foreign.dtype
        )));
    }
    // SAFETY: the capsule is valid and the new name static.
    if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), M::USED.as_ptr()) } != 0 {
        return Err(PyErr::fetch(capsule.py()));
    }
    let owner = Owned(pointer);
    let is_copy = !foreign.is_aligned || flags & abi::IS_COPIED != 0;
    let Home { queue, kind, ready, .. } = home;
    // SAFETY: the exporter says that the memory is where `home` expects it and holds these elements; it does so until
    // the owner calls its deleter.
    let adopted: Outcome<Tensor> =
        capsule.py().detach(|| unsafe { foreign.adopt(queue, *kind, *ready, Box::new(owner)) });
    Ok((adopted?, is_copy))
}

/// A managed tensor whose deleter is called when this is dropped.
struct Owned<M: Managed>(*mut M);

// SAFETY: the protocol lets any thread release a tensor, and nothing else is done with the pointer.
unsafe impl<M: Managed> Send for Owned<M> {}
// SAFETY: as above; there is nothing to do through a shared reference.
unsafe impl<M: Managed> Sync for Owned<M> {}

impl<M: Managed> Drop for Owned<M> {
    fn drop(&mut self) {
        release_without_nesting((release::<M>, self.0.cast()));
    }
}

/// How to release a managed tensor, and which one.
type Release = (unsafe fn(*mut c_void), *mut c_void);

/// Releases a managed tensor. What another one was made of is released after it, not inside of its deleter: libraries that hand
/// memory to each other many times make chains that are longer than the stack is deep.
fn release_without_nesting(first: Release) {
    thread_local! {
        static WAITING: RefCell<Option<Vec<Release>>> = const { RefCell::new(None) };
    }
    let is_inside = WAITING.try_with(|waiting| match &mut *waiting.borrow_mut() {
        Some(waiting) => {
            waiting.push(first);
            true
        }
        none => {
            *none = Some(Vec::new());
            false
        }
    });
    if is_inside == Ok(true) {
        return;
    }
    let mut next = Some(first);
    while let Some((release, managed)) = next {
        // SAFETY: each is the only owner's, who is gone, and comes up once.
        unsafe { release(managed) };
        next = WAITING.try_with(|waiting| waiting.borrow_mut().as_mut().and_then(Vec::pop)).unwrap_or(None);
    }
    // A thread that has come to its end keeps nothing.
    let _ = WAITING.try_with(|waiting| waiting.take());
}

/// Calls a deleter.
///
/// # Safety
///
/// This is a managed tensor of this kind, which nobody else releases.
unsafe fn release<M: Managed>(managed: *mut c_void) {
    let managed = managed.cast::<M>();
    // Many deleters give up a Python object. When the interpreter is gone, so is the object.
    Python::try_attach(|_| {
        let (mut class, mut value, mut trace) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        // SAFETY: attached. An exception that is on its way is put aside, because a deleter may run Python code. The rest is the
        // caller's promise.
        unsafe {
            ffi::PyErr_Fetch(&raw mut class, &raw mut value, &raw mut trace);
            if let Some(deleter) = (*managed).deleter() {
                deleter(managed);
            }
            ffi::PyErr_Restore(class, value, trace);
        }
    });
}

/// Reads and checks what the exporter says.
fn describe(tensor: &DlTensor, home: &Home, is_read_only: bool) -> PyResult<Foreign> {
    let dtype = tensor.dtype.dtype().ok_or_else(|| {
        let abi::DlDType { code, bits, lanes } = tensor.dtype;
        unusable(format!("elements of type code {code} with {bits} bits and {lanes} lanes have no dtype here"))
    })?;
    home.check((tensor.device.kind, tensor.device.id))?;
    if !(0..=DEEPEST).contains(&tensor.ndim) {
        return Err(unusable(format!("an array of {} dimensions cannot be right", tensor.ndim)));
    }
    let ndim = tensor.ndim as usize;
    let lengths = numbers(tensor.shape, ndim).ok_or_else(|| unusable("the shape is missing"))?;
    let shape: Option<Vec<usize>> = lengths.iter().map(|&n| usize::try_from(n).ok()).collect();
    let shape = shape.ok_or_else(|| unusable(format!("shape {lengths:?} has a negative length")))?;
    let strides = numbers(tensor.strides, ndim).map(|strides| strides.iter().map(|&step| step as isize).collect());
    let first = if tensor.data.is_null() {
        Some(0)
    } else {
        usize::try_from(tensor.byte_offset).ok().and_then(|offset| (tensor.data as usize).checked_add(offset))
    };
    let first = first.ok_or_else(|| unusable(format!("byte_offset {} reaches too far", tensor.byte_offset)))?;
    let foreign = Foreign::new(dtype, &shape, strides, first, is_read_only).map_err(unusable)?;
    if home.is_on_host() && !foreign.is_mapped() {
        return Err(unusable(format!(
            "this process has no memory where an array of shape {shape:?} at {:#x} with byte_offset {} would be",
            tensor.data as usize, tensor.byte_offset
        )));
    }
    Ok(foreign)
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
