//! Python's operators on arrays.

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use situ_ir::Op;

use super::PyArray;
use crate::elementwise::{operator, operator_in_place, unary};

#[pymethods]
impl PyArray {
    fn __add__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Add, slf, other, false)
    }
    fn __radd__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Add, slf, other, true)
    }
    fn __sub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Subtract, slf, other, false)
    }
    fn __rsub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Subtract, slf, other, true)
    }
    fn __mul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Multiply, slf, other, false)
    }
    fn __rmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Multiply, slf, other, true)
    }
    fn __truediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Divide, slf, other, false)
    }
    fn __rtruediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        operator(Op::Divide, slf, other, true)
    }
    fn __neg__<'py>(slf: &Bound<'py, Self>) -> PyResult<Py<PyAny>> {
        unary(Op::Negative, slf)
    }
    fn __iadd__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operator_in_place(Op::Add, slf, other)
    }
    fn __isub__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operator_in_place(Op::Subtract, slf, other)
    }
    fn __imul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operator_in_place(Op::Multiply, slf, other)
    }
    fn __itruediv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operator_in_place(Op::Divide, slf, other)
    }

    fn __richcmp__(&self, _other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let sign = match op {
            CompareOp::Eq => "==",
            CompareOp::Ne => "!=",
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
        };
        Err(PyTypeError::new_err(format!(
            "comparing arrays with {sign} is not available yet; compare NumPy copies made with situ.tensor.asnumpy(x)"
        )))
    }
}
