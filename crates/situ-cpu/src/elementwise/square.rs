//! Squares of elements turned in registers: rows become columns at the price of a few shuffles per vector.

use super::strided::Block;

/// How squares of elements of one width are turned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Square {
    /// Rows and columns.
    pub(super) side: usize,
    /// Copies `high` times `wide` squares of a block, whose elements step by their width from row to row in the second
    /// block and from column to column in the first.
    pub(super) turn: unsafe fn(to: Block, from: Block, high: usize, wide: usize),
}

/// The squares of an instruction set, by the logarithm of the width; elements as wide as a vector have none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Squares([Option<Square>; 5]);

impl Squares {
    /// For elements of a width.
    pub(super) const fn of(self, width: usize) -> Option<Square> {
        self.0[width.ilog2() as usize]
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Squares {
    pub(super) const BASELINE: Squares = Squares([None; 5]);
}

#[cfg(target_arch = "x86_64")]
impl Squares {
    pub(super) const BASELINE: Squares = Squares([
        Some(Square { side: 8, turn: x86::bytes }),
        Some(Square { side: 8, turn: x86::pairs }),
        Some(Square { side: 4, turn: x86::words }),
        Some(Square { side: 2, turn: x86::longs }),
        None,
    ]);
    pub(super) const AVX2: Squares = Squares([
        Self::BASELINE.0[0],
        Self::BASELINE.0[1],
        Some(Square { side: 8, turn: x86::words_avx2 }),
        Some(Square { side: 4, turn: x86::longs_avx2 }),
        None,
    ]);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::Block;

    /// A function that turns squares: the line at `$at(k)` holds column `k` of one, the place `$out(k)` is for its row
    /// `k`.
    macro_rules! turn {
        ($(#[$attribute:meta])* $name:ident, $features:literal, $side:literal, |$at:ident, $out:ident| $body:block) => {
            $(#[$attribute])*
            #[target_feature(enable = $features)]
            pub(super) unsafe fn $name(to: Block, from: Block, high: usize, wide: usize) {
                for j in 0..wide {
                    for i in 0..high {
                        let (to, from) = (to.from($side * i, $side * j), from.from($side * i, $side * j));
                        let $at = |k: usize| from.start.wrapping_offset(k as isize * from.column).cast_const();
                        let $out = |k: usize| to.start.wrapping_offset(k as isize * to.row);
                        // SAFETY: the square lies inside the blocks that the caller vouches for, its columns side by
                        // side in one and its rows in the other.
                        unsafe { $body }
                    }
                }
            }
        };
    }

    turn! {
        /// Eight by eight bytes.
        bytes, "sse2", 8, |at, out| {
            let line = |k: usize| _mm_loadl_epi64(at(k).cast());
            let pairs = |k: usize| _mm_unpacklo_epi8(line(k), line(k + 1));
            let (a, b, c, d) = (pairs(0), pairs(2), pairs(4), pairs(6));
            let (ab_low, ab_high) = (_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b));
            let (cd_low, cd_high) = (_mm_unpacklo_epi16(c, d), _mm_unpackhi_epi16(c, d));
            let rows = [
                _mm_unpacklo_epi32(ab_low, cd_low),
                _mm_unpackhi_epi32(ab_low, cd_low),
                _mm_unpacklo_epi32(ab_high, cd_high),
                _mm_unpackhi_epi32(ab_high, cd_high),
            ];
            for (k, two) in rows.into_iter().enumerate() {
                _mm_storel_epi64(out(2 * k).cast(), two);
                _mm_storel_epi64(out(2 * k + 1).cast(), _mm_unpackhi_epi64(two, two));
            }
        }
    }

    turn! {
        /// Eight by eight pairs of bytes.
        pairs, "sse2", 8, |at, out| {
            let line = |k: usize| _mm_loadu_si128(at(k).cast());
            let low = |k: usize| _mm_unpacklo_epi16(line(k), line(k + 1));
            let high = |k: usize| _mm_unpackhi_epi16(line(k), line(k + 1));
            let four = |a: [__m128i; 4], first: usize| {
                let (low, high) = (_mm_unpacklo_epi32(a[0], a[1]), _mm_unpackhi_epi32(a[0], a[1]));
                let (low_end, high_end) = (_mm_unpacklo_epi32(a[2], a[3]), _mm_unpackhi_epi32(a[2], a[3]));
                _mm_storeu_si128(out(first).cast(), _mm_unpacklo_epi64(low, low_end));
                _mm_storeu_si128(out(first + 1).cast(), _mm_unpackhi_epi64(low, low_end));
                _mm_storeu_si128(out(first + 2).cast(), _mm_unpacklo_epi64(high, high_end));
                _mm_storeu_si128(out(first + 3).cast(), _mm_unpackhi_epi64(high, high_end));
            };
            let (first, last) = ([low(0), low(2), low(4), low(6)], [high(0), high(2), high(4), high(6)]);
            four(first, 0);
            four(last, 4);
        }
    }

    turn! {
        /// Four by four words of four bytes.
        words, "sse2", 4, |at, out| {
            let line = |k: usize| _mm_loadu_si128(at(k).cast());
            let (a, b, c, d) = (line(0), line(1), line(2), line(3));
            let (ab_low, ab_high) = (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
            let (cd_low, cd_high) = (_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
            _mm_storeu_si128(out(0).cast(), _mm_unpacklo_epi64(ab_low, cd_low));
            _mm_storeu_si128(out(1).cast(), _mm_unpackhi_epi64(ab_low, cd_low));
            _mm_storeu_si128(out(2).cast(), _mm_unpacklo_epi64(ab_high, cd_high));
            _mm_storeu_si128(out(3).cast(), _mm_unpackhi_epi64(ab_high, cd_high));
        }
    }

    turn! {
        /// Two by two words of eight bytes.
        longs, "sse2", 2, |at, out| {
            let (a, b) = (_mm_loadu_si128(at(0).cast()), _mm_loadu_si128(at(1).cast()));
            _mm_storeu_si128(out(0).cast(), _mm_unpacklo_epi64(a, b));
            _mm_storeu_si128(out(1).cast(), _mm_unpackhi_epi64(a, b));
        }
    }

    turn! {
        /// Eight by eight words of four bytes.
        words_avx2, "avx2", 8, |at, out| {
            // Loading the upper half from another line does what a shuffle would have to do.
            let line = |k: usize, half: usize| {
                let low = _mm_loadu_si128(at(k).add(16 * half).cast());
                let high = _mm_loadu_si128(at(k + 4).add(16 * half).cast());
                _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
            };
            for half in 0..2 {
                let (a, b, c, d) = (line(0, half), line(1, half), line(2, half), line(3, half));
                let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
                let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
                let out = |k: usize| out(4 * half + k).cast();
                _mm256_storeu_si256(out(0), _mm256_unpacklo_epi64(ab_low, cd_low));
                _mm256_storeu_si256(out(1), _mm256_unpackhi_epi64(ab_low, cd_low));
                _mm256_storeu_si256(out(2), _mm256_unpacklo_epi64(ab_high, cd_high));
                _mm256_storeu_si256(out(3), _mm256_unpackhi_epi64(ab_high, cd_high));
            }
        }
    }

    turn! {
        /// Four by four words of eight bytes.
        longs_avx2, "avx2", 4, |at, out| {
            let line = |k: usize, half: usize| {
                let low = _mm_loadu_si128(at(k).add(16 * half).cast());
                let high = _mm_loadu_si128(at(k + 2).add(16 * half).cast());
                _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
            };
            for half in 0..2 {
                let (a, b) = (line(0, half), line(1, half));
                _mm256_storeu_si256(out(2 * half).cast(), _mm256_unpacklo_epi64(a, b));
                _mm256_storeu_si256(out(2 * half + 1).cast(), _mm256_unpackhi_epi64(a, b));
            }
        }
    }
}
