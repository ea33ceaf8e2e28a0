//! The loops: rows combined into rows, lanes into one, and prefixes.
//!
//! They know dense rows of one dtype. What is strided or mapped is brought into that form first, as for elementwise
//! loops.

use situ_ir::tree::RADIX;

use crate::elementwise::{Hard, Meaning, load};

/// What brings two parts of a sequence together.
pub(super) trait Join {
    /// What is known of a part.
    type Part: Copy;

    /// What is known of both.
    fn join(a: Self::Part, b: Self::Part) -> Self::Part;

    /// Reads a part.
    ///
    /// # Safety
    ///
    /// `pointer` is aligned and valid for a read.
    unsafe fn load(pointer: *const Self::Part) -> Self::Part;
}

impl<M: Meaning<2, Out = <M as Meaning<2>>::In>> Join for M {
    type Part = M::In;

    #[inline(always)]
    fn join(a: M::In, b: M::In) -> M::In {
        const { assert!(matches!(M::HARD, Hard::Never)) };
        M::apply([a, b])
    }

    #[inline(always)]
    unsafe fn load(pointer: *const M::In) -> M::In {
        // SAFETY: the caller's promise.
        unsafe { load(pointer) }
    }
}

/// Combines `rows` rows of `width` values, which begin `stride` bytes apart from `from` on, one after another into the
/// row at `to`: which is where they start from if it `continues`, and else with the first row.
///
/// # Safety
///
/// There is at least one row. Values are aligned and can be read, and `width` of them written at `to`, where no row lies.
/// The processor has the instruction set the loop was compiled for.
pub(super) type Fold =
    unsafe fn(to: *mut u8, from: *const u8, stride: isize, rows: usize, width: usize, continues: bool);

/// Combines `live` lanes by halves until one is left, the first.
///
/// # Safety
///
/// There are from 1 to [`LANES`](situ_ir::tree::LANES) aligned values there. The processor has the instruction set.
pub(super) type Halve = unsafe fn(lanes: *mut u8, live: usize);

/// Scans groups of [`RADIX`] values each by itself, the last of which may be shorter, and writes each group's total.
///
/// # Safety
///
/// Values are aligned; `count` can be read and as many written, in the same place or a disjoint one, and as many totals
/// as there are groups. The processor has the instruction set.
pub(super) type ScanGroups = unsafe fn(to: *mut u8, from: *const u8, totals: *mut u8, count: usize);

/// Combines what comes before each group of [`RADIX`] values, the last of which may be shorter, with each of them.
///
/// # Safety
///
/// Values are aligned; `count` of them can be read and written, and as many read at `before` as there are groups. The
/// processor has the instruction set.
pub(super) type ShiftGroups = unsafe fn(values: *mut u8, before: *const u8, count: usize);

/// Bytes of a row that are combined with those of the next rows before the rest of the row is.
const BLOCK: usize = 1024;

/// The body of a [`Fold`].
///
/// # Safety
///
/// As for [`Fold`].
#[inline(always)]
pub(super) unsafe fn fold<J: Join>(
    to: *mut u8,
    from: *const u8,
    stride: isize,
    rows: usize,
    width: usize,
    continues: bool,
) {
    let block = const { BLOCK / size_of::<J::Part>() };
    let to = to.cast::<J::Part>();
    let row = |n: usize| from.wrapping_offset(n as isize * stride).cast::<J::Part>();
    let mut first = 0;
    while first < width {
        let count = (width - first).min(block);
        // SAFETY: positions stay below `width`, and rows below `rows`, for which the caller vouches. The row at `to`
        // overlaps none of the others.
        unsafe {
            let to = to.add(first);
            let mut done = 0;
            if !continues {
                let from = row(0).wrapping_add(first);
                for i in 0..count {
                    to.add(i).write(J::load(from.add(i)));
                }
                done = 1;
            }
            for n in done..rows {
                let from = row(n).wrapping_add(first);
                combine::<J>(to, from, count);
            }
        }
        first += count;
    }
}

/// # Safety
///
/// `count` values can be read at `from` and read and written at `to`, and they do not overlap.
#[inline(always)]
unsafe fn combine<J: Join>(to: *mut J::Part, from: *const J::Part, count: usize) {
    // SAFETY: the caller's promise.
    let to = unsafe { std::slice::from_raw_parts_mut(to, count) };
    for (i, value) in to.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        *value = J::join(*value, unsafe { J::load(from.add(i)) });
    }
}

/// The body of a [`Halve`].
///
/// # Safety
///
/// As for [`Halve`].
#[inline(always)]
pub(super) unsafe fn halve<J: Join>(lanes: *mut u8, live: usize) {
    let lanes = lanes.cast::<J::Part>();
    let mut live = live;
    while live > 1 {
        // The greatest power of two below what is left: where lanes are missing, fewer halvings lead to the same.
        let half = live.next_power_of_two() / 2;
        // SAFETY: both halves lie among the lanes, and the upper is no longer than the lower.
        unsafe { combine::<J>(lanes, lanes.add(half), live - half) };
        live = half;
    }
}

/// The body of a [`ScanGroups`].
///
/// # Safety
///
/// As for [`ScanGroups`].
#[inline(always)]
pub(super) unsafe fn scan_groups<J: Join>(to: *mut u8, from: *const u8, totals: *mut u8, count: usize) {
    let (to, from, totals) = (to.cast::<J::Part>(), from.cast::<J::Part>(), totals.cast::<J::Part>());
    // SAFETY: positions stay below `count`, and groups below their number, for which the caller vouches.
    let scan = |first: usize, length: usize| unsafe {
        let mut running = J::load(from.add(first));
        to.add(first).write(running);
        for i in first + 1..first + length {
            running = J::join(running, J::load(from.add(i)));
            to.add(i).write(running);
        }
        totals.add(first / RADIX).write(running);
    };
    let full = count / RADIX;
    for group in 0..full {
        // Of a known length, so that it is written out: several groups are then under way at a time.
        scan(group * RADIX, RADIX);
    }
    if !count.is_multiple_of(RADIX) {
        scan(full * RADIX, count % RADIX);
    }
}

/// The body of a [`ShiftGroups`].
///
/// # Safety
///
/// As for [`ShiftGroups`].
#[inline(always)]
pub(super) unsafe fn shift_groups<J: Join>(values: *mut u8, before: *const u8, count: usize) {
    // SAFETY: the caller's promise.
    let values = unsafe { std::slice::from_raw_parts_mut(values.cast::<J::Part>(), count) };
    let mut groups = values.chunks_exact_mut(RADIX);
    let mut n = 0;
    for group in &mut groups {
        // SAFETY: the caller's promise: there is one for each group.
        let before = unsafe { J::load(before.cast::<J::Part>().add(n)) };
        for value in group {
            *value = J::join(before, *value);
        }
        n += 1;
    }
    let rest = groups.into_remainder();
    if !rest.is_empty() {
        // SAFETY: as above.
        let before = unsafe { J::load(before.cast::<J::Part>().add(n)) };
        rest.iter_mut().for_each(|value| *value = J::join(before, *value));
    }
}
