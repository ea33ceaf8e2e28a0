//! Random numbers: the words of Philox4x32-10, and the distributions that backends make of them.
//!
//! A generator that counts has no state to carry along: a block of four words is a function of a key and a number, so
//! that element `i` of a [`Stream`] depends on the stream and on `i` alone, whoever computes it.
//!
//! * `draw`: what a block comes to in each [`Distribution`].

mod draw;
#[cfg(test)]
mod tests;

use situ_types::{DType, Scalar};

pub use draw::{Below32, Below64, Bits32, Bits64, Draw};
pub use draw::{Exponential32, Exponential64, Normal32, Normal64, Uniform32, Uniform64};

/// What the first and the third word are multiplied by.
const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
/// What is added to the key after each round.
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, 2011).
#[inline(always)]
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let ([mut a, mut b, mut c, mut d], [mut first, mut second]) = (counter, key);
    for _ in 0..ROUNDS {
        let left = u64::from(a) * u64::from(MULTIPLIERS[0]);
        let right = u64::from(c) * u64::from(MULTIPLIERS[1]);
        (a, b) = ((right >> 32) as u32 ^ b ^ first, right as u32);
        (c, d) = ((left >> 32) as u32 ^ d ^ second, left as u32);
        first = first.wrapping_add(WEYL[0]);
        second = second.wrapping_add(WEYL[1]);
    }
    [a, b, c, d]
}

/// A sequence of blocks: those of one key, from a number on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream {
    /// Which sequence.
    pub key: u64,
    /// The number of its first block.
    pub counter: u128,
}

impl Stream {
    /// The `n`-th block. Elements that reject a block take their next from a higher attempt, 2⁹⁶ blocks on.
    #[inline(always)]
    pub fn block(self, n: u64, attempt: u32) -> [u32; 4] {
        let number = self.counter.wrapping_add(u128::from(n)).wrapping_add(u128::from(attempt) << 96);
        let word = |n: u32| (number >> (32 * n)) as u32;
        philox([word(0), word(1), word(2), word(3)], [self.key as u32, (self.key >> 32) as u32])
    }

    /// The same stream so many blocks later.
    pub fn after(self, blocks: u128) -> Stream {
        Stream { counter: self.counter.wrapping_add(blocks), ..self }
    }

    /// The key of another stream, unrelated to this stream's blocks: one for each number, of which two are equal by chance once in
    /// some billions of children.
    ///
    /// It is made of blocks that a stream reaches after 2⁶⁴ - 2³² jumps of 2⁶⁴ blocks.
    pub fn child_key(self, number: u64) -> u64 {
        let origin = Stream { key: self.key, counter: u128::MAX << 96 };
        let [low, high, ..] = origin.block(number, 0);
        u64::from(high) << 32 | u64::from(low)
    }
}

/// What elements of an array are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Distribution {
    /// Any uint32.
    Bits32,
    /// Any uint64.
    Bits64,
    /// float32 numbers in [0, 1), multiples of 2⁻²⁴.
    Uniform32,
    /// float64 numbers in [0, 1), multiples of 2⁻⁵³.
    Uniform64,
    /// float32 numbers of mean 0 and variance 1.
    Normal32,
    /// float64 numbers of mean 0 and variance 1.
    Normal64,
    /// float32 numbers of mean 1, the more of them the smaller.
    Exponential32,
    /// float64 numbers of mean 1, the more of them the smaller.
    Exponential64,
    /// `count` integers from `low` on, all as likely, as uint32; sums wrap. There is at least one.
    Below32 {
        /// The first.
        low: u32,
        /// How many.
        count: u32,
    },
    /// The same as uint64.
    Below64 {
        /// The first.
        low: u64,
        /// How many.
        count: u64,
    },
}

/// Something to be done with a distribution, whose type is then known.
pub trait Visitor {
    /// What comes of it.
    type Result;

    /// Does it.
    fn visit<D: Draw>(self, draw: D) -> Self::Result;
}

impl Distribution {
    /// Does something with the distribution.
    #[inline]
    pub fn visit<V: Visitor>(self, visitor: V) -> V::Result {
        match self {
            Distribution::Bits32 => visitor.visit(Bits32),
            Distribution::Bits64 => visitor.visit(Bits64),
            Distribution::Uniform32 => visitor.visit(Uniform32),
            Distribution::Uniform64 => visitor.visit(Uniform64),
            Distribution::Normal32 => visitor.visit(Normal32),
            Distribution::Normal64 => visitor.visit(Normal64),
            Distribution::Exponential32 => visitor.visit(Exponential32),
            Distribution::Exponential64 => visitor.visit(Exponential64),
            Distribution::Below32 { low, count } => visitor.visit(Below32::new(low, count)),
            Distribution::Below64 { low, count } => visitor.visit(Below64::new(low, count)),
        }
    }

    /// The dtype of its elements.
    pub const fn dtype(self) -> DType {
        match self {
            Distribution::Bits32 | Distribution::Below32 { .. } => DType::U32,
            Distribution::Bits64 | Distribution::Below64 { .. } => DType::U64,
            Distribution::Uniform32 | Distribution::Normal32 | Distribution::Exponential32 => DType::F32,
            Distribution::Uniform64 | Distribution::Normal64 | Distribution::Exponential64 => DType::F64,
        }
    }

    /// How many elements a block of words makes.
    pub const fn elements_of_block(self) -> usize {
        16 / self.dtype().size()
    }

    /// How many blocks an array takes.
    pub const fn blocks(self, elements: usize) -> usize {
        elements.div_ceil(self.elements_of_block())
    }

    /// Element `i` of a stream: what every backend must agree with.
    pub fn element(self, stream: Stream, i: u64) -> Scalar {
        struct Element(Stream, u64);
        impl Visitor for Element {
            type Result = Scalar;

            fn visit<D: Draw>(self, draw: D) -> Scalar {
                D::scalar(draw.element(self.0, self.1))
            }
        }
        self.visit(Element(stream, i))
    }
}
