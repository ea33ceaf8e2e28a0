//! NumPy's arrays through its C interface, which answers in nanoseconds what attributes answer in microseconds.

use std::ptr;

use numpy::npyffi::{self, NPY_ARRAY_F_CONTIGUOUS, NpyTypes, PY_ARRAY_API, PyArrayObject, npy_intp};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use situ_types::layout::Strides;
use situ_types::{DType, Dims, Layout, Scalar};
use smallvec::SmallVec;

use crate::args::{dtype_object, known_dtype, numpy};

/// Whether an object is a NumPy array.
pub(crate) fn is_array(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    // A missing NumPy is an ImportError here, and a panic in the next line.
    numpy(object.py())?;
    // SAFETY: the object is alive, and NumPy has been imported.
    Ok(unsafe { npyffi::PyArray_Check(object.py(), object.as_ptr()) } != 0)
}

/// Where an array's elements are.
#[derive(Debug)]
pub(crate) struct Described {
    /// The first element.
    pub(crate) start: *mut u8,
    /// One of NumPy's own dtypes, in native byte order.
    pub(crate) dtype: DType,
    /// Lengths of the axes.
    pub(crate) shape: Dims,
    /// Byte steps along them.
    pub(crate) strides: Strides,
}

/// Where the elements of a NumPy array are; `None` for another object, or if its dtype is not one of NumPy's own that
/// we have too.
pub(crate) fn described(object: &Bound<'_, PyAny>) -> PyResult<Option<Described>> {
    if !is_array(object)? {
        return Ok(None);
    }
    // SAFETY: the object is a NumPy array, which begins like this, and stays alive and attached during the borrow. The
    // lengths and strides are as many as there are axes; without axes the pointers may be null, and are not read.
    let (start, descr, shape, strides) = unsafe {
        let fields = &(*object.as_ptr().cast::<PyArrayObject>()).fields;
        let axes = fields.nd as usize;
        let shape: Dims = (0..axes).map(|axis| *fields.dimensions.add(axis) as usize).collect();
        let strides: Strides = (0..axes).map(|axis| *fields.strides.add(axis)).collect();
        (fields.data.cast::<u8>(), fields.descr, shape, strides)
    };
    let dtype = known_dtype(object.py(), descr.cast())?;
    Ok(dtype.map(|dtype| Described { start, dtype, shape, strides }))
}

/// A new NumPy array with elements as they are in a layout without gaps, and its first element. Nothing is written yet.
pub(crate) fn uninitialised<'py>(
    py: Python<'py>,
    dtype: DType,
    layout: &Layout,
) -> PyResult<(Bound<'py, PyAny>, *mut u8)> {
    numpy(py)?;
    let item = dtype.size() as npy_intp;
    let mut shape: SmallVec<[npy_intp; 4]> = layout.shape().iter().map(|&length| length as npy_intp).collect();
    let mut strides: SmallVec<[npy_intp; 4]> = layout.strides().iter().map(|step| step * item).collect();
    // NumPy's own strides, where they would be the same, so that it knows the array to be contiguous.
    let (strides, flags) = match (layout.is_c_contiguous() || layout.size() == 0, layout.is_f_contiguous()) {
        (true, _) => (ptr::null_mut(), 0),
        (_, true) => (ptr::null_mut(), NPY_ARRAY_F_CONTIGUOUS),
        _ => (strides.as_mut_ptr(), 0),
    };
    let descr = dtype_object(py, dtype)?.into_ptr();
    // SAFETY: NumPy takes over the reference to the dtype, which is one, and reads as many lengths and strides as it is
    // told there are. It allocates the elements' bytes, and elements of a layout without gaps lie inside them.
    unsafe {
        let class = npyffi::get_type_object(py, NpyTypes::PyArray_Type);
        let (axes, nothing) = (shape.len() as std::ffi::c_int, ptr::null_mut());
        let made = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            class,
            descr.cast(),
            axes,
            shape.as_mut_ptr(),
            strides,
            nothing,
            flags,
            ptr::null_mut(),
        );
        let array = Bound::from_owned_ptr_or_err(py, made)?;
        let start = (*made.cast::<PyArrayObject>()).fields.data.cast();
        Ok((array, start))
    }
}

/// The value of a NumPy scalar; `None` for anything else, and for the types that NumPy has beside those of the dtypes.
pub(crate) fn scalar(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    static TYPES: PyOnceLock<Vec<Py<PyAny>>> = PyOnceLock::new();
    let py = object.py();
    let types = TYPES.get_or_try_init(py, || {
        let type_of = |dtype: DType| Ok(dtype_object(py, dtype)?.getattr("type")?.unbind());
        DType::ALL.into_iter().map(type_of).collect::<PyResult<_>>()
    })?;
    let own = object.get_type();
    let Some(dtype) = types.iter().zip(DType::ALL).find(|(known, _)| own.is(*known)).map(|(_, dtype)| dtype) else {
        return Ok(None);
    };
    let mut bytes = [0; 16];
    // SAFETY: the object is a scalar of this very type, of which NumPy writes as many bytes as its dtype has: 16 at most.
    unsafe { PY_ARRAY_API.PyArray_ScalarAsCtype(py, object.as_ptr(), bytes.as_mut_ptr().cast()) };
    Ok(Some(Scalar::from_bytes(dtype, bytes)))
}
