//! Integers of any dtype, one at a time.

use situ_types::DType;

/// The integer of a dtype at an address; `None` for other dtypes.
///
/// # Safety
///
/// An element of the dtype is there.
pub(super) unsafe fn read(dtype: DType, from: *const u8) -> Option<i128> {
    macro_rules! as_type {
        ($type:ty) => {{
            // SAFETY: the caller vouches for the element.
            unsafe { from.cast::<$type>().read_unaligned() }.into()
        }};
    }
    Some(match dtype {
        DType::I8 => as_type!(i8),
        DType::I16 => as_type!(i16),
        DType::I32 => as_type!(i32),
        DType::I64 => as_type!(i64),
        DType::U8 => as_type!(u8),
        DType::U16 => as_type!(u16),
        DType::U32 => as_type!(u32),
        DType::U64 => as_type!(u64),
        _ => return None,
    })
}

/// Writes an integer of a width, given as bits.
///
/// # Safety
///
/// There is room for it.
#[inline(always)]
pub(super) unsafe fn write(width: usize, to: *mut u8, integer: u64) {
    // SAFETY: passed on from the caller.
    unsafe {
        match width {
            1 => to.write(integer as u8),
            2 => to.cast::<u16>().write_unaligned(integer as u16),
            4 => to.cast::<u32>().write_unaligned(integer as u32),
            _ => to.cast::<u64>().write_unaligned(integer),
        }
    }
}

/// How many integers there are from a start by a step before a stop.
pub(super) fn trips(start: i128, stop: i128, step: i128) -> u64 {
    let (distance, step) = if step > 0 { (stop - start, step) } else { (start - stop, -step) };
    if distance <= 0 || step == 0 { 0 } else { u64::try_from((distance - 1) / step + 1).unwrap_or(u64::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trips_are_those_of_a_range() {
        for (start, stop, step) in [(0, 10, 3), (0, 9, 3), (5, 5, 1), (6, 5, 1), (5, 0, -2), (5, 4, -9), (0, 5, 0)] {
            let (mut at, mut count) = (start, 0);
            while step > 0 && at < stop || step < 0 && at > stop {
                (at, count) = (at + step, count + 1);
            }
            assert_eq!(trips(start, stop, step), count, "{start} {stop} {step}");
        }
        assert_eq!(trips(i64::MIN.into(), i64::MAX.into(), 1), u64::MAX);
    }
}
