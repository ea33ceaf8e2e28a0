//! Where elements belong among sorted ones.

use situ_ir::order::Side;
use situ_runtime::{Command, Question, Search, Strided};
use situ_types::{DType, DTypeKind, Layout, Order, Scalar, Space};

use super::alike;
use crate::index::together;
use crate::reduce::moved_by;
use crate::shared_layout::shared;
use crate::submit::Submission;
use crate::{Arg, Error, OutOfRange, Result, Tensor, Weak};

/// The answers to a question about every needle; the sorted elements lie along one axis, are of the same dtype and on the
/// same queue.
pub(super) fn ask(name: &'static str, sorted: &Tensor, needles: &Tensor, question: Question) -> Result<Tensor> {
    let dtype = match question {
        Question::Position(_) => DType::I64,
        Question::Equal(_) => DType::Bool,
    };
    let kind = sorted.kind().coerce(needles.kind());
    let layout = Layout::dense(needles.shape(), Order::C).map_err(Error::layout(name))?;
    if needles.size() == 0 {
        return Tensor::empty_in(name, layout, dtype, kind, needles.queue());
    }
    let mut space = Space::new(needles.shape(), [needles.layout().strides(), layout.strides()]);
    space.collapse();
    let mut work = Submission::on(needles.queue());
    let first = moved_by(work.read(needles)?, space.starts[0], needles.dtype());
    let from = Strided { address: first, strides: space.steps(0).collect() };
    let new = work.allocate(name, shared(layout), dtype, kind)?;
    let out = Strided { address: moved_by(new.address(), space.starts[1], dtype), strides: space.steps(1).collect() };
    let command = Search {
        shape: space.lengths().collect(),
        dtype: sorted.dtype(),
        sorted: work.read(sorted)?,
        step: sorted.layout().strides()[0],
        length: sorted.size(),
        needles: from,
        question,
        out,
    };
    work.produce(&Command::Search(Box::new(command)), new)
}

impl Tensor {
    /// Where elements would have to be inserted into this array, which is sorted, so that it stays sorted: before or after
    /// those that are equal to them. Where a sorter is given, it is the array at the sorter's indices that is sorted.
    ///
    /// ```
    /// use situ_ir::order::Side;
    /// use situ_tensor::Tensor;
    /// let x = Tensor::from_slice(&[1i64, 2, 2, 5])?;
    /// assert_eq!(x.searchsorted(2i64, Side::Left, None)?.to_vec::<i64>()?, [1]);
    /// assert_eq!(x.searchsorted(2i64, Side::Right, None)?.to_vec::<i64>()?, [3]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn searchsorted<'a>(&self, needles: impl Into<Arg<'a>>, side: Side, sorter: Option<&Tensor>) -> Result<Tensor> {
        const NAME: &str = "searchsorted";
        if self.layout().ndim() != 1 {
            let ndim = self.layout().ndim();
            return Err(Error::Value(format!("{NAME}: x1 must have one dimension, not {ndim}; flatten it first")));
        }
        let mut known = None;
        let number;
        let needles = match needles.into() {
            Arg::Array(needles) => needles,
            Arg::Weak(value) => {
                let dtype = value.combine(self.dtype(), self.device().float_support());
                let scalar = match value.to_scalar(dtype) {
                    // All that the dtype holds lies on one side of it.
                    Err(Error::Overflow(_)) => {
                        let is_below = matches!(value, Weak::Int(..0)) || matches!(value, Weak::Huge(..0.0));
                        known = Some(if is_below { 0 } else { self.size() as i64 });
                        Weak::Int(0).to_scalar(dtype)?
                    }
                    scalar => scalar?,
                };
                number = Tensor::full(&[], scalar, Order::C, self.kind(), self.queue())?;
                &number
            }
        };
        together(NAME, &[("x1", self), ("x2", needles)])?;
        if let Some(sorter) = sorter {
            together(NAME, &[("x1", self), ("sorter", sorter)])?;
            if sorter.dtype().kind() != DTypeKind::Integer {
                let dtype = sorter.dtype();
                return Err(Error::Value(format!(
                    "{NAME}: sorter must be of an integer dtype, not {dtype}; use argsort"
                )));
            }
            if sorter.shape() != self.shape() {
                let (own, given) = (self.size(), sorter.shape());
                return Err(Error::Value(format!(
                    "{NAME}: sorter must have one index for each of the {own} elements of x1, not the shape {given:?}"
                )));
            }
        }
        if let Some(position) = known {
            return Tensor::full(&[], Scalar::I64(position), Order::C, self.kind(), self.queue());
        }
        let sorted = sorter.map(|sorter| self.take(sorter, Some(0), OutOfRange::Raise)).transpose()?;
        let (sorted, needles) = alike(sorted.as_ref().unwrap_or(self), needles)?;
        ask(NAME, &sorted, &needles, Question::Position(side))
    }
}
