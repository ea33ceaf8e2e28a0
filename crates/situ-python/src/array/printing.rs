//! Arrays as text. How is decided in `situ.tensor._printing`; here is what gets to the host for it.

use pyo3::prelude::*;
use situ_tensor::Tensor;

use super::PyArray;
use super::conversion::to_numpy;
use crate::errors::Outcome;

#[pymethods]
impl PyArray {
    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("situ.tensor._printing")?.getattr("usm_ndarray_repr")?.call1((slf,))
    }

    fn __str__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("situ.tensor._printing")?.getattr("usm_ndarray_str")?.call1((slf,))
    }
}

/// The first and last so many elements along each axis, joined, as a NumPy array. Only they are copied to the host.
#[pyfunction]
fn array_edges<'py>(py: Python<'py>, x: &Bound<'py, PyArray>, count: usize) -> PyResult<Bound<'py, PyAny>> {
    let tensor = x.get().tensor();
    let edges: Outcome<Tensor> = py.detach(|| Ok(tensor.edges(count)?));
    to_numpy(py, &edges?)
}

/// Puts the function into the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(array_edges, module)?)
}
