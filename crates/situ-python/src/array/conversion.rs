//! Arrays as NumPy arrays.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use situ_tensor::Tensor;

use crate::errors::Raised;
use crate::gil;
use crate::numpy_array::uninitialised;
use crate::wait;

/// A NumPy copy with the array's own order of axes.
pub(crate) fn to_numpy<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    let compact = gil::released_if(gil::is_long_with(tensor), py, || Ok(tensor.compact()?))?;
    let (array, start) = uninitialised(py, tensor.dtype(), compact.layout())?;
    if tensor.size() > 0 {
        let start = start as usize;
        // SAFETY: the NumPy array was just made with exactly the compact array's bytes, and nobody else has seen it.
        let copy = || Ok(unsafe { compact.copy_to_host(start as *mut u8) }?);
        let buffer = compact.contents().map_err(Raised::from)?;
        wait::for_work(py, buffer.bytes(), compact.queue(), Some(buffer), copy)?;
    }
    Ok(array)
}

/// A NumPy copy, where the program said that NumPy may make them.
pub(super) fn permitted_copy<'py>(
    py: Python<'py>,
    tensor: &Tensor,
    dtype: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let allowed: bool = py.import("situ.tensor._host_copies")?.getattr("host_copies_allowed")?.call0()?.extract()?;
    if !allowed {
        return Err(PyTypeError::new_err(
            "an array on a device is not converted to NumPy silently; copy it with situ.tensor.asnumpy(x), or permit \
             copies in a block with situ.tensor.allow_host_copies()",
        ));
    }
    if copy == Some(false) {
        return Err(PyValueError::new_err("copy=False: an array of situ becomes a NumPy array by a copy only"));
    }
    let host = to_numpy(py, tensor)?;
    match dtype {
        Some(dtype) => {
            let options = PyDict::new(py);
            options.set_item("copy", false)?;
            host.call_method("astype", (dtype,), Some(&options))
        }
        None => Ok(host),
    }
}
