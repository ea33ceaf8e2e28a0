//! Inverse hyperbolic functions.
//!
//! All three are logarithms: y = k ln 2 + 2 atanh s, with an integer k that makes s small. What they differ in is s,
//! and each has a form of s that loses nothing near 0. With A = sinh(k ln 2) and B = cosh(k ln 2), which are sums of
//! two powers of two:
//!
//! * asinh: s = (x - A) / (√(x² + 1) + B),
//! * acosh: s = (√(x² - 1) - A) / (x + B),
//! * atanh: s = ((1 + x) - 2ᵏ (1 - x)) / ((1 + x) + 2ᵏ (1 - x)), and half of the logarithm.

use super::log::{LN_2_F32, LN_2_F64, LOG_F64};
use super::parts::{Real, TWO_52, fast_two_sum, horner, split_normal_f32, split_normal_f64, two_chains, two_product};

/// (2 atanh s - 2 s) / s³ in powers of s², for |s| <= (√2 - 1) / (√2 + 1): minimax, the relative error of atanh s is at
/// most 2^-30.
const LOG_F32: [f32; 3] = [0.66666776, 0.39977533, 0.29871997];

/// (atanh s - s) / s³ in powers of s², for |s| <= 0.2005: minimax, the relative error of atanh s is at most 2^-60.7.
const ATANH_F64: [f64; 8] = [
    0.333333333333333,
    0.20000000000029014,
    0.14285714277756856,
    0.11111112165544669,
    0.09090831922966837,
    0.07695588544041206,
    0.06586259991685414,
    0.06925128465482466,
];

/// The same in single precision; the relative error of atanh s is at most 2^-28.1.
const ATANH_F32: [f32; 3] = [0.33333477, 0.19978689, 0.1518508];

/// Inverse hyperbolic sine.
#[inline(always)]
pub fn asinh_f64(x: f64) -> f64 {
    let magnitude = x.abs();
    let (a, above) = reduce_f64(magnitude);
    let square = a.mul_add(a, 1.0);
    let square_lost = a.mul_add(a, 1.0 - square);
    let root = square.sqrt();
    let root_error = root.mul_add(-root, square) + square_lost;
    let (sinh, cosh, k) = nearest_f64(a + root);
    let denominator = cosh + root;
    let inverse = 1.0 / denominator;
    // What the root lacks is its error over twice the root, and the denominator is near twice the root.
    let denominator_lost = root_error.mul_add(inverse, root - (denominator - cosh));
    let (s, s_low) = quotient(a - sinh, 0.0, denominator, denominator_lost, inverse);
    let curve = (s * s * s).mul_add(two_chains(s * s, &LOG_F64), s_low + s_low);
    let result = plus_logarithm(k + above, s + s, curve, LN_2_F64);
    let result = if magnitude < f64::INFINITY { result.copysign(x) } else { x };
    if magnitude < 1e-8 { x } else { result }
}

/// Inverse hyperbolic sine.
#[inline(always)]
pub fn asinh_f32(x: f32) -> f32 {
    let magnitude = x.abs();
    let (a, above) = reduce_f32(magnitude);
    let root = a.mul_add(a, 1.0).sqrt();
    let (sinh, cosh, k) = nearest_f32(a + root);
    let denominator = cosh + root;
    let inverse = 1.0 / denominator;
    let (s, s_low) = quotient(a - sinh, 0.0, denominator, root - (denominator - cosh), inverse);
    let curve = (s * s * s).mul_add(horner(s * s, &LOG_F32), s_low + s_low);
    let result = plus_logarithm(k + above, s + s, curve, LN_2_F32);
    let result = if magnitude < f32::INFINITY { result.copysign(x) } else { x };
    if magnitude < 1e-4 { x } else { result }
}

/// Inverse hyperbolic cosine; NaN below 1.
#[inline(always)]
pub fn acosh_f64(x: f64) -> f64 {
    let (a, above) = reduce_f64(x);
    let (product, product_lost) = two_product(a, a);
    let (less, less_lost) = fast_two_sum(product, -1.0);
    let (square, square_lost) = fast_two_sum(less, less_lost + product_lost);
    let root = square.sqrt();
    // Adding the smallest normal number changes no root but 0.
    let root_low = (root.mul_add(-root, square) + square_lost) * (0.5 / (root + f64::MIN_POSITIVE));
    let (sinh, cosh, k) = nearest_f64(a + root);
    let (numerator, numerator_lost) = fast_two_sum(root - sinh, root_low);
    let (denominator, denominator_lost) = fast_two_sum(cosh, a);
    let (s, s_low) = quotient(numerator, numerator_lost, denominator, denominator_lost, 1.0 / denominator);
    let curve = (s * s * s).mul_add(two_chains(s * s, &LOG_F64), s_low + s_low);
    let result = plus_logarithm(k + above, s + s, curve, LN_2_F64);
    let result = if x < f64::INFINITY { result } else { x };
    if x >= 1.0 { result } else { f64::NAN }
}

/// Inverse hyperbolic cosine; NaN below 1.
#[inline(always)]
pub fn acosh_f32(x: f32) -> f32 {
    let (a, above) = reduce_f32(x);
    // For a = 1 + d this is d² + 2d, without the cancellation of a² - 1.
    let less = a - 1.0;
    let root = less.mul_add(less, less + less).sqrt();
    let (sinh, cosh, k) = nearest_f32(a + root);
    let (denominator, denominator_lost) = fast_two_sum(cosh, a);
    let (s, s_low) = quotient(root - sinh, 0.0, denominator, denominator_lost, 1.0 / denominator);
    let curve = (s * s * s).mul_add(horner(s * s, &LOG_F32), s_low + s_low);
    let result = plus_logarithm(k + above, s + s, curve, LN_2_F32);
    let result = if x < f32::INFINITY { result } else { x };
    if x >= 1.0 { result } else { f32::NAN }
}

/// Inverse hyperbolic tangent; ±∞ at ±1, NaN beyond.
#[inline(always)]
pub fn atanh_f64(x: f64) -> f64 {
    const EXPONENT: u64 = 0xfff << 52;
    let a = x.abs();
    let (more, more_lost) = fast_two_sum(1.0, a);
    let (less, less_lost) = fast_two_sum(1.0, -a);
    // The bits of a number are nearly its logarithm: the nearest integer to that of the quotient is k or close by it.
    let ratio = more.to_bits().wrapping_sub(less.to_bits()).wrapping_add(1 << 51);
    let k = f64::from_bits((ratio >> 52) | TWO_52.to_bits()) - TWO_52;
    let scale = f64::from_bits((ratio & EXPONENT).wrapping_add(1.0_f64.to_bits()));
    let scaled = scale * less;
    let (numerator, numerator_lost) = fast_two_sum(more - scaled, scale.mul_add(-less_lost, more_lost));
    let (denominator, lost) = fast_two_sum(more, scaled);
    let denominator_lost = lost + scale.mul_add(less_lost, more_lost);
    let (s, s_low) = quotient(numerator, numerator_lost, denominator, denominator_lost, 1.0 / denominator);
    let curve = (s * s * s).mul_add(two_chains(s * s, &ATANH_F64), s_low);
    let result = plus_logarithm(k, s, curve, [0.5 * LN_2_F64[0], 0.5 * LN_2_F64[1]]);
    let result = if a < 1e-8 { a } else { result };
    let pole = if a == 1.0 { f64::INFINITY } else { f64::NAN };
    let result = if a < 1.0 { result } else { pole };
    result.copysign(x)
}

/// Inverse hyperbolic tangent; ±∞ at ±1, NaN beyond.
#[inline(always)]
pub fn atanh_f32(x: f32) -> f32 {
    const EXPONENT: u32 = 0x1ff << 23;
    let a = x.abs();
    let (more, more_lost) = fast_two_sum(1.0, a);
    let (less, less_lost) = fast_two_sum(1.0, -a);
    let ratio = more.to_bits().wrapping_sub(less.to_bits()).wrapping_add(1 << 22);
    let k = (ratio >> 23).cast_signed() as f32;
    let scale = f32::from_bits((ratio & EXPONENT).wrapping_add(1.0_f32.to_bits()));
    let scaled = scale * less;
    let numerator = (more - scaled) + scale.mul_add(-less_lost, more_lost);
    let (denominator, lost) = fast_two_sum(more, scaled);
    let denominator_lost = lost + scale.mul_add(less_lost, more_lost);
    let (s, s_low) = quotient(numerator, 0.0, denominator, denominator_lost, 1.0 / denominator);
    let curve = (s * s * s).mul_add(horner(s * s, &ATANH_F32), s_low);
    let result = plus_logarithm(k, s, curve, [0.5 * LN_2_F32[0], 0.5 * LN_2_F32[1]]);
    let result = if a < 1e-4 { a } else { result };
    let pole = if a == 1.0 { f32::INFINITY } else { f32::NAN };
    let result = if a < 1.0 { result } else { pole };
    result.copysign(x)
}

/// Brings numbers above 2²⁸, whose square may overflow, to the one with the same mantissa in [2²⁸, 2²⁹), and says by
/// how many powers of two. From there on asinh and acosh are the logarithm of twice the argument.
#[inline(always)]
fn reduce_f64(a: f64) -> (f64, f64) {
    const MANTISSA: u64 = (1 << 52) - 1;
    const LARGE: f64 = 268_435_456.0;
    let large = a > LARGE;
    let reduced = f64::from_bits((a.to_bits() & MANTISSA) | LARGE.to_bits());
    let above = f64::from_bits((a.to_bits() >> 52) | TWO_52.to_bits()) - (TWO_52 + 1051.0);
    (if large { reduced } else { a }, if large { above } else { 0.0 })
}

/// The same in single precision, with 2¹⁴.
#[inline(always)]
fn reduce_f32(a: f32) -> (f32, f32) {
    const MANTISSA: u32 = (1 << 23) - 1;
    const LARGE: f32 = 16_384.0;
    let large = a > LARGE;
    let reduced = f32::from_bits((a.to_bits() & MANTISSA) | LARGE.to_bits());
    let above = (a.to_bits() >> 23).cast_signed() as f32 - 141.0;
    (if large { reduced } else { a }, if large { above } else { 0.0 })
}

/// sinh(k ln 2), cosh(k ln 2) and k for the k that makes x / 2ᵏ nearest to 1.
#[inline(always)]
fn nearest_f64(x: f64) -> (f64, f64, f64) {
    let (m, k) = split_normal_f64(x);
    let up = f64::from_bits(x.to_bits().wrapping_sub(m.to_bits()).wrapping_add(0.5_f64.to_bits()));
    let down = f64::from_bits((0.5_f64.to_bits() + 0.5_f64.to_bits()).wrapping_sub(up.to_bits()));
    (up - down, up + down, k)
}

/// sinh(k ln 2), cosh(k ln 2) and k for the k that makes x / 2ᵏ nearest to 1.
#[inline(always)]
fn nearest_f32(x: f32) -> (f32, f32, f32) {
    let (m, k) = split_normal_f32(x);
    let up = f32::from_bits(x.to_bits().wrapping_sub(m.to_bits()).wrapping_add(0.5_f32.to_bits()));
    let down = f32::from_bits((0.5_f32.to_bits() + 0.5_f32.to_bits()).wrapping_sub(up.to_bits()));
    (up - down, up + down, k)
}

/// The quotient of two unevaluated sums as another, with about twice the precision of one number.
#[inline(always)]
fn quotient<T: Real>(numerator: T, numerator_lost: T, denominator: T, denominator_lost: T, inverse: T) -> (T, T) {
    let quotient = numerator * inverse;
    let remainder = quotient.fma(-denominator, numerator) + quotient.fma(-denominator_lost, numerator_lost);
    (quotient, remainder * inverse)
}

/// k ln 2 + value + low, where `value` is less than ln 2 or k is 0.
#[inline(always)]
fn plus_logarithm<T: Real>(k: T, value: T, low: T, ln_2: [T; 2]) -> T {
    let sum = k.fma(ln_2[0], value);
    let lost = value - k.fma(-ln_2[0], sum);
    sum + (lost + k.fma(ln_2[1], low))
}
