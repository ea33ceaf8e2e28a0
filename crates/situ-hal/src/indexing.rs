//! Commands that move elements by index or by mask. They know widths, not dtypes.
//!
//! Each has an iteration space of its own, whose elements are visited in C order: where an order can be told from the
//! outcome, the outcome is that of visiting one after another. Steps count elements of the operand.

use situ_types::{DType, Dims, Strides};
use smallvec::SmallVec;

use crate::Address;

/// An operand in memory.
#[derive(Clone, Debug)]
pub struct Strided {
    /// Its first element.
    pub address: Address,
    /// Element steps, one per axis of the iteration space.
    pub strides: Strides,
}

/// What an index means that does not lie in the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexMode {
    /// Negative ones count from the end. Callers have checked that nothing lies further out, or ask for a verdict;
    /// where something does, the nearest end is meant, so that no command ever leaves its memory.
    Checked,
    /// Remainders modulo the length.
    Wrap,
    /// The nearest end; negative ones are the first element.
    Clip,
}

/// An array of integers that says where to go along one axis of another array.
#[derive(Clone, Debug)]
pub struct IndexOperand {
    /// The indices.
    pub indices: Strided,
    /// Their dtype, an integer.
    pub dtype: DType,
    /// Length of the axis they go along; not 0 unless the iteration space is empty.
    pub length: usize,
    /// Elements of the array from one position along the axis to the next.
    pub step: isize,
    /// What to do with indices outside.
    pub mode: IndexMode,
    /// Where a gather says whether an index lay outside, counted from either end, if somebody asks: as in
    /// [`IndexCheck`], with positions in the iteration space of the gather. Whoever asks has not checked before.
    pub verdict: Option<Address>,
}

/// Elements of an array, found by index, and as many elements elsewhere.
///
/// The element of the array that belongs to a point of the iteration space is where the array's own steps lead, moved
/// along each indexed axis as the index at that point says. The two operands do not overlap, nor do the indices overlap
/// what is written.
#[derive(Clone, Debug)]
pub struct Indexed {
    /// The iteration space.
    pub shape: Dims,
    /// Bytes per element: 1, 2, 4, 8 or 16.
    pub width: usize,
    /// The array that is indexed.
    pub array: Strided,
    /// The elements that are read or written one after another.
    pub elements: Strided,
    /// One operand per indexed axis.
    pub indices: SmallVec<[IndexOperand; 2]>,
}

/// The question whether every index lies in its axis, counted from either end.
#[derive(Clone, Debug)]
pub struct IndexCheck {
    /// The iteration space.
    pub shape: Dims,
    /// The indices.
    pub indices: Strided,
    /// Their dtype, an integer.
    pub dtype: DType,
    /// Length of the axis.
    pub length: usize,
    /// Where the answer goes, as two int64: the position in C order of the first index that lies outside, or -1, and
    /// that index.
    pub verdict: Address,
}

/// The question how many bytes of a mask are not 0.
#[derive(Clone, Debug)]
pub struct MaskCount {
    /// The iteration space.
    pub shape: Dims,
    /// One byte each.
    pub mask: Strided,
    /// Where the answer goes, as an int64.
    pub count: Address,
}

/// What is kept where a mask is true.
#[derive(Clone, Debug)]
pub enum Taken {
    /// The elements of an array.
    Elements {
        /// The array.
        array: Strided,
        /// Bytes per element: 1, 2, 4, 8 or 16.
        width: usize,
    },
    /// The position itself, as one run of int64 per axis of this shape, which has as many elements as the iteration
    /// space. The runs are as long as the command's capacity and follow each other.
    Coordinates(Dims),
}

/// What lies where a mask is true, side by side.
#[derive(Clone, Debug)]
pub struct MaskSelect {
    /// The iteration space.
    pub shape: Dims,
    /// One byte each; what is not 0 is true.
    pub mask: Strided,
    /// What is kept.
    pub taken: Taken,
    /// Where it goes.
    pub out: Address,
    /// For how many there is room; more are not written, even if the mask has changed since it was counted.
    pub capacity: usize,
}

/// What is written where a mask is true.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// One value; the first bytes of it count.
    Immediate([u8; 16]),
    /// One after another, and again from the first after the last.
    Cycled {
        /// The first.
        address: Address,
        /// Elements from one to the next.
        stride: isize,
        /// How many; not 0.
        length: usize,
    },
}

/// Writes to the elements of an array where a mask is true. Neither mask nor values overlap the array.
#[derive(Clone, Debug)]
pub struct MaskExpand {
    /// The iteration space.
    pub shape: Dims,
    /// One byte each; what is not 0 is true.
    pub mask: Strided,
    /// What is written to.
    pub array: Strided,
    /// Bytes per element: 1, 2, 4, 8 or 16.
    pub width: usize,
    /// What is written.
    pub values: Values,
}
