//! The dtype that operands agree on, by an op's row.

use situ_ir::{Lift, Op};
use situ_types::{DType, DTypeKind, FloatSupport, promote_all};

use super::Arg;
use crate::weak;

/// What promotion has to know of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandType {
    /// It has a dtype of its own.
    Strong(DType),
    /// A number that takes the others' dtype, of this kind.
    Weak(DTypeKind),
}

impl From<&Arg<'_>> for OperandType {
    fn from(arg: &Arg<'_>) -> OperandType {
        match arg {
            Arg::Array(tensor) => OperandType::Strong(tensor.dtype()),
            Arg::Weak(weak) => OperandType::Weak(weak.kind()),
        }
    }
}

/// The dtype an op computes in: the one the operands agree on, or where that is outside the op's domain, the one that
/// their lifts agree on (`atan2` of int8 and uint8 is float16, not the float32 that their common int16 would need).
/// `None` if the op does not compute with such operands.
///
/// ```
/// use situ_ir::Op;
/// use situ_tensor::{OperandType, compute_dtype};
/// use situ_types::{DType, DTypeKind, FloatSupport};
///
/// let operands = [OperandType::Strong(DType::F32), OperandType::Weak(DTypeKind::Float)];
/// assert_eq!(compute_dtype(Op::Add, &operands, FloatSupport::ALL), Some(DType::F32));
/// ```
pub fn compute_dtype(op: Op, operands: &[OperandType], floats: FloatSupport) -> Option<DType> {
    let rule = op.rule();
    let lifted = |dtype: DType| match rule.lift {
        Lift::ByWidth => rule.compute_dtype(dtype, floats),
        Lift::DefaultFloat | Lift::Never => Some(dtype),
    };
    let common = common_of(operands, floats, Some);
    if rule.computes_in(common) && floats.supports(common) {
        return Some(common);
    }
    // Where a number has made more of truth values, they are what it has made of them.
    let keeps_kind = strong(operands).any(|dtype| dtype.kind() == common.kind());
    let common = if operands.len() > 1 && keeps_kind && rule.compute_dtype(common, floats).is_some() {
        common_of(operands, floats, lifted)
    } else {
        common
    };
    rule.compute_dtype(common, floats)
}

/// The dtype that operands agree on.
pub fn common_dtype(operands: &[OperandType], floats: FloatSupport) -> DType {
    common_of(operands, floats, Some)
}

/// The same, each taken through `lifted` first where that gives something.
fn common_of(operands: &[OperandType], floats: FloatSupport, lifted: impl Fn(DType) -> Option<DType>) -> DType {
    let dtypes = strong(operands).map(|dtype| lifted(dtype).unwrap_or(dtype));
    let mut common = promote_all(dtypes).unwrap_or(DType::Bool);
    for operand in operands {
        if let OperandType::Weak(kind) = operand {
            common = weak::combine(*kind, common, floats);
        }
    }
    common
}

fn strong(operands: &[OperandType]) -> impl Iterator<Item = DType> {
    operands.iter().filter_map(|operand| match operand {
        OperandType::Strong(dtype) => Some(*dtype),
        OperandType::Weak(_) => None,
    })
}
