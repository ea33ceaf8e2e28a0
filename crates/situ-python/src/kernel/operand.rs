//! The operands of expressions: values of the kernel, Python's numbers, NumPy's scalars.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use situ_ir::kernel::Value;
use situ_tensor::Weak;
use situ_types::{DTypeKind, Scalar};

use super::refused;
use super::types::Type;
use crate::args::{dtype, dtype_object, numpy, plain_number, type_name, weak};
use crate::errors::Raised;
use crate::numpy_array;

/// A value of a kernel that is being written.
#[pyclass(name = "Value", module = "situ._native.kernels", frozen)]
#[derive(Clone, Copy, Debug)]
pub(super) struct PyValue {
    pub(super) value: Value,
    pub(super) of_type: Type,
}

#[pymethods]
impl PyValue {
    /// Its dtype.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtype_object(py, self.of_type.dtype)
    }

    /// Its dtype's kind: "b", "i" for any integer, "f" or "c".
    #[getter]
    fn kind(&self) -> &'static str {
        match self.of_type.dtype.kind() {
            DTypeKind::Bool => "b",
            DTypeKind::Integer => "i",
            DTypeKind::Float => "f",
            DTypeKind::Complex => "c",
        }
    }
}

/// What an expression can be computed with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Value(PyValue),
    Weak(Weak),
    Strong(Scalar),
}

impl Operand {
    pub(super) fn parse(object: &Bound<'_, PyAny>) -> PyResult<Operand> {
        if let Ok(value) = object.cast_exact::<PyValue>() {
            return Ok(Operand::Value(*value.get()));
        }
        match number(object)? {
            Some(number) => Ok(number),
            None => Err(refused(format!("a number is needed here, not {}", described(object)))),
        }
    }

    pub(super) fn of_type(&self) -> Type {
        match self {
            Operand::Value(value) => value.of_type,
            Operand::Weak(number) => weak_type(*number),
            Operand::Strong(scalar) => Type::strong(scalar.dtype()),
        }
    }

    /// The number, where it is known.
    pub(super) fn known(&self) -> Option<Weak> {
        match self {
            Operand::Weak(number) => Some(*number),
            Operand::Value(_) | Operand::Strong(_) => None,
        }
    }
}

/// The type of a Python number: one beyond int64 has a dtype of its own.
pub(super) fn weak_type(number: Weak) -> Type {
    let dtype = number.default_dtype(super::types::FLOATS);
    Type { dtype, is_weak: dtype != situ_types::DType::U64 }
}

/// A Python number or NumPy scalar; `None` for anything else.
pub(super) fn number(object: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
    if let Some(number) = plain_number(object) {
        return Ok(Some(Operand::Weak(number)));
    }
    if let Some(scalar) = numpy_array::scalar(object)? {
        return Ok(Some(Operand::Strong(scalar)));
    }
    if let Some(number) = weak(object)? {
        return Ok(Some(Operand::Weak(number)));
    }
    if !is_numpy_scalar(object)? {
        return Ok(None);
    }
    let dtype = dtype(&object.getattr("dtype")?)?;
    let Some(number) = weak(&object.call_method0("item")?)? else { return Ok(None) };
    Ok(Some(Operand::Strong(number.to_scalar(dtype).map_err(Raised::from)?)))
}

fn is_numpy_scalar(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static SCALAR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let scalar = SCALAR.get_or_try_init(py, || Ok::<_, PyErr>(numpy(py)?.getattr("generic")?.unbind()))?;
    object.is_instance(scalar.bind(py))
}

fn described(object: &Bound<'_, PyAny>) -> String {
    let name = type_name(object);
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {name}")
}
