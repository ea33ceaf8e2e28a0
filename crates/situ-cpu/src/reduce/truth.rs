//! The loops of `any` and `all`, which look at elements of every dtype where they lie.

use situ_ir::scalar::Numeric;

use super::kernel::Fold;
use crate::elementwise::load;

/// How truth values of elements of one dtype are combined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Truths {
    pub(super) settles: Settles,
    /// Combines rows of elements into a row of truth values.
    pub(super) fold: Fold,
}

/// Whether one of `count` elements from `from` on has the truth value that settles the result.
///
/// # Safety
///
/// Elements are aligned and can be read. The processor has the instruction set the loop was compiled for.
pub(super) type Settles = unsafe fn(from: *const u8, count: usize) -> bool;

/// Bytes of elements that are looked at before the answer is asked for.
const LOOKED_OVER: usize = 1024;

/// The body of a [`Settles`]; `SETTLING` is true for `any`.
///
/// # Safety
///
/// As for [`Settles`].
#[inline(always)]
pub(super) unsafe fn settles<T: Numeric, const SETTLING: bool>(from: *const u8, count: usize) -> bool {
    let looked_over = const { LOOKED_OVER / size_of::<T>() };
    let from = from.cast::<T>();
    let mut first = 0;
    while first < count {
        // Most often a number that the compiler knows.
        let end = if count - first >= looked_over { first + looked_over } else { count };
        let mut is_settled = false;
        for i in first..end {
            // SAFETY: `i` is below `count`, for which the caller vouches.
            is_settled |= unsafe { load(from.add(i)) }.truth() == SETTLING;
        }
        if is_settled {
            return true;
        }
        first = end;
    }
    false
}

/// The body of a [`Fold`] of elements into truth values; `SETTLING` is true for `any`.
///
/// # Safety
///
/// As for [`Fold`], the row at `to` being one of truth values.
#[inline(always)]
pub(super) unsafe fn fold<T: Numeric, const SETTLING: bool>(
    to: *mut u8,
    from: *const u8,
    stride: isize,
    rows: usize,
    width: usize,
    continues: bool,
) {
    /// Columns that are combined before the rest of a row is: what they come to stays in the first-level cache.
    const BLOCK: usize = 512;
    for first in (0..width).step_by(BLOCK) {
        let count = BLOCK.min(width - first);
        // SAFETY: the caller's promise; columns stay below `width` and rows below `rows`.
        unsafe {
            let to = std::slice::from_raw_parts_mut(to.add(first).cast::<bool>(), count);
            if !continues {
                to.fill(!SETTLING);
            }
            for row in 0..rows {
                let from = from.wrapping_offset(row as isize * stride).cast::<T>().add(first);
                for (i, truth) in to.iter_mut().enumerate() {
                    let element = load(from.add(i)).truth();
                    *truth = if SETTLING { *truth | element } else { *truth & element };
                }
            }
        }
    }
}
