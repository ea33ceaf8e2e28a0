//! Loops that a block needs beside those of ops, by width alone, compiled once per instruction set.

use crate::isa::Isa;

/// Masks and registers are padded to so many elements, so that loops have no rest to do one by one.
pub(super) const PADDING: usize = 64;

type Gather = unsafe fn(to: *mut u8, from: *const u8, offsets: *const i64, count: usize);
type GatherMasked = unsafe fn(to: *mut u8, from: *const u8, offsets: *const i64, mask: *const u8, count: usize);
type Scatter = unsafe fn(to: *mut u8, offsets: *const i64, from: *const u8, mask: *const u8, count: usize);
type Blend = unsafe fn(to: *mut u8, from: *const u8, mask: *const u8, count: usize);
type Pack = unsafe fn(to: *mut u8, from: *const u8, lanes: *const u32, count: usize);

/// The loops of an instruction set. Those by width are in the order of its logarithm.
///
/// All are safe to call where pointers are aligned and valid for the elements that are touched, and what is written overlaps
/// nothing that is read unless it is the same.
#[derive(Debug)]
pub(super) struct Moves {
    /// Elements so many elements from the first.
    pub(super) gather: [Gather; 5],
    /// The same where a mask holds; other elements are not touched.
    pub(super) gather_masked: [GatherMasked; 5],
    /// The other way, in order.
    pub(super) scatter: [Scatter; 5],
    /// Elements where a mask holds, into memory that others may write to elsewhere.
    pub(super) store: [Blend; 5],
    /// Elements where a mask holds, into a register.
    pub(super) blend: [Blend; 5],
    /// One element where a mask holds.
    pub(super) blend_one: [Blend; 5],
    /// Elements of some work-items, side by side.
    pub(super) pack: [Pack; 5],
    /// And back.
    pub(super) unpack: [Pack; 5],
    /// Evenly spaced integers.
    pub(super) line: unsafe fn(to: *mut i64, first: i64, step: i64, count: usize),
    /// Adds integers times a factor.
    pub(super) add_scaled: unsafe fn(to: *mut i64, from: *const i64, factor: i64, count: usize),
    /// Which integers are above a limit.
    pub(super) above: unsafe fn(to: *mut u8, from: *const u64, limit: u64, count: usize),
    /// Bytes that are set in a mask where another is set, or is not, and in either; how many they are. The count is a
    /// multiple of [`PADDING`].
    pub(super) and: unsafe fn(to: *mut u8, a: *const u8, b: *const u8, count: usize) -> usize,
    pub(super) and_not: unsafe fn(to: *mut u8, a: *const u8, b: *const u8, count: usize) -> usize,
    pub(super) or: unsafe fn(to: *mut u8, a: *const u8, b: *const u8, count: usize) -> usize,
}

impl Moves {
    pub(super) fn of(isa: Isa) -> &'static Moves {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => &avx512::MOVES,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => &avx2::MOVES,
            _ => &baseline::MOVES,
        }
    }
}

const AND: u8 = 0;
const AND_NOT: u8 = 1;
const OR: u8 = 2;

/// # Safety
///
/// As for [`Moves::and`].
#[inline(always)]
unsafe fn combine<const HOW: u8>(to: *mut u8, a: *const u8, b: *const u8, count: usize) -> usize {
    type Chunk = [u8; PADDING];
    let mut total = 0;
    let chunks = count / PADDING;
    let mut chunk = 0;
    while chunk < chunks {
        // A byte counts to 255.
        let (mut sums, end) = ([0u8; PADDING], chunks.min(chunk + 255));
        while chunk < end {
            // SAFETY: the caller vouches for so many bytes. Each chunk is read before it is written.
            unsafe {
                let (a, b) = (*a.cast::<Chunk>().add(chunk), *b.cast::<Chunk>().add(chunk));
                let mut result = [0u8; PADDING];
                for i in 0..PADDING {
                    let (a, b) = (a[i] != 0, b[i] != 0);
                    result[i] = u8::from(match HOW {
                        AND => a & b,
                        AND_NOT => a & !b,
                        _ => a | b,
                    });
                    sums[i] += result[i];
                }
                *to.cast::<Chunk>().add(chunk) = result;
            }
            chunk += 1;
        }
        // Written out, because what a closure is passed to is not always inlined.
        for sum in sums {
            total += usize::from(sum);
        }
    }
    total
}

macro_rules! by_width {
    ($f:ident) => {
        [$f::<u8>, $f::<u16>, $f::<u32>, $f::<u64>, $f::<[u64; 2]>]
    };
}

macro_rules! compiled {
    ($($(#[$attribute:meta])* $name:ident, $features:literal;)*) => {$(
        $(#[$attribute])*
        mod $name {
            use super::*;

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn gather<T: Copy>(to: *mut u8, from: *const u8, offsets: *const i64, count: usize) {
                for i in 0..count {
                    // SAFETY: the caller vouches for the elements.
                    unsafe { *to.cast::<T>().add(i) = *from.cast::<T>().offset(*offsets.add(i) as isize) };
                }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn gather_masked<T: Copy>(
                to: *mut u8,
                from: *const u8,
                offsets: *const i64,
                mask: *const u8,
                count: usize,
            ) {
                for i in 0..count {
                    // SAFETY: the caller vouches for elements where the mask holds.
                    unsafe {
                        if *mask.add(i) != 0 {
                            *to.cast::<T>().add(i) = *from.cast::<T>().offset(*offsets.add(i) as isize);
                        }
                    }
                }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn scatter<T: Copy>(
                to: *mut u8,
                offsets: *const i64,
                from: *const u8,
                mask: *const u8,
                count: usize,
            ) {
                for i in 0..count {
                    // SAFETY: as for `gather_masked`.
                    unsafe {
                        if *mask.add(i) != 0 {
                            *to.cast::<T>().offset(*offsets.add(i) as isize) = *from.cast::<T>().add(i);
                        }
                    }
                }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn store<T: Copy>(to: *mut u8, from: *const u8, mask: *const u8, count: usize) {
                for i in 0..count {
                    // SAFETY: as for `gather_masked`.
                    unsafe {
                        if *mask.add(i) != 0 {
                            *to.cast::<T>().add(i) = *from.cast::<T>().add(i);
                        }
                    }
                }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn blend<T: Copy>(to: *mut u8, from: *const u8, mask: *const u8, count: usize) {
                // SAFETY: the caller vouches for all elements; nothing else refers to a register.
                let to = unsafe { std::slice::from_raw_parts_mut(to.cast::<T>(), count) };
                for (i, to) in to.iter_mut().enumerate() {
                    // SAFETY: as above.
                    unsafe {
                        let value = *from.cast::<T>().add(i);
                        *to = std::hint::select_unpredictable(*mask.add(i) != 0, value, *to);
                    }
                }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn blend_one<T: Copy>(to: *mut u8, from: *const u8, mask: *const u8, count: usize) {
                // SAFETY: as for `blend`.
                let to = unsafe { std::slice::from_raw_parts_mut(to.cast::<T>(), count) };
                // SAFETY: as above.
                let value = unsafe { *from.cast::<T>() };
                for (i, to) in to.iter_mut().enumerate() {
                    // SAFETY: as above.
                    *to = std::hint::select_unpredictable(unsafe { *mask.add(i) } != 0, value, *to);
                }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn pack<T: Copy>(to: *mut u8, from: *const u8, lanes: *const u32, count: usize) {
                for i in 0..count {
                    // SAFETY: the caller vouches for the elements.
                    unsafe { *to.cast::<T>().add(i) = *from.cast::<T>().add(*lanes.add(i) as usize) };
                }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn unpack<T: Copy>(to: *mut u8, from: *const u8, lanes: *const u32, count: usize) {
                for i in 0..count {
                    // SAFETY: the caller vouches for the elements.
                    unsafe { *to.cast::<T>().add(*lanes.add(i) as usize) = *from.cast::<T>().add(i) };
                }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn line(to: *mut i64, first: i64, step: i64, count: usize) {
                for i in 0..count {
                    // SAFETY: the caller vouches for the elements.
                    unsafe { *to.add(i) = first.wrapping_add(step.wrapping_mul(i as i64)) };
                }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn add_scaled(to: *mut i64, from: *const i64, factor: i64, count: usize) {
                // SAFETY: the caller vouches for the elements; the two do not overlap.
                let to = unsafe { std::slice::from_raw_parts_mut(to, count) };
                for (i, to) in to.iter_mut().enumerate() {
                    // SAFETY: as above.
                    *to = to.wrapping_add(unsafe { *from.add(i) }.wrapping_mul(factor));
                }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn above(to: *mut u8, from: *const u64, limit: u64, count: usize) {
                // SAFETY: the caller vouches for the elements; the two do not overlap.
                let to = unsafe { std::slice::from_raw_parts_mut(to, count) };
                for (i, to) in to.iter_mut().enumerate() {
                    // SAFETY: as above.
                    *to = u8::from(unsafe { *from.add(i) } > limit);
                }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn masks<const HOW: u8>(to: *mut u8, a: *const u8, b: *const u8, count: usize) -> usize {
                // SAFETY: passed on from the caller.
                unsafe { combine::<HOW>(to, a, b, count) }
            }

            pub(super) static MOVES: Moves = Moves {
                gather: by_width!(gather),
                gather_masked: by_width!(gather_masked),
                scatter: by_width!(scatter),
                store: by_width!(store),
                blend: by_width!(blend),
                blend_one: by_width!(blend_one),
                pack: by_width!(pack),
                unpack: by_width!(unpack),
                line,
                add_scaled,
                above,
                and: masks::<AND>,
                and_not: masks::<AND_NOT>,
                or: masks::<OR>,
            };
        }
    )*};
}

compiled! {
    baseline, "sse2";
    #[cfg(target_arch = "x86_64")]
    avx2, "avx2,fma,bmi1,bmi2,lzcnt,popcnt";
    #[cfg(target_arch = "x86_64")]
    avx512, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt";
}
