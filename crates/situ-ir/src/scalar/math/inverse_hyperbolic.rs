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
use super::parts::{Real, TWO_52, fast_two_sum, horner, two_chains};
use super::roots::rough_inverse_f64;

/// (atanh s - s) / s³ in powers of s², for |s| <= (√2 - 1) / (√2 + 1): half of what is in the logarithm.
const HALF_LOG_F64: [f64; 7] = halved(LOG_F64);

/// The same in single precision: minimax, the relative error of atanh s is at most 2^-30.
const HALF_LOG_F32: [f32; 3] = [0.33333388, 0.19988766, 0.14935999];

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
    const SMALL: u64 = 1e-8_f64.to_bits();
    let magnitude = x.abs();
    let (a, above) = reduce_f64(magnitude);
    let square = a.mul_add(a, 1.0);
    let root = square.sqrt();
    let (sinh, cosh, k) = nearest_f64(a + root);
    let numerator = a - sinh;
    let denominator = cosh + root;
    let inverse = 1.0 / denominator;
    // What the root lacks is its error over twice the root, and the denominator is near twice the root.
    let lost = root.mul_add(-root, square).mul_add(inverse, root - (denominator - cosh));
    let s = numerator * inverse;
    let remainder = s.mul_add(-lost, s.mul_add(-denominator, numerator));
    let result = twice_f64(k + above, s, remainder * inverse);
    // Neither infinite, nor so small that it is its own result, nor NaN.
    let ordinary = magnitude.to_bits().wrapping_sub(SMALL) < f64::INFINITY.to_bits() - SMALL;
    if ordinary { result.copysign(x) } else { x }
}

/// Inverse hyperbolic sine.
#[inline(always)]
pub fn asinh_f32(x: f32) -> f32 {
    const SMALL: u32 = 1e-4_f32.to_bits();
    let magnitude = x.abs();
    let (a, above) = reduce_f32(magnitude);
    let root = a.mul_add(a, 1.0).sqrt();
    let (sinh, cosh, k) = nearest_f32(a + root);
    let result = twice_f32(k + above, a - sinh, cosh, root);
    let ordinary = magnitude.to_bits().wrapping_sub(SMALL) < f32::INFINITY.to_bits() - SMALL;
    if ordinary { result.copysign(x) } else { x }
}

/// Inverse hyperbolic cosine; NaN below 1.
#[inline(always)]
pub fn acosh_f64(x: f64) -> f64 {
    let (a, above) = reduce_f64(x);
    // For a = 1 + d, and d is exact, a² - 1 is d² + 2d, without cancellation.
    let d = a - 1.0;
    let square = d.mul_add(d, d + d);
    let square_lost = d.mul_add(d, (d + d) - square);
    let root = square.sqrt();
    // Three bits of the inverse are enough for the low part.
    let root_low = (root.mul_add(-root, square) + square_lost) * (0.5 * rough_inverse_f64(root));
    let (sinh, cosh, k) = nearest_f64(a + root);
    let numerator = root - sinh;
    let denominator = cosh + a;
    let inverse = 1.0 / denominator;
    let s = numerator * inverse;
    let lost = s.mul_add(-(a - (denominator - cosh)), root_low);
    let remainder = s.mul_add(-denominator, numerator) + lost;
    let result = twice_f64(k + above, s, remainder * inverse);
    let result = if x < f64::INFINITY { result } else { x };
    if x >= 1.0 { result } else { f64::NAN }
}

/// Inverse hyperbolic cosine; NaN below 1.
#[inline(always)]
pub fn acosh_f32(x: f32) -> f32 {
    let (a, above) = reduce_f32(x);
    let d = a - 1.0;
    let root = d.mul_add(d, d + d).sqrt();
    let (sinh, cosh, k) = nearest_f32(a + root);
    let result = twice_f32(k + above, root - sinh, cosh, a);
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
    const EXPONENT: u64 = 0xfff << 52;
    let bits = x.to_bits().wrapping_add(1.0_f64.to_bits() - std::f64::consts::FRAC_1_SQRT_2.to_bits());
    let power = bits & EXPONENT;
    let up = f64::from_bits(power.wrapping_sub(1 << 52));
    let down = f64::from_bits((1.0_f64.to_bits() + 0.5_f64.to_bits()).wrapping_sub(power));
    let k = f64::from_bits((bits >> 52) | TWO_52.to_bits()) - (TWO_52 + 1023.0);
    (up - down, up + down, k)
}

/// sinh(k ln 2), cosh(k ln 2) and k for the k that makes x / 2ᵏ nearest to 1.
#[inline(always)]
fn nearest_f32(x: f32) -> (f32, f32, f32) {
    const EXPONENT: u32 = 0x1ff << 23;
    let bits = x.to_bits().wrapping_sub(std::f32::consts::FRAC_1_SQRT_2.to_bits());
    let power = bits & EXPONENT;
    let up = f32::from_bits(power.wrapping_add(0.5_f32.to_bits()));
    let down = f32::from_bits(0.5_f32.to_bits().wrapping_sub(power));
    (up - down, up + down, (bits.cast_signed() >> 23) as f32)
}

/// k ln 2 + 2 atanh(s + low).
#[inline(always)]
fn twice_f64(k: f64, s: f64, low: f64) -> f64 {
    let half = plus_logarithm(
        k,
        s,
        (s * s * s).mul_add(two_chains(s * s, &HALF_LOG_F64), low),
        [0.5 * LN_2_F64[0], 0.5 * LN_2_F64[1]],
    );
    half + half
}

/// k ln 2 + 2 atanh s, where s is the numerator over the sum of two numbers.
#[inline(always)]
fn twice_f32(k: f32, numerator: f32, first: f32, second: f32) -> f32 {
    let denominator = first + second;
    let inverse = 1.0 / denominator;
    let s = numerator * inverse;
    let remainder = s.mul_add(-(second - (denominator - first)), s.mul_add(-denominator, numerator));
    let low = remainder.mul_add(inverse, k * (0.5 * LN_2_F32[1]));
    let half = k.mul_add(0.5 * LN_2_F32[0], s + (s * s * s).mul_add(horner(s * s, &HALF_LOG_F32), low));
    half + half
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

const fn halved(mut numbers: [f64; 7]) -> [f64; 7] {
    let mut i = 0;
    while i < numbers.len() {
        numbers[i] *= 0.5;
        i += 1;
    }
    numbers
}
