//! Elements repeated: arrays beside themselves, and each element several times.

use situ_ir::Statistic;
use situ_runtime::{Address, Command, Repeat, Strided, Times};
use situ_types::{DType, DTypeKind, Dims, Layout, Order, Scalar, Strides, UsmKind};

use crate::reduce::axis_of;
use crate::shared_layout::shared;
use crate::submit::Submission;
use crate::{Accumulating, Error, Result, Tensor, accumulate};

impl Tensor {
    /// The array several times beside itself along each axis. Axes are counted from the last; where there are more
    /// repetitions than axes, the array has axes of length 1 in front.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// assert_eq!(Tensor::arange(2)?.tile(&[2, 2])?.to_vec::<i64>()?, [0, 1, 0, 1, 0, 1, 0, 1]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn tile(&self, repetitions: &[usize]) -> Result<Tensor> {
        let ndim = self.layout().ndim().max(repetitions.len());
        let padded = |given: &[usize]| -> Dims {
            std::iter::repeat_n(1, ndim - given.len()).chain(given.iter().copied()).collect()
        };
        let (lengths, times) = (padded(self.shape()), padded(repetitions));
        let shape =
            lengths.iter().zip(&times).map(|(&n, &times)| checked("tile", n, times)).collect::<Result<Dims>>()?;
        // Repetitions are axes of their own, along which this array stays where it is.
        let split: Dims = times.iter().zip(&lengths).flat_map(|(&times, &n)| [times, n]).collect();
        let own = std::iter::repeat_n(0, ndim - self.layout().ndim()).chain(self.layout().strides().iter().copied());
        let steps: Strides = own.flat_map(|step| [0, step]).collect();
        self.spread_out("tile", &shape, &split, &steps)
    }

    /// A new array of a shape, whose elements in C order are those of this one with other axes and steps.
    fn spread_out(&self, name: &str, shape: &[usize], axes: &[usize], steps: &[isize]) -> Result<Tensor> {
        let layout = Layout::dense(shape, Order::C).map_err(Error::layout(name))?;
        let out = Tensor::empty_in(name, layout, self.dtype(), self.kind(), self.queue())?;
        if out.size() > 0 {
            let view = Layout::strided(axes, steps, self.layout().offset()).map_err(Error::layout(name))?;
            let split = Layout::dense(axes, Order::C).map_err(Error::layout(name))?;
            out.under(split).assign(&self.under(view))?;
        }
        Ok(out)
    }

    /// Each element so many times, one after another, along an axis; without one, the elements in C order.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// assert_eq!(Tensor::arange(3)?.repeat(2, None)?.to_vec::<i64>()?, [0, 0, 1, 1, 2, 2]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn repeat(&self, count: usize, axis: Option<isize>) -> Result<Tensor> {
        self.repeat_all(count, axis, self.kind())
    }

    /// The same, in memory of a kind.
    fn repeat_all(&self, count: usize, axis: Option<isize>, kind: UsmKind) -> Result<Tensor> {
        const NAME: &str = "repeat";
        // A number is an array of one element here, as in NumPy.
        let array = if self.layout().ndim() == 0 { self.flat()? } else { self.clone() };
        let ndim = array.layout().ndim();
        let at = axis.map_or(Ok(ndim - 1), |axis| axis_of(NAME, axis, ndim))?;
        let mut shape = Dims::from(array.shape());
        shape[at] = checked(NAME, shape[at], count)?;
        let layout = Layout::dense(&shape, Order::C).map_err(Error::layout(NAME))?;
        // Along the last axis, so that all elements are repeated in C order.
        let flat = Layout::dense(&[layout.size()], Order::C).map_err(Error::layout(NAME))?;
        let strides = Strides::from_slice(layout.strides());
        let layout = if axis.is_none() { flat } else { layout };
        if layout.size() == 0 {
            return Tensor::empty_in(NAME, layout, self.dtype(), kind, self.queue());
        }
        let mut work = Submission::on(array.queue());
        let new = work.allocate(NAME, shared(layout), array.dtype(), kind)?;
        let command = repetition(&array, work.read(&array)?, at, (new.address(), &strides), Times::Every(count));
        work.produce(&command, new)
    }

    /// Each element as many times as its count says, one after another, along an axis; without one, the elements in C
    /// order. A single count holds for all of them.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// let counts = Tensor::from_slice(&[2i64, 0, 1])?;
    /// assert_eq!(Tensor::arange(3)?.repeat_each(&counts, None)?.to_vec::<i64>()?, [0, 0, 2]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn repeat_each(&self, counts: &Tensor, axis: Option<isize>) -> Result<Tensor> {
        const NAME: &str = "repeat";
        let kind = crate::index::together(NAME, &[("x", self), ("repeats", counts)])?;
        if counts.dtype().kind() > DTypeKind::Integer {
            let dtype = counts.dtype();
            return Err(Error::Type(format!(
                "{NAME}: repeats must be integers, not {dtype}; convert them with astype"
            )));
        }
        if counts.layout().ndim() > 1 {
            let ndim = counts.layout().ndim();
            return Err(Error::Value(format!("{NAME}: repeats must have one dimension at most, not {ndim}")));
        }
        let array = match axis {
            Some(_) if self.layout().ndim() > 0 => self.clone(),
            Some(axis) => self.flat().and_then(|flat| axis_of(NAME, axis, 1).map(|_| flat))?,
            None => self.flat()?,
        };
        let at = axis.map_or(Ok(0), |axis| axis_of(NAME, axis, array.layout().ndim()))?;
        let (length, given) = (array.shape()[at], counts.size());
        if given == 1 {
            let count = integer(counts.flat()?.item(&[0])?).and_then(|count| usize::try_from(count).ok());
            return array.repeat_all(count.ok_or_else(negative)?, Some(at as isize), kind);
        }
        if given != length {
            return Err(Error::Value(format!(
                "{NAME}: {given} repeats were given for {length} elements along the axis; give one for each, or one for all"
            )));
        }
        let how = Accumulating { dtype: Some(DType::I64), ..Accumulating::default() };
        let ends = accumulate(NAME, Statistic::Sum, counts, &how)?;
        let total = if length == 0 { 0 } else { total(counts, &ends)? };
        let mut shape = Dims::from_slice(array.shape());
        shape[at] = total;
        let layout = Layout::dense(&shape, Order::C).map_err(Error::layout(NAME))?;
        if layout.size() == 0 {
            return Tensor::empty_in(NAME, layout, array.dtype(), kind, array.queue());
        }
        let mut work = Submission::on(array.queue());
        let strides = Strides::from_slice(layout.strides());
        let new = work.allocate(NAME, shared(layout), array.dtype(), kind)?;
        let times = Times::Each { ends: work.read(&ends)?, total };
        let command = repetition(&array, work.read(&array)?, at, (new.address(), &strides), times);
        work.produce(&command, new)
    }
}

/// The command that repeats the elements of an array, the first of which is at an address, along an axis.
fn repetition(array: &Tensor, from: Address, axis: usize, to: (Address, &[isize]), times: Times) -> Command {
    let last = |steps: &[isize]| -> Strides {
        let others = steps.iter().enumerate().filter(|(at, _)| *at != axis).map(|(_, step)| *step);
        others.chain([steps[axis]]).collect()
    };
    let mut shape = Dims::from_slice(array.shape());
    let length = shape.remove(axis);
    shape.push(length);
    let source = Strided { address: from, strides: last(array.layout().strides()) };
    let target = Strided { address: to.0, strides: last(to.1) };
    Command::Repeat(Box::new(Repeat { shape, width: array.dtype().size(), source, target, times }))
}

/// How many elements there are, once each is repeated as often as its count says. The sums up to each of them are known.
fn total(counts: &Tensor, ends: &Tensor) -> Result<usize> {
    let mut extremes = vec![counts.min(())?, ends.min(())?];
    // A sum that is too large for an integer was negative on the way there only if no count is that large.
    if counts.dtype() == DType::U64 {
        extremes.push(counts.max(())?);
    }
    for extreme in extremes {
        if integer(extreme.item(&[])?).is_none_or(|number| number < 0) {
            return Err(negative());
        }
    }
    let last = integer(ends.item(&[ends.size() - 1])?);
    last.and_then(|last| usize::try_from(last).ok()).ok_or_else(negative)
}

/// A count as an integer, if it is one that fits.
fn integer(count: Scalar) -> Option<i64> {
    match count {
        Scalar::U64(count) => i64::try_from(count).ok(),
        other => match situ_ir::interpret::cast(other, DType::I64) {
            Scalar::I64(count) => Some(count),
            _ => None,
        },
    }
}

#[cold]
fn negative() -> Error {
    Error::Value("repeat: repeats must not be negative, nor come to more elements than can be addressed".into())
}

/// A length so many times.
fn checked(name: &str, length: usize, times: usize) -> Result<usize> {
    length
        .checked_mul(times)
        .ok_or_else(|| Error::Value(format!("{name}: {times} times {length} elements are more than can be addressed")))
}
