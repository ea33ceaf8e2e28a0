//! From dense copies of matrices to a queue.

use std::sync::Arc;

use situ_ir::{Op, Program, Statistic};
use situ_runtime::{Address, Command, Linalg, Problem, Queue};
use situ_types::{DType, DTypeKind, Layout, Order, UsmKind};

use super::stack::Stack;
use crate::shared_layout::shared;
use crate::submit::{NewArray, Output, Submission};
use crate::{Arg, Error, Reducing, Result, Tensor, reduce_program, select};

/// A problem on its way to a queue.
pub(super) struct Asked<'a> {
    name: &'static str,
    stack: &'a Stack,
    dtype: DType,
    kind: UsmKind,
    queue: &'a Queue,
    work: Submission<'a>,
    new: Vec<NewArray<'a>>,
}

impl<'a> Asked<'a> {
    /// Of matrices of this dtype, whose results are in memory of this kind.
    pub(super) fn on(
        queue: &'a Queue,
        name: &'static str,
        stack: &'a Stack,
        dtype: DType,
        kind: UsmKind,
    ) -> Result<Asked<'a>> {
        let mut asked = Asked { name, stack, dtype, kind, queue, work: Submission::on(queue), new: Vec::new() };
        asked.output(&[stack.count()], DType::I32)?;
        Ok(asked)
    }

    /// A dense copy that the problem works in.
    pub(super) fn uses(&mut self, copy: &'a Tensor) -> Result<Address> {
        debug_assert!(copy.layout().is_c_contiguous());
        self.work.update(copy)
    }

    /// A new array, of this shape for each matrix.
    pub(super) fn makes(&mut self, axes: &[usize], dtype: DType) -> Result<Address> {
        let shape: Vec<usize> = self.stack.batch.iter().chain(axes).copied().collect();
        self.output(&shape, dtype)
    }

    fn output(&mut self, shape: &[usize], dtype: DType) -> Result<Address> {
        let layout = Layout::dense(shape, Order::C).map_err(Error::layout(self.name))?;
        let new = self.work.allocate(self.name, shared(layout), dtype, self.kind)?;
        let address = new.address();
        self.new.push(new);
        Ok(address)
    }

    /// Hands the problem over: what became of each matrix, and the new arrays.
    pub(super) fn solve(mut self, problem: Problem) -> Result<(Status, Vec<Tensor>)> {
        // The status comes first.
        let status = self.new.first().map_or(Address(std::ptr::null_mut()), NewArray::address);
        let command = Linalg { dtype: self.dtype, count: self.stack.count(), problem, status };
        let outputs = self.new.into_iter().map(Output::New).collect();
        let made = self.work.produce_list(&Command::Linalg(Box::new(command)), outputs);
        let mut made = made.map_err(|error| error.of_function(self.name, self.queue.device()))?;
        let status = Status { name: self.name, numbers: made.remove(0), batch: self.stack.batch.to_vec() };
        Ok((status, made))
    }
}

/// The only one of the new arrays.
pub(super) fn only(name: &str, made: Vec<Tensor>) -> Result<Tensor> {
    made.into_iter().next().ok_or_else(|| Error::LinAlg(format!("{name}: no result was made")))
}

/// What is said to have become of a matrix with elements that are not finite.
pub(super) const NOT_FINITE: i32 = i32::MIN;

/// What became of each matrix.
#[must_use]
pub(super) struct Status {
    name: &'static str,
    numbers: Tensor,
    batch: Vec<usize>,
}

impl Status {
    /// An error, in words that say what is wrong with a matrix, if there is one without an answer. Waits for the device.
    pub(super) fn check(self, wrong: impl FnOnce(i32) -> String) -> Result<()> {
        let numbers = self.numbers.to_vec::<i32>()?;
        let Some((at, &number)) = numbers.iter().enumerate().find(|(_, number)| **number != 0) else { return Ok(()) };
        let (name, wrong) = (self.name, wrong(number));
        if self.batch.is_empty() {
            return Err(Error::LinAlg(format!("{name}: the matrix {wrong}")));
        }
        let mut rest = at;
        let mut index: Vec<usize> = self.batch.iter().rev().map(|length| (rest % length, rest /= length).0).collect();
        index.reverse();
        let index = index.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        Err(Error::LinAlg(format!("{name}: the matrix at [{index}] {wrong}")))
    }

    /// The same, also for matrices that have elements that are not finite, with which iterations may end in anything.
    pub(super) fn check_finite(mut self, matrices: &Tensor, wrong: impl FnOnce(i32) -> String) -> Result<()> {
        if matrices.dtype().kind() < DTypeKind::Float {
            return self.check(wrong);
        }
        let program = Program::single(Op::Isfinite, &[matrices.dtype()], matrices.dtype())?;
        let of_each = Reducing { axes: [-2, -1].into(), ..Reducing::default() };
        let is_finite = reduce_program(Statistic::All, &Arc::new(program), &[matrices], &of_each)?.reshape(&[-1])?;
        self.numbers = select(&is_finite, Arg::Array(&self.numbers), NOT_FINITE.into(), Order::C)?;
        self.check(wrong)
    }

    /// Whether each matrix has no answer, as truth values.
    pub(super) fn is_without_answer(&self, stack: &Stack) -> Result<Tensor> {
        let shape: Vec<isize> = stack.batch.iter().map(|&length| length as isize).collect();
        self.numbers.not_equal(0)?.reshape(&shape)
    }

    /// Leaves open what became of them: there always is an answer.
    pub(super) fn ignore(self) {}
}
