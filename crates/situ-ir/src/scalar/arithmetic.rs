//! Sums, products and differences. Integers wrap, as in NumPy.

use situ_types::{C64, C128, F16};

use super::Element;

/// Types with a sum and a product. For `bool` these are *or* and *and*.
pub trait Numeric: Element {
    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
}

/// Types with a difference: every [`Numeric`] type but `bool`.
pub trait Arithmetic: Numeric {
    /// Difference.
    fn sub(self, other: Self) -> Self;
    /// Sign change; unsigned integers wrap.
    fn neg(self) -> Self;
}

impl Numeric for bool {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self & other
    }
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Numeric for $type {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
        }
        impl Arithmetic for $type {
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn neg(self) -> Self { self.wrapping_neg() }
        }
    )*};
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl Numeric for $type {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self * other }
        }
        impl Arithmetic for $type {
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn neg(self) -> Self { -self }
        }
    )*};
}
floats!(f32, f64, C64, C128);

impl Numeric for F16 {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        F16::from_f32(self.to_f32() + other.to_f32())
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        F16::from_f32(self.to_f32() * other.to_f32())
    }
}

impl Arithmetic for F16 {
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        F16::from_f32(self.to_f32() - other.to_f32())
    }
    #[inline(always)]
    fn neg(self) -> Self {
        F16::from_bits(self.to_bits() ^ 0x8000)
    }
}
