//! What a key consists of.

use situ_types::{DType, DTypeKind, Order, Scalar};

use crate::submit::may_overlap;
use crate::{Error, Result, Tensor};

/// A range of positions along an axis, as Python writes it.
///
/// ```
/// use situ_tensor::Slice;
/// // x[-3::2] of five elements
/// assert_eq!(Slice { start: Some(-3), stop: None, step: 2 }.over(5), (2, 2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Where it begins; negative positions count from the end.
    pub start: Option<isize>,
    /// Where it has ended.
    pub stop: Option<isize>,
    /// From one position to the next; not 0.
    pub step: isize,
}

impl Slice {
    /// The whole axis.
    pub const ALL: Slice = Slice { start: None, stop: None, step: 1 };

    /// The first position in an axis of that length, and how many there are.
    pub fn over(self, length: usize) -> (isize, usize) {
        let length = length as isize;
        let (low, high) = if self.step > 0 { (0, length) } else { (-1, length - 1) };
        let place = |given: Option<isize>, default: isize| match given {
            None => default,
            Some(at) if at < 0 => (at + length).max(low),
            Some(at) => at.min(high),
        };
        let (first, last) = if self.step > 0 { (low, high) } else { (high, low) };
        let (start, stop) = (place(self.start, first), place(self.stop, last));
        let distance = if self.step > 0 { stop - start } else { start - stop };
        let count = if distance <= 0 { 0 } else { (distance as usize - 1) / self.step.unsigned_abs() + 1 };
        (start, count)
    }
}

/// A part of a key.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    /// One position along an axis, which goes away; a negative one counts from the end.
    Int(isize),
    /// Some positions along an axis.
    Slice(Slice),
    /// As many whole axes as the other parts leave.
    Ellipsis,
    /// A new axis of length 1.
    NewAxis,
    /// A mask without axes: an axis of length 1 or 0.
    Bool(bool),
    /// Positions along an axis, or a mask over one or more.
    Array(&'a Tensor),
}

impl<'a> Item<'a> {
    /// The item, with an array that has no axes replaced by its element.
    pub(super) fn settled(self) -> Result<Item<'a>> {
        let Item::Array(array) = self else { return Ok(self) };
        if !matches!(array.dtype().kind(), DTypeKind::Bool | DTypeKind::Integer) {
            return Err(Error::Index(format!(
                "an array used as an index must have an integer or boolean dtype, not {}",
                array.dtype()
            )));
        }
        if array.layout().ndim() > 0 {
            return Ok(self);
        }
        let value = array.item(&[])?;
        match value {
            Scalar::Bool(value) => Ok(Item::Bool(value)),
            _ => integer(value).map(Item::Int),
        }
    }

    /// A copy of its array, if that may share memory with another.
    pub(super) fn copied_if_within(&self, other: &Tensor) -> Result<Option<Tensor>> {
        match self {
            Item::Array(array) if may_overlap(array, other)? => array.copy(Order::K).map(Some),
            _ => Ok(None),
        }
    }

    /// How many axes of the array it is about.
    pub(super) fn axes(&self) -> usize {
        match self {
            Item::Int(_) | Item::Slice(_) => 1,
            Item::Array(array) if array.dtype() == DType::Bool => array.layout().ndim(),
            Item::Array(_) => 1,
            Item::Ellipsis | Item::NewAxis | Item::Bool(_) => 0,
        }
    }

    /// Whether it selects by an array, so that the result is a copy.
    pub(super) fn is_advanced(&self) -> bool {
        matches!(self, Item::Array(_) | Item::Bool(_))
    }
}

fn integer(value: Scalar) -> Result<isize> {
    let too_large = |value: u64| Error::Index(format!("index {value} is too large for any axis"));
    Ok(match value {
        Scalar::I8(v) => v.into(),
        Scalar::I16(v) => v.into(),
        Scalar::I32(v) => v as isize,
        Scalar::I64(v) => v as isize,
        Scalar::U8(v) => v.into(),
        Scalar::U16(v) => v as isize,
        Scalar::U32(v) => v as isize,
        Scalar::U64(v) => v.try_into().map_err(|_| too_large(v))?,
        _ => return Err(Error::Index(format!("{value:?} is not an index"))),
    })
}

/// A position along an axis, counted from its beginning.
pub(super) fn position(index: isize, axis: usize, length: usize) -> Result<isize> {
    let at = if index < 0 { index + length as isize } else { index };
    if (0..length as isize).contains(&at) { Ok(at) } else { Err(out_of_bounds(index, axis, length)) }
}

pub(super) fn out_of_bounds(index: impl std::fmt::Display, axis: usize, length: usize) -> Error {
    Error::Index(format!("index {index} is out of bounds for axis {axis} with size {length}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The positions, one by one, as the language defines them.
    fn walked(slice: Slice, length: isize) -> Vec<isize> {
        let fix = |at: isize| if at < 0 { at.saturating_add(length) } else { at };
        let (low, high) = if slice.step > 0 { (0, length) } else { (-1, length - 1) };
        let start = slice.start.map_or(if slice.step > 0 { low } else { high }, |at| fix(at).clamp(low, high));
        let stop = slice.stop.map_or(if slice.step > 0 { high } else { low }, |at| fix(at).clamp(low, high));
        let mut found = Vec::new();
        let mut at = start;
        while (slice.step > 0 && at < stop) || (slice.step < 0 && at > stop) {
            found.push(at);
            at = at.saturating_add(slice.step);
        }
        found
    }

    #[test]
    fn slices_find_what_walking_finds() {
        let ends = [None, Some(0), Some(1), Some(3), Some(9), Some(-1), Some(-4), Some(-9), Some(isize::MAX)];
        let ends = ends.into_iter().chain([Some(isize::MIN)]);
        for length in 0..6 {
            for start in ends.clone() {
                for stop in ends.clone() {
                    for step in [1, 2, 7, -1, -2, -7, isize::MAX, -isize::MAX, isize::MIN] {
                        let slice = Slice { start, stop, step };
                        let (first, count) = slice.over(length);
                        let expected = walked(slice, length as isize);
                        assert_eq!(count, expected.len(), "{slice:?} over {length}");
                        assert!(expected.first().is_none_or(|&at| at == first), "{slice:?} over {length}");
                    }
                }
            }
        }
    }
}
