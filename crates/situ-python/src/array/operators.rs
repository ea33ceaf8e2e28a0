//! Python's operators on arrays.

#![allow(unsafe_op_in_unsafe_fn, reason = "PyO3's own wrappers, which lose their exemption inside a macro")]

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use situ_ir::Op;

use super::PyArray;
use crate::args::type_name;
use crate::elementwise::{operator, operator_in_place, power, unary};
use crate::product;

/// One block of methods from a table: forward, reflected and in-place names of each binary operator, names of the unary
/// ones.
macro_rules! operators {
    (binary { $($op:ident $forward:ident $reflected:ident $in_place:ident)* } unary { $($unary_op:ident $name:ident)* }) => {
        #[pymethods]
        impl PyArray {
            $(
                fn $forward<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
                    operator(Op::$op, slf, other, false)
                }
                fn $reflected<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
                    operator(Op::$op, slf, other, true)
                }
                fn $in_place<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<()> {
                    operator_in_place(Op::$op, slf, other)
                }
            )*
            $(
                fn $name(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
                    unary(Op::$unary_op, slf)
                }
            )*

            fn __pow__<'py>(
                slf: &Bound<'py, Self>,
                other: &Bound<'py, PyAny>,
                modulo: Option<&Bound<'_, PyAny>>,
            ) -> PyResult<Py<PyAny>> {
                refuse_modulo(modulo)?;
                power(slf, other)
            }
            fn __rpow__<'py>(
                slf: &Bound<'py, Self>,
                other: &Bound<'py, PyAny>,
                modulo: Option<&Bound<'_, PyAny>>,
            ) -> PyResult<Py<PyAny>> {
                refuse_modulo(modulo)?;
                operator(Op::Pow, slf, other, true)
            }
            fn __ipow__<'py>(
                slf: &Bound<'py, Self>,
                other: &Bound<'py, PyAny>,
                modulo: Option<&Bound<'_, PyAny>>,
            ) -> PyResult<()> {
                refuse_modulo(modulo)?;
                operator_in_place(Op::Pow, slf, other)
            }

            fn __matmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
                product::operator(slf, other, false)
            }
            fn __rmatmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
                product::operator(slf, other, true)
            }
            fn __imatmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<()> {
                product::operator_in_place(slf, other)
            }

            fn __richcmp__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, comparison: CompareOp) -> PyResult<Py<PyAny>> {
                let op = match comparison {
                    CompareOp::Eq => Op::Equal,
                    CompareOp::Ne => Op::NotEqual,
                    CompareOp::Lt => Op::Less,
                    CompareOp::Le => Op::LessEqual,
                    CompareOp::Gt => Op::Greater,
                    CompareOp::Ge => Op::GreaterEqual,
                };
                refuse_sequence(other, op)?;
                operator(op, slf, other, false)
            }
        }
    };
}

/// Python's answer for what cannot be compared is that it differs, which for a list of numbers would be taken for a
/// result.
pub(super) fn refuse_sequence(other: &Bound<'_, PyAny>, op: Op) -> PyResult<()> {
    if other.is_instance_of::<PyList>() || other.is_instance_of::<PyTuple>() {
        let found = type_name(other);
        return Err(PyTypeError::new_err(format!(
            "{op}: operand 2 is a {found}, not an array; convert it with situ.tensor.asarray first"
        )));
    }
    Ok(())
}

operators! {
    binary {
        Add __add__ __radd__ __iadd__
        Subtract __sub__ __rsub__ __isub__
        Multiply __mul__ __rmul__ __imul__
        Divide __truediv__ __rtruediv__ __itruediv__
        FloorDivide __floordiv__ __rfloordiv__ __ifloordiv__
        Remainder __mod__ __rmod__ __imod__
        BitwiseLeftShift __lshift__ __rlshift__ __ilshift__
        BitwiseRightShift __rshift__ __rrshift__ __irshift__
        BitwiseAnd __and__ __rand__ __iand__
        BitwiseOr __or__ __ror__ __ior__
        BitwiseXor __xor__ __rxor__ __ixor__
    }
    unary {
        Negative __neg__
        Positive __pos__
        Abs __abs__
        BitwiseInvert __invert__
    }
}

fn refuse_modulo(modulo: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match modulo {
        Some(_) => Err(PyTypeError::new_err("pow() of arrays takes no modulus; use pow(x, y) % z")),
        None => Ok(()),
    }
}
