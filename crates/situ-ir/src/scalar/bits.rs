//! Bits: combinations and shifts.

use super::Numeric;

/// Types made of bits: `bool` and integers.
pub trait Bits: Numeric {
    /// Bits set in both.
    fn and(self, other: Self) -> Self;
    /// Bits set in either.
    fn or(self, other: Self) -> Self;
    /// Bits set in one but not the other.
    fn xor(self, other: Self) -> Self;
    /// The other bits.
    fn not(self) -> Self;
}

/// Integers. A count that is negative, or no less than the width, shifts every bit out.
pub trait Integer: Bits {
    /// Shift towards the high bits.
    fn shl(self, count: Self) -> Self;
    /// Shift towards the low bits, keeping the sign.
    fn shr(self, count: Self) -> Self;
}

macro_rules! bits {
    ($($type:ty),*) => {$(
        impl Bits for $type {
            #[inline(always)]
            fn and(self, other: Self) -> Self { self & other }
            #[inline(always)]
            fn or(self, other: Self) -> Self { self | other }
            #[inline(always)]
            fn xor(self, other: Self) -> Self { self ^ other }
            #[inline(always)]
            fn not(self) -> Self { !self }
        }
    )*};
}
bits!(bool, i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! integers {
    ($($type:ident $unsigned:ident),*) => {$(
        impl Integer for $type {
            #[inline(always)]
            fn shl(self, count: Self) -> Self {
                if (count as $unsigned) < $type::BITS as $unsigned { self.wrapping_shl(count as u32) } else { 0 }
            }
            #[inline(always)]
            fn shr(self, count: Self) -> Self {
                let inside = (count as $unsigned) < $type::BITS as $unsigned;
                self.wrapping_shr(if inside { count as u32 } else { $type::BITS - 1 })
                    & if inside || $type::MIN != 0 { !0 } else { 0 }
            }
        }
    )*};
}
integers!(i8 u8, i16 u16, i32 u32, i64 u64, u8 u8, u16 u16, u32 u32, u64 u64);
