//! `take_along_axis` and `put_along_axis`.

use situ_types::layout::{broadcast_shapes, fmt_dims};
use situ_types::{Dims, Strides};
use smallvec::SmallVec;

use super::bounds::check;
use super::place::together;
use super::plan::{IndexedAxis, OutOfRange, Plan};
use super::read::gather;
use super::take::refuse_other_than_integers;
use super::write::scatter;
use crate::reduce::axis_of;
use crate::submit::{apart_from, refuse_unwritable};
use crate::{Arg, Error, Result, Tensor};

/// The plan of indices that have the array's number of axes and belong to its elements off one of them.
fn plan_along_axis(
    operation: &str,
    array: &Tensor,
    indices: Tensor,
    axis: isize,
    out_of_range: OutOfRange,
) -> Result<Plan> {
    let layout = array.layout();
    let axis = axis_of(operation, axis, layout.ndim())?;
    if indices.layout().ndim() != layout.ndim() {
        return Err(Error::Value(format!(
            "{operation}: x and indices must have the same number of dimensions, not {} and {}",
            layout.ndim(),
            indices.layout().ndim()
        )));
    }
    let mut lengths = Dims::from_slice(layout.shape());
    lengths[axis] = indices.shape()[axis];
    let shape = broadcast_shapes(&lengths, indices.shape()).map_err(|_| {
        let (x, given) = (fmt_dims(array.shape()), fmt_dims(indices.shape()));
        Error::Index(format!("{operation}: x of shape {x} and indices of shape {given} do not match off axis {axis}"))
    })?;
    let mut strides: Strides = layout.strides().into();
    for (step, (&own, &common)) in strides.iter_mut().zip(lengths.iter().zip(&shape)) {
        if own != common {
            *step = 0;
        }
    }
    strides[axis] = 0;
    let stretched = indices.layout().broadcast_to(&shape).map_err(Error::layout(operation))?;
    let mut indexed = IndexedAxis::new(indices, array, axis, out_of_range);
    indexed.strides = stretched.strides().into();
    let indexed_axes = SmallVec::from_iter([indexed]);
    let mut plan = Plan { shape, strides, offset: layout.offset(), indexed_axes, is_copy: true };
    if plan.shape.contains(&0) {
        plan.trust();
    }
    plan.refuse_empty_axes(operation)?;
    Ok(plan)
}

impl Tensor {
    /// The elements at indices along an axis that belong, off it, to the same place as their index.
    pub fn take_along_axis(&self, indices: &Tensor, axis: isize, out_of_range: OutOfRange) -> Result<Tensor> {
        const NAME: &str = "take_along_axis";
        let kind = together(NAME, &[("x", self), ("indices", indices)])?;
        refuse_other_than_integers(NAME, indices)?;
        let plan = plan_along_axis(NAME, self, indices.clone(), axis, out_of_range)?;
        gather(NAME, self, &plan, None, kind)
    }

    /// Writes values, broadcast, to the elements that [`take_along_axis`](Self::take_along_axis) finds.
    pub fn put_along_axis(
        &self,
        indices: &Tensor,
        values: Arg<'_>,
        axis: isize,
        out_of_range: OutOfRange,
    ) -> Result<()> {
        const NAME: &str = "put_along_axis";
        refuse_unwritable(NAME, self)?;
        let values = self.values_as_array(NAME, &[("x", self), ("indices", indices)], values)?;
        refuse_other_than_integers(NAME, indices)?;
        let plan = plan_along_axis(NAME, self, apart_from(indices.clone(), self)?, axis, out_of_range)?;
        check(&plan.indexed_axes, self.queue())?;
        scatter(NAME, self, &plan, &values)
    }
}
