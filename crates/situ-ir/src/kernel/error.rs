//! Why a kernel is not well formed.

use situ_types::DType;
use thiserror::Error;

use super::MAX_AXES;
use crate::Op;

/// Why something cannot be part of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the texts say what each field is")]
pub enum KernelError {
    /// A range with too few or too many axes.
    #[error("a range has 1 to {MAX_AXES} axes, not {0}")]
    Axes(usize),
    /// An axis that the range has not.
    #[error("the range has {axes} axes: there is no axis {axis}")]
    NoAxis { axis: usize, axes: usize },
    /// An axis that an array has not.
    #[error("{array} has {ndim} axes: there is no axis {axis}")]
    NoArrayAxis { array: String, axis: usize, ndim: usize },
    /// A value that is not there, or not any more.
    #[error("value %{0} is not defined here")]
    Undefined(usize),
    /// A variable that is not there.
    #[error("there is no variable ${0}")]
    NoVariable(usize),
    /// An array that is not there.
    #[error("there is no array @{0}")]
    NoArray(usize),
    /// An op that got the wrong number of operands.
    #[error("{op} takes {} operands, not {given}", .op.arity())]
    Arity { op: Op, given: usize },
    /// An op that got dtypes outside its domain, or different ones.
    #[error("{op} cannot compute with operands of dtype {dtypes:?}")]
    Operands { op: Op, dtypes: Vec<DType> },
    /// Something that should have another dtype.
    #[error("{what} must be {wanted}, not {given}")]
    DType { what: &'static str, wanted: DType, given: DType },
    /// A loop over something that is not an integer.
    #[error("a loop counts integers, not {0}")]
    Counter(DType),
    /// The wrong number of indices.
    #[error("{array} has {ndim} axes and needs as many indices, not {given}")]
    Indices { array: String, ndim: usize, given: usize },
    /// A change that elements of the dtype do not have.
    #[error("atomic {atomic} of {dtype} does not exist")]
    Atomic { atomic: &'static str, dtype: DType },
    /// A break or continue that belongs to no loop.
    #[error("{0} outside of a loop")]
    NoLoop(&'static str),
    /// A block that is closed without having been opened, or the other way round.
    #[error("a block is {0}")]
    Unbalanced(&'static str),
    /// A parameter after the first statement.
    #[error("parameters come before everything else")]
    LateParameter,
    /// An array in the kernel itself that is larger than any memory for it.
    #[error("{array} has {elements} elements: {limit} are possible")]
    TooLarge { array: String, elements: String, limit: usize },
    /// A report that is not there.
    #[error("there is no report {0}")]
    NoReport(usize),
}
