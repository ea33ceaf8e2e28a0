//! The greatest and least values of a row by vector instructions.
//!
//! Compilers do not find these: they keep no lanes in registers across a loop of unknown length, and make no bits of
//! comparisons. Rows of a few hundred values take a third of the time this way.

use std::arch::x86_64::*;

use situ_ir::scalar::Numeric;

use super::search::{self, Extreme};

/// A vector of values of one dtype.
///
/// # Safety
///
/// For all functions: the processor has the instruction set. They become parts of functions that are compiled for it.
pub(super) trait Vector: Copy {
    /// What a lane holds.
    type Lane: Numeric;
    /// How many lanes there are.
    const LANES: usize = size_of::<Self>() / size_of::<Self::Lane>();

    /// Reads as many values as there are lanes; they need not be aligned.
    unsafe fn load(from: *const Self::Lane) -> Self;
    /// The greater in each lane; `b` where one is not a number.
    unsafe fn max(a: Self, b: Self) -> Self;
    /// The lesser in each lane; `b` where one is not a number.
    unsafe fn min(a: Self, b: Self) -> Self;
    /// A bit for each lane in which both are equal.
    unsafe fn equal(a: Self, b: Self) -> u64;
    /// A bit for each lane in which one is not a number.
    unsafe fn unordered(a: Self, b: Self) -> u64;
    /// The same value in every lane.
    unsafe fn splat(value: Self::Lane) -> Self;
}

/// Vectors that are looked at in each round of a loop: as many as there are bits for in a word.
const AT_ONCE: usize = 4;

/// The better in each lane; `so_far` where one is not a number.
///
/// # Safety
///
/// The processor has the instruction set.
#[inline(always)]
unsafe fn better<E: Extreme, V: Vector>(value: V, so_far: V) -> V {
    // SAFETY: passed on from the caller.
    unsafe { if E::IS_GREATEST { V::max(value, so_far) } else { V::min(value, so_far) } }
}

/// The body of a [`FindExtreme`](search::FindExtreme).
///
/// # Safety
///
/// As for [`FindExtreme`](search::FindExtreme).
#[inline(always)]
pub(super) unsafe fn extreme<E: Extreme, V: Vector>(to: *mut u8, from: *const u8, count: usize) {
    if count < V::LANES {
        // SAFETY: passed on from the caller.
        return unsafe { search::extreme::<E, V::Lane>(to, from, count) };
    }
    let (to, from) = (to.cast::<V::Lane>(), from.cast::<V::Lane>());
    // SAFETY: no vector begins after the last place that has a whole one behind it. A vector is its lanes.
    unsafe {
        let (round, last) = (AT_ONCE * V::LANES, count - V::LANES);
        let mut best = [V::load(from); AT_ONCE];
        let (mut at, mut unordered) = (0, 0);
        while at + round <= count {
            let v = |n: usize| V::load(from.add(at + n * V::LANES));
            let values = [v(0), v(1), v(2), v(3)];
            unordered |= V::unordered(values[0], values[1]) | V::unordered(values[2], values[3]);
            for n in 0..AT_ONCE {
                best[n] = better::<E, V>(values[n], best[n]);
            }
            at += round;
        }
        while at < count {
            // The last vector may begin with values of the one before.
            let values = V::load(from.add(at.min(last)));
            unordered |= V::unordered(values, values);
            best[0] = better::<E, V>(values, best[0]);
            at += V::LANES;
        }
        if unordered != 0 {
            return to.write(*from.add(search::position(count, |i| (*from.add(i)).is_nan())));
        }
        let best = better::<E, V>(better::<E, V>(best[0], best[1]), better::<E, V>(best[2], best[3]));
        let mut lanes = [V::Lane::default(); 16];
        std::ptr::from_ref(&best).cast::<V::Lane>().copy_to_nonoverlapping(lanes.as_mut_ptr(), V::LANES);
        let mut half = V::LANES / 2;
        while half > 0 {
            for i in 0..half {
                lanes[i] = E::better(lanes[i], lanes[i + half]);
            }
            half /= 2;
        }
        to.write(lanes[0]);
    }
}

/// The body of a [`Find`](search::Find).
///
/// # Safety
///
/// As for [`Find`](search::Find).
#[inline(always)]
pub(super) unsafe fn find<V: Vector>(from: *const u8, count: usize, wanted: *const u8) -> usize {
    let (values, wanted_value) = (from.cast::<V::Lane>(), wanted.cast::<V::Lane>());
    // SAFETY: the caller's promise; vectors begin where there is a whole one left.
    unsafe {
        if count < V::LANES || (*wanted_value).is_nan() {
            return search::find::<V::Lane>(from, count, wanted);
        }
        let (round, last) = (AT_ONCE * V::LANES, count - V::LANES);
        let wanted = V::splat(*wanted_value);
        let mut at = 0;
        while at + round <= count {
            let bits = |n: usize| V::equal(V::load(values.add(at + n * V::LANES)), wanted) << (n * V::LANES);
            let bits = bits(0) | bits(1) | bits(2) | bits(3);
            if bits != 0 {
                return at + bits.trailing_zeros() as usize;
            }
            at += round;
        }
        while at < count {
            let first = at.min(last);
            let bits = V::equal(V::load(values.add(first)), wanted);
            if bits != 0 {
                return first + bits.trailing_zeros() as usize;
            }
            at += V::LANES;
        }
    }
    0
}

/// The vectors of an instruction set, in a module of its name, by the dtypes of their lanes.
macro_rules! vectors {
    ($name:ident; $($dtype:ident, $lane:ty, $vector:ty, $splat:expr, $load:expr, $max:expr, $min:expr, $equal:expr,
      $unordered:expr;)*) => {
        pub(super) mod $name {
            use super::*;
            $(
                #[derive(Clone, Copy, Debug)]
                #[repr(transparent)]
                pub(in super::super) struct $dtype($vector);

                // The functions are inlined into functions of the instruction set, or the intrinsics would not be.
                impl Vector for $dtype {
                    type Lane = $lane;

                    #[inline(always)]
                    unsafe fn load(from: *const $lane) -> Self {
                        // SAFETY: the caller's promise.
                        Self(unsafe { $load(from.cast()) })
                    }
                    #[inline(always)]
                    unsafe fn max(a: Self, b: Self) -> Self {
                        // SAFETY: the caller's promise.
                        Self(unsafe { $max(a.0, b.0) })
                    }
                    #[inline(always)]
                    unsafe fn min(a: Self, b: Self) -> Self {
                        // SAFETY: the caller's promise.
                        Self(unsafe { $min(a.0, b.0) })
                    }
                    #[inline(always)]
                    unsafe fn equal(a: Self, b: Self) -> u64 {
                        // SAFETY: the caller's promise.
                        unsafe { $equal(a.0, b.0) as u64 }
                    }
                    #[inline(always)]
                    unsafe fn unordered(a: Self, b: Self) -> u64 {
                        // SAFETY: the caller's promise.
                        unsafe { $unordered(a.0, b.0) as u64 }
                    }
                    #[inline(always)]
                    unsafe fn splat(value: $lane) -> Self {
                        // SAFETY: the caller's promise.
                        Self(unsafe { $splat(value) })
                    }
                }
            )*
        }
    };
}

/// Integers are always ordered.
#[inline(always)]
unsafe fn never<V>(_: V, _: V) -> u8 {
    0
}

vectors! { avx512;
    F64, f64, __m512d, _mm512_set1_pd, _mm512_loadu_pd, _mm512_max_pd, _mm512_min_pd,
        _mm512_cmp_pd_mask::<_CMP_EQ_OQ>, _mm512_cmp_pd_mask::<_CMP_UNORD_Q>;
    F32, f32, __m512, _mm512_set1_ps, _mm512_loadu_ps, _mm512_max_ps, _mm512_min_ps,
        _mm512_cmp_ps_mask::<_CMP_EQ_OQ>, _mm512_cmp_ps_mask::<_CMP_UNORD_Q>;
    I64, i64, __m512i, _mm512_set1_epi64, _mm512_loadu_epi64, _mm512_max_epi64, _mm512_min_epi64,
        _mm512_cmpeq_epi64_mask, never;
    I32, i32, __m512i, _mm512_set1_epi32, _mm512_loadu_epi32, _mm512_max_epi32, _mm512_min_epi32,
        _mm512_cmpeq_epi32_mask, never;
}

vectors! { avx2;
    F64, f64, __m256d, _mm256_set1_pd, _mm256_loadu_pd, _mm256_max_pd, _mm256_min_pd, equal_f64, unordered_f64;
    F32, f32, __m256, _mm256_set1_ps, _mm256_loadu_ps, _mm256_max_ps, _mm256_min_ps, equal_f32, unordered_f32;
    I64, i64, __m256i, _mm256_set1_epi64x, _mm256_loadu_si256, max_i64, min_i64, equal_i64, never;
    I32, i32, __m256i, _mm256_set1_epi32, _mm256_loadu_si256, _mm256_max_epi32, _mm256_min_epi32, equal_i32, never;
}

/// What AVX2 has only in several instructions.
macro_rules! composed {
    ($($name:ident($a:ident, $b:ident: $vector:ty) -> $result:ty { $body:expr })*) => {$(
        #[inline]
        #[target_feature(enable = "avx2")]
        fn $name($a: $vector, $b: $vector) -> $result {
            $body
        }
    )*};
}

composed! {
    equal_f64(a, b: __m256d) -> i32 { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>(a, b)) }
    equal_f32(a, b: __m256) -> i32 { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b)) }
    equal_i64(a, b: __m256i) -> i32 { _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b))) }
    equal_i32(a, b: __m256i) -> i32 { _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b))) }
    unordered_f64(a, b: __m256d) -> i32 { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_UNORD_Q>(a, b)) }
    unordered_f32(a, b: __m256) -> i32 { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_UNORD_Q>(a, b)) }
    max_i64(a, b: __m256i) -> __m256i { _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b)) }
    min_i64(a, b: __m256i) -> __m256i { _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b)) }
}
