//! `x[key]`.

use situ_runtime::{Address, Command, IndexOperand, Indexed, Strided};
use situ_types::{DType, Layout, Order, Strides, UsmKind};
use smallvec::SmallVec;

use super::axes::merge;
use super::bounds::{VERDICT, check, refuse_outside, verdicts};
use super::key::Item;
use super::place::with_key;
use super::plan::{Plan, along_first, plan};
use crate::submit::{Answer, Output, Submission, may_overlap};
use crate::{Arg, Error, Result, Tensor};

impl Tensor {
    /// The elements that a key selects: a view where it has no arrays, else a copy in C order.
    ///
    /// ```
    /// use situ_tensor::{Item, Slice, Tensor};
    /// let x = Tensor::arange(10)?;
    /// let (rows, every_third) = (Tensor::from_slice(&[7i64, -1])?, Slice { step: 3, ..Slice::ALL });
    /// assert_eq!(x.index(&[Item::Slice(every_third)])?.to_vec::<i64>()?, [0, 3, 6, 9]);
    /// assert_eq!(x.index(&[Item::Array(&rows)])?.to_vec::<i64>()?, [7, 9]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn index(&self, items: &[Item<'_>]) -> Result<Tensor> {
        if let [item] = *items
            && let Some(view) = along_first(self, item)
        {
            return view;
        }
        let kind = with_key(self, items, None)?;
        let items = settled(items)?;
        if let Some(mask) = whole_mask(self, &items) {
            return self.select(mask, kind);
        }
        let plan = plan(self, &items)?;
        if !plan.is_copy {
            return plan.view_of(self);
        }
        gather("indexing", self, &plan, None, kind)
    }
}

/// The items with arrays that have no axes replaced by their elements.
pub(super) fn settled<'a>(items: &[Item<'a>]) -> Result<SmallVec<[Item<'a>; 4]>> {
    items.iter().map(|item| item.settled()).collect()
}

/// The mask of a key that is nothing but a mask for every element.
pub(super) fn whole_mask<'a>(array: &Tensor, items: &[Item<'a>]) -> Option<&'a Tensor> {
    match *items {
        [Item::Array(mask)] if mask.dtype() == DType::Bool && mask.shape() == array.shape() => Some(mask),
        _ => None,
    }
}

/// The elements of a plan, in the array given for them or in a new one. Indices that are still to be checked are checked
/// on the way, or before, where somebody has seen the array.
pub(super) fn gather(name: &str, array: &Tensor, plan: &Plan, out: Option<&Tensor>, kind: UsmKind) -> Result<Tensor> {
    let (queue, dtype) = (array.queue(), array.dtype());
    let mut work = Submission::on(queue);
    let layout = Layout::dense(&plan.shape, Order::C).map_err(Error::layout(name))?;
    let output = work.output(name, out, layout, dtype, kind)?;
    if let Some(out) = out {
        let mut overlaps = may_overlap(out, array)?;
        for indexed in &plan.indexed_axes {
            overlaps |= may_overlap(out, &indexed.indices)?;
        }
        if overlaps {
            out.overwrite(Arg::Array(&gather(name, array, plan, None, kind)?))?;
            return Ok(out.clone());
        }
        check(&plan.indexed_axes, queue)?;
    }
    if plan.shape.contains(&0) || plan.indexed_axes.iter().any(|indexed| indexed.length == 0) {
        check(&plan.indexed_axes, queue)?;
        return out.map_or_else(|| Tensor::empty(&plan.shape, dtype, Order::C, kind, queue), |out| Ok(out.clone()));
    }
    let verdicts = if out.is_none() { verdicts(&work, &plan.indexed_axes)? } else { None };
    let source = work.read(array)?;
    let elements = Strided { address: output.address()?, strides: Strides::from_slice(output.layout().strides()) };
    let command = Command::Gather(command(&mut work, array, source, plan, elements, verdicts.as_ref())?);
    let Some(verdicts) = verdicts else {
        let [elements] = work.produce_all(&command, [output])?;
        return Ok(elements);
    };
    let [elements, verdicts] = work.produce_all(&command, [output, Output::New(verdicts.into_new())])?;
    refuse_outside(&verdicts, &plan.indexed_axes)?;
    Ok(elements)
}

/// The operands of a gather or scatter between an array, which is registered and begins at `first`, and elements
/// elsewhere. Registers the indices.
pub(super) fn command<'a>(
    work: &mut Submission<'a>,
    array: &Tensor,
    first: Address,
    plan: &'a Plan,
    mut elements: Strided,
    verdicts: Option<&Answer<'_>>,
) -> Result<Box<Indexed>> {
    let mut own = plan.strides.clone();
    let mut index_strides: SmallVec<[Strides; 2]> =
        plan.indexed_axes.iter().map(|indexed| indexed.strides.clone()).collect();
    let mut all: SmallVec<[&mut Strides; 4]> = SmallVec::new();
    all.push(&mut own);
    all.push(&mut elements.strides);
    all.extend(index_strides.iter_mut());
    let shape = merge(&plan.shape, &mut all);
    drop(all);
    let width = array.dtype().size();
    let moved = plan.offset.wrapping_sub(array.layout().offset()).wrapping_mul(width as isize);
    let array = Strided { address: first.offset(moved), strides: own };
    let mut indices = SmallVec::new();
    for (n, (indexed, strides)) in plan.indexed_axes.iter().zip(index_strides).enumerate() {
        indices.push(IndexOperand {
            indices: Strided { address: work.read(&indexed.indices)?, strides },
            dtype: indexed.indices.dtype(),
            length: indexed.length,
            step: indexed.step,
            mode: indexed.mode,
            verdict: verdicts.filter(|_| indexed.unchecked).map(|verdicts| verdicts.address(VERDICT * n)),
        });
    }
    Ok(Box::new(Indexed { shape, width, array, elements, indices }))
}
