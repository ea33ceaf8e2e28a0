//! Handles in transit between libraries, as capsules that can be opened once.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use situ_runtime::{Context, Event, Queue};

/// A handle that travels in capsules.
pub(crate) trait Travels: Sized + Send + 'static {
    /// What a capsule that holds one is called.
    const NAME: &'static CStr;
    /// What a capsule is called that has been opened.
    const USED: &'static CStr;
}

impl Travels for Context {
    const NAME: &'static CStr = c"SyclContextRef";
    const USED: &'static CStr = c"used_SyclContextRef";
}

impl Travels for Queue {
    const NAME: &'static CStr = c"SyclQueueRef";
    const USED: &'static CStr = c"used_SyclQueueRef";
}

impl Travels for Event {
    const NAME: &'static CStr = c"SyclEventRef";
    const USED: &'static CStr = c"used_SyclEventRef";
}

/// Says whose pointer a capsule holds: other libraries use the same names for pointers of their own.
fn mark() -> *mut c_void {
    static MARK: u8 = 0;
    (&raw const MARK).cast_mut().cast()
}

/// Gives back what an unopened capsule holds.
unsafe extern "C" fn discard<T: Travels>(capsule: *mut ffi::PyObject) {
    // SAFETY: the interpreter calls this with a live capsule, GIL held; the name is static.
    let is_unopened = unsafe { ffi::PyCapsule_IsValid(capsule, T::NAME.as_ptr()) } == 1;
    if is_unopened {
        // SAFETY: an unopened capsule made by `seal` holds a box of `T` that nobody else will take any more.
        drop(unsafe { Box::from_raw(ffi::PyCapsule_GetPointer(capsule, T::NAME.as_ptr()).cast::<T>()) });
    }
}

/// A capsule with a handle inside.
pub(crate) fn seal<T: Travels>(py: Python<'_>, handle: T) -> PyResult<Bound<'_, PyAny>> {
    let pointer = Box::into_raw(Box::new(handle)).cast();
    // SAFETY: the pointer is not null, the name is static, and the destructor expects exactly this content.
    let capsule = unsafe { ffi::PyCapsule_New(pointer, T::NAME.as_ptr(), Some(discard::<T>)) };
    if capsule.is_null() {
        // SAFETY: no capsule took the box, so it is still ours.
        drop(unsafe { Box::from_raw(pointer.cast::<T>()) });
        return Err(PyErr::fetch(py));
    }
    // SAFETY: `capsule` is a new, owned, non-null reference.
    let capsule = unsafe { Bound::from_owned_ptr(py, capsule) };
    // SAFETY: the object is a valid capsule.
    unsafe { ffi::PyCapsule_SetContext(capsule.as_ptr(), mark()) };
    Ok(capsule)
}

/// The handle that an unopened capsule holds, which stays the capsule's; `None` for an object that is no capsule at all.
fn held<T: Travels>(object: &Bound<'_, PyAny>) -> PyResult<Option<NonNull<T>>> {
    let capsule = object.as_ptr();
    // SAFETY: a live object, GIL held.
    if unsafe { ffi::PyCapsule_CheckExact(capsule) } == 0 {
        return Ok(None);
    }
    // SAFETY: as above; the names are static.
    let is_called = |name: &CStr| unsafe { ffi::PyCapsule_IsValid(capsule, name.as_ptr()) } == 1;
    let wanted = T::NAME.to_string_lossy();
    if is_called(T::USED) {
        return Err(PyTypeError::new_err(format!("the {wanted} capsule has been used; ask its owner for a new one")));
    }
    // SAFETY: a valid capsule of any name has a context, null unless set.
    if !is_called(T::NAME) || unsafe { ffi::PyCapsule_GetContext(capsule) } != mark() {
        return Err(PyTypeError::new_err(format!("expected a {wanted} capsule made by situ, got another capsule")));
    }
    // SAFETY: the name was checked, and the mark says that `seal` made the capsule, which holds a box of `T`.
    Ok(NonNull::new(unsafe { ffi::PyCapsule_GetPointer(capsule, T::NAME.as_ptr()) }.cast()))
}

/// Takes the handle out of a capsule; `None` for an object that is no capsule at all.
pub(crate) fn open<T: Travels>(object: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
    let Some(handle) = held::<T>(object)? else { return Ok(None) };
    // SAFETY: the capsule is valid and the new name static; the destructor leaves an opened capsule alone.
    if unsafe { ffi::PyCapsule_SetName(object.as_ptr(), T::USED.as_ptr()) } != 0 {
        return Err(PyErr::fetch(object.py()));
    }
    // SAFETY: the rename made this the only taker of the box.
    Ok(Some(*unsafe { Box::from_raw(handle.as_ptr()) }))
}

/// Another handle like the one in a capsule, which can still be opened; `None` if it holds none of this kind.
pub(crate) fn peek<T: Travels + Clone>(object: &Bound<'_, PyAny>) -> Option<T> {
    let handle = held::<T>(object).ok().flatten()?;
    // SAFETY: the capsule owns the handle, and the reference to the capsule keeps it while this reads it.
    Some(unsafe { handle.as_ref() }.clone())
}
