//! Small work, described by what is needed to do it inline.

use situ_ir::StepKind;
use situ_types::DType;

use crate::Address;

/// The most inputs of a [`SmallStep`].
pub const SMALL_STEP_INPUTS: usize = 3;

/// One step over rows and columns, or over a single row, into memory of its own: what most small calls are.
///
/// It refers to what it needs and is cheap to make, for a queue that may run it inline. Where the queue would rather
/// not, the same is submitted as a [`Command`](crate::Command).
#[derive(Debug)]
pub struct SmallStep {
    /// What the step does.
    pub kind: StepKind,
    /// The dtype the step reads. Inputs of another one are converted first; a condition is read as truth values.
    pub reads: DType,
    /// The dtype of the result.
    pub writes: DType,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Number of inputs.
    pub inputs: usize,
    /// The first element of each input, aligned for its dtype.
    pub starts: [*const u8; SMALL_STEP_INPUTS],
    /// What each input looks like from there.
    pub forms: [SmallStepInput; SMALL_STEP_INPUTS],
    /// Whether the inputs have the dtypes that are read, and their elements lie row after row, one beside another.
    pub is_dense: bool,
    /// Where the results go, row after row, one beside another. No input lies there.
    pub out: Address,
}

/// The elements of an input of a [`SmallStep`].
#[derive(Clone, Copy, Debug)]
pub struct SmallStepInput {
    /// Their dtype.
    pub dtype: DType,
    /// The element step from row to row; 0 repeats a row.
    pub row: isize,
    /// The element step from column to column; 0 repeats one element.
    pub column: isize,
}

impl SmallStep {
    /// The dtype an input is read in.
    #[inline(always)]
    pub fn read_dtype(&self, input: usize) -> DType {
        if input == 0 && self.kind == StepKind::Select { DType::Bool } else { self.reads }
    }

    /// Whether the last input is one value for all results.
    #[inline]
    pub fn ends_with_one(&self) -> bool {
        self.forms[..self.inputs].last().is_some_and(|form| form.row == 0 && form.column == 0)
    }

    /// Number of results.
    #[inline]
    pub fn count(&self) -> usize {
        self.rows * self.columns
    }
}
