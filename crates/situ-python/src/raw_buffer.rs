//! The buffer protocol, both ways.
//!
//! The stable ABI covers the buffer protocol only from Python 3.11 on, but the interpreter itself has had all parts of
//! it since 3.9: its slot numbers, and a function that fills the view without our knowing the view's layout. So the
//! exporting base class is made here by hand, and host memory is read by way of NumPy.

use std::ffi::{c_int, c_void};

use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

use crate::args::{numpy, shown, type_name};
use crate::memory::PyMemory;

/// `Py_bf_getbuffer` of CPython's typeslots.h, part of the stable ABI's numbering.
const BF_GETBUFFER: c_int = 1;

unsafe extern "C" {
    fn PyBuffer_FillInfo(
        view: *mut c_void,
        exporter: *mut ffi::PyObject,
        data: *mut c_void,
        length: ffi::Py_ssize_t,
        readonly: c_int,
        flags: c_int,
    ) -> c_int;
}

/// Shows the memory of a memory object, once no command touches it any more.
unsafe extern "C" fn get_buffer(object: *mut ffi::PyObject, view: *mut c_void, flags: c_int) -> c_int {
    // SAFETY: the interpreter calls this slot with the GIL held and a live object.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: as above; the reference is borrowed for this call.
    let borrowed = unsafe { Bound::from_borrowed_ptr(py, object) };
    let described = match borrowed.cast::<PyMemory>() {
        Ok(memory) => memory.get().host_view(py),
        Err(_) => Err(PyBufferError::new_err("only USM memory exports its bytes this way")),
    };
    match described {
        // SAFETY: `view` is the interpreter's own, and the object keeps the memory alive as long as the view holds a
        // reference to it, which this function takes.
        Ok((pointer, length, readonly)) => unsafe {
            PyBuffer_FillInfo(view, object, pointer as *mut c_void, length as isize, readonly.into(), flags)
        },
        Err(error) => {
            error.restore(py);
            -1
        }
    }
}

/// The base class of everything that exports its memory.
pub(crate) fn exporter_class(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let mut slots = [
        ffi::PyType_Slot { slot: BF_GETBUFFER, pfunc: get_buffer as *mut c_void },
        ffi::PyType_Slot { slot: 0, pfunc: std::ptr::null_mut() },
    ];
    let mut spec = ffi::PyType_Spec {
        name: c"situ._native.BufferExporter".as_ptr(),
        basicsize: 0,
        itemsize: 0,
        flags: (ffi::Py_TPFLAGS_DEFAULT | ffi::Py_TPFLAGS_BASETYPE) as _,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the spec and its slots are complete and live through the call, which copies what it keeps; the name is
    // a static string. A null result carries a Python error.
    unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&raw mut spec)) }
}

/// The bytes of a host object, kept alive.
#[derive(Debug)]
pub(crate) struct HostBytes {
    pub(crate) pointer: *mut u8,
    pub(crate) len: usize,
    pub(crate) writable: bool,
    /// The NumPy view, which holds the object's buffer.
    _keep: Py<PyAny>,
}

// SAFETY: the pointer is only dereferenced while `_keep` is alive; moving the pair to another thread moves no memory.
unsafe impl Send for HostBytes {}
// SAFETY: as above.
unsafe impl Sync for HostBytes {}

impl HostBytes {
    /// The bytes of any object with the buffer protocol.
    pub(crate) fn of(object: &Bound<'_, PyAny>, what: &str) -> PyResult<HostBytes> {
        let py = object.py();
        let flat = match numpy(py)?.call_method1("frombuffer", (object, "u1")) {
            Ok(flat) => flat,
            Err(error)
                if error.is_instance_of::<PyTypeError>(py)
                    || error.is_instance_of::<PyValueError>(py)
                    || error.is_instance_of::<PyBufferError>(py) =>
            {
                // An empty buffer is one NumPy refuses to view.
                let view = py.import("builtins")?.getattr("memoryview")?.call1((object,));
                let bytes = view.and_then(|view| view.getattr("nbytes")?.extract::<usize>());
                if !bytes.is_ok_and(|bytes| bytes == 0) {
                    return Err(PyTypeError::new_err(format!(
                        "{what}: expected USM memory or an object with a contiguous buffer, got {} {}",
                        type_name(object),
                        shown(object)
                    )));
                }
                numpy(py)?.call_method1("empty", (0, "u1"))?
            }
            Err(error) => return Err(error),
        };
        let (pointer, readonly): (usize, bool) = flat.getattr("__array_interface__")?.get_item("data")?.extract()?;
        Ok(HostBytes { pointer: pointer as *mut u8, len: flat.len()?, writable: !readonly, _keep: flat.unbind() })
    }
}
