//! `x[key]`.

use situ_runtime::{Access, Address, Buffer, Command, IndexOperand, Indexed, Strided};
use situ_types::{DType, Layout, Order, Strides, UsmKind};
use smallvec::SmallVec;

use super::axes::merge;
use super::bounds::{Verdicts, check};
use super::key::Item;
use super::place::with_key;
use super::plan::{Plan, along_first, fits, plan};
use crate::{Error, Result, Tensor};

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
        if let Some(mask) = whole_mask(self, &items)? {
            return self.select(mask, kind);
        }
        let plan = plan(self, &items)?;
        if !plan.is_copy {
            return plan.view_of(self);
        }
        gather(self, &plan, kind)
    }
}

/// The items with arrays that have no axes replaced by their elements.
pub(super) fn settled<'a>(items: &[Item<'a>]) -> Result<SmallVec<[Item<'a>; 4]>> {
    items.iter().map(|item| item.settled()).collect()
}

/// The mask of a key that is nothing but a mask for every element.
pub(super) fn whole_mask<'a>(array: &Tensor, items: &[Item<'a>]) -> Result<Option<&'a Tensor>> {
    match *items {
        [Item::Array(mask)] if mask.dtype() == DType::Bool && mask.layout().ndim() == array.layout().ndim() => {
            fits(mask.shape(), array.shape(), 0)?;
            Ok(Some(mask))
        }
        _ => Ok(None),
    }
}

/// The elements of a plan, in fresh memory. Indices that are still to be checked are checked on the way.
pub(super) fn gather(array: &Tensor, plan: &Plan, kind: UsmKind) -> Result<Tensor> {
    let (queue, dtype) = (array.queue(), array.dtype());
    if plan.shape.contains(&0) || plan.guides.iter().any(|guide| guide.length == 0) {
        check(&plan.guides, queue)?;
        return Tensor::empty(&plan.shape, dtype, Order::C, kind, queue);
    }
    let layout = Layout::dense(&plan.shape, Order::C).map_err(Error::layout("indexing"))?;
    let bytes = layout.size().checked_mul(dtype.size()).filter(|&bytes| bytes <= isize::MAX as usize);
    let bytes = bytes.ok_or_else(|| Error::Value("indexing: the result is too large to be addressed".into()))?;
    let verdicts = Verdicts::wanted(&plan.guides, queue)?;
    let make = |out: Address| command(array, plan, verdicts.as_ref(), out, layout.strides());
    let buffer = match &verdicts {
        None => {
            let make = |out| Ok::<_, Error>(Command::Gather(make(out)));
            // SAFETY: the command reads elements that the array's own layout has and the indices' layouts, which lie in
            // their buffers, and writes a dense result.
            unsafe { Buffer::produce(queue, kind, bytes, &reads(array, plan), make) }?
        }
        Some(verdicts) => {
            let buffer = Buffer::allocate(queue, kind, bytes, 0)?;
            let mut accesses = reads(array, plan);
            accesses.push((&buffer, Access::Write));
            accesses.push((verdicts.buffer(), Access::Write));
            // SAFETY: as above; verdicts have a place of their own.
            unsafe { queue.submit(&Command::Gather(make(buffer.address())), &accesses, &[]) }?.wait()?;
            verdicts.read(&plan.guides)?;
            drop(accesses);
            buffer
        }
    };
    Ok(Tensor::assemble(buffer, dtype, layout))
}

/// The same, with indices that have been checked, into an existing array of the plan's shape, which shares memory with
/// nothing that is read.
pub(super) fn gather_into(array: &Tensor, plan: &Plan, out: &Tensor) -> Result<()> {
    if plan.shape.contains(&0) {
        return Ok(());
    }
    let command = Command::Gather(command(array, plan, None, out.address(), out.layout().strides()));
    let mut accesses = reads(array, plan);
    accesses.push((out.buffer(), Access::Update));
    // SAFETY: as in `gather`; the result is the output's own layout, which lies in its buffer.
    unsafe { out.queue().submit(&command, &accesses, &[]) }?;
    Ok(())
}

/// The buffers of the array and the indices.
pub(super) fn reads<'a>(array: &'a Tensor, plan: &'a Plan) -> SmallVec<[(&'a Buffer, Access); 4]> {
    let indices = plan.guides.iter().map(|guide| (guide.indices.buffer(), Access::Read));
    std::iter::once((array.buffer(), Access::Read)).chain(indices).collect()
}

/// The operands of a gather or scatter between an array and elements elsewhere.
pub(super) fn command(
    array: &Tensor,
    plan: &Plan,
    verdicts: Option<&Verdicts>,
    elements: Address,
    strides: &[isize],
) -> Box<Indexed> {
    let mut own = plan.strides.clone();
    let mut strides = Strides::from_slice(strides);
    let mut guides: SmallVec<[Strides; 2]> = plan.guides.iter().map(|guide| guide.strides.clone()).collect();
    let mut all: SmallVec<[&mut Strides; 4]> = SmallVec::new();
    all.push(&mut own);
    all.push(&mut strides);
    all.extend(guides.iter_mut());
    let shape = merge(&plan.shape, &mut all);
    drop(all);
    let width = array.dtype().size();
    let first = array.buffer().address().offset(plan.offset.wrapping_mul(width as isize));
    let indices = plan.guides.iter().zip(guides).enumerate().map(|(n, (guide, strides))| IndexOperand {
        indices: Strided { address: guide.indices.address(), strides },
        dtype: guide.indices.dtype(),
        length: guide.length,
        step: guide.step,
        mode: guide.mode,
        verdict: verdicts.filter(|_| guide.doubtful).map(|verdicts| verdicts.address(n)),
    });
    Box::new(Indexed {
        shape,
        width,
        array: Strided { address: first, strides: own },
        elements: Strided { address: elements, strides },
        indices: indices.collect(),
    })
}
