//! Vectors of keys: what sorting them takes of a processor with 512-bit vectors.

#![cfg(target_arch = "x86_64")]

use std::arch::x86_64::*;

use situ_ir::order::Key;

/// Keys that fill vectors. Everything here needs a processor with AVX-512 (F and VL, BW, DQ).
pub(super) trait Lanes: Key {
    /// A vector of keys.
    type Vector: Copy;
    /// Keys in a vector.
    const COUNT: usize;

    /// # Safety
    ///
    /// As many keys as a vector has can be read.
    unsafe fn load(from: *const Self) -> Self::Vector;

    /// The first `count` keys, then greatest ones.
    ///
    /// # Safety
    ///
    /// So many keys can be read, at most as many as a vector has.
    unsafe fn load_some(from: *const Self, count: usize) -> Self::Vector;

    /// # Safety
    ///
    /// As many keys as a vector has can be written.
    unsafe fn store(to: *mut Self, vector: Self::Vector);

    /// # Safety
    ///
    /// So many keys can be written, at most as many as a vector has.
    unsafe fn store_some(to: *mut Self, vector: Self::Vector, count: usize);

    /// # Safety
    ///
    /// The processor has the instructions; so for all that follow.
    unsafe fn splat(key: Self) -> Self::Vector;

    /// A bit for each key that is less than the other vector's.
    unsafe fn less(a: Self::Vector, b: Self::Vector) -> u32;

    /// The keys with a bit, side by side, the least bit first.
    unsafe fn compress(bits: u32, vector: Self::Vector) -> Self::Vector;

    /// The keys with a bit, and behind them the others.
    unsafe fn divide(bits: u32, vector: Self::Vector) -> Self::Vector;

    /// The lesser of two vectors' keys, and the greater ones.
    unsafe fn exchange(a: Self::Vector, b: Self::Vector) -> (Self::Vector, Self::Vector);

    /// The keys of two vectors in turn: the first half of each, and the second.
    unsafe fn interleaved(a: Self::Vector, b: Self::Vector) -> (Self::Vector, Self::Vector);

    /// The keys of each group of so many, a power of two, in the opposite order.
    unsafe fn turned<const GROUP: usize>(vector: Self::Vector) -> Self::Vector;

    /// Each key changes places with the one so many further, a power of two.
    unsafe fn swapped<const DISTANCE: usize>(vector: Self::Vector) -> Self::Vector;

    /// The lesser of two vectors' keys in the first half of each group of so many, the greater ones in the second half.
    unsafe fn halves<const GROUP: usize>(a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// That vector, and one with the keys that it leaves.
    unsafe fn both_halves<const GROUP: usize>(a: Self::Vector, b: Self::Vector) -> (Self::Vector, Self::Vector);

    /// The key in the middle, in all lanes.
    unsafe fn middle(vector: Self::Vector) -> Self::Vector;
}

/// A permutation of eight or sixteen keys: `from(n)` tells where the n-th comes from.
macro_rules! indices {
    ($set:ident, $from:expr; $($n:literal)*) => {{
        let from = $from;
        $set($(from($n) as _),*)
    }};
}
macro_rules! indices_64 {
    ($from:expr) => { indices!(_mm512_setr_epi64, $from; 0 1 2 3 4 5 6 7) };
}
macro_rules! indices_32 {
    ($from:expr) => { indices!(_mm512_setr_epi32, $from; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15) };
}

macro_rules! lanes {
    ($type:ty, $count:literal, $mask:ty, $indices:ident, $load_some:ident, $store_some:ident, $set1:ident,
     $less:ident, $compress:ident, $permute:ident, $permute_two:ident,
     divide($bits:ident, $vector:ident) = $divide:expr, exchange($a:ident, $b:ident) = $exchange:expr,
     halves($c:ident, $d:ident, $high:ident) = $halves:expr,
     both_halves($e:ident, $f:ident, $upper:ident) = $both_halves:expr) => {
        impl Lanes for $type {
            type Vector = __m512i;
            const COUNT: usize = $count;

            #[inline(always)]
            unsafe fn load(from: *const Self) -> __m512i {
                // SAFETY: the caller's promise.
                unsafe { _mm512_loadu_si512(from.cast()) }
            }

            #[inline(always)]
            unsafe fn load_some(from: *const Self, count: usize) -> __m512i {
                // SAFETY: the caller's promise; only keys with a bit are read.
                unsafe { $load_some(_mm512_set1_epi64(-1), bits(count) as $mask, from.cast()) }
            }

            #[inline(always)]
            unsafe fn store(to: *mut Self, vector: __m512i) {
                // SAFETY: the caller's promise.
                unsafe { _mm512_storeu_si512(to.cast(), vector) }
            }

            #[inline(always)]
            unsafe fn store_some(to: *mut Self, vector: __m512i, count: usize) {
                // SAFETY: the caller's promise; only keys with a bit are written.
                unsafe { $store_some(to.cast(), bits(count) as $mask, vector) }
            }

            #[inline(always)]
            unsafe fn splat(key: Self) -> __m512i {
                // SAFETY: the caller's promise.
                unsafe { $set1(key as _) }
            }

            #[inline(always)]
            unsafe fn less(a: __m512i, b: __m512i) -> u32 {
                // SAFETY: the caller's promise.
                unsafe { $less(a, b) }.into()
            }

            #[inline(always)]
            unsafe fn compress(bits: u32, vector: __m512i) -> __m512i {
                // SAFETY: the caller's promise.
                unsafe { $compress(bits as $mask, vector) }
            }

            #[inline(always)]
            unsafe fn divide($bits: u32, $vector: __m512i) -> __m512i {
                // SAFETY: the caller's promise.
                unsafe { $divide }
            }

            #[inline(always)]
            unsafe fn exchange($a: __m512i, $b: __m512i) -> (__m512i, __m512i) {
                // SAFETY: the caller's promise.
                unsafe { $exchange }
            }

            #[inline(always)]
            unsafe fn interleaved(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
                // The keys of the second vector are numbered from the count on.
                // SAFETY: the caller's promise.
                unsafe {
                    let first = $indices!(|n: usize| n / 2 + n % 2 * $count);
                    let second = $indices!(|n: usize| $count / 2 + n / 2 + n % 2 * $count);
                    ($permute_two(a, first, b), $permute_two(a, second, b))
                }
            }

            #[inline(always)]
            unsafe fn turned<const GROUP: usize>(vector: __m512i) -> __m512i {
                // SAFETY: the caller's promise.
                unsafe { $permute($indices!(|n| n ^ (GROUP - 1)), vector) }
            }

            #[inline(always)]
            unsafe fn swapped<const DISTANCE: usize>(vector: __m512i) -> __m512i {
                // SAFETY: the caller's promise.
                unsafe { $permute($indices!(|n| n ^ DISTANCE), vector) }
            }

            #[inline(always)]
            unsafe fn halves<const GROUP: usize>($c: __m512i, $d: __m512i) -> __m512i {
                let $high = const { second_halves(GROUP) as $mask };
                // SAFETY: the caller's promise.
                unsafe { $halves }
            }

            #[inline(always)]
            unsafe fn both_halves<const GROUP: usize>($e: __m512i, $f: __m512i) -> (__m512i, __m512i) {
                let $upper = const { second_halves(GROUP) as $mask };
                // SAFETY: the caller's promise.
                unsafe { $both_halves }
            }

            #[inline(always)]
            unsafe fn middle(vector: __m512i) -> __m512i {
                // SAFETY: the caller's promise.
                unsafe { $permute($set1($count / 2), vector) }
            }
        }
    };
}

/// A bit for each of the first so many keys.
#[inline(always)]
fn bits(count: usize) -> u32 {
    ((1u64 << count) - 1) as u32
}

/// A bit for each key in the second half of a group of so many, a power of two.
const fn second_halves(group: usize) -> u32 {
    match group {
        2 => 0xAAAA,
        4 => 0xCCCC,
        8 => 0xF0F0,
        _ => 0xFF00,
    }
}

/// For eight bits, a byte for each position: first those of set bits, then those of the others.
static SET_FIRST: [u64; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut n, mut place) = (0, 0);
        while n < 16 {
            let (position, is_wanted) = (n % 8, n < 8);
            if (bits >> position & 1 == 1) == is_wanted {
                table[bits] |= (position as u64) << place;
                place += 8;
            }
            n += 1;
        }
        bits += 1;
    }
    table
};

lanes! {
    u64, 8, u8, indices_64, _mm512_mask_loadu_epi64, _mm512_mask_storeu_epi64, _mm512_set1_epi64,
    _mm512_cmplt_epu64_mask, _mm512_maskz_compress_epi64, _mm512_permutexvar_epi64, _mm512_permutex2var_epi64,
    divide(bits, vector) = {
        let order = _mm_cvtsi64_si128(SET_FIRST[bits as usize % 256] as i64);
        _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(order), vector)
    },
    // The minimum of 64-bit integers is two instructions.
    exchange(a, b) = {
        let bits = _mm512_cmplt_epu64_mask(a, b);
        (_mm512_mask_blend_epi64(bits, b, a), _mm512_mask_blend_epi64(bits, a, b))
    },
    halves(a, b, high) = _mm512_mask_blend_epi64(_mm512_cmplt_epu64_mask(a, b) ^ high, b, a),
    both_halves(a, b, high) = {
        let bits = _mm512_cmplt_epu64_mask(a, b) ^ high;
        (_mm512_mask_blend_epi64(bits, b, a), _mm512_mask_blend_epi64(bits, a, b))
    }
}

lanes! {
    u32, 16, u16, indices_32, _mm512_mask_loadu_epi32, _mm512_mask_storeu_epi32, _mm512_set1_epi32,
    _mm512_cmplt_epu32_mask, _mm512_maskz_compress_epi32, _mm512_permutexvar_epi32, _mm512_permutex2var_epi32,
    divide(bits, vector) = {
        let rest = _mm512_maskz_compress_epi32(!bits as u16, vector);
        _mm512_mask_compress_epi32(Self::turned::<16>(rest), bits as u16, vector)
    },
    exchange(a, b) = (_mm512_min_epu32(a, b), _mm512_max_epu32(a, b)),
    halves(a, b, high) = _mm512_mask_max_epu32(_mm512_min_epu32(a, b), high, a, b),
    both_halves(a, b, high) = {
        let (less, greater) = Self::exchange(a, b);
        (_mm512_mask_blend_epi32(high, less, greater), _mm512_mask_blend_epi32(high, greater, less))
    }
}
