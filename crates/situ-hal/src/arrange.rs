//! Commands that arrange elements anew: joined arrays and repeated elements.

use situ_types::Dims;

use crate::{Address, Elementwise, Strided};

/// Arrays copied to places of their own, all by one command: what joining arrays comes to, and rolling one.
///
/// Each piece is an elementwise command of one input and one output, both in memory, and its program a copy or a
/// conversion. The outputs have one dtype. No piece writes where another one reads or writes.
#[derive(Clone, Debug)]
pub struct Join {
    /// The pieces, in any order.
    pub pieces: Vec<Elementwise>,
}

/// Elements of an array, each several times, one after another along one axis.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// The iteration space: the array's axes, the repeated one last and not empty.
    pub shape: Dims,
    /// Bytes per element: 1, 2, 4, 8 or 16.
    pub width: usize,
    /// The array.
    pub source: Strided,
    /// Where elements go; along the last axis, from one repetition to the next.
    pub target: Strided,
    /// How many times.
    pub times: Times,
}

/// How often elements are repeated along an axis.
#[derive(Clone, Copy, Debug)]
pub enum Times {
    /// All of them so many times; not 0.
    Every(usize),
    /// What lies at position `i` of the axis goes to the positions of the target from `ends[i - 1]`, or 0, up to `ends[i]`.
    ///
    /// Ends ascend from 0 or more to the total. Where they do not, because somebody changed the counts meanwhile, elements
    /// are undefined, but no command ever leaves its memory.
    Each {
        /// An int64 per position of the axis, one after another.
        ends: Address,
        /// How long the target's axis is.
        total: usize,
    },
}
