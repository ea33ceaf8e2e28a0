//! Powers: xʸ = 2^(y log₂ x).
//!
//! An error in the logarithm is multiplied by up to a thousand before it reaches the result, so the logarithm is an
//! unevaluated sum of two numbers with about 68 good bits (35 in single precision).

use super::parts::{
    Real, SCALE_ROUNDER_F32, SCALE_ROUNDER_F64, clamp, fast_two_sum, horner, scale_f32, scale_f64, split_f32,
    split_f64, two_chains, two_product,
};

/// 2 log₂ e / n for n = 1, 3, 5: the first coefficients of log₂((1 + s) / (1 - s)), rounded, and what rounding took.
const LOG2_F64: [[f64; 2]; 3] = [
    [2.885_390_081_777_926_8, 4.071_054_748_186_206_6e-17],
    [0.961_796_693_925_975_6, 5.057_761_664_812_590_7e-17],
    [0.577_078_016_355_585_3, 5.255_103_048_137_867_5e-17],
];

/// The other coefficients, from s⁷ on, for |s| <= (√2 - 1) / (√2 + 1): minimax, the relative error of the logarithm is
/// at most 2^-71.6.
const LOG2_REST_F64: [f64; 7] = [
    0.4121985831111986,
    0.32059889794343827,
    0.2623081953650888,
    0.22195247019958547,
    0.1923943963848748,
    0.1685794472599821,
    0.17183966578604526,
];

/// The same in single precision, for n = 1, 3.
const LOG2_F32: [[f32; 2]; 2] = [[2.885_39, 3.851_926e-8], [0.961_796_7, -7.028_462e-9]];

/// The other coefficients, from s⁵ on; the relative error of the logarithm is at most 2^-35.9.
const LOG2_REST_F32: [f32; 3] = [0.5770802, 0.41184795, 0.33786225];

/// ln 2, rounded, and what rounding took.
const LN_2: [f64; 2] = super::exp::LN_2_F64;

/// (2ʳ - 1 - r ln 2) / r² for |r| <= 1/2: minimax, 2ʳ off by at most 2^-56.9.
const EXP2_F64: [f64; 10] = [
    0.2402265069591012,
    0.055504108664821604,
    0.009618129107595103,
    0.0013333558146410654,
    0.00015403530458709013,
    1.52527338388832e-05,
    1.3215433535373761e-06,
    1.0178057620590688e-07,
    7.074195334903874e-09,
    4.455818442553684e-10,
];

/// The same in single precision; 2ʳ is off by at most 2^-27.8.
const EXP2_F32: [f32; 5] = [0.2402265, 0.055503618, 0.0096180225, 0.001339044, 0.00015471833];

/// `x` to the power of `y`.
///
/// 1 whenever y is 0 or x is 1, even if the other is NaN. NaN for a negative finite x and a y that is no integer.
#[inline(always)]
pub fn pow_f64(x: f64, y: f64) -> f64 {
    raise_f64(x, y, log_f64(x))
}

/// log₂ |x| as an unevaluated sum.
#[inline(always)]
fn log_f64(x: f64) -> (f64, f64) {
    let magnitude = x.abs();
    let (m, k) = split_f64(magnitude);
    // The logarithm of 0, infinity and NaN. From here on they take care of themselves.
    let k = if magnitude < f64::INFINITY { k } else { magnitude };
    let k = if magnitude == 0.0 { f64::NEG_INFINITY } else { k };
    let (s, square) = quotient(m);
    let rest = square.0 * two_chains(square.0, &LOG2_REST_F64);
    let (fifth, fifth_lost) = fast_two_sum(LOG2_F64[2][0], rest);
    let rest = product(square, (fifth, fifth_lost + LOG2_F64[2][1]));
    let series = series(square, [LOG2_F64[0], LOG2_F64[1]], rest.0, square.1.mul_add(rest.0, square.0 * rest.1));
    plus_integer(k, product(s, series))
}

/// `x` to the power of `y`, given log₂ |x|.
#[inline(always)]
fn raise_f64(x: f64, y: f64, log: (f64, f64)) -> f64 {
    // No logarithm but 0 is so small that a larger y than this would matter, and infinity times 0 is kept away.
    let factor = clamp(y, -1e30, 1e30);
    let (exponent, exponent_lost) = two_product(factor, log.0);
    let exponent_low = factor.mul_add(log.1, exponent_lost);
    let rounded = exponent + SCALE_ROUNDER_F64;
    let r = exponent - (rounded - SCALE_ROUNDER_F64);
    let whole = r + exponent_low;
    let low = exponent_low.mul_add(LN_2[0], r * LN_2[1]);
    let curve = (whole * whole).mul_add(two_chains(whole, &EXP2_F64), low);
    let power = scale_f64(1.0 + r.mul_add(LN_2[0], curve), rounded);
    // Picked at the end rather than clamped before: nothing waits for it.
    let power = if exponent > 1100.0 { f64::INFINITY } else { power };
    let power = if exponent < -1100.0 { 0.0 } else { power };

    let half = 0.5 * y;
    let integer = y.trunc() == y;
    let odd = integer & (half.trunc() != half);
    let power = if (x < 0.0) & (x.abs() < f64::INFINITY) & !integer { f64::NAN } else { power };
    let sign = if odd { x.to_bits() & (1 << 63) } else { 0 };
    let power = f64::from_bits(power.to_bits() | sign);
    if (y == 0.0) | (x == 1.0) { 1.0 } else { power }
}

/// `x` to the power of `y`.
///
/// 1 whenever y is 0 or x is 1, even if the other is NaN. NaN for a negative finite x and a y that is no integer.
#[inline(always)]
pub fn pow_f32(x: f32, y: f32) -> f32 {
    raise_f32(x, y, log_f32(x))
}

/// log₂ |x| as an unevaluated sum.
#[inline(always)]
fn log_f32(x: f32) -> (f32, f32) {
    let magnitude = x.abs();
    let (m, k) = split_f32(magnitude);
    let k = if magnitude < f32::INFINITY { k } else { magnitude };
    let k = if magnitude == 0.0 { f32::NEG_INFINITY } else { k };
    let (s, square) = quotient(m);
    let rest = square.0 * horner(square.0, &LOG2_REST_F32);
    let series = series(square, LOG2_F32, rest, 0.0);
    plus_integer(k, product(s, series))
}

/// `x` to the power of `y`, given log₂ |x|.
#[inline(always)]
fn raise_f32(x: f32, y: f32, log: (f32, f32)) -> f32 {
    let factor = clamp(y, -1e15, 1e15);
    let (exponent, exponent_lost) = two_product(factor, log.0);
    let exponent_low = factor.mul_add(log.1, exponent_lost);
    let rounded = exponent + SCALE_ROUNDER_F32;
    let r = (exponent - (rounded - SCALE_ROUNDER_F32)) + exponent_low;
    let curve = r * r * two_chains(r, &EXP2_F32);
    let power = scale_f32(1.0 + r.mul_add(std::f32::consts::LN_2, curve), rounded);
    let power = if exponent > 160.0 { f32::INFINITY } else { power };
    let power = if exponent < -160.0 { 0.0 } else { power };

    let half = 0.5 * y;
    let integer = y.trunc() == y;
    let odd = integer & (half.trunc() != half);
    let power = if (x < 0.0) & (x.abs() < f32::INFINITY) & !integer { f32::NAN } else { power };
    let sign = if odd { x.to_bits() & (1 << 31) } else { 0 };
    let power = f32::from_bits(power.to_bits() | sign);
    if (y == 0.0) | (x == 1.0) { 1.0 } else { power }
}

/// s = (m - 1) / (m + 1) and s², each with what rounding took.
#[inline(always)]
fn quotient<T: Real + From<f32>>(m: T) -> ((T, T), (T, T)) {
    let one = T::from(1.0);
    let numerator = m - one;
    let denominator = m + one;
    let denominator_lost = m - (denominator - one);
    let inverse = one / denominator;
    let s = numerator * inverse;
    let remainder = s.fma(-denominator_lost, s.fma(-denominator, numerator));
    let s_low = remainder * inverse;
    let (square, square_lost) = two_product(s, s);
    ((s, s_low), (square, (s + s).fma(s_low, square_lost)))
}

/// The product of two unevaluated sums.
#[inline(always)]
fn product<T: Real>(a: (T, T), b: (T, T)) -> (T, T) {
    let (high, lost) = two_product(a.0, b.0);
    (high, a.0.fma(b.1, a.1.fma(b.0, lost)))
}

/// c₁ + c₃ x + rest x + low as an unevaluated sum.
#[inline(always)]
fn series<T: Real>(x: (T, T), c: [[T; 2]; 2], rest: T, low: T) -> (T, T) {
    let (line, line_lost) = two_product(x.0, c[1][0]);
    let bend = x.0.fma(rest, line);
    let bend_lost = x.0.fma(rest, line - bend);
    let (sum, lost) = fast_two_sum(c[0][0], bend);
    let low = x.0.fma(c[1][1], c[0][1] + low) + x.1.fma(c[1][0], line_lost);
    (sum, lost + (bend_lost + low))
}

/// Adds an integer to an unevaluated sum between -1 and 1.
#[inline(always)]
fn plus_integer<T: Real>(k: T, sum: (T, T)) -> (T, T) {
    let (total, lost) = fast_two_sum(k, sum.0);
    (total, lost + sum.1)
}
