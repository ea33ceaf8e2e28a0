//! New array objects, made the short way.
//!
//! PyO3 makes an object by calling `object.__new__`, with a tuple of no arguments and several looks into classes, which
//! takes longer than adding two small arrays. What is left to do is little: ask the class for memory, and put the array
//! there.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use super::PyArray;

/// What there is to know about instances of the class.
struct Form {
    class: Py<PyType>,
    /// Bytes from the start of an object to its array, where an object is nothing but Python's part, the array, and after
    /// it the list of weak references.
    place: Option<usize>,
}

impl Form {
    /// Learns it from an instance.
    fn of(example: &Bound<'_, PyArray>) -> PyResult<Form> {
        let class = example.get_type();
        let place = std::ptr::from_ref(example.get()) as usize - example.as_ptr() as usize;
        let size: usize = class.getattr("__basicsize__")?.extract()?;
        // SAFETY: the class is alive.
        let flags = unsafe { ffi::PyType_GetFlags(class.as_type_ptr()) };
        let weak: usize = class.getattr("__weakrefoffset__")?.extract()?;
        let is_plain = weak == place + size_of::<PyArray>()
            && size == weak + size_of::<*mut ffi::PyObject>()
            && flags & ffi::Py_TPFLAGS_HAVE_GC != 0;
        Ok(Form { class: class.unbind(), place: is_plain.then_some(place) })
    }
}

impl PyArray {
    /// This array as an object of its own.
    pub(crate) fn into_object(self, py: Python<'_>) -> PyResult<Bound<'_, PyArray>> {
        static FORM: PyOnceLock<Form> = PyOnceLock::new();
        let Some(Form { class, place: Some(place) }) = FORM.get(py) else {
            let object = Bound::new(py, self)?;
            FORM.get_or_try_init(py, || Form::of(&object))?;
            return Ok(object);
        };
        // SAFETY: the class is alive, and PyO3 makes all of its classes ones of the collector; a null result carries a
        // Python error.
        let object = unsafe {
            let class = class.as_ptr().cast::<ffi::PyTypeObject>();
            Bound::from_owned_ptr_or_err(py, ffi::PyObject_GC_New::<ffi::PyObject>(class))?
        };
        let has_python_parts = self.0.has_python_parts();
        // SAFETY: the array's place is as far into every instance as into the first, there is room for an array and an
        // empty list of weak references and for nothing else, and nobody has seen the object yet. From now on it is
        // what PyO3 would have made.
        let object = unsafe {
            let array = object.as_ptr().byte_add(*place).cast::<PyArray>();
            array.write(self);
            array.add(1).cast::<*mut ffi::PyObject>().write(std::ptr::null_mut());
            object.cast_into_unchecked()
        };
        // Arrays that refer to no other object, which are nearly all, need not be known to the collector.
        if has_python_parts {
            track(&object);
        }
        Ok(object)
    }
}

/// Makes an array known to the cycle collector.
#[cold]
pub(super) fn track(array: &Bound<'_, PyArray>) {
    // SAFETY: a live object of a class of the collector's, whose parts are all there.
    unsafe {
        if ffi::PyObject_GC_IsTracked(array.as_ptr()) == 0 {
            ffi::PyObject_GC_Track(array.as_ptr().cast());
        }
    }
}
