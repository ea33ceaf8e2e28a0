//! What commands write to.

use situ_runtime::{Address, Counted, FreshMemory, Written};
use situ_types::layout::fmt_dims;
use situ_types::{DType, Layout, LayoutError, UsmKind};

use super::Submission;
use crate::shared_layout::shared;
use crate::{Error, Result, Tensor};

/// An array that nobody has seen yet and that a command is about to write.
#[derive(Debug)]
pub(crate) struct NewArray<'a> {
    memory: FreshMemory<'a>,
    dtype: DType,
    layout: Counted<Layout>,
}

/// Where one of the results of a command goes.
#[derive(Debug)]
pub(crate) enum Output<'a> {
    /// Into a new array.
    New(NewArray<'a>),
    /// Into an array of the caller's, which has been checked.
    Given(&'a Tensor),
}

impl<'a> Submission<'a> {
    /// Memory for a new array, whose layout starts at element 0.
    #[inline(always)]
    pub(crate) fn allocate(
        &self,
        name: &str,
        layout: Counted<Layout>,
        dtype: DType,
        kind: UsmKind,
    ) -> Result<NewArray<'a>> {
        let memory = FreshMemory::allocate(self.queue, kind, byte_count(name, &layout, dtype)?)?;
        Ok(NewArray { memory, dtype, layout })
    }

    /// The array given for a result, if it can take it, else a new one.
    pub(crate) fn output(
        &self,
        name: &str,
        given: Option<&'a Tensor>,
        layout: Layout,
        dtype: DType,
        kind: UsmKind,
    ) -> Result<Output<'a>> {
        match given {
            None => self.allocate(name, shared(layout), dtype, kind).map(Output::New),
            Some(array) => {
                refuse_unwritable(name, array)?;
                refuse_other_dtype(name, dtype, array)?;
                refuse_other_shape(name, layout.shape(), array)?;
                Ok(Output::Given(array))
            }
        }
    }
}

impl NewArray<'_> {
    /// Its first element.
    #[inline(always)]
    pub(crate) fn address(&self) -> Address {
        self.memory.address()
    }

    /// The array, once the command that writes it has been accepted.
    #[inline(always)]
    pub(super) fn written(self, written: &Written) -> Tensor {
        // SAFETY: the command was submitted to the memory's queue after the memory was allocated, and is the first to touch
        // it.
        let buffer = unsafe { self.memory.into_buffer(written) };
        Tensor::with_shared_layout(buffer, self.dtype, self.layout)
    }
}

impl Output<'_> {
    /// Its first element.
    pub(crate) fn address(&self) -> Result<Address> {
        match self {
            Output::New(new) => Ok(new.address()),
            Output::Given(array) => array.address(),
        }
    }

    /// Where its elements are, or will be.
    pub(crate) fn layout(&self) -> &Layout {
        match self {
            Output::New(new) => &new.layout,
            Output::Given(array) => array.layout(),
        }
    }

    /// The array, once the command that writes it has been accepted.
    pub(super) fn written(self, written: &Written) -> Tensor {
        match self {
            Output::New(new) => new.written(written),
            Output::Given(array) => array.clone(),
        }
    }
}

/// The bytes of a new array, whose layout starts at element 0. An empty one still has an address of its own.
#[inline(always)]
pub(crate) fn byte_count(name: &str, layout: &Layout, dtype: DType) -> Result<usize> {
    // What a result is broadcast from may fit in an `isize` where the result does not.
    let elements = if layout.is_fresh() { Some(layout.size()) } else { reach(layout) };
    let bytes = elements.and_then(|elements| elements.max(1).checked_mul(dtype.size()));
    bytes.filter(|&bytes| bytes <= isize::MAX as usize).ok_or_else(|| too_large(name, layout.shape()))
}

#[inline(never)]
fn reach(layout: &Layout) -> Option<usize> {
    layout.bounds().filter(|(low, _)| *low >= 0).map(|(_, high)| high as usize)
}

#[cold]
fn too_large(name: &str, shape: &[usize]) -> Error {
    Error::layout(name)(LayoutError::TooLarge { shape: shape.into() })
}

/// An error if an array cannot be written to as a whole.
#[inline(always)]
pub(crate) fn refuse_unwritable(name: &str, array: &Tensor) -> Result<()> {
    refuse_read_only(name, array)?;
    refuse_shared(name, array)
}

/// An error if an array is read-only.
#[inline(always)]
pub(crate) fn refuse_read_only(name: &str, array: &Tensor) -> Result<()> {
    if array.is_writable() { Ok(()) } else { Err(unwritable(name, "is read-only")) }
}

/// An error if elements of an array share memory: the outcome would depend on the order of writing.
#[inline(always)]
pub(crate) fn refuse_shared(name: &str, array: &Tensor) -> Result<()> {
    if array.layout().has_distinct_elements() {
        return Ok(());
    }
    Err(unwritable(name, "is broadcast or overlaps itself, so that its elements share memory"))
}

#[cold]
fn unwritable(name: &str, why: &str) -> Error {
    Error::Value(format!("{name}: the array to write to {why}; write to a copy of it"))
}

/// An error if an array given for a result has another dtype.
#[inline(always)]
pub(crate) fn refuse_other_dtype(name: &str, dtype: DType, out: &Tensor) -> Result<()> {
    if out.dtype() == dtype { Ok(()) } else { Err(other_dtype(name, dtype, out.dtype())) }
}

#[cold]
fn other_dtype(name: &str, result: DType, out: DType) -> Error {
    Error::Value(format!(
        "Output array of type {out} cannot take the result of {name}: one of type {result} is needed, or operands that \
         astype has converted first"
    ))
}

/// An error if an array given for a result has another shape.
pub(crate) fn refuse_other_shape(name: &str, shape: &[usize], out: &Tensor) -> Result<()> {
    if out.shape() == shape {
        return Ok(());
    }
    let (result, given) = (fmt_dims(shape), fmt_dims(out.shape()));
    Err(Error::Value(format!("{name}: the result has shape {result}, but the output array has shape {given}")))
}
