//! Walking along the first axis, and looking for an element.

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::PyTraverseError;
use pyo3::exceptions::PyTypeError;
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use situ_ir::Op;
use situ_tensor::Tensor;

use super::PyArray;
use super::operators::refuse_sequence;
use crate::elementwise::operator;
use crate::errors::{Outcome, Raised};
use crate::wait;

/// The views at each position of an array's first axis, one after the other.
#[pyclass(name = "Rows", module = "situ._native", frozen)]
#[derive(Debug)]
pub(crate) struct PyRows {
    array: Py<PyArray>,
    next: AtomicUsize,
}

#[pymethods]
impl PyRows {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.array)
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyArray>> {
        let array = self.array.get();
        let row: Outcome<Option<Tensor>> = array.tensor().row(self.next.load(Ordering::Relaxed)).map_err(Into::into);
        Ok(row?.map(|row| {
            self.next.fetch_add(1, Ordering::Relaxed);
            array.derived(py, row)
        }))
    }

    fn __length_hint__(&self) -> usize {
        let length = self.array.get().tensor().shape().first().copied().unwrap_or(0);
        length.saturating_sub(self.next.load(Ordering::Relaxed))
    }
}

#[pymethods]
impl PyArray {
    fn __iter__(slf: &Bound<'_, Self>) -> PyResult<PyRows> {
        if slf.get().tensor().shape().is_empty() {
            return Err(PyTypeError::new_err("iteration over an array without dimensions; its element is x.item()"));
        }
        Ok(PyRows { array: slf.clone().unbind(), next: AtomicUsize::new(0) })
    }

    /// Whether any element equals a value.
    fn __contains__(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = slf.py();
        refuse_sequence(value, Op::Equal)?;
        match operator(Op::Equal, slf, value, false)?.bind(py).cast::<PyArray>() {
            Ok(equal) => {
                let tensor = equal.get().tensor();
                let buffer = tensor.contents().map_err(Raised::from)?;
                wait::for_work(py, buffer.bytes(), tensor.queue(), Some(buffer), || Ok(tensor.has_nonzero()?))
            }
            // Nothing we know.
            Err(_) => Ok(false),
        }
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.tensor().shape().first().copied();
        first.ok_or_else(|| PyTypeError::new_err("len() of an array without dimensions"))
    }
}
