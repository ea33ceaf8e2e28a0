//! Differences, signs, rounding and powers.

use situ_types::{C64, C128, F16};

use super::{Numeric, complex, math};

/// Every type but `bool`.
pub trait Arithmetic: Numeric {
    /// Difference; integers wrap.
    fn sub(self, other: Self) -> Self;
    /// Sign change; unsigned integers wrap.
    fn neg(self) -> Self;
    /// Complex conjugate; a real number is its own.
    #[inline(always)]
    fn conj(self) -> Self {
        self
    }
    /// -1, 0 or 1; for a complex number the point of the unit circle in its direction.
    fn sign(self) -> Self;
    /// The nearest integer, the even one of two; for a complex number part by part.
    fn round(self) -> Self;
    /// `self` to the power of `exponent`. Integers wrap, and are truncated where the exponent is negative.
    fn pow(self, exponent: Self) -> Self;
    /// [`pow`](Self::pow), as long as [`is_rare_power`](Self::is_rare_power) says nothing else.
    #[inline(always)]
    fn pow_usual(self, exponent: Self) -> Self {
        self.pow(exponent)
    }
    /// Whether `pow_usual` is not meant for these numbers.
    #[inline(always)]
    fn is_rare_power(self, _exponent: Self) -> bool {
        false
    }
}

macro_rules! integers {
    ($($type:ident: $sign:expr;)*) => {$(
        impl Arithmetic for $type {
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn neg(self) -> Self { self.wrapping_neg() }
            #[inline(always)]
            fn sign(self) -> Self { $sign(self) }
            #[inline(always)]
            fn round(self) -> Self { self }
            #[inline(always)]
            fn pow(self, exponent: Self) -> Self {
                // The reciprocal of an integer is one only for 1 and -1.
                #[allow(unused_comparisons, reason = "unsigned exponents are never negative")]
                let is_negative = exponent < 0;
                let is_unit = (self == 1) | (self.wrapping_add(1) == 0);
                if is_negative & !is_unit {
                    return 0;
                }
                let (mut base, mut result, mut left) = (self, 1, exponent);
                while left != 0 {
                    if left & 1 != 0 {
                        result = $type::wrapping_mul(result, base);
                    }
                    base = base.wrapping_mul(base);
                    // A negative exponent of a unit only matters by its parity.
                    left = if is_negative { 0 } else { left >> 1 };
                }
                result
            }
            #[inline(always)]
            fn pow_usual(self, exponent: Self) -> Self {
                let factor = |bit: u32, power: $type| if (exponent >> bit) & 1 != 0 { power } else { 1 };
                let square = self.wrapping_mul(self);
                let fourth = square.wrapping_mul(square);
                let eighth = fourth.wrapping_mul(fourth);
                let low = factor(0, self).wrapping_mul(factor(1, square));
                low.wrapping_mul(factor(2, fourth)).wrapping_mul(factor(3, eighth))
            }
            #[inline(always)]
            fn is_rare_power(self, exponent: Self) -> bool { exponent as u64 > 15 }
        }
    )*};
}
integers! {
    i8: i8::signum;
    i16: i16::signum;
    i32: i32::signum;
    i64: i64::signum;
    u8: |a| u8::from(a != 0);
    u16: |a| u16::from(a != 0);
    u32: |a| u32::from(a != 0);
    u64: |a| u64::from(a != 0);
}

macro_rules! floats {
    ($($type:ident),*) => {$(
        impl Arithmetic for $type {
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn neg(self) -> Self { -self }
            #[inline(always)]
            fn sign(self) -> Self {
                // What is not a number stays so; both zeros give the positive one.
                let sign = f32::from(self > 0.0) - f32::from(self < 0.0);
                if self.is_nan() { self } else { sign as $type }
            }
            #[inline(always)]
            fn round(self) -> Self { self.round_ties_even() }
            #[inline(always)]
            fn pow(self, exponent: Self) -> Self { math::$type::pow(self, exponent) }
            #[inline(always)]
            fn pow_usual(self, exponent: Self) -> Self { math::$type::pow_usual(self, exponent) }
            #[inline(always)]
            fn is_rare_power(self, exponent: Self) -> bool { math::$type::is_rare_power(self, exponent) }
        }
    )*};
}
floats!(f32, f64);

macro_rules! complexes {
    ($($type:ident: $sign:expr, $pow:expr;)*) => {$(
        impl Arithmetic for $type {
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn neg(self) -> Self { -self }
            #[inline(always)]
            fn conj(self) -> Self { $type::new(self.re, -self.im) }
            #[inline(always)]
            fn sign(self) -> Self { $sign(self) }
            #[inline(always)]
            fn round(self) -> Self { $type::new(self.re.round_ties_even(), self.im.round_ties_even()) }
            #[inline(always)]
            fn pow(self, exponent: Self) -> Self { $pow(self, exponent) }
        }
    )*};
}
complexes! {
    C64: |z| complex::widened(complex::sign, z), |z, e| complex::widened_pair(complex::pow, z, e);
    C128: complex::sign, complex::pow;
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
    #[inline(always)]
    fn sign(self) -> Self {
        F16::from_f32(self.to_f32().sign())
    }
    #[inline(always)]
    fn round(self) -> Self {
        F16::from_f32(self.to_f32().round_ties_even())
    }
    #[inline(always)]
    fn pow(self, exponent: Self) -> Self {
        F16::from_f32(Arithmetic::pow(self.to_f32(), exponent.to_f32()))
    }
    #[inline(always)]
    fn pow_usual(self, exponent: Self) -> Self {
        F16::from_f32(self.to_f32().pow_usual(exponent.to_f32()))
    }
    #[inline(always)]
    fn is_rare_power(self, exponent: Self) -> bool {
        self.to_f32().is_rare_power(exponent.to_f32())
    }
}
