//! The logarithm inside a power, as an unevaluated sum of two numbers.
//!
//! With f = m - 1 and s = f / (2 + f), log₂ m is s (c₁ + s² (c₃ + s² w)), where w stands for the rest of the series.
//! The quotient, its square and the two sums keep what rounding took from them.

use super::parts::{Real, horner, two_chains, two_product};

/// 2 log₂ e / n for n = 1 and 3, rounded, and what rounding took.
const FIRST_F64: [f64; 2] = [2.885_390_081_777_926_8, 4.071_054_748_186_206_6e-17];
const THIRD_F64: [f64; 2] = [0.961_796_693_925_975_6, 5.057_761_664_812_590_7e-17];

/// The coefficients from s⁵ on, for |s| <= (√2 - 1) / (√2 + 1): minimax, the relative error of the logarithm is at most
/// 2^-66.2. Rounding the sum over them adds as much.
const REST_F64: [f64; 7] = [
    0.5770780163556178,
    0.4121985830919912,
    0.3205989022647842,
    0.26230770186276814,
    0.2219839651554433,
    0.1912558898118182,
    0.19037893436910422,
];

/// The same in single precision.
const FIRST_F32: [f32; 2] = [2.885_39, 3.851_926e-8];

/// The coefficients from s³ on; the relative error of the logarithm is at most 2^-36.4.
const REST_F32: [f32; 4] = [0.961_796_7, 0.5770788, 0.41192734, 0.33648726];

/// y log₂(m 2ᵏ) as an unevaluated sum, for √½ <= m < √2.
#[inline(always)]
pub(super) fn exponent_f64(y: f64, m: f64, k: f64) -> (f64, f64) {
    let (s, square) = quotient(m);
    let inner = line(square, THIRD_F64, two_chains(square.0, &REST_F64));
    let (sum, low) = line(square, FIRST_F64, inner.0);
    scaled(y, k, s, (sum, square.0.mul_add(inner.1, low)))
}

/// y log₂(m 2ᵏ) as an unevaluated sum, for √½ <= m < √2.
#[inline(always)]
pub(super) fn exponent_f32(y: f32, m: f32, k: f32) -> (f32, f32) {
    let (s, square) = quotient(m);
    // What rounding takes from the inner sum costs a quarter of an ulp at most, and there are two.
    scaled(y, k, s, line(square, FIRST_F32, horner(square.0, &REST_F32)))
}

/// s = f / (2 + f), where m = 1 + f, and s², each with what rounding took.
#[inline(always)]
fn quotient<T: Real + From<f32>>(m: T) -> ((T, T), (T, T)) {
    let f = m - T::from(1.0);
    let inverse = T::from(1.0) / (m + T::from(1.0));
    let s = f * inverse;
    // The difference f - 2 s is exact, because one is near the other.
    let remainder = s.fma(-f, s.fma(T::from(-2.0), f));
    let s_low = remainder * inverse;
    let (square, square_lost) = two_product(s, s);
    ((s, s_low), (square, (s + s).fma(s_low, square_lost)))
}

/// start + x slope as an unevaluated sum, where |x slope| is less than the start.
#[inline(always)]
fn line<T: Real>(x: (T, T), start: [T; 2], slope: T) -> (T, T) {
    let sum = x.0.fma(slope, start[0]);
    let lost = x.0.fma(slope, start[0] - sum);
    (sum, lost + x.1.fma(slope, start[1]))
}

/// A number times the sum of an integer and a product of two unevaluated sums, which is between -1 and 1.
#[inline(always)]
fn scaled<T: Real>(factor: T, k: T, a: (T, T), b: (T, T)) -> (T, T) {
    let total = a.0.fma(b.0, k);
    let lost = a.0.fma(b.0, k - total);
    let low = a.0.fma(b.1, a.1.fma(b.0, lost));
    let (high, high_lost) = two_product(factor, total);
    (high, factor.fma(low, high_lost))
}
