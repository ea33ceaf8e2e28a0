//! Elements to or from places that have been found.

use super::by_width;
use crate::isa::Isa;

/// The addresses of the array that a thread writes to. Elements coincide or are apart, so that the first byte decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owned {
    pub(super) low: usize,
    pub(super) bytes: usize,
}

impl Owned {
    pub(super) const ALL: Owned = Owned { low: 0, bytes: usize::MAX };

    fn is_all(self) -> bool {
        self.bytes == usize::MAX
    }
}

/// Copies a block with at least one axis.
///
/// # Safety
///
/// Every element of the second place can be read and of the first written, and the two do not overlap.
pub(super) unsafe fn copy_block(width: usize, dims: &[usize], to: (*mut u8, &[isize]), from: (*mut u8, &[isize])) {
    if let [length] = *dims {
        let (to_step, from_step) = (to.1[0], from.1[0]);
        // SAFETY: passed on from the caller.
        return unsafe { by_width!(width, copy_row(length, to.0, to_step, from.0, from_step)) };
    }
    for n in 0..dims[0] as isize {
        let (row_to, row_from) = (to.0.wrapping_offset(to.1[0] * n), from.0.wrapping_offset(from.1[0] * n));
        // SAFETY: passed on from the caller.
        unsafe { copy_block(width, &dims[1..], (row_to, &to.1[1..]), (row_from, &from.1[1..])) };
    }
}

/// # Safety
///
/// As for [`copy_block`].
unsafe fn copy_row<T: Copy>(length: usize, to: *mut u8, to_step: isize, from: *const u8, from_step: isize) {
    let dense = size_of::<T>() as isize;
    if to_step == dense && from_step == dense {
        // SAFETY: passed on from the caller.
        return unsafe { std::ptr::copy_nonoverlapping(from.cast::<T>(), to.cast::<T>(), length) };
    }
    for n in 0..length as isize {
        // SAFETY: passed on from the caller.
        unsafe { to.offset(to_step * n).cast::<T>().write(from.offset(from_step * n).cast::<T>().read()) };
    }
}

/// # Safety
///
/// Elements can be read at the offsets, and written from `elements` on, `apart` bytes from each other.
pub(super) unsafe fn read_each<T: Copy>(array: *const u8, offsets: &[isize], elements: *mut u8, apart: isize) {
    if apart == size_of::<T>() as isize {
        for (n, offset) in offsets.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { elements.cast::<T>().add(n).write(array.offset(*offset).cast::<T>().read()) };
        }
        return;
    }
    for (n, offset) in offsets.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { elements.offset(apart * n as isize).cast::<T>().write(array.offset(*offset).cast::<T>().read()) };
    }
}

/// # Safety
///
/// As for [`read_each`], the other way round.
pub(super) unsafe fn write_each<T: Copy>(array: *mut u8, offsets: &[isize], elements: *const u8, apart: isize) {
    for (n, offset) in offsets.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { array.offset(*offset).cast::<T>().write(elements.offset(apart * n as isize).cast::<T>().read()) };
    }
}

/// Whether all of a tile is owned, or nothing of it, or some.
pub(super) enum Share {
    All,
    Some,
    None,
}

impl Owned {
    /// What is owned of the places at the offsets. Indices often come in order, and then a tile belongs to one thread.
    ///
    /// # Safety
    ///
    /// The processor has the instruction set.
    pub(super) unsafe fn share(self, isa: Isa, array: *const u8, offsets: &[isize]) -> Share {
        if self.is_all() {
            return Share::All;
        }
        let (least, most) = match isa {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the caller's promise.
            Isa::Avx512 => unsafe { range_avx512(offsets) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the caller's promise.
            Isa::Avx2 => unsafe { range_avx2(offsets) },
            _ => range(offsets),
        };
        let (low, high) = (array.wrapping_offset(least) as usize, array.wrapping_offset(most) as usize);
        let end = self.low + self.bytes;
        if low >= self.low && high < end {
            Share::All
        } else if high < self.low || low >= end {
            Share::None
        } else {
            Share::Some
        }
    }
}

/// The least and the greatest, in lanes, so that a compiler sees vectors.
#[inline(always)]
pub(super) fn range(offsets: &[isize]) -> (isize, isize) {
    const LANES: usize = 16;
    let (mut low, mut high) = ([isize::MAX; LANES], [isize::MIN; LANES]);
    let mut rows = offsets.chunks_exact(LANES);
    for row in &mut rows {
        for lane in 0..LANES {
            low[lane] = low[lane].min(row[lane]);
            high[lane] = high[lane].max(row[lane]);
        }
    }
    let rest = rows.remainder().iter().copied();
    let least = low.into_iter().chain(rest.clone()).min().unwrap_or(0);
    (least, high.into_iter().chain(rest).max().unwrap_or(0))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn range_avx2(offsets: &[isize]) -> (isize, isize) {
    range(offsets)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn range_avx512(offsets: &[isize]) -> (isize, isize) {
    range(offsets)
}

/// As [`write_each`], for the places that are owned.
///
/// # Safety
///
/// As for [`write_each`].
pub(super) unsafe fn write_owned<T: Copy>(
    array: *mut u8,
    offsets: &[isize],
    elements: *const u8,
    apart: isize,
    owned: Owned,
) {
    let is_owned = |offset: isize| (array.wrapping_offset(offset) as usize).wrapping_sub(owned.low) < owned.bytes;
    // What belongs to others is written here: whether it does cannot be predicted, so there is no branch.
    let mut elsewhere = std::mem::MaybeUninit::<T>::uninit();
    let elsewhere: *mut u8 = elsewhere.as_mut_ptr().cast();
    for (n, offset) in offsets.iter().enumerate() {
        let place = if is_owned(*offset) { array.wrapping_offset(*offset) } else { elsewhere };
        // SAFETY: the caller's promise, or a place of our own.
        unsafe { place.cast::<T>().write(elements.offset(apart * n as isize).cast::<T>().read()) };
    }
}
