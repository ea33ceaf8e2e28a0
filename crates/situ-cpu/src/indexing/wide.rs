//! Masks with AVX-512: eight or sixteen elements at a time.

use std::arch::x86_64::*;

/// Lanes that are true, of the 64 bytes at most that begin there.
///
/// # Safety
///
/// `count` bytes can be read, and the processor has AVX-512.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn truths(mask: *const u8, count: usize) -> u64 {
    let lanes = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
    // SAFETY: lanes beyond the count are not read.
    let bytes = unsafe { _mm512_maskz_loadu_epi8(lanes, mask.cast()) };
    _mm512_test_epi8_mask(bytes, bytes)
}

macro_rules! take {
    ($(#[$doc:meta])* $name:ident, $type:ty, $lanes:literal, $kind:ty, $load:ident, $compress:ident, $store:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// `length` bytes and elements can be read, `room` elements written, and the processor has AVX-512.
        #[target_feature(enable = "avx512f,avx512bw,popcnt,bmi1,bmi2")]
        pub(super) unsafe fn $name(
            mask: *const u8,
            array: *const $type,
            length: usize,
            out: *mut $type,
            room: usize,
        ) -> usize {
            let mut at = 0;
            for from in (0..length).step_by(64) {
                // SAFETY: passed on from the caller.
                let mut truths = unsafe { truths(mask.add(from), length - from) };
                let mut first = from;
                while truths != 0 {
                    let lanes = truths as $kind;
                    let count = (lanes.count_ones() as usize).min(room - at);
                    // SAFETY: only lanes that are true are read, which lie below the length; as many are written
                    // as there are of them, and not more than there is room for.
                    unsafe {
                        let kept = $compress(lanes, $load(lanes, array.add(first).cast()));
                        $store(out.add(at).cast(), ((1u32 << count) - 1) as $kind, kept);
                    }
                    at += count;
                    truths >>= $lanes;
                    first += $lanes;
                }
            }
            at
        }
    };
}

take! {
    /// Takes elements of eight bytes; how many.
    take_8, u64, 8, __mmask8, _mm512_maskz_loadu_epi64, _mm512_maskz_compress_epi64, _mm512_mask_storeu_epi64
}
take! {
    /// Takes elements of four bytes; how many.
    take_4, u32, 16, __mmask16, _mm512_maskz_loadu_epi32, _mm512_maskz_compress_epi32, _mm512_mask_storeu_epi32
}

/// Takes positions, of which the first is given; how many.
///
/// # Safety
///
/// `length` bytes can be read, `room` integers written, and the processor has AVX-512.
#[target_feature(enable = "avx512f,avx512bw,popcnt,bmi1,bmi2")]
pub(super) unsafe fn take_positions(
    mask: *const u8,
    position: i64,
    length: usize,
    out: *mut i64,
    room: usize,
) -> usize {
    let steps = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    let mut at = 0;
    for from in (0..length).step_by(64) {
        // SAFETY: passed on from the caller.
        let mut truths = unsafe { truths(mask.add(from), length - from) };
        let mut first = position + from as i64;
        while truths != 0 {
            let lanes = truths as __mmask8;
            let count = (lanes.count_ones() as usize).min(room - at);
            let kept = _mm512_maskz_compress_epi64(lanes, _mm512_add_epi64(steps, _mm512_set1_epi64(first)));
            // SAFETY: not more are written than there is room for.
            unsafe { _mm512_mask_storeu_epi64(out.add(at), ((1u32 << count) - 1) as __mmask8, kept) };
            at += count;
            truths >>= 8;
            first += 8;
        }
    }
    at
}

macro_rules! write {
    ($(#[$doc:meta])* $name:ident, $type:ty, $lanes:literal, $kind:ty, $store:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// `length` bytes can be read, as many elements written, and the processor has AVX-512.
        #[target_feature(enable = "avx512f,avx512bw")]
        pub(super) unsafe fn $name(mask: *const u8, array: *mut $type, length: usize, value: &[u8; 64]) {
            // SAFETY: the value has the length of a vector.
            let value = unsafe { _mm512_loadu_si512(value.as_ptr().cast()) };
            for from in (0..length).step_by(64) {
                // SAFETY: passed on from the caller.
                let mut truths = unsafe { truths(mask.add(from), length - from) };
                let mut first = from;
                while truths != 0 {
                    // SAFETY: only lanes that are true are written, which lie below the length.
                    unsafe { $store(array.add(first).cast(), truths as $kind, value) };
                    truths >>= $lanes;
                    first += $lanes;
                }
            }
        }
    };
}

write! {
    /// Writes elements of eight bytes.
    write_8, u64, 8, __mmask8, _mm512_mask_storeu_epi64
}
write! {
    /// Writes elements of four bytes.
    write_4, u32, 16, __mmask16, _mm512_mask_storeu_epi32
}
