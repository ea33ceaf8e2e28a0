//! Commands that follow the order of elements, as [`situ_ir::order`] has it: sorting, searching, telling equal elements
//! apart. Steps count elements of the operand. What is read overlaps nothing that is written.

use situ_ir::order::Side;
use situ_types::{DType, Dims};

use crate::{Address, Strided};

/// Elements in their order along the last axis of a space. Elements of one key keep their order.
#[derive(Clone, Debug)]
pub struct Sort {
    /// The axes of which each position is a sequence of its own, then the one that is sorted.
    pub shape: Dims,
    /// The elements' dtype.
    pub dtype: DType,
    /// The elements, along all axes of the space.
    pub input: Strided,
    /// Whether the greatest come first.
    pub descending: bool,
    /// How many of each sequence's first are wanted: not more than it has.
    pub count: usize,
    /// Where the first elements go, if they are wanted; along the sorted axis there are `count` of them.
    pub values: Option<Strided>,
    /// Where their positions along the sorted axis go, if they are wanted, as int64.
    pub indices: Option<Strided>,
}

impl Sort {
    /// Number of elements along the axis that is sorted.
    pub fn length(&self) -> usize {
        self.shape.last().copied().unwrap_or(1)
    }

    /// Number of sequences that are sorted.
    pub fn sequences(&self) -> usize {
        self.shape[..self.shape.len().saturating_sub(1)].iter().product()
    }
}

/// What is asked about an element and sorted ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Where it belongs among them, as an int64.
    Position(Side),
    /// Whether one of them is equal to it (`true`), or none (`false`), as a truth value.
    Equal(bool),
}

/// Where elements belong in a sorted sequence.
#[derive(Clone, Debug)]
pub struct Search {
    /// The iteration space of the needles.
    pub shape: Dims,
    /// The dtype of needles and sorted elements.
    pub dtype: DType,
    /// The first of the sorted elements.
    pub sorted: Address,
    /// Elements from one of them to the next.
    pub step: isize,
    /// How many there are.
    pub length: usize,
    /// The elements that are looked for.
    pub needles: Strided,
    /// What is asked about each.
    pub question: Question,
    /// Where the answers go.
    pub out: Strided,
}

/// The question how many runs of equal elements a sorted sequence has. Where something is not a number, each is a run of
/// its own.
#[derive(Clone, Debug)]
pub struct RunCount {
    /// The elements' dtype.
    pub dtype: DType,
    /// The sorted elements, without gaps.
    pub sorted: Address,
    /// How many there are.
    pub length: usize,
    /// Where the answer goes, as an int64.
    pub count: Address,
}

/// The runs of equal elements of a sorted sequence, side by side. Nothing has gaps.
#[derive(Clone, Debug)]
pub struct RunSelect {
    /// The elements' dtype.
    pub dtype: DType,
    /// The sorted elements.
    pub sorted: Address,
    /// How many there are.
    pub length: usize,
    /// For how many runs there is room; more are not written, even if the elements have changed since they were counted.
    pub capacity: usize,
    /// Where each sorted element was before, as int64; given if `firsts` or `inverse` is wanted.
    pub positions: Option<Address>,
    /// Where the first element of each run goes.
    pub values: Option<Address>,
    /// Where the position of that element before sorting goes, as int64.
    pub firsts: Option<Address>,
    /// Where the length of each run goes, as int64.
    pub counts: Option<Address>,
    /// Where, for each element in the order before sorting, the number of its run goes, as int64.
    pub inverse: Option<Address>,
}
