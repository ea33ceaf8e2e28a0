//! What a block of four words comes to in each distribution.
//!
//! Bodies are straight lines, so that loops around them vectorise, and use every bit that they can: a block makes four
//! elements of 32 bits, or two of 64.

use situ_types::Scalar;

use super::Stream;
use crate::scalar::math;
use crate::scalar::math::{sine_cosine_f64, sine_f32};

/// A distribution.
pub trait Draw: Copy + Send + Sync {
    /// An element.
    type Element: Copy + Send + Sync;
    /// The elements that a block of words makes.
    type Elements: Copy + AsRef<[Self::Element]> + AsMut<[Self::Element]>;

    /// The elements of a block.
    fn draw(self, words: [u32; 4]) -> Self::Elements;

    /// Whether an element of a block has to be drawn again.
    #[inline(always)]
    fn rejects(self, _words: [u32; 4], _lane: usize) -> bool {
        false
    }

    /// Element `i` of a stream.
    #[inline]
    fn element(self, stream: Stream, i: u64) -> Self::Element {
        let of_block = (16 / size_of::<Self::Element>()) as u64;
        let (block, lane) = (i / of_block, (i % of_block) as usize);
        let mut attempt = 0;
        loop {
            let words = stream.block(block, attempt);
            if !self.rejects(words, lane) {
                return self.draw(words).as_ref()[lane];
            }
            attempt += 1;
        }
    }

    /// An element with its dtype.
    fn scalar(element: Self::Element) -> Scalar;
}

/// Words as they are.
#[derive(Clone, Copy, Debug)]
pub struct Bits32;

/// Two words each, the lower first.
#[derive(Clone, Copy, Debug)]
pub struct Bits64;

/// 24 bits behind the point.
#[derive(Clone, Copy, Debug)]
pub struct Uniform32;

/// 53 bits behind the point.
#[derive(Clone, Copy, Debug)]
pub struct Uniform64;

/// By the method of Box and Muller.
#[derive(Clone, Copy, Debug)]
pub struct Normal32;

/// By the method of Box and Muller.
#[derive(Clone, Copy, Debug)]
pub struct Normal64;

/// Logarithms of uniform numbers.
#[derive(Clone, Copy, Debug)]
pub struct Exponential32;

/// Logarithms of uniform numbers.
#[derive(Clone, Copy, Debug)]
pub struct Exponential64;

/// By Lemire's method: the upper half of a word's product with the count. A word whose lower half is one of the few that
/// would make some integers more likely than others is rejected.
#[derive(Clone, Copy, Debug)]
pub struct Below32 {
    low: u32,
    count: u32,
    /// How many lower halves are rejected.
    surplus: u32,
}

/// The same for two words.
#[derive(Clone, Copy, Debug)]
pub struct Below64 {
    low: u64,
    count: u64,
    surplus: u64,
}

impl Below32 {
    /// `count` integers from `low` on; a count of 0 is taken for 1.
    pub fn new(low: u32, count: u32) -> Below32 {
        let count = count.max(1);
        Below32 { low, count, surplus: count.wrapping_neg() % count }
    }
}

impl Below64 {
    /// `count` integers from `low` on; a count of 0 is taken for 1.
    pub fn new(low: u64, count: u64) -> Below64 {
        let count = count.max(1);
        Below64 { low, count, surplus: count.wrapping_neg() % count }
    }
}

/// Words as two 64-bit integers.
#[inline(always)]
fn pairs([a, b, c, d]: [u32; 4]) -> [u64; 2] {
    [u64::from(b) << 32 | u64::from(a), u64::from(d) << 32 | u64::from(c)]
}

/// A number in [2⁻³³, 1], with more digits the smaller it is.
#[inline(always)]
fn open_f32(word: u32) -> f32 {
    const STEP: f32 = 1.0 / 4_294_967_296.0;
    (word as f32).mul_add(STEP, 0.5 * STEP)
}

/// One of 2⁵² numbers, evenly spaced in the interval from 0 to 1, without its ends. Bits are put behind the point, because
/// not every processor converts 64-bit integers.
#[inline(always)]
fn open_f64(word: u64) -> f64 {
    one_and(word) - (1.0 - 0.5 * f64::EPSILON)
}

/// A number in [1, 2) with the upper 52 bits of a word behind the point.
#[inline(always)]
fn one_and(word: u64) -> f64 {
    f64::from_bits(1.0_f64.to_bits() | word >> 12)
}

/// Two independent normal numbers: a point in a random direction, at a random distance.
///
/// The direction is one in the right half of the circle, turned round or not. The cosine is the sine of what is left to a
/// right angle.
#[inline(always)]
fn normal_f32(distance: u32, direction: u32) -> [f32; 2] {
    let radius = (-2.0 * math::f32::log_usual(open_f32(distance))).sqrt();
    let half_turns = f32::from_bits(1.0_f32.to_bits() | direction << 1 >> 9) - 1.5;
    let sine = sine_f32(half_turns * std::f32::consts::PI, 0.0);
    let cosine = sine_f32((0.5 - half_turns.abs()) * std::f32::consts::PI, 0.0);
    let radius = f32::from_bits(radius.to_bits() ^ direction & 1 << 31);
    [radius * cosine, radius * sine]
}

/// The same in double precision, where the direction is one in the right quarter, or its mirror image in the upper one,
/// turned round or not.
#[inline(always)]
fn normal_f64(distance: u64, direction: u64) -> [f64; 2] {
    let radius = (-2.0 * math::f64::log_usual(open_f64(distance))).sqrt();
    let quarter_turns = one_and(direction << 2) - 1.5;
    let (sine, cosine) = sine_cosine_f64(quarter_turns * std::f64::consts::FRAC_PI_2, 0.0);
    let is_mirrored = direction & 1 << 62 != 0;
    let radius = f64::from_bits(radius.to_bits() ^ direction & 1 << 63);
    let (x, y) = if is_mirrored { (sine, cosine) } else { (cosine, sine) };
    [radius * x, radius * y]
}

// Written out, because `map` is not always inlined, and is then compiled for the least instruction set.
macro_rules! each_of_four {
    ($words:expr, |$word:ident| $element:expr) => {{
        let [a, b, c, d] = $words;
        [
            {
                let $word = a;
                $element
            },
            {
                let $word = b;
                $element
            },
            {
                let $word = c;
                $element
            },
            {
                let $word = d;
                $element
            },
        ]
    }};
}

macro_rules! each_of_two {
    ($words:expr, |$word:ident| $element:expr) => {{
        let [a, b] = pairs($words);
        [
            {
                let $word = a;
                $element
            },
            {
                let $word = b;
                $element
            },
        ]
    }};
}

macro_rules! draws {
    ($($name:ident, $type:ty, $variant:ident, |$words:ident| $elements:expr;)*) => {$(
        impl Draw for $name {
            type Element = $type;
            type Elements = [$type; 16 / size_of::<$type>()];

            #[inline(always)]
            fn draw(self, $words: [u32; 4]) -> Self::Elements {
                $elements
            }

            fn scalar(element: $type) -> Scalar {
                Scalar::$variant(element)
            }
        }
    )*};
}

draws! {
    Bits32, u32, U32, |words| words;
    Bits64, u64, U64, |words| pairs(words);
    Uniform32, f32, F32, |words| each_of_four!(words, |word| (word >> 8) as f32 * (1.0 / 16_777_216.0));
    Uniform64, f64, F64, |words| each_of_two!(words, |word| (word >> 11) as f64 * (0.5 * f64::EPSILON));
    Exponential32, f32, F32, |words| each_of_four!(words, |word| 0.0 - math::f32::log_usual(open_f32(word)));
    Exponential64, f64, F64, |words| each_of_two!(words, |word| 0.0 - math::f64::log_usual(open_f64(word)));
    Normal32, f32, F32, |words| {
        let [a, b, c, d] = words;
        let ([x, y], [z, w]) = (normal_f32(a, b), normal_f32(c, d));
        [x, y, z, w]
    };
    Normal64, f64, F64, |words| {
        let [distance, direction] = pairs(words);
        normal_f64(distance, direction)
    };
}

impl Draw for Below32 {
    type Element = u32;
    type Elements = [u32; 4];

    #[inline(always)]
    fn draw(self, words: [u32; 4]) -> [u32; 4] {
        each_of_four!(words, |word| self.low.wrapping_add(((u64::from(word) * u64::from(self.count)) >> 32) as u32))
    }

    #[inline(always)]
    fn rejects(self, words: [u32; 4], lane: usize) -> bool {
        words[lane].wrapping_mul(self.count) < self.surplus
    }

    fn scalar(element: u32) -> Scalar {
        Scalar::U32(element)
    }
}

impl Draw for Below64 {
    type Element = u64;
    type Elements = [u64; 2];

    #[inline(always)]
    fn draw(self, words: [u32; 4]) -> [u64; 2] {
        each_of_two!(words, |word| self.low.wrapping_add(((u128::from(word) * u128::from(self.count)) >> 64) as u64))
    }

    #[inline(always)]
    fn rejects(self, words: [u32; 4], lane: usize) -> bool {
        pairs(words)[lane].wrapping_mul(self.count) < self.surplus
    }

    fn scalar(element: u64) -> Scalar {
        Scalar::U64(element)
    }
}
