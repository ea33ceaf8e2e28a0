//! Blocks of half precision to single and back, per instruction set.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use situ_types::F16;

#[cfg(doc)]
use super::target::Target;

/// # Safety
///
/// As for [`Target::widen`].
pub(super) unsafe fn widen_each(count: usize, from: *const u16, to: *mut f32) {
    for i in 0..count {
        // SAFETY: `i` is below `count`.
        unsafe { to.add(i).write(F16::from_bits(*from.add(i)).to_f32()) };
    }
}

/// # Safety
///
/// As for [`Target::narrow`].
pub(super) unsafe fn narrow_each(count: usize, from: *const f32, to: *mut u16) {
    for i in 0..count {
        // SAFETY: `i` is below `count`.
        unsafe { to.add(i).write(F16::from_f32(*from.add(i)).to_bits()) };
    }
}

/// Vectors first, then the rest with the same instruction on a padded vector, so that both round alike.
#[cfg(target_arch = "x86_64")]
macro_rules! vector_conversions {
    ($widen:ident, $narrow:ident, $features:literal, $lanes:literal, $half:ident, $single:ident,
     |$h:ident| $to_single:expr, |$s:ident| $to_half:expr) => {
        /// # Safety
        ///
        /// As for [`Target::widen`].
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $widen(count: usize, from: *const u16, to: *mut f32) {
            let whole = count - count % $lanes;
            for i in (0..whole).step_by($lanes) {
                // SAFETY: a whole vector from `i` lies below `count`; unaligned accesses are used.
                unsafe {
                    let $h = from.add(i).cast::<$half>().read_unaligned();
                    to.add(i).cast::<$single>().write_unaligned($to_single);
                }
            }
            let (mut half, mut single) = ([0u16; $lanes], [0f32; $lanes]);
            // SAFETY: the rest is shorter than a vector and lies below `count`; the arrays are one vector long.
            unsafe {
                std::ptr::copy_nonoverlapping(from.add(whole), half.as_mut_ptr(), count - whole);
                let $h = half.as_ptr().cast::<$half>().read_unaligned();
                single.as_mut_ptr().cast::<$single>().write_unaligned($to_single);
                std::ptr::copy_nonoverlapping(single.as_ptr(), to.add(whole), count - whole);
            }
        }

        /// # Safety
        ///
        /// As for [`Target::narrow`].
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $narrow(count: usize, from: *const f32, to: *mut u16) {
            let whole = count - count % $lanes;
            for i in (0..whole).step_by($lanes) {
                // SAFETY: a whole vector from `i` lies below `count`; unaligned accesses are used.
                unsafe {
                    let $s = from.add(i).cast::<$single>().read_unaligned();
                    to.add(i).cast::<$half>().write_unaligned($to_half);
                }
            }
            let (mut half, mut single) = ([0u16; $lanes], [0f32; $lanes]);
            // SAFETY: the rest is shorter than a vector and lies below `count`; the arrays are one vector long.
            unsafe {
                std::ptr::copy_nonoverlapping(from.add(whole), single.as_mut_ptr(), count - whole);
                let $s = single.as_ptr().cast::<$single>().read_unaligned();
                half.as_mut_ptr().cast::<$half>().write_unaligned($to_half);
                std::ptr::copy_nonoverlapping(half.as_ptr(), to.add(whole), count - whole);
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
vector_conversions!(widen_f16c, narrow_f16c, "avx,f16c", 8, __m128i, __m256, |h| _mm256_cvtph_ps(h), |s| {
    _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(s)
});
#[cfg(target_arch = "x86_64")]
vector_conversions!(widen_avx512, narrow_avx512, "avx512f", 16, __m256i, __m512, |h| _mm512_cvtph_ps(h), |s| {
    _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(s)
});
