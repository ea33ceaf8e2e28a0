//! The loops that find the first of the greatest or least values.

use situ_ir::scalar::Numeric;
use situ_ir::tree::LANES;

use crate::elementwise::load;

/// An order in which the first of several values is looked for: by an op that returns it.
pub(super) trait Extreme {
    /// Whether that is the greatest.
    const IS_GREATEST: bool;

    /// Whether the first value comes before the second, both being numbers.
    fn is_before<T: Numeric>(a: T, b: T) -> bool;

    /// The one that comes before the other; what is not a number comes before all numbers.
    fn better<T: Numeric>(a: T, b: T) -> T;
}

/// The greatest first.
#[derive(Debug)]
pub(super) struct Greatest;

impl Extreme for Greatest {
    const IS_GREATEST: bool = true;

    #[inline(always)]
    fn is_before<T: Numeric>(a: T, b: T) -> bool {
        b.lt(a)
    }

    #[inline(always)]
    fn better<T: Numeric>(a: T, b: T) -> T {
        a.max(b)
    }
}

/// The least first.
#[derive(Debug)]
pub(super) struct Least;

impl Extreme for Least {
    const IS_GREATEST: bool = false;

    #[inline(always)]
    fn is_before<T: Numeric>(a: T, b: T) -> bool {
        a.lt(b)
    }

    #[inline(always)]
    fn better<T: Numeric>(a: T, b: T) -> T {
        a.min(b)
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

/// Writes the greatest or least of `count` values from `from` on to `to`.
///
/// # Safety
///
/// There is at least one value. They are aligned and can be read, and one can be written at `to`. The processor has the
/// instruction set.
pub(super) type FindExtreme = unsafe fn(to: *mut u8, from: *const u8, count: usize);

/// The body of a [`FindExtreme`] for every dtype.
///
/// # Safety
///
/// As for [`FindExtreme`].
#[inline(always)]
pub(super) unsafe fn extreme<E: Extreme, T: Numeric>(to: *mut u8, from: *const u8, count: usize) {
    let from = from.cast::<T>();
    let mut lanes = [T::default(); LANES];
    let mut live = count.min(LANES);
    // SAFETY: positions stay below `count`, for which the caller vouches.
    unsafe {
        for (i, lane) in lanes[..live].iter_mut().enumerate() {
            *lane = load(from.add(i));
        }
        for first in (live..count).step_by(LANES) {
            for (i, lane) in lanes[..LANES.min(count - first)].iter_mut().enumerate() {
                *lane = E::better(*lane, load(from.add(first + i)));
            }
        }
    }
    while live > 1 {
        let half = live.div_ceil(2);
        let (lower, upper) = lanes.split_at_mut(half);
        for (lane, &value) in lower.iter_mut().zip(&upper[..live - half]) {
            *lane = E::better(*lane, value);
        }
        live = half;
    }
    // SAFETY: the caller's promise.
    unsafe { to.cast::<T>().write(lanes[0]) };
}

/// The first position among `count` values from `from` on at which the value at `wanted` lies; that it does is known.
///
/// # Safety
///
/// Values are aligned and can be read. The processor has the instruction set.
pub(super) type Find = unsafe fn(from: *const u8, count: usize, wanted: *const u8) -> usize;

/// The body of a [`Find`] for every dtype.
///
/// # Safety
///
/// As for [`Find`].
#[inline(always)]
pub(super) unsafe fn find<T: Numeric>(from: *const u8, count: usize, wanted: *const u8) -> usize {
    let from = from.cast::<T>();
    // SAFETY: the caller's promise.
    let wanted: T = unsafe { load(wanted.cast()) };
    position(count, |i| {
        // SAFETY: `i` is below `count`, for which the caller vouches.
        let value: T = unsafe { load(from.add(i)) };
        value.eq(wanted) | value.is_nan() & wanted.is_nan()
    })
}

/// The first of `count` positions at which something is so, or 0.
#[inline(always)]
pub(super) fn position(count: usize, is_it: impl Fn(usize) -> bool) -> usize {
    const LOOKED_OVER: usize = 64;
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
    (first..count).find(|&i| is_it(i)).unwrap_or(0)
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
