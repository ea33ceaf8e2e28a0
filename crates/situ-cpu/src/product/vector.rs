//! Vectors of lanes.
//!
//! Written with the processor's own instructions where it matters: what a tile of sums comes to depends on every one of
//! them staying in a register, which a compiler that makes the vectors itself does not promise.

use super::lane::{Lane, Truth};

/// The most lanes of any vector.
const MOST_LANES: usize = 64;

/// Several lanes. Every function needs the instruction set it is written for.
pub(super) trait Vector: Copy {
    type Lane: Lane;
    /// Says which lanes of a vector are there.
    type Mask: Copy;
    const LANES: usize;
    /// Whether a vector of which some lanes are not there can be loaded as quickly as a whole one.
    const HAS_MASKS: bool;
    /// The most rows of a tile whose sums, of [`VECTORS`](super::tile::VECTORS) vectors a row, stay in registers.
    const ROWS: usize;

    unsafe fn zero() -> Self;
    unsafe fn splat(from: *const Self::Lane) -> Self;
    unsafe fn load(from: *const Self::Lane) -> Self;
    unsafe fn store(self, to: *mut Self::Lane);
    unsafe fn plus(self, other: Self) -> Self;
    /// This and the product of two others.
    unsafe fn plus_product(self, a: Self, b: Self) -> Self;
    /// What can be computed with, as for [`Lane::normalised`].
    #[inline(always)]
    unsafe fn normalised(self) -> Self {
        self
    }
    /// The sum of all lanes.
    #[inline(always)]
    unsafe fn total(self) -> Self::Lane {
        let mut lanes = [Self::Lane::default(); MOST_LANES];
        // SAFETY: the caller has the instruction set, and no vector has more lanes.
        unsafe { self.store(lanes.as_mut_ptr()) };
        let mut half = Self::LANES / 2;
        while half > 0 {
            for lane in 0..half {
                lanes[lane] = lanes[lane].add(lanes[lane + half]);
            }
            half /= 2;
        }
        lanes[0]
    }
    /// The first so many lanes, at least one.
    fn mask(count: usize) -> Self::Mask;
    /// The lanes of a mask. Without masks all of them.
    unsafe fn load_masked(from: *const Self::Lane, mask: Self::Mask) -> Self;
    /// The same, written.
    unsafe fn store_masked(self, to: *mut Self::Lane, mask: Self::Mask);
}

/// Vectors of interleaved complex numbers.
pub(super) trait Interleaved: Vector<Lane: std::ops::Neg<Output = Self::Lane>> {
    /// This plus the other times the imaginary unit.
    unsafe fn plus_turned(self, other: Self) -> Self;
}

/// Vectors that the compiler makes of a loop, for processors whose instructions are not written out here.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(super) struct Portable<L, const N: usize>([L; N]);

impl<L: Lane, const N: usize> Vector for Portable<L, N> {
    type Lane = L;
    type Mask = ();
    const LANES: usize = N;
    const HAS_MASKS: bool = false;
    const ROWS: usize = 4;

    #[inline(always)]
    unsafe fn zero() -> Self {
        Portable([L::default(); N])
    }
    #[inline(always)]
    unsafe fn splat(from: *const L) -> Self {
        // SAFETY: the caller's promise.
        Portable([unsafe { from.read_unaligned() }; N])
    }
    #[inline(always)]
    unsafe fn load(from: *const L) -> Self {
        // SAFETY: the caller's promise.
        Portable(unsafe { from.cast::<[L; N]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut L) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[L; N]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn plus(mut self, other: Self) -> Self {
        for (sum, other) in self.0.iter_mut().zip(other.0) {
            *sum = sum.add(other);
        }
        self
    }
    #[inline(always)]
    unsafe fn plus_product(mut self, a: Self, b: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].add(a.0[i].mul(b.0[i]));
        }
        self
    }
    #[inline(always)]
    unsafe fn normalised(self) -> Self {
        Portable(self.0.map(L::normalised))
    }
    #[inline(always)]
    fn mask(_: usize) {}
    #[inline(always)]
    unsafe fn load_masked(from: *const L, (): ()) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::load(from) }
    }
    #[inline(always)]
    unsafe fn store_masked(self, to: *mut L, (): ()) {
        // SAFETY: the caller's promise.
        unsafe { self.store(to) }
    }
}

impl<L: Lane + std::ops::Neg<Output = L>, const N: usize> Interleaved for Portable<L, N> {
    #[inline(always)]
    unsafe fn plus_turned(mut self, other: Self) -> Self {
        for pair in 0..N / 2 {
            self.0[2 * pair] = self.0[2 * pair].add(-other.0[2 * pair + 1]);
            self.0[2 * pair + 1] = self.0[2 * pair + 1].add(other.0[2 * pair]);
        }
        self
    }
}

/// Vectors of 16 bytes for any processor.
pub(super) mod baseline {
    use super::*;

    pub(in crate::product) type F32 = Portable<f32, 4>;
    pub(in crate::product) type F64 = Portable<f64, 2>;
    pub(in crate::product) type U32 = Portable<u32, 4>;
    pub(in crate::product) type U64 = Portable<u64, 2>;
    pub(in crate::product) type Truths = Portable<Truth, 16>;
}

/// A vector by the names of its instructions.
#[cfg(target_arch = "x86_64")]
macro_rules! vector {
    ($name:ident, $register:ident, $lane:ty, $lanes:literal, $rows:literal, $mask:ty,
     zero $zero:expr, splat $splat:expr, load $load:expr, store $store:expr, plus $plus:expr, product $product:expr,
     masks $has_masks:literal, $make_mask:expr, $load_masked:expr, $store_masked:expr $(, normalised $normalised:expr)?) => {
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub(in crate::product) struct $name($register);

        impl Vector for $name {
            type Lane = $lane;
            type Mask = $mask;
            const LANES: usize = $lanes;
            const HAS_MASKS: bool = $has_masks;
            const ROWS: usize = $rows;

            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: the caller has the instruction set, here and below.
                $name(unsafe { $zero() })
            }
            #[inline(always)]
            unsafe fn splat(from: *const $lane) -> Self {
                // SAFETY: the caller's promise.
                $name(unsafe { $splat(from.read_unaligned()) })
            }
            #[inline(always)]
            unsafe fn load(from: *const $lane) -> Self {
                // SAFETY: the caller's promise.
                $name(unsafe { $load(from.cast()) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $lane) {
                // SAFETY: the caller's promise.
                unsafe { $store(to.cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn plus(self, other: Self) -> Self {
                // SAFETY: as above.
                $name(unsafe { $plus(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn plus_product(self, a: Self, b: Self) -> Self {
                // SAFETY: as above.
                $name(unsafe { $product(self.0, a.0, b.0) })
            }
            $(#[inline(always)]
            unsafe fn normalised(self) -> Self {
                // SAFETY: as above.
                $name(unsafe { $normalised(self.0) })
            })?
            #[inline(always)]
            fn mask(count: usize) -> $mask {
                $make_mask(count)
            }
            #[inline(always)]
            unsafe fn load_masked(from: *const $lane, mask: $mask) -> Self {
                // SAFETY: the caller's promise.
                $name(unsafe { $load_masked(from, mask) })
            }
            #[inline(always)]
            unsafe fn store_masked(self, to: *mut $lane, mask: $mask) {
                // SAFETY: the caller's promise.
                unsafe { $store_masked(to, mask, self.0) }
            }
        }
    };
}

/// 512-bit vectors.
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use std::arch::x86_64::*;

    use super::*;

    macro_rules! sum_of_product {
        ($add:ident, $mul:ident, $register:ident) => {{
            #[inline(always)]
            unsafe fn sum(sum: $register, a: $register, b: $register) -> $register {
                // SAFETY: the caller has the instruction set.
                unsafe { $add(sum, $mul(a, b)) }
            }
            sum
        }};
    }
    macro_rules! fused {
        ($fma:ident, $register:ident) => {{
            #[inline(always)]
            unsafe fn sum(sum: $register, a: $register, b: $register) -> $register {
                // SAFETY: the caller has the instruction set.
                unsafe { $fma(a, b, sum) }
            }
            sum
        }};
    }
    macro_rules! masked {
        ($load:ident, $lane:ty, $mask:ty, $register:ident) => {{
            #[inline(always)]
            unsafe fn load(from: *const $lane, mask: $mask) -> $register {
                // SAFETY: the caller's promise; lanes outside the mask are not touched.
                unsafe { $load(mask, from.cast()) }
            }
            load
        }};
    }
    macro_rules! mask_stored {
        ($store:ident, $lane:ty, $mask:ty, $register:ident) => {{
            #[inline(always)]
            unsafe fn store(to: *mut $lane, mask: $mask, value: $register) {
                // SAFETY: the caller's promise; lanes outside the mask are not touched.
                unsafe { $store(to.cast(), mask, value) }
            }
            store
        }};
    }
    macro_rules! integer_splat {
        ($set:ident, $lane:ty, $signed:ty, |$value:ident| $bits:expr) => {{
            #[inline(always)]
            unsafe fn splat($value: $lane) -> __m512i {
                // SAFETY: the caller has the instruction set.
                unsafe { $set($bits as $signed) }
            }
            splat
        }};
    }

    vector!(F32, __m512, f32, 16, 8, __mmask16, zero _mm512_setzero_ps, splat _mm512_set1_ps, load _mm512_loadu_ps,
        store _mm512_storeu_ps, plus _mm512_add_ps, product fused!(_mm512_fmadd_ps, __m512),
        masks true, |count| u16::MAX >> (16 - count), masked!(_mm512_maskz_loadu_ps, f32, __mmask16, __m512),
        mask_stored!(_mm512_mask_storeu_ps, f32, __mmask16, __m512));
    vector!(F64, __m512d, f64, 8, 8, __mmask8, zero _mm512_setzero_pd, splat _mm512_set1_pd, load _mm512_loadu_pd,
        store _mm512_storeu_pd, plus _mm512_add_pd, product fused!(_mm512_fmadd_pd, __m512d),
        masks true, |count| u8::MAX >> (8 - count), masked!(_mm512_maskz_loadu_pd, f64, __mmask8, __m512d),
        mask_stored!(_mm512_mask_storeu_pd, f64, __mmask8, __m512d));
    vector!(U32, __m512i, u32, 16, 8, __mmask16, zero _mm512_setzero_si512,
        splat integer_splat!(_mm512_set1_epi32, u32, i32, |value| value), load _mm512_loadu_epi32,
        store _mm512_storeu_epi32, plus _mm512_add_epi32,
        product sum_of_product!(_mm512_add_epi32, _mm512_mullo_epi32, __m512i),
        masks true, |count| u16::MAX >> (16 - count), masked!(_mm512_maskz_loadu_epi32, u32, __mmask16, __m512i),
        mask_stored!(_mm512_mask_storeu_epi32, u32, __mmask16, __m512i));
    vector!(U64, __m512i, u64, 8, 8, __mmask8, zero _mm512_setzero_si512,
        splat integer_splat!(_mm512_set1_epi64, u64, i64, |value| value), load _mm512_loadu_epi64,
        store _mm512_storeu_epi64, plus _mm512_add_epi64,
        product sum_of_product!(_mm512_add_epi64, _mm512_mullo_epi64, __m512i),
        masks true, |count| u8::MAX >> (8 - count), masked!(_mm512_maskz_loadu_epi64, u64, __mmask8, __m512i),
        mask_stored!(_mm512_mask_storeu_epi64, u64, __mmask8, __m512i));
    vector!(Truths, __m512i, Truth, 64, 8, __mmask64, zero _mm512_setzero_si512,
        splat integer_splat!(_mm512_set1_epi8, Truth, i8, |value| value.0), load _mm512_loadu_epi8,
        store _mm512_storeu_epi8, plus _mm512_or_si512,
        product sum_of_product!(_mm512_or_si512, _mm512_and_si512, __m512i),
        masks true, |count| u64::MAX >> (64 - count), masked!(_mm512_maskz_loadu_epi8, Truth, __mmask64, __m512i),
        mask_stored!(_mm512_mask_storeu_epi8, Truth, __mmask64, __m512i),
        normalised |truths| _mm512_min_epu8(truths, _mm512_set1_epi8(1)));

    impl Interleaved for F32 {
        #[inline(always)]
        unsafe fn plus_turned(self, other: Self) -> Self {
            // SAFETY: the caller has the instruction set. One times this, and the others' neighbours with alternating signs.
            F32(unsafe { _mm512_fmaddsub_ps(_mm512_set1_ps(1.0), self.0, _mm512_permute_ps::<0xb1>(other.0)) })
        }
    }
    impl Interleaved for F64 {
        #[inline(always)]
        unsafe fn plus_turned(self, other: Self) -> Self {
            // SAFETY: as above.
            F64(unsafe { _mm512_fmaddsub_pd(_mm512_set1_pd(1.0), self.0, _mm512_permute_pd::<0x55>(other.0)) })
        }
    }
}

/// 256-bit vectors.
#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    use std::arch::x86_64::*;

    use super::*;

    macro_rules! pair {
        ($name:ident, |$($arg:ident),*| $body:expr, $register:ident) => {{
            #[inline(always)]
            unsafe fn $name($($arg: $register),*) -> $register {
                // SAFETY: the caller has the instruction set.
                unsafe { $body }
            }
            $name
        }};
    }
    macro_rules! integer_splat {
        ($set:ident, $lane:ty, $signed:ty, |$value:ident| $bits:expr) => {{
            #[inline(always)]
            unsafe fn splat($value: $lane) -> __m256i {
                // SAFETY: the caller has the instruction set.
                unsafe { $set($bits as $signed) }
            }
            splat
        }};
    }
    macro_rules! unmasked {
        ($load:ident, $lane:ty, $register:ident) => {{
            #[inline(always)]
            unsafe fn load(from: *const $lane, (): ()) -> $register {
                // SAFETY: the caller's promise.
                unsafe { $load(from.cast()) }
            }
            load
        }};
    }

    macro_rules! whole {
        ($store:ident, $lane:ty, $register:ident) => {{
            #[inline(always)]
            unsafe fn store(to: *mut $lane, (): (), value: $register) {
                // SAFETY: the caller's promise.
                unsafe { $store(to.cast(), value) }
            }
            store
        }};
    }

    vector!(F32, __m256, f32, 8, 4, (), zero _mm256_setzero_ps, splat _mm256_set1_ps, load _mm256_loadu_ps,
        store _mm256_storeu_ps, plus _mm256_add_ps,
        product pair!(sum, |sum, a, b| _mm256_fmadd_ps(a, b, sum), __m256),
        masks false, |_| (), unmasked!(_mm256_loadu_ps, f32, __m256),
        whole!(_mm256_storeu_ps, f32, __m256));
    vector!(F64, __m256d, f64, 4, 4, (), zero _mm256_setzero_pd, splat _mm256_set1_pd, load _mm256_loadu_pd,
        store _mm256_storeu_pd, plus _mm256_add_pd,
        product pair!(sum, |sum, a, b| _mm256_fmadd_pd(a, b, sum), __m256d),
        masks false, |_| (), unmasked!(_mm256_loadu_pd, f64, __m256d),
        whole!(_mm256_storeu_pd, f64, __m256d));
    vector!(U32, __m256i, u32, 8, 4, (), zero _mm256_setzero_si256,
        splat integer_splat!(_mm256_set1_epi32, u32, i32, |value| value), load _mm256_loadu_si256,
        store _mm256_storeu_si256, plus _mm256_add_epi32,
        product pair!(sum, |sum, a, b| _mm256_add_epi32(sum, _mm256_mullo_epi32(a, b)), __m256i),
        masks false, |_| (), unmasked!(_mm256_loadu_si256, u32, __m256i),
        whole!(_mm256_storeu_si256, u32, __m256i));
    vector!(U64, __m256i, u64, 4, 4, (), zero _mm256_setzero_si256,
        splat integer_splat!(_mm256_set1_epi64x, u64, i64, |value| value), load _mm256_loadu_si256,
        store _mm256_storeu_si256, plus _mm256_add_epi64,
        product pair!(sum, |sum, a, b| _mm256_add_epi64(sum, product_of_64_bits(a, b)), __m256i),
        masks false, |_| (), unmasked!(_mm256_loadu_si256, u64, __m256i),
        whole!(_mm256_storeu_si256, u64, __m256i));
    vector!(Truths, __m256i, Truth, 32, 4, (), zero _mm256_setzero_si256,
        splat integer_splat!(_mm256_set1_epi8, Truth, i8, |value| value.0), load _mm256_loadu_si256,
        store _mm256_storeu_si256, plus _mm256_or_si256,
        product pair!(sum, |sum, a, b| _mm256_or_si256(sum, _mm256_and_si256(a, b)), __m256i),
        masks false, |_| (), unmasked!(_mm256_loadu_si256, Truth, __m256i),
        whole!(_mm256_storeu_si256, Truth, __m256i),
        normalised |truths| _mm256_min_epu8(truths, _mm256_set1_epi8(1)));

    /// Low halves times low halves, and both crosswise products into the high halves.
    #[inline(always)]
    unsafe fn product_of_64_bits(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller has the instruction set.
        unsafe {
            let low = _mm256_mul_epu32(a, b);
            let crosswise = _mm256_mullo_epi32(a, _mm256_shuffle_epi32::<0xb1>(b));
            let high = _mm256_add_epi32(crosswise, _mm256_srli_epi64::<32>(crosswise));
            _mm256_add_epi64(low, _mm256_slli_epi64::<32>(high))
        }
    }

    impl Interleaved for F32 {
        #[inline(always)]
        unsafe fn plus_turned(self, other: Self) -> Self {
            // SAFETY: the caller has the instruction set.
            F32(unsafe { _mm256_addsub_ps(self.0, _mm256_permute_ps::<0xb1>(other.0)) })
        }
    }
    impl Interleaved for F64 {
        #[inline(always)]
        unsafe fn plus_turned(self, other: Self) -> Self {
            // SAFETY: as above.
            F64(unsafe { _mm256_addsub_pd(self.0, _mm256_permute_pd::<0x5>(other.0)) })
        }
    }
}
