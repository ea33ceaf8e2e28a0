//! `x[key] = value`.

use situ_runtime::{Command, Strided};
use situ_types::{DTypeKind, Order, Scalar, Strides};
use smallvec::SmallVec;

use super::bounds::check;
use super::key::Item;
use super::mask::MaskedValues;
use super::place::with_key;
use super::plan::{Plan, along_first, plan};
use super::read::{command, settled, whole_mask};
use super::target::stretched;
use crate::elementwise::submit;
use crate::programs::conversion;
use crate::submit::{Submission, apart_from, coincide, refuse_read_only, refuse_shared};
use crate::{Arg, Error, Result, Tensor, Weak};

/// What errors call the operation.
const ASSIGNMENT: &str = "assignment";

impl Tensor {
    /// Writes a value, broadcast and converted, to the elements that a key selects. Where a key selects an element
    /// several times, the last value in C order stays.
    ///
    /// ```
    /// use situ_tensor::{Arg, Item, Tensor, Weak};
    /// let x = Tensor::arange(4)?;
    /// x.set_index(&[Item::Int(-1)], Arg::Weak(Weak::Int(7)))?;
    /// assert_eq!(x.to_vec::<i64>()?, [0, 1, 2, 7]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn set_index(&self, items: &[Item<'_>], value: Arg<'_>) -> Result<()> {
        refuse_read_only(ASSIGNMENT, self)?;
        if let Arg::Array(value) = value {
            with_key(self, items, Some(value))?;
        }
        if let [item] = *items
            && let Some(view) = along_first(self, item)
        {
            return view?.overwrite(value);
        }
        if matches!(value, Arg::Weak(_)) {
            with_key(self, items, None)?;
        }
        // Indices that change while they are used would be read too late.
        let copies = items.iter().map(|item| item.copied_if_within(self)).collect::<Result<SmallVec<[_; 4]>>>()?;
        let apart = items.iter().zip(&copies).map(|(item, copy)| copy.as_ref().map_or(*item, Item::Array));
        let items = settled(&apart.collect::<SmallVec<[Item<'_>; 4]>>())?;
        if let Some(mask) = whole_mask(self, &items) {
            refuse_shared(ASSIGNMENT, self)?;
            return self.overwrite_where(mask, value);
        }
        let plan = plan(self, &items)?;
        if !plan.is_copy {
            return plan.view_of(self)?.overwrite(value);
        }
        refuse_shared(ASSIGNMENT, self)?;
        check(&plan.indexed_axes, self.queue())?;
        match value {
            Arg::Array(value) => scatter(ASSIGNMENT, self, &plan, value),
            Arg::Weak(value) => scatter(ASSIGNMENT, self, &plan, &single(value, self)?),
        }
    }

    /// Writes a value to every element.
    pub(super) fn overwrite(&self, value: Arg<'_>) -> Result<()> {
        refuse_shared(ASSIGNMENT, self)?;
        match value {
            Arg::Weak(number) => {
                let (element, size) = (to_element(number, self)?, self.dtype().size());
                if !self.layout().is_c_contiguous() && !self.layout().is_f_contiguous() {
                    return submit(conversion(self.dtype(), self.dtype()), &[value], self);
                }
                let first = self.layout().offset() as usize * size;
                self.queue().fill(self.contents()?, first, &element.to_bytes()[..size], self.size(), &[])?;
                Ok(())
            }
            Arg::Array(value) => {
                let value = stretched(ASSIGNMENT, value, self.shape())?;
                // What `x[key] += y` ends with: the value is already where it goes.
                if self.size() == 0 || coincide(self, &value)? {
                    return Ok(());
                }
                let value = apart_from(value, self)?;
                submit(conversion(value.dtype(), self.dtype()), &[Arg::Array(&value)], self)
            }
        }
    }

    fn overwrite_where(&self, mask: &Tensor, value: Arg<'_>) -> Result<()> {
        let value = match value {
            Arg::Weak(value) => {
                return self.expand(mask, MaskedValues::One(to_element(value, self)?));
            }
            Arg::Array(value) => value,
        };
        let count = if value.size() == 1 { 1 } else { mask.count_true()? };
        self.expand_from(mask, &stretched(ASSIGNMENT, value, &[count])?)
    }

    /// Writes values along one axis, one after another and again from the first, to where a mask that is apart from the
    /// array is true.
    pub(super) fn expand_from(&self, mask: &Tensor, values: &Tensor) -> Result<()> {
        if values.size() == 0 {
            return Ok(());
        }
        let values = apart_from(values.in_dtype_of(self)?, self)?;
        self.expand(mask, MaskedValues::Cycled(&values))
    }

    /// The array in another one's dtype.
    fn in_dtype_of(&self, like: &Tensor) -> Result<Tensor> {
        if self.dtype() == like.dtype() { Ok(self.clone()) } else { self.astype(like.dtype(), Order::K) }
    }
}

/// A number as an element of an array.
pub(super) fn to_element(value: Weak, array: &Tensor) -> Result<Scalar> {
    let (dtype, kind) = (array.dtype(), array.dtype().kind());
    match value {
        Weak::Complex(_) if matches!(kind, DTypeKind::Integer | DTypeKind::Float) => Err(Error::Type(format!(
            "{ASSIGNMENT}: the complex number {value} is not an element of an array of dtype {dtype}; assign its real part"
        ))),
        Weak::Float(number) if kind == DTypeKind::Integer && number.is_nan() => {
            Err(Error::Value(format!("{ASSIGNMENT}: NaN is not an element of an array of dtype {dtype}")))
        }
        _ => value.to_scalar(dtype),
    }
}

/// An array of one number, of another array's dtype and in its place.
pub(super) fn single(value: Weak, like: &Tensor) -> Result<Tensor> {
    Tensor::full(&[], to_element(value, like)?, Order::C, like.kind(), like.queue())
}

/// Writes a value, broadcast and converted, to the elements of a plan whose indices have been checked and share no
/// memory with the array.
pub(super) fn scatter(operation: &str, array: &Tensor, plan: &Plan, value: &Tensor) -> Result<()> {
    // Whether it fits is asked before anything is copied.
    stretched(operation, value, &plan.shape)?;
    if plan.shape.contains(&0) {
        return Ok(());
    }
    let value = stretched(operation, &apart_from(value.in_dtype_of(array)?, array)?, &plan.shape)?;
    let mut work = Submission::on(array.queue());
    let target = work.update(array)?;
    let elements = Strided { address: work.read(&value)?, strides: Strides::from_slice(value.layout().strides()) };
    let command = Command::Scatter(command(&mut work, array, target, plan, elements, None)?);
    work.run(&command)
}
