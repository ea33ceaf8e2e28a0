//! Keys as Rust writes them: integers, ranges, arrays, and tuples of those.

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo};

use smallvec::SmallVec;

use super::key::{Item, Slice};
use crate::{Arg, Result, Tensor};

impl Slice {
    /// The same range with another step, which may be negative: `Slice::ALL.by(-1)` is an axis turned round.
    ///
    /// ```
    /// use situ_tensor::{Slice, Tensor};
    /// let x = Tensor::arange(6)?;
    /// assert_eq!(x.slice(Slice::from(1..).by(2))?.to_string(), "[1 3 5]");
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn by(self, step: isize) -> Slice {
        Slice { step, ..self }
    }
}

macro_rules! positions {
    ($($type:ty)*) => {$(
        impl From<$type> for Item<'_> {
            fn from(index: $type) -> Self {
                Item::Int(index as isize)
            }
        }
        impl From<Range<$type>> for Slice {
            fn from(range: Range<$type>) -> Slice {
                Slice { start: Some(range.start as isize), stop: Some(range.end as isize), step: 1 }
            }
        }
        impl From<RangeFrom<$type>> for Slice {
            fn from(range: RangeFrom<$type>) -> Slice {
                Slice { start: Some(range.start as isize), ..Slice::ALL }
            }
        }
        impl From<RangeTo<$type>> for Slice {
            fn from(range: RangeTo<$type>) -> Slice {
                Slice { stop: Some(range.end as isize), ..Slice::ALL }
            }
        }
        impl From<RangeInclusive<$type>> for Slice {
            fn from(range: RangeInclusive<$type>) -> Slice {
                // The end of an axis, which -1 is the last position of, has no number.
                let stop = Some(*range.end() as isize + 1).filter(|stop| *stop != 0);
                Slice { start: Some(*range.start() as isize), stop, step: 1 }
            }
        }
        positions! { @items Range<$type>, RangeFrom<$type>, RangeTo<$type>, RangeInclusive<$type> }
    )*};
    (@items $($range:ty),*) => {$(
        impl From<$range> for Item<'_> {
            fn from(range: $range) -> Self {
                Item::Slice(range.into())
            }
        }
    )*};
}
positions! { i32 isize usize }

impl From<RangeFull> for Slice {
    fn from(_: RangeFull) -> Slice {
        Slice::ALL
    }
}

impl From<RangeFull> for Item<'_> {
    fn from(_: RangeFull) -> Self {
        Item::Slice(Slice::ALL)
    }
}

impl From<Slice> for Item<'_> {
    fn from(slice: Slice) -> Self {
        Item::Slice(slice)
    }
}

impl<'a> From<&'a Tensor> for Item<'a> {
    fn from(array: &'a Tensor) -> Item<'a> {
        Item::Array(array)
    }
}

/// What selects elements of an array: an integer, a range, a [`Slice`], an array of indices or a mask, any [`Item`], or
/// a tuple of those, one for each axis from the first on.
pub trait Key<'a> {
    /// The parts of the key.
    fn items(self) -> SmallVec<[Item<'a>; 4]>;
}

impl<'a, T: Into<Item<'a>>> Key<'a> for T {
    fn items(self) -> SmallVec<[Item<'a>; 4]> {
        SmallVec::from_iter([self.into()])
    }
}

macro_rules! tuples {
    ($(($($part:ident)*))*) => {$(
        impl<'a, $($part: Into<Item<'a>>),*> Key<'a> for ($($part,)*) {
            #[allow(non_snake_case, reason = "each part goes by the name of its type")]
            fn items(self) -> SmallVec<[Item<'a>; 4]> {
                let ($($part,)*) = self;
                SmallVec::from_iter([$($part.into()),*])
            }
        }
    )*};
}
tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) }

impl Tensor {
    /// The elements that a key selects: a view where it has no arrays, else a copy.
    ///
    /// ```
    /// use situ_tensor::{Item, Slice, Tensor};
    /// let x = Tensor::arange(12)?.reshaped(&[3, 4])?.unwrap();
    /// assert_eq!(x.slice(1)?.to_string(), "[4 5 6 7]");
    /// assert_eq!(x.slice((.., 1..3))?.to_string(), "[[ 1  2]\n [ 5  6]\n [ 9 10]]");
    /// assert_eq!(x.slice((Item::Ellipsis, -1))?.to_string(), "[ 3  7 11]");
    /// assert_eq!(x.slice((0, Slice::ALL.by(-1)))?.to_string(), "[3 2 1 0]");
    /// assert_eq!(x.slice(&x.greater(8)?)?.to_string(), "[ 9 10 11]");
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn slice<'a>(&self, key: impl Key<'a>) -> Result<Tensor> {
        self.index(&key.items())
    }

    /// Writes a number, or an array that is broadcast, to the elements that a key selects.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// let x = Tensor::arange(5)?;
    /// x.assign_to(1..3, 0)?;
    /// x.assign_to(&x.greater(3)?, -1)?;
    /// assert_eq!(x.to_string(), "[ 0  0  0  3 -1]");
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn assign_to<'a, 'b>(&self, key: impl Key<'a>, value: impl Into<Arg<'b>>) -> Result<()> {
        self.set_index(&key.items(), value.into())
    }
}
