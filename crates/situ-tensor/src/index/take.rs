//! `take`, `put`, `extract` and `place`.

use situ_runtime::placement::{Placed, Rule, resolve};
use situ_types::{DType, DTypeKind, Dims, Scalar, Strides, UsmKind};
use smallvec::SmallVec;

use super::bounds::check;
use super::place::together;
use super::plan::{IndexedAxis, OutOfRange, Plan};
use super::read::gather;
use super::write::{scatter, single};
use crate::reduce::axis_of;
use crate::submit::{apart_from, may_overlap, refuse_unwritable};
use crate::{Arg, Error, Result, Tensor};

/// An error if indices are not integers.
pub(super) fn refuse_other_than_integers(operation: &str, indices: &Tensor) -> Result<()> {
    if indices.dtype().kind() == DTypeKind::Integer {
        return Ok(());
    }
    let dtype = indices.dtype();
    let remedy = if dtype == DType::Bool { "select by a mask with x[mask]" } else { "convert them with astype" };
    Err(Error::Index(format!("{operation}: indices must have an integer dtype, not {dtype}; {remedy}")))
}

/// The plan of indices along one axis.
fn along(operation: &str, array: &Tensor, axis: usize, indices: Tensor, out_of_range: OutOfRange) -> Result<Plan> {
    let layout = array.layout();
    let common = Dims::from_slice(indices.shape());
    let indexed = IndexedAxis::new(indices, array, axis, out_of_range);
    let mut plan = Plan {
        shape: Dims::from_slice(layout.shape()),
        strides: Strides::from_slice(layout.strides()),
        offset: layout.offset(),
        indexed_axes: SmallVec::from_iter([indexed]),
        is_copy: true,
    };
    plan.shape.remove(axis);
    plan.strides.remove(axis);
    plan.stretch(&common, axis)?;
    if array.shape()[..axis].contains(&0) {
        plan.trust();
    }
    plan.refuse_empty_axes(operation)?;
    Ok(plan)
}

impl Tensor {
    /// The elements at indices along an axis or, without one, of the array's elements in C order.
    ///
    /// ```
    /// use situ_tensor::{OutOfRange, Tensor};
    /// let (x, at) = (Tensor::arange(5)?, Tensor::from_slice(&[1i64, 7])?);
    /// assert_eq!(x.take(&at, None, OutOfRange::Wrap)?.to_vec::<i64>()?, [1, 2]);
    /// assert!(x.take(&at, None, OutOfRange::Raise).is_err());
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn take(&self, indices: &Tensor, axis: Option<isize>, out_of_range: OutOfRange) -> Result<Tensor> {
        let (array, plan, kind) = self.taking(indices, axis, out_of_range)?;
        gather("take", &array, &plan, None, kind)
    }

    /// The same into an existing array.
    pub fn take_into(
        &self,
        indices: &Tensor,
        axis: Option<isize>,
        out_of_range: OutOfRange,
        out: &Tensor,
    ) -> Result<()> {
        let placed = [("x", self), ("out", out)];
        let placed = placed.map(|(name, array)| Placed { name, queue: array.queue(), kind: array.kind() });
        resolve("take", placed.into_iter(), Rule::SameQueue)?;
        let (array, plan, kind) = self.taking(indices, axis, out_of_range)?;
        gather("take", &array, &plan, Some(out), kind).map(|_| ())
    }

    /// Whether an array without dimensions is meant as one of length 1.
    fn is_only_axis(&self, axis: isize) -> bool {
        self.layout().ndim() == 0 && matches!(axis, 0 | -1)
    }

    /// What `take` reads and how.
    fn taking(
        &self,
        indices: &Tensor,
        axis: Option<isize>,
        out_of_range: OutOfRange,
    ) -> Result<(Tensor, Plan, UsmKind)> {
        let kind = together("take", &[("x", self), ("indices", indices)])?;
        refuse_other_than_integers("take", indices)?;
        let (array, axis) = match axis.filter(|&axis| !self.is_only_axis(axis)) {
            Some(axis) => (self.clone(), axis_of("take", axis, self.layout().ndim())?),
            None => (self.flat()?, 0),
        };
        let plan = along("take", &array, axis, indices.clone(), out_of_range)?;
        Ok((array, plan, kind))
    }

    /// Writes values to the elements at indices along an axis, broadcast; without an axis, to the array's elements in C
    /// order, one value after another and again from the first.
    pub fn put(&self, indices: &Tensor, values: Arg<'_>, axis: Option<isize>, out_of_range: OutOfRange) -> Result<()> {
        refuse_unwritable("put", self)?;
        let values = self.values_as_array("put", &[("x", self), ("indices", indices)], values)?;
        refuse_other_than_integers("put", indices)?;
        let indices = apart_from(indices.clone(), self)?;
        if let Some(axis) = axis.filter(|&axis| !self.is_only_axis(axis)) {
            let plan = along("put", self, axis_of("put", axis, self.layout().ndim())?, indices, out_of_range)?;
            check(&plan.indexed_axes, self.queue())?;
            return scatter("put", self, &plan, &values);
        }
        let flat = self.flat()?;
        let plan = along("put", &flat, 0, indices.flat()?, out_of_range)?;
        if values.size() == 0 {
            return Ok(());
        }
        check(&plan.indexed_axes, self.queue())?;
        let values = values.flat()?.cycled(plan.shape[0])?;
        if may_overlap(&flat, self)? || self.size() == 0 {
            return scatter("put", &flat, &plan, &values);
        }
        // The elements of this array do not follow each other evenly: they are written in a copy where they do.
        scatter("put", &flat, &plan, &values)?;
        let back = flat.reshaped(self.shape())?;
        back.map_or(Ok(()), |back| self.overwrite(Arg::Array(&back)))
    }

    /// The elements where a condition is not 0, both in C order.
    pub fn extract(&self, condition: &Tensor) -> Result<Tensor> {
        let kind = together("extract", &[("condition", condition), ("arr", self)])?;
        let mask = condition.truths()?;
        if mask.shape() == self.shape() && self.layout().ndim() > 0 {
            return self.select(&mask, kind);
        }
        let (array, mask) = (self.flat()?, mask.flat()?);
        if mask.size() == array.size() {
            return array.select(&mask, kind);
        }
        let [positions] = &mask.nonzero()?[..] else { return Err(Error::Value("extract: no condition".into())) };
        array.take(positions, None, OutOfRange::Raise)
    }

    /// Writes values, one after another and again from the first, to the elements where a mask of the same size is not
    /// 0.
    pub fn place(&self, mask: &Tensor, values: Arg<'_>) -> Result<()> {
        refuse_unwritable("place", self)?;
        let values = self.values_as_array("place", &[("arr", self), ("mask", mask)], values)?;
        if mask.size() != self.size() {
            let (given, wanted) = (mask.size(), self.size());
            return Err(Error::Value(format!("place: the mask has {given} elements, the array {wanted}")));
        }
        let mask = apart_from(mask.truths()?, self)?;
        let mask = if mask.shape() == self.shape() { Some(mask) } else { mask.flat()?.reshaped(self.shape())? };
        let Some(mask) = mask else { return Err(Error::Value("place: the mask does not fit the array".into())) };
        if values.size() == 0 && mask.count_true()? > 0 {
            return Err(Error::Value("place: there are no values to insert".into()));
        }
        self.expand_from(&mask, &values.flat()?)
    }

    /// The values of a call as an array in this one's place.
    pub(super) fn values_as_array(
        &self,
        operation: &str,
        arrays: &[(&str, &Tensor)],
        values: Arg<'_>,
    ) -> Result<Tensor> {
        match values {
            Arg::Weak(value) => {
                together(operation, arrays)?;
                single(value, self)
            }
            Arg::Array(values) => {
                let mut all: SmallVec<[(&str, &Tensor); 4]> = SmallVec::from_slice(arrays);
                all.push(("vals", values));
                together(operation, &all)?;
                Ok(values.clone())
            }
        }
    }

    /// An array with one axis repeated or cut to a length; not empty.
    fn cycled(&self, length: usize) -> Result<Tensor> {
        if self.size() == 1 || self.size() == length {
            return Ok(self.clone());
        }
        let positions =
            Tensor::sequence(Scalar::I64(0), Scalar::I64(1), length, DType::I64, self.kind(), self.queue())?;
        self.take(&positions, None, OutOfRange::Wrap)
    }
}
