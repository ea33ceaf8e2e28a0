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

    /// Keys of the second vector where there is a bit, else of the first.
    unsafe fn blend(bits: u32, unset: Self::Vector, set: Self::Vector) -> Self::Vector;

    /// The keys in the opposite order.
    unsafe fn reversed(vector: Self::Vector) -> Self::Vector;

    /// A vector whose keys ascend and then descend, or the other way round, with its keys in order.
    unsafe fn merged(vector: Self::Vector) -> Self::Vector;

    /// The keys in order.
    unsafe fn sorted(vector: Self::Vector) -> Self::Vector;
}

/// Compares each key of a vector with another one of it: `$high` has a bit where the greater of the two belongs.
macro_rules! stage {
    ($type:ty, $permute:ident, $index:expr, $high:literal, $vector:expr) => {{
        let (vector, other) = ($vector, $permute($index, $vector));
        let keeps = <$type>::less(vector, other) ^ $high;
        <$type>::blend(keeps, other, vector)
    }};
}

macro_rules! lanes {
    ($type:ty, $count:literal, $mask:ty, $load_some:ident, $store_some:ident, $set1:ident,
     $less:ident, $compress:ident, $blend:ident, $permute:ident, $reverse:expr,
     [$($merge:expr, $merge_high:literal;)*], [$($sort:expr, $sort_high:literal;)*]) => {
        // SAFETY (of the blocks below): the trait's promise, that the processor has the instructions, and what each
        // function asks of its pointers.
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
            unsafe fn blend(bits: u32, unset: __m512i, set: __m512i) -> __m512i {
                // SAFETY: the caller's promise.
                unsafe { $blend(bits as $mask, unset, set) }
            }

            #[inline(always)]
            unsafe fn reversed(vector: __m512i) -> __m512i {
                // SAFETY: the caller's promise.
                unsafe { $permute($reverse, vector) }
            }

            #[inline(always)]
            unsafe fn merged(vector: __m512i) -> __m512i {
                // SAFETY: the caller's promise.
                unsafe {
                    $(let vector = stage!($type, $permute, $merge, $merge_high, vector);)*
                    vector
                }
            }

            #[inline(always)]
            unsafe fn sorted(vector: __m512i) -> __m512i {
                // SAFETY: the caller's promise.
                unsafe {
                    $(let vector = stage!($type, $permute, $sort, $sort_high, vector);)*
                    vector
                }
            }
        }
    };
}

/// A bit for each of the first so many keys.
#[inline(always)]
fn bits(count: usize) -> u32 {
    ((1u64 << count) - 1) as u32
}

lanes! {
    u64, 8, u8, _mm512_mask_loadu_epi64, _mm512_mask_storeu_epi64, _mm512_set1_epi64,
    _mm512_cmplt_epu64_mask, _mm512_maskz_compress_epi64, _mm512_mask_blend_epi64, _mm512_permutexvar_epi64,
    _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0),
    [
        _mm512_setr_epi64(4, 5, 6, 7, 0, 1, 2, 3), 0b1111_0000;
        _mm512_setr_epi64(2, 3, 0, 1, 6, 7, 4, 5), 0b1100_1100;
        _mm512_setr_epi64(1, 0, 3, 2, 5, 4, 7, 6), 0b1010_1010;
    ],
    [
        _mm512_setr_epi64(1, 0, 3, 2, 5, 4, 7, 6), 0b1010_1010;
        _mm512_setr_epi64(3, 2, 1, 0, 7, 6, 5, 4), 0b1100_1100;
        _mm512_setr_epi64(1, 0, 3, 2, 5, 4, 7, 6), 0b1010_1010;
        _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), 0b1111_0000;
        _mm512_setr_epi64(2, 3, 0, 1, 6, 7, 4, 5), 0b1100_1100;
        _mm512_setr_epi64(1, 0, 3, 2, 5, 4, 7, 6), 0b1010_1010;
    ]
}

lanes! {
    u32, 16, u16, _mm512_mask_loadu_epi32, _mm512_mask_storeu_epi32, _mm512_set1_epi32,
    _mm512_cmplt_epu32_mask, _mm512_maskz_compress_epi32, _mm512_mask_blend_epi32, _mm512_permutexvar_epi32,
    _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
    [
        _mm512_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7), 0b1111_1111_0000_0000;
        _mm512_setr_epi32(4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11), 0b1111_0000_1111_0000;
        _mm512_setr_epi32(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13), 0b1100_1100_1100_1100;
        _mm512_setr_epi32(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14), 0b1010_1010_1010_1010;
    ],
    [
        _mm512_setr_epi32(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14), 0b1010_1010_1010_1010;
        _mm512_setr_epi32(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12), 0b1100_1100_1100_1100;
        _mm512_setr_epi32(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14), 0b1010_1010_1010_1010;
        _mm512_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8), 0b1111_0000_1111_0000;
        _mm512_setr_epi32(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13), 0b1100_1100_1100_1100;
        _mm512_setr_epi32(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14), 0b1010_1010_1010_1010;
        _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), 0b1111_1111_0000_0000;
        _mm512_setr_epi32(4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11), 0b1111_0000_1111_0000;
        _mm512_setr_epi32(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13), 0b1100_1100_1100_1100;
        _mm512_setr_epi32(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14), 0b1010_1010_1010_1010;
    ]
}
