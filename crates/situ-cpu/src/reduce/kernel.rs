//! The loops: rows combined into rows, lanes into one, prefixes, and the first of the greatest.
//!
//! They know dense rows of one dtype. What is strided or mapped is brought into that form first, as for elementwise
//! loops.

use situ_ir::scalar::Numeric;
use situ_ir::tree::RADIX;

use crate::elementwise::{Hard, Meaning, load};

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
pub(super) unsafe fn fold<M: Meaning<2, Out = <M as Meaning<2>>::In>>(
    to: *mut u8,
    from: *const u8,
    stride: isize,
    rows: usize,
    width: usize,
    continues: bool,
) {
    const { assert!(matches!(M::HARD, Hard::Never)) };
    let block = const { BLOCK / size_of::<M::In>() };
    let to = to.cast::<M::In>();
    let row = |n: usize| from.wrapping_offset(n as isize * stride).cast::<M::In>();
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
                    to.add(i).write(load(from.add(i)));
                }
                done = 1;
            }
            for n in done..rows {
                let from = row(n).wrapping_add(first);
                combine::<M>(to, from, count);
            }
        }
        first += count;
    }
}

/// # Safety
///
/// `count` values can be read at `from` and read and written at `to`, and they do not overlap.
#[inline(always)]
unsafe fn combine<M: Meaning<2, Out = <M as Meaning<2>>::In>>(to: *mut M::In, from: *const M::In, count: usize) {
    // SAFETY: the caller's promise.
    let to = unsafe { std::slice::from_raw_parts_mut(to, count) };
    for (i, value) in to.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        *value = M::apply([*value, unsafe { load(from.add(i)) }]);
    }
}

/// The body of a [`Halve`].
///
/// # Safety
///
/// As for [`Halve`].
#[inline(always)]
pub(super) unsafe fn halve<M: Meaning<2, Out = <M as Meaning<2>>::In>>(lanes: *mut u8, live: usize) {
    let lanes = lanes.cast::<M::In>();
    let mut live = live;
    while live > 1 {
        // The greatest power of two below what is left: where lanes are missing, fewer halvings lead to the same.
        let half = live.next_power_of_two() / 2;
        // SAFETY: both halves lie among the lanes, and the upper is no longer than the lower.
        unsafe { combine::<M>(lanes, lanes.add(half), live - half) };
        live = half;
    }
}

/// The body of a [`ScanGroups`].
///
/// # Safety
///
/// As for [`ScanGroups`].
#[inline(always)]
pub(super) unsafe fn scan_groups<M: Meaning<2, Out = <M as Meaning<2>>::In>>(
    to: *mut u8,
    from: *const u8,
    totals: *mut u8,
    count: usize,
) {
    let (to, from, totals) = (to.cast::<M::In>(), from.cast::<M::In>(), totals.cast::<M::In>());
    // SAFETY: positions stay below `count`, and groups below their number, for which the caller vouches.
    let scan = |first: usize, length: usize| unsafe {
        let mut running = load(from.add(first));
        to.add(first).write(running);
        for i in first + 1..first + length {
            running = M::apply([running, load(from.add(i))]);
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
pub(super) unsafe fn shift_groups<M: Meaning<2, Out = <M as Meaning<2>>::In>>(
    values: *mut u8,
    before: *const u8,
    count: usize,
) {
    // SAFETY: the caller's promise.
    let values = unsafe { std::slice::from_raw_parts_mut(values.cast::<M::In>(), count) };
    let mut groups = values.chunks_exact_mut(RADIX);
    let mut n = 0;
    for group in &mut groups {
        // SAFETY: the caller's promise: there is one for each group.
        let before = unsafe { load(before.cast::<M::In>().add(n)) };
        for value in group {
            *value = M::apply([before, *value]);
        }
        n += 1;
    }
    let rest = groups.into_remainder();
    if !rest.is_empty() {
        // SAFETY: as above.
        let before = unsafe { load(before.cast::<M::In>().add(n)) };
        rest.iter_mut().for_each(|value| *value = M::apply([before, *value]));
    }
}

/// An order in which the first of several values is looked for: by an op that returns it.
pub(super) trait Extreme {
    /// Whether the first value comes before the second, both being numbers.
    fn is_before<T: Numeric>(a: T, b: T) -> bool;
}

/// The greatest first.
#[derive(Debug)]
pub(super) struct Greatest;

impl Extreme for Greatest {
    #[inline(always)]
    fn is_before<T: Numeric>(a: T, b: T) -> bool {
        b.lt(a)
    }
}

/// The least first.
#[derive(Debug)]
pub(super) struct Least;

impl Extreme for Least {
    #[inline(always)]
    fn is_before<T: Numeric>(a: T, b: T) -> bool {
        a.lt(b)
    }
}

/// Whether a value takes the place of an earlier one. What is not a number comes before all numbers, and the earlier
/// of equal ones stays.
#[inline(always)]
fn takes_over<E: Extreme, T: Numeric>(value: T, earlier: T) -> bool {
    E::is_before(value, earlier) & !earlier.is_nan() | value.is_nan() & !earlier.is_nan()
}

/// Whether the value at `a` takes the place of the earlier one at `b`.
///
/// # Safety
///
/// Both are aligned and can be read.
pub(super) type TakesOver = unsafe fn(a: *const u8, b: *const u8) -> bool;

/// The body of a [`TakesOver`].
///
/// # Safety
///
/// As for [`TakesOver`].
#[inline(always)]
pub(super) unsafe fn takes_over_at<E: Extreme, T: Numeric>(a: *const u8, b: *const u8) -> bool {
    // SAFETY: the caller's promise.
    unsafe { takes_over::<E, T>(load(a.cast()), load(b.cast())) }
}

/// The first position among `count` values from `from` on at which the value at `wanted` lies; that it does is known.
///
/// # Safety
///
/// Values are aligned and can be read. The processor has the instruction set.
pub(super) type Find = unsafe fn(from: *const u8, count: usize, wanted: *const u8) -> usize;

/// The body of a [`Find`].
///
/// # Safety
///
/// As for [`Find`].
#[inline(always)]
pub(super) unsafe fn find<T: Numeric>(from: *const u8, count: usize, wanted: *const u8) -> usize {
    const LOOKED_OVER: usize = 64;
    let from = from.cast::<T>();
    // SAFETY: the caller's promise.
    let wanted: T = unsafe { load(wanted.cast()) };
    // SAFETY: callers stay below `count`.
    let is_it = |i: usize| unsafe {
        let value: T = load(from.add(i));
        value.eq(wanted) | value.is_nan() & wanted.is_nan()
    };
    let mut first = 0;
    while first + LOOKED_OVER <= count {
        let mut any = false;
        for i in first..first + LOOKED_OVER {
            any |= is_it(i);
        }
        if any {
            break;
        }
        first += LOOKED_OVER;
    }
    for i in first..count {
        if is_it(i) {
            return i;
        }
    }
    0
}

/// Puts a row's values, at their position in the sequence, in the place of those of `best` that they come before.
///
/// # Safety
///
/// `width` aligned values can be read at `row` and read and written at `best`, and as many positions at `places`. The
/// processor has the instruction set.
pub(super) type TakeRow = unsafe fn(best: *mut u8, places: *mut i64, row: *const u8, position: i64, width: usize);

/// The body of a [`TakeRow`].
///
/// # Safety
///
/// As for [`TakeRow`].
#[inline(always)]
pub(super) unsafe fn take_row<E: Extreme, T: Numeric>(
    best: *mut u8,
    places: *mut i64,
    row: *const u8,
    position: i64,
    width: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let best = std::slice::from_raw_parts_mut(best.cast::<T>(), width);
        let places = std::slice::from_raw_parts_mut(places, width);
        let row = row.cast::<T>();
        for i in 0..width {
            let (value, earlier) = (load(row.add(i)), best[i]);
            let is_new = takes_over::<E, T>(value, earlier);
            best[i] = if is_new { value } else { earlier };
            places[i] = if is_new { position } else { places[i] };
        }
    }
}
