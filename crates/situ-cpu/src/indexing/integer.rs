//! Integers that say where to go along an axis.

/// Calls a function generic over the type of indices.
macro_rules! by_index {
    ($dtype:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $dtype {
            DType::I8 => $function::<i8>($($argument),*),
            DType::I16 => $function::<i16>($($argument),*),
            DType::I32 => $function::<i32>($($argument),*),
            DType::U8 => $function::<u8>($($argument),*),
            DType::U16 => $function::<u16>($($argument),*),
            DType::U32 => $function::<u32>($($argument),*),
            DType::U64 => $function::<u64>($($argument),*),
            _ => $function::<i64>($($argument),*),
        }
    };
}
pub(super) use by_index;

/// An integer that says where to go along an axis. A length is at least 1 and fits an `i64`.
pub(super) trait Index: Copy {
    /// Counted from the end if negative.
    fn counted_from_start(self, length: i64) -> i64;
    /// The same, clamped to the axis.
    fn checked(self, length: i64) -> i64;
    /// Modulo the length.
    fn wrapped(self, length: i64) -> i64;
    /// Clamped to the axis.
    fn clipped(self, length: i64) -> i64;
    /// Negative if the index may lie outside, counted from either end; never else misses one that does.
    fn doubt(self, length: i64) -> i64;
    /// The index itself.
    fn value(self) -> i128;
}

macro_rules! signed {
    ($($type:ty),*) => {$(
        impl Index for $type {
            #[inline(always)]
            fn counted_from_start(self, length: i64) -> i64 {
                let index = self as i64;
                // The shift is -1 for negative ones: no branch.
                index + (length & (index >> 63))
            }
            #[inline(always)]
            fn checked(self, length: i64) -> i64 {
                self.counted_from_start(length).clamp(0, length - 1)
            }
            #[inline(always)]
            fn wrapped(self, length: i64) -> i64 {
                let index = self as i64;
                if (0..length).contains(&index) { index } else { index.rem_euclid(length) }
            }
            #[inline(always)]
            fn clipped(self, length: i64) -> i64 {
                (self as i64).clamp(0, length - 1)
            }
            #[inline(always)]
            fn doubt(self, length: i64) -> i64 {
                let index = self as i64;
                !index.wrapping_sub(length) | index.wrapping_add(length)
            }
            fn value(self) -> i128 {
                self.into()
            }
        }
    )*};
}

macro_rules! unsigned {
    ($($type:ty),*) => {$(
        impl Index for $type {
            #[inline(always)]
            fn counted_from_start(self, _length: i64) -> i64 {
                self as i64
            }
            #[inline(always)]
            fn checked(self, length: i64) -> i64 {
                (self as u64).min(length as u64 - 1) as i64
            }
            #[inline(always)]
            fn wrapped(self, length: i64) -> i64 {
                let index = self as u64;
                (if index < length as u64 { index } else { index % length as u64 }) as i64
            }
            #[inline(always)]
            fn clipped(self, length: i64) -> i64 {
                self.checked(length)
            }
            #[inline(always)]
            fn doubt(self, length: i64) -> i64 {
                let index = self as i64;
                !index.wrapping_sub(length) | index
            }
            fn value(self) -> i128 {
                self.into()
            }
        }
    )*};
}

signed!(i8, i16, i32, i64);
unsigned!(u8, u16, u32, u64);

/// Which of `count` indices, so many bytes apart, is the first to lie outside an axis of that length.
///
/// # Safety
///
/// They can be read.
pub(super) unsafe fn first_outside<T: Index>(
    start: *const u8,
    apart: isize,
    count: usize,
    length: i64,
) -> Option<usize> {
    (0..count).find(|&n| {
        // SAFETY: the caller's promise.
        let index = unsafe { start.offset(n as isize * apart).cast::<T>().read() };
        !(-i128::from(length)..i128::from(length)).contains(&index.value())
    })
}
