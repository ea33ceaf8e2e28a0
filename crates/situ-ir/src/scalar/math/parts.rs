//! What the functions of this folder are made of: polynomials, error-free sums and products, exponents.
//!
//! Everything here is straight-line code. A caller's loop vectorises because nothing below branches on data, looks
//! anything up in a table or leaves the floating-point unit for longer than an integer shift.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// What the two precisions have in common.
pub(super) trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// `self * factor + term` with one rounding.
    fn fma(self, factor: Self, term: Self) -> Self;
}

macro_rules! real {
    ($($type:ident),*) => {$(
        impl Real for $type {
            #[inline(always)]
            fn fma(self, factor: Self, term: Self) -> Self {
                self.mul_add(factor, term)
            }
        }
    )*};
}
real!(f32, f64);

/// Evaluates `c[0] + c[1] x + c[2] x² + …` by Horner's rule: the fewest operations, one long chain.
#[inline(always)]
pub(super) fn horner<T: Real, const N: usize>(x: T, coefficients: &[T; N]) -> T {
    let mut sum = coefficients[N - 1];
    let mut i = N - 1;
    while i > 0 {
        i -= 1;
        sum = sum.fma(x, coefficients[i]);
    }
    sum
}

/// Evaluates `c[0] + c[1] x + c[2] x² + …` as two interleaved chains in `x²`: one product more, half the latency.
#[inline(always)]
pub(super) fn two_chains<T: Real, const N: usize>(x: T, coefficients: &[T; N]) -> T {
    let square = x * x;
    let mut upper = coefficients[N - 1];
    let mut lower = coefficients[N - 2];
    let mut i = N - 2;
    while i > 1 {
        i -= 2;
        upper = upper.fma(square, coefficients[i + 1]);
        lower = lower.fma(square, coefficients[i]);
    }
    let pair = upper.fma(x, lower);
    if i == 1 { pair.fma(x, coefficients[0]) } else { pair }
}

/// The rounded sum of any two numbers and what rounding took from it.
#[inline(always)]
pub(super) fn two_sum<T: Real>(a: T, b: T) -> (T, T) {
    let sum = a + b;
    let b_taken = sum - a;
    (sum, (a - (sum - b_taken)) + (b - b_taken))
}

/// The rounded sum of two numbers and what rounding took from it, for `|a| >= |b|` or `a` zero.
#[inline(always)]
pub(super) fn fast_two_sum<T: Real>(a: T, b: T) -> (T, T) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// The rounded product and what rounding took from it.
#[inline(always)]
pub(super) fn two_product<T: Real>(a: T, b: T) -> (T, T) {
    let product = a * b;
    (product, a.fma(b, -product))
}

/// Adding and subtracting this rounds a double below 2⁵¹ to the nearest integer, ties to even. In between, the low
/// bits of the sum are that integer in two's complement.
pub(super) const ROUNDER_F64: f64 = 6_755_399_441_055_744.0;

/// The same for floats below 2²².
pub(super) const ROUNDER_F32: f32 = 12_582_912.0;

/// [`ROUNDER_F64`] for integers that become a power of two: the low bits of the sum are twice the exponent bias more,
/// which is what [`scale_f64`] wants.
pub(super) const SCALE_ROUNDER_F64: f64 = ROUNDER_F64 + 2046.0;

/// The same for floats and [`scale_f32`].
pub(super) const SCALE_ROUNDER_F32: f32 = ROUNDER_F32 + 254.0;

/// Multiplies by 2ᵏ for -2046 < k < 2046, where `rounded` is k + [`SCALE_ROUNDER_F64`].
///
/// In two steps, each by a normal number. Only the second can round, so subnormal results are rounded once.
#[inline(always)]
pub(super) fn scale_f64(value: f64, rounded: f64) -> f64 {
    let bits = rounded.to_bits();
    let half = bits >> 1;
    value * f64::from_bits(half << 52) * f64::from_bits(bits.wrapping_sub(half) << 52)
}

/// Multiplies by 2ᵏ for -254 < k < 254, where `rounded` is k + [`SCALE_ROUNDER_F32`].
#[inline(always)]
pub(super) fn scale_f32(value: f32, rounded: f32) -> f32 {
    let bits = rounded.to_bits();
    let half = bits >> 1;
    value * f32::from_bits(half << 23) * f32::from_bits(bits.wrapping_sub(half) << 23)
}

/// Multiplies by 2ᵏ, where `rounded` is k + [`ROUNDER_F64`], and both the value and the result are normal.
#[inline(always)]
pub(super) fn shift_f64(value: f64, rounded: f64) -> f64 {
    f64::from_bits(value.to_bits().wrapping_add(rounded.to_bits() << 52))
}

/// Multiplies by 2ᵏ, where `rounded` is k + [`ROUNDER_F32`], and both the value and the result are normal.
#[inline(always)]
pub(super) fn shift_f32(value: f32, rounded: f32) -> f32 {
    f32::from_bits(value.to_bits().wrapping_add(rounded.to_bits() << 23))
}

/// 2ᵏ for -1022 <= k <= 1023, where `rounded` is k + [`ROUNDER_F64`].
#[inline(always)]
pub(super) fn power_of_two_f64(rounded: f64) -> f64 {
    f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52)
}

/// 2ᵏ for -126 <= k <= 127, where `rounded` is k + [`ROUNDER_F32`].
#[inline(always)]
pub(super) fn power_of_two_f32(rounded: f32) -> f32 {
    f32::from_bits(rounded.to_bits().wrapping_add(127) << 23)
}

/// Brings a number into a range; NaN stays NaN.
#[inline(always)]
pub(super) fn clamp<T: Real>(x: T, low: T, high: T) -> T {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// Bitwise or with a small integer gives the sum.
pub(super) const TWO_52: f64 = 4_503_599_627_370_496.0;
/// What makes subnormal floats normal.
const TWO_23: f32 = 8_388_608.0;

/// Writes a positive finite number as m 2ᵏ with √½ <= m < √2. Other numbers give something finite of no meaning.
#[inline(always)]
pub(super) fn split_f64(x: f64) -> (f64, f64) {
    split_from_f64(x, std::f64::consts::FRAC_1_SQRT_2)
}

/// Writes a positive finite number as m 2ᵏ with least <= m < 2 least. Other numbers give something finite of no
/// meaning.
#[inline(always)]
pub(super) fn split_from_f64(x: f64, least: f64) -> (f64, f64) {
    let subnormal = x < f64::MIN_POSITIVE;
    let (m, k) = split_normal_from_f64(if subnormal { x * TWO_52 } else { x }, least);
    // One subtraction of a picked number: from a picked difference the compiler makes two splits.
    (m, k - if subnormal { 52.0 } else { 0.0 })
}

/// [`split_f64`] without subnormal numbers.
#[inline(always)]
pub(super) fn split_normal_f64(x: f64) -> (f64, f64) {
    split_normal_from_f64(x, std::f64::consts::FRAC_1_SQRT_2)
}

/// [`split_from_f64`] without subnormal numbers, for 1/2 < least <= 1.
#[inline(always)]
pub(super) fn split_normal_from_f64(x: f64, least: f64) -> (f64, f64) {
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = x.to_bits().wrapping_add((1023 << 52) - least.to_bits());
    // Not a conversion: without AVX-512 there is none from 64-bit integers.
    let k = f64::from_bits((bits >> 52) | TWO_52.to_bits()) - (TWO_52 + 1023.0);
    (f64::from_bits((bits & MANTISSA) + least.to_bits()), k)
}

/// Writes a positive finite number as m 2ᵏ with √½ <= m < √2. Other numbers give something finite of no meaning.
#[inline(always)]
pub(super) fn split_f32(x: f32) -> (f32, f32) {
    let subnormal = x < f32::MIN_POSITIVE;
    let (m, k) = split_normal_f32(if subnormal { x * TWO_23 } else { x });
    (m, k - if subnormal { 23.0 } else { 0.0 })
}

/// [`split_f32`] without subnormal numbers.
#[inline(always)]
pub(super) fn split_normal_f32(x: f32) -> (f32, f32) {
    const MANTISSA: u32 = (1 << 23) - 1;
    const ROOT: u32 = std::f32::consts::FRAC_1_SQRT_2.to_bits();
    let bits = x.to_bits().wrapping_sub(ROOT);
    let k = (bits.cast_signed() >> 23) as f32;
    (f32::from_bits((bits & MANTISSA) + ROOT), k)
}

/// One of two finished values. An `if` says the same, but several on one condition tempt the compiler to part the ways
/// early and compute everything twice.
#[inline(always)]
pub(super) fn select<T: Real>(condition: bool, yes: T, no: T) -> T {
    std::hint::select_unpredictable(condition, yes, no)
}
