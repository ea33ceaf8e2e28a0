//! What a key means for an array.

use situ_runtime::IndexMode;
use situ_types::layout::{broadcast_shapes, fmt_dims};
use situ_types::{DType, Dims, Layout, Strides};
use smallvec::SmallVec;

use super::key::{Item, position};
use crate::{Error, Result, Tensor};

/// What to do with an index that does not lie in its axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OutOfRange {
    /// It is an error; negative indices count from the end.
    #[default]
    Raise,
    /// It is taken modulo the length of the axis.
    Wrap,
    /// The nearest end is meant; negative indices are the first element.
    Clip,
}

/// Indices along one axis.
#[derive(Clone, Debug)]
pub(super) struct IndexedAxis {
    pub(super) indices: Tensor,
    /// Steps of the indices along the axes of the result.
    pub(super) strides: Strides,
    pub(super) axis: usize,
    pub(super) length: usize,
    /// The array's step along the axis.
    pub(super) step: isize,
    pub(super) mode: IndexMode,
    /// Whether the indices are still to be checked.
    pub(super) unchecked: bool,
}

impl IndexedAxis {
    /// Indices that a user gave; the steps are still to come.
    pub(super) fn new(indices: Tensor, array: &Tensor, axis: usize, out_of_range: OutOfRange) -> IndexedAxis {
        let mode = match out_of_range {
            OutOfRange::Raise => IndexMode::Checked,
            OutOfRange::Wrap => IndexMode::Wrap,
            OutOfRange::Clip => IndexMode::Clip,
        };
        let (length, step) = (array.shape()[axis], array.layout().strides()[axis]);
        IndexedAxis {
            indices,
            strides: Strides::new(),
            axis,
            length,
            step,
            mode,
            unchecked: out_of_range == OutOfRange::Raise,
        }
    }
}

/// A selection of an array's elements: a view of it, moved along some of its axes by index arrays.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The shape of the result.
    pub(super) shape: Dims,
    /// The array's steps along the axes of the result, 0 along those that index arrays make.
    pub(super) strides: Strides,
    /// The array's first element.
    pub(super) offset: isize,
    pub(super) indexed_axes: SmallVec<[IndexedAxis; 2]>,
    /// Whether the result is a copy even without index arrays.
    pub(super) is_copy: bool,
}

impl Plan {
    /// The view that the plan is, where there are no index arrays.
    pub(super) fn view_of(&self, array: &Tensor) -> Result<Tensor> {
        let offset = if self.shape.contains(&0) { 0 } else { self.offset };
        let layout = Layout::strided(&self.shape, &self.strides, offset).map_err(Error::layout("indexing"))?;
        Ok(array.under(layout))
    }

    /// Leaves the indices unchecked where they select nothing, as NumPy does.
    pub(super) fn trust(&mut self) {
        self.indexed_axes.iter_mut().for_each(|indexed| indexed.unchecked = false);
    }

    /// An error if elements are to be found along an axis that has no positions.
    pub(super) fn refuse_empty_axes(&self, operation: &str) -> Result<()> {
        if self.shape.contains(&0) {
            return Ok(());
        }
        match self.indexed_axes.iter().find(|indexed| indexed.length == 0) {
            None => Ok(()),
            Some(indexed) => {
                Err(Error::Index(format!("{operation}: axis {} has size 0, so that no index lies in it", indexed.axis)))
            }
        }
    }

    /// Gives the index arrays' axes their place, the first of them at `front`, and the index arrays their steps.
    pub(super) fn stretch(&mut self, common: &[usize], front: usize) -> Result<()> {
        self.shape.insert_from_slice(front, common);
        self.strides.insert_many(front, common.iter().map(|_| 0));
        situ_types::layout::element_count(&self.shape).map_err(Error::layout("indexing"))?;
        for indexed in &mut self.indexed_axes {
            let stretched = indexed.indices.layout().broadcast_to(common).map_err(Error::layout("indexing"))?;
            indexed.strides = Strides::from_elem(0, self.shape.len());
            indexed.strides[front..front + common.len()].copy_from_slice(stretched.strides());
        }
        Ok(())
    }
}

/// Where the result's axes for index arrays go: in the place of the first of them, or to the front where something
/// stands between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Front {
    Unknown,
    /// The last item belonged to the run that begins there.
    Inside(usize),
    /// The run that begins there is over.
    After(usize),
    Scattered,
}

impl Front {
    fn advanced(self, axes: usize) -> Front {
        match self {
            Front::Unknown => Front::Inside(axes),
            Front::After(_) => Front::Scattered,
            same => same,
        }
    }

    fn basic(self) -> Front {
        if let Front::Inside(at) = self { Front::After(at) } else { self }
    }
}

/// The plan of a key, whose arrays all have axes and are integers or masks.
pub(super) fn plan(array: &Tensor, items: &[Item<'_>]) -> Result<Plan> {
    let (lengths, steps) = (array.shape(), array.layout().strides());
    let consumed: usize = items.iter().map(Item::axes).sum();
    let Some(left) = lengths.len().checked_sub(consumed) else {
        return Err(Error::Index(format!(
            "too many indices: the array has {} dimensions, but {consumed} were indexed",
            lengths.len()
        )));
    };
    if items.iter().filter(|item| matches!(item, Item::Ellipsis)).count() > 1 {
        return Err(Error::Index("a key can have only one ellipsis ('...')".into()));
    }
    let is_advanced = items.iter().any(Item::is_advanced);
    let mut plan = Plan {
        shape: Dims::new(),
        strides: Strides::new(),
        offset: array.layout().offset(),
        indexed_axes: SmallVec::new(),
        is_copy: is_advanced,
    };
    let mut common = Dims::new();
    let (mut axis, mut front) = (0, Front::Unknown);
    for item in items {
        // Beside an index array, an integer counts as one.
        front = match item {
            Item::Int(_) | Item::Array(_) | Item::Bool(_) if is_advanced => front.advanced(plan.shape.len()),
            _ => front.basic(),
        };
        match *item {
            Item::Int(index) => {
                let index = position(index, axis, lengths[axis])?;
                plan.offset = plan.offset.wrapping_add(index.wrapping_mul(steps[axis]));
            }
            Item::Slice(slice) => {
                let (first, count) = slice.over(lengths[axis]);
                plan.shape.push(count);
                plan.strides.push(stepped(steps[axis], slice.step, count));
                plan.offset = plan.offset.wrapping_add(first.wrapping_mul(steps[axis]));
            }
            Item::Ellipsis => {
                plan.shape.extend_from_slice(&lengths[axis..axis + left]);
                plan.strides.extend_from_slice(&steps[axis..axis + left]);
                axis += left;
            }
            Item::NewAxis => {
                plan.shape.push(1);
                plan.strides.push(0);
            }
            Item::Bool(truth) => common = joined(&common, &[usize::from(truth)])?,
            Item::Array(mask) if mask.dtype() == DType::Bool => {
                fits(mask.shape(), &lengths[axis..], axis)?;
                for (n, indices) in mask.nonzero()?.into_iter().enumerate() {
                    common = joined(&common, indices.shape())?;
                    let indexed = IndexedAxis::new(indices, array, axis + n, OutOfRange::Raise);
                    plan.indexed_axes.push(IndexedAxis { unchecked: false, ..indexed });
                }
            }
            Item::Array(indices) => {
                common = joined(&common, indices.shape())?;
                plan.indexed_axes.push(IndexedAxis::new(indices.clone(), array, axis, OutOfRange::Raise));
            }
        }
        axis += item.axes();
    }
    plan.shape.extend_from_slice(&lengths[axis..]);
    plan.strides.extend_from_slice(&steps[axis..]);
    if is_advanced {
        let front = match front {
            Front::Inside(at) | Front::After(at) => at,
            Front::Unknown | Front::Scattered => 0,
        };
        if common.contains(&0) {
            plan.trust();
        }
        plan.stretch(&common, front)?;
    }
    Ok(plan)
}

/// The view that one integer or slice along the first axis is, the shortest way.
#[inline]
pub(super) fn along_first(array: &Tensor, item: Item<'_>) -> Option<Result<Tensor>> {
    let layout = array.layout();
    let (&length, lengths) = layout.shape().split_first()?;
    let (&step, steps) = layout.strides().split_first()?;
    let strided = |shape: &[usize], strides: &[isize], offset: isize| {
        let offset = if shape.contains(&0) { 0 } else { offset };
        let layout = Layout::strided(shape, strides, offset).map_err(Error::layout("indexing"))?;
        Ok(array.under(layout))
    };
    Some(match item {
        Item::Int(index) => position(index, 0, length)
            .and_then(|at| strided(lengths, steps, layout.offset().wrapping_add(at.wrapping_mul(step)))),
        Item::Slice(slice) => {
            let (first, count) = slice.over(length);
            let (mut shape, mut strides) = (Dims::from_slice(layout.shape()), Strides::from_slice(layout.strides()));
            shape[0] = count;
            strides[0] = stepped(step, slice.step, count);
            strided(&shape, &strides, layout.offset().wrapping_add(first.wrapping_mul(step)))
        }
        _ => return None,
    })
}

/// The step of a slice along an axis. Where there is nowhere to go, it stays what it was: the product might not fit.
fn stepped(own: isize, step: isize, count: usize) -> isize {
    if count > 1 { own.wrapping_mul(step) } else { own }
}

fn joined(common: &[usize], shape: &[usize]) -> Result<Dims> {
    broadcast_shapes(common, shape).map_err(|_| {
        Error::Index(format!(
            "the arrays of a key must broadcast together, but they have shapes {} and {}",
            fmt_dims(common),
            fmt_dims(shape)
        ))
    })
}

/// Whether a mask has the shape of the axes it stands for, of which the first has that number; one without elements
/// chooses nothing and may have length 0 along any of them.
fn fits(mask: &[usize], lengths: &[usize], first: usize) -> Result<()> {
    match mask.iter().zip(lengths).position(|(given, length)| given != length && *given != 0) {
        None => Ok(()),
        Some(n) => Err(Error::Index(format!(
            "the boolean index does not match the array along axis {}: the axis has size {}, the index {}",
            first + n,
            lengths[n],
            mask[n]
        ))),
    }
}
