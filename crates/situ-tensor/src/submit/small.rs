//! A step over few elements that runs before the call returns: no command, no events.

use std::ptr;

use situ_ir::StepKind;
use situ_runtime::{Address, Buffer, Counted, Queue, SMALL_STEP_INPUTS, SmallStep, SmallStepInput};
use situ_types::{DType, Layout, Scalar, UsmKind};

use crate::{Result, Tensor};

/// A small step whose inputs are registered with the arrays they lie in.
pub(crate) struct SmallSubmission<'a> {
    step: SmallStep,
    reads: [Option<&'a Buffer>; SMALL_STEP_INPUTS],
    numbers: [Number; SMALL_STEP_INPUTS],
}

/// The bytes of a number, aligned for every dtype.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Number([u8; 16]);

impl<'a> SmallSubmission<'a> {
    /// A step over rows and columns, whose inputs are yet to be set. It is for the dtypes that are read and written.
    #[inline(always)]
    pub(crate) fn new(
        kind: StepKind,
        [reads, writes]: [DType; 2],
        [rows, columns]: [usize; 2],
        inputs: usize,
        is_dense: bool,
    ) -> SmallSubmission<'a> {
        let step = SmallStep {
            kind,
            reads,
            writes,
            rows,
            columns,
            inputs,
            starts: [ptr::null(); SMALL_STEP_INPUTS],
            forms: [SmallStepInput { dtype: reads, row: 0, column: 1 }; SMALL_STEP_INPUTS],
            is_dense,
            out: Address(ptr::null_mut()),
        };
        SmallSubmission { step, reads: [None; SMALL_STEP_INPUTS], numbers: [Number([0; 16]); SMALL_STEP_INPUTS] }
    }

    /// Makes an array an input, whose element steps from row to row and from column to column stay in its layout.
    #[inline(always)]
    pub(crate) fn read(&mut self, input: usize, array: &'a Tensor, [row, column]: [isize; 2]) -> Result<()> {
        self.step.starts[input] = array.address()?.0.cast_const();
        self.step.forms[input] = SmallStepInput { dtype: array.dtype(), row, column };
        self.step.is_dense &= array.dtype() == self.step.read_dtype(input);
        self.reads[input] = Some(array.contents()?);
        Ok(())
    }

    /// Makes a number of the dtype that is read an input.
    #[inline(always)]
    pub(crate) fn number(&mut self, input: usize, number: Scalar) {
        self.numbers[input] = Number(number.to_bytes());
        self.step.forms[input] = SmallStepInput { dtype: self.step.reads, row: 0, column: 0 };
        self.step.is_dense &= self.step.count() == 1;
    }

    /// An array of the results, if the queue computes them inline. Its layout has the step's rows and columns, without gaps.
    #[inline(always)]
    pub(crate) fn produce(mut self, queue: &Queue, kind: UsmKind, layout: Counted<Layout>) -> Option<Tensor> {
        for (input, number) in self.numbers.iter().enumerate().take(self.step.inputs) {
            if self.reads[input].is_none() {
                self.step.starts[input] = number.0.as_ptr();
            }
        }
        let (dtype, bytes) = (self.step.writes, self.step.count() * self.step.writes.size());
        let (read, others) = match self.reads {
            [Some(read), b, c] => (read, [b, c]),
            [None, Some(read), c] => (read, [c, None]),
            [None, None, Some(read)] => (read, [None; 2]),
            [None, None, None] => return None,
        };
        // SAFETY: an array's layout lies inside its buffer (`Tensor` invariant), the step's inputs are elements of such
        // layouts or numbers that live until the step is over, and every buffer is named; arrays that are on one queue are
        // in its context. The results have so many bytes.
        let buffer = unsafe { Buffer::filled_at_once(queue, kind, bytes, read, others, &mut self.step) };
        buffer.map(|buffer| Tensor::with_shared_layout(buffer, dtype, layout))
    }
}
