//! Elements without repetition.

use situ_runtime::{Command, Counted, RunCount, RunSelect};
use situ_types::{DType, Layout, Order};

use super::sorting::{Wanted, order};
use crate::shared_layout::{line_layout, shared};
use crate::submit::{Output, Submission};
use crate::{Error, Result, Tensor};

/// The distinct elements of an array and how often each occurs.
#[derive(Clone, Debug)]
pub struct UniqueCounts {
    /// The distinct elements, in their order.
    pub values: Tensor,
    /// How often each occurs.
    pub counts: Tensor,
}

/// The distinct elements of an array and which of them each element is.
#[derive(Clone, Debug)]
pub struct UniqueInverse {
    /// The distinct elements, in their order.
    pub values: Tensor,
    /// The position of each element among them, in the shape of the array.
    pub inverse_indices: Tensor,
}

/// All that can be said about the distinct elements of an array.
#[derive(Clone, Debug)]
pub struct UniqueAll {
    /// The distinct elements, in their order.
    pub values: Tensor,
    /// Where each occurs first, in C order.
    pub indices: Tensor,
    /// The position of each element among them, in the shape of the array.
    pub inverse_indices: Tensor,
    /// How often each occurs.
    pub counts: Tensor,
}

/// What is told of the distinct elements, beside themselves.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    firsts: bool,
    inverse: bool,
    counts: bool,
}

impl Tensor {
    /// The distinct elements, in their order. What is not a number differs from everything, itself included.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// assert_eq!(Tensor::from_slice(&[3i64, 1, 3])?.unique_values()?.to_vec::<i64>()?, [1, 3]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn unique_values(&self) -> Result<Tensor> {
        let [values] = unique("unique_values", self, Told::default())?;
        Ok(values)
    }

    /// The distinct elements, in their order, and how often each occurs.
    pub fn unique_counts(&self) -> Result<UniqueCounts> {
        let [values, counts] = unique("unique_counts", self, Told { counts: true, ..Told::default() })?;
        Ok(UniqueCounts { values, counts })
    }

    /// The distinct elements, in their order, and which of them each element is.
    pub fn unique_inverse(&self) -> Result<UniqueInverse> {
        let [values, inverse_indices] = unique("unique_inverse", self, Told { inverse: true, ..Told::default() })?;
        Ok(UniqueInverse { values, inverse_indices })
    }

    /// The distinct elements, in their order, where each occurs first, which of them each element is, and how often each
    /// occurs.
    pub fn unique_all(&self) -> Result<UniqueAll> {
        let told = Told { firsts: true, inverse: true, counts: true };
        let [values, indices, inverse_indices, counts] = unique("unique_all", self, told)?;
        Ok(UniqueAll { values, indices, inverse_indices, counts })
    }
}

/// The distinct elements of an array, then what is told of them, in the order of the fields.
fn unique<const N: usize>(name: &'static str, x: &Tensor, told: Told) -> Result<[Tensor; N]> {
    let line = x.flat()?;
    let wanted = Wanted { descending: false, count: line.size(), values: true, indices: told.firsts || told.inverse };
    let mut sorted = order(name, &line, 0, wanted)?.into_iter();
    let values = sorted.next().ok_or_else(|| Error::Value(format!("{name}: nothing was sorted")))?;
    let found = distinct(name, x, &values, sorted.next().as_ref(), told)?;
    <[Tensor; N]>::try_from(found).map_err(|_| Error::Value(format!("{name}: there are other results than asked for")))
}

/// The distinct ones of sorted elements, of which those of `x` are a rearrangement by `positions`.
fn distinct(
    name: &'static str,
    x: &Tensor,
    sorted: &Tensor,
    positions: Option<&Tensor>,
    told: Told,
) -> Result<Vec<Tensor>> {
    let length = sorted.size();
    let capacity = if length == 0 { 0 } else { count(name, sorted)? };
    let line = line_layout(capacity).map_err(Error::layout(name))?;
    let whole = shared(Layout::dense(x.shape(), Order::C).map_err(Error::layout(name))?);
    let parts = [
        Some((x.dtype(), &line)),
        told.firsts.then_some((DType::I64, &line)),
        told.inverse.then_some((DType::I64, &whole)),
        told.counts.then_some((DType::I64, &line)),
    ];
    if length == 0 {
        let empty = |(dtype, layout): (DType, &Counted<Layout>)| {
            Tensor::empty_in(name, Layout::clone(layout), dtype, x.kind(), x.queue())
        };
        return parts.into_iter().flatten().map(empty).collect();
    }
    if capacity == length && !(told.firsts || told.inverse || told.counts) {
        return Ok(vec![sorted.clone()]);
    }
    let mut work = Submission::on(x.queue());
    let source = work.read(sorted)?;
    let positions = positions.map(|positions| work.read(positions)).transpose()?;
    let (mut outputs, mut places) = (Vec::with_capacity(4), [None; 4]);
    for (part, place) in parts.into_iter().zip(&mut places) {
        let Some((dtype, layout)) = part else { continue };
        let new = work.allocate(name, layout.clone(), dtype, x.kind())?;
        *place = Some(new.address());
        outputs.push(Output::New(new));
    }
    let [values, firsts, inverse, counts] = places;
    let command =
        RunSelect { dtype: x.dtype(), sorted: source, length, capacity, positions, values, firsts, counts, inverse };
    work.produce_list(&Command::RunSelect(Box::new(command)), outputs)
}

/// How many distinct ones there are among sorted elements. Waits for the device's answer.
fn count(name: &'static str, sorted: &Tensor) -> Result<usize> {
    let mut work = Submission::on(sorted.queue());
    let source = work.read(sorted)?;
    let answer = work.answer(name, 1)?;
    let (dtype, length) = (sorted.dtype(), sorted.size());
    let command = RunCount { dtype, sorted: source, length, count: answer.address(0) };
    let found = work.produce(&Command::RunCount(Box::new(command)), answer.into_new())?.answered(0)?;
    Ok((found as usize).clamp(1, length))
}
