//! The types of expressions: a dtype, which is weak where the expression is made of Python's own numbers.

use pyo3::prelude::*;
use situ_tensor::{OperandType, common_dtype};
use situ_types::{DType, FloatSupport};

use super::operand::Operand;
use super::refused;

/// Kernels are written for devices that have every width; those that lack one refuse the kernel.
pub(super) const FLOATS: FloatSupport = FloatSupport::ALL;

/// The bit of a code that says that a type is weak, above the bits of the dtype.
const WEAK: u8 = 1 << 4;

/// The type of an expression. In Python it is a number, whose only use is to be compared and handed back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) dtype: DType,
    pub(super) is_weak: bool,
}

impl Type {
    pub(super) fn strong(dtype: DType) -> Type {
        Type { dtype, is_weak: false }
    }

    pub(super) fn weak(dtype: DType) -> Type {
        Type { dtype, is_weak: true }
    }

    pub(super) fn code(self) -> u8 {
        self.dtype as u8 | if self.is_weak { WEAK } else { 0 }
    }

    pub(super) fn from_code(code: u8) -> PyResult<Type> {
        let dtype = DType::ALL.get((code & (WEAK - 1)) as usize).copied();
        let dtype = dtype.ok_or_else(|| refused(format!("there is no type {code}")))?;
        Ok(Type { dtype, is_weak: code & WEAK != 0 })
    }

    /// What promotion has to know of it.
    pub(super) fn operand(self) -> OperandType {
        if self.is_weak { OperandType::Weak(self.dtype.kind()) } else { OperandType::Strong(self.dtype) }
    }
}

/// The type that holds what either of two holds.
pub(super) fn joined(a: Type, b: Type) -> Type {
    let dtype = common_dtype(&[a.operand(), b.operand()], FLOATS);
    Type { dtype, is_weak: a.is_weak && b.is_weak }
}

/// The type of a value or number.
#[pyfunction]
pub(super) fn type_of(object: &Bound<'_, PyAny>) -> PyResult<u8> {
    Ok(Operand::parse(object)?.of_type().code())
}

/// The type of a variable that two types are assigned to.
#[pyfunction]
pub(super) fn join(a: u8, b: u8) -> PyResult<u8> {
    Ok(joined(Type::from_code(a)?, Type::from_code(b)?).code())
}

/// How a type is called in messages.
#[pyfunction]
pub(super) fn type_name(code: u8) -> PyResult<&'static str> {
    Ok(Type::from_code(code)?.dtype.name())
}
