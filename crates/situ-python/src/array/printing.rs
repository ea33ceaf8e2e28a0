//! Arrays as text.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::PyArray;
use super::conversion::to_numpy;
use crate::args::numpy;

#[pymethods]
impl PyArray {
    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<String> {
        let py = slf.py();
        let host = to_numpy(py, slf.get().tensor())?;
        let options = PyDict::new(py);
        options.set_item("separator", ", ")?;
        options.set_item("prefix", "ndarray(")?;
        let body: String = numpy(py)?.call_method("array2string", (host,), Some(&options))?.extract()?;
        Ok(format!("ndarray({body}, dtype={})", slf.get().tensor().dtype()))
    }
}
