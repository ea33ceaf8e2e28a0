//! Indices into one axis, turned into offsets.

use situ_hal::{Address, IndexMode, IndexOperand};
use situ_types::DType;

use super::integer::{Index, by_index, first_outside};
use super::space::OperandSteps;
use crate::isa::Isa;

/// An axis of the array that is gone along by indices.
#[derive(Clone, Debug)]
pub(super) struct IndexedAxis {
    pub(super) indices: OperandSteps,
    dtype: DType,
    length: usize,
    /// Bytes of the array from one position along the axis to the next.
    pub(super) step: isize,
    mode: IndexMode,
    /// Where a verdict is wanted.
    pub(super) verdict: Option<Address>,
}

impl IndexedAxis {
    /// The operand, for an array whose elements have that width.
    pub(super) fn new(operand: &IndexOperand, width: usize) -> IndexedAxis {
        IndexedAxis {
            indices: OperandSteps::new(&operand.indices, operand.dtype.size()),
            dtype: operand.dtype,
            length: operand.length,
            // Where the axis has one element, its step can be anything.
            step: operand.step.wrapping_mul(width as isize),
            mode: operand.mode,
            verdict: operand.verdict,
        }
    }

    /// The least and greatest offset an index can lead to.
    pub(super) fn reach(&self) -> (isize, isize) {
        let end = self.step * (self.length as isize - 1);
        (end.min(0), end.max(0))
    }

    /// Adds the offsets that the indices from `start` on, so many bytes apart, lead to; whether one of them may lie
    /// outside its axis although it should not, in which case the sums are worthless and `add_inside` is to be used.
    ///
    /// # Safety
    ///
    /// As many indices as there are offsets can be read there, and the processor has the instruction set.
    pub(super) unsafe fn add_to(&self, isa: Isa, offsets: &mut [isize], start: *const u8, apart: isize) -> bool {
        if self.mode == IndexMode::Wrap || apart != self.dtype.size() as isize {
            // SAFETY: passed on from the caller.
            return unsafe { by_index!(self.dtype, add_strided(self, offsets, start, apart)) };
        }
        // SAFETY: passed on from the caller; the indices lie side by side.
        unsafe {
            match isa {
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => add_dense_avx512(self, offsets, start),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => add_dense_avx2(self, offsets, start),
                _ => by_index!(self.dtype, add_dense(self, offsets, start)),
            }
        }
    }

    /// Adds the offsets of indices that are first brought into their axis.
    ///
    /// # Safety
    ///
    /// As for [`add_to`](Self::add_to).
    pub(super) unsafe fn add_inside(&self, offsets: &mut [isize], start: *const u8, apart: isize) {
        // SAFETY: passed on from the caller.
        unsafe { by_index!(self.dtype, add_clamped(self, offsets, start, apart)) }
    }

    /// Which of `count` indices, so many bytes apart, is the first to lie outside.
    ///
    /// # Safety
    ///
    /// They can be read.
    pub(super) unsafe fn first_outside(&self, start: *const u8, apart: isize, count: usize) -> Option<usize> {
        // SAFETY: passed on from the caller.
        unsafe { by_index!(self.dtype, first_outside(start, apart, count, self.length as i64)) }
    }

    /// The index at a place, as it is written into a verdict.
    ///
    /// # Safety
    ///
    /// It can be read.
    pub(super) unsafe fn value(&self, at: *const u8) -> i64 {
        // SAFETY: passed on from the caller.
        unsafe { by_index!(self.dtype, read_value(at)) }
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! compiled_for {
    ($($name:ident, $features:literal;)*) => {$(
        #[target_feature(enable = $features)]
        unsafe fn $name(indexed: &IndexedAxis, offsets: &mut [isize], start: *const u8) -> bool {
            // SAFETY: passed on from the caller.
            unsafe { by_index!(indexed.dtype, add_dense(indexed, offsets, start)) }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
compiled_for! {
    add_dense_avx2, "avx2,bmi1,bmi2,lzcnt,popcnt";
    add_dense_avx512, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt";
}

/// # Safety
///
/// As for [`IndexedAxis::add_to`]; the indices lie side by side.
#[inline(always)]
unsafe fn add_dense<T: Index>(indexed: &IndexedAxis, offsets: &mut [isize], start: *const u8) -> bool {
    let (length, step) = (indexed.length as i64, indexed.step as i64);
    // SAFETY: the caller's promise.
    let indices = unsafe { std::slice::from_raw_parts(start.cast::<T>(), offsets.len()) };
    let pairs = offsets.iter_mut().zip(indices);
    if indexed.mode == IndexMode::Clip {
        pairs.for_each(|(offset, index)| *offset += (index.clipped(length) * step) as isize);
        return false;
    }
    let mut doubt = 0;
    for (offset, index) in pairs {
        // In one look, so that what is checked is what is used.
        let index = *index;
        doubt |= index.doubt(length);
        *offset = offset.wrapping_add(index.counted_from_start(length).wrapping_mul(step) as isize);
    }
    doubt < 0
}

/// # Safety
///
/// As for [`IndexedAxis::add_to`].
unsafe fn add_strided<T: Index>(indexed: &IndexedAxis, offsets: &mut [isize], start: *const u8, apart: isize) -> bool {
    let (length, step) = (indexed.length as i64, indexed.step as i64);
    // SAFETY: the caller vouches for as many indices as there are offsets.
    let read = |n: usize| unsafe { start.offset(n as isize * apart).cast::<T>().read() };
    let mut doubt = 0;
    let mut offset_of = |index: T| match indexed.mode {
        IndexMode::Wrap => index.wrapped(length) * step,
        IndexMode::Clip => index.clipped(length) * step,
        IndexMode::Checked => {
            doubt |= index.doubt(length);
            index.counted_from_start(length).wrapping_mul(step)
        }
    };
    if apart == 0 {
        let offset = offset_of(read(0)) as isize;
        offsets.iter_mut().for_each(|place| *place = place.wrapping_add(offset));
    } else {
        for (n, place) in offsets.iter_mut().enumerate() {
            *place = place.wrapping_add(offset_of(read(n)) as isize);
        }
    }
    doubt < 0
}

/// # Safety
///
/// As for [`IndexedAxis::add_to`].
unsafe fn add_clamped<T: Index>(indexed: &IndexedAxis, offsets: &mut [isize], start: *const u8, apart: isize) {
    let (length, step) = (indexed.length as i64, indexed.step as i64);
    for (n, place) in offsets.iter_mut().enumerate() {
        // SAFETY: the caller vouches for as many indices as there are offsets.
        let index = unsafe { start.offset(n as isize * apart).cast::<T>().read() };
        *place += match indexed.mode {
            IndexMode::Wrap => index.wrapped(length) * step,
            IndexMode::Clip => index.clipped(length) * step,
            IndexMode::Checked => index.checked(length) * step,
        } as isize;
    }
}

/// # Safety
///
/// An index can be read there.
unsafe fn read_value<T: Index>(at: *const u8) -> i64 {
    // SAFETY: the caller's promise.
    unsafe { at.cast::<T>().read() }.value() as i64
}
