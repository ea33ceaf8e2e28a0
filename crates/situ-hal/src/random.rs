//! Random numbers.

use situ_ir::random::{Distribution, Stream};

use crate::Address;

/// Memory filled with random numbers: element `i` is the one that [`Distribution::element`] gives.
#[derive(Clone, Debug)]
pub struct Random {
    /// Where the first element goes; the others follow one after another.
    pub out: Address,
    /// How many there are.
    pub count: usize,
    /// Where the words come from.
    pub stream: Stream,
    /// What is made of them.
    pub distribution: Distribution,
}
