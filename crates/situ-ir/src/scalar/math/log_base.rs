//! Logarithms to the bases 2 and 10.
//!
//! As in the natural logarithm, x = 2ᵏ (1 + f). Changing the base multiplies a logarithm by a number that rounding
//! changes. So the polynomials contain it, and the first term gets a few bits to spare.

use super::log::{poles_f32, poles_f64};
use super::parts::{split_f32, split_from_f64, split_normal_f32, split_normal_from_f64, two_chains};

/// log₂ e, rounded, and what rounding took.
const LOG2_E: [f64; 2] = [std::f64::consts::LOG2_E, 2.035_527_374_093_103_3e-17];
/// log₁₀ e, rounded, and what rounding took.
const LOG10_E: [f64; 2] = [std::f64::consts::LOG10_E, 1.098_319_650_216_765e-17];
/// log₁₀ 2 as a part with so few bits that its product with any exponent is exact, and the rest.
const LOG10_2_F64: [f64; 2] = [0.301_029_995_663_839_14, 1.420_502_322_726_61e-13];
const LOG10_2_F32: [f32; 2] = [0.301_025_4, 4.605_039e-6];

/// The least m. From here to twice as much, the logarithm of m to base 2 is so close to f log₂ e, and that so far from
/// ±1, that the difference of k and the sum of k and f log₂ e is exact.
const LEAST: f64 = 0.673;

/// (log₂(1 + f) / s - 2 log₂ e) / s² in powers of s², where s = f / (2 + f), for 0.673 <= 1 + f <= 1.346: minimax, the
/// relative error of the logarithm is at most 2^-63.2.
const LOG2_F64: [f64; 8] = [
    0.9617966939259749,
    0.5770780163561878,
    0.41219858293810935,
    0.3205989219845859,
    0.26230634908695016,
    0.22203502871870895,
    0.19025522711988374,
    0.19833851571713942,
];

/// (log₁₀(1 + f) / s - 2 log₁₀ e) / s² in powers of s², as above.
const LOG10_F64: [f64; 8] = [
    0.2895296546021677,
    0.17371779276147847,
    0.12408413763545566,
    0.09650989199026065,
    0.07896208560573788,
    0.06683898472773389,
    0.05727634748330334,
    0.05967901588139635,
];

/// (log₂(1 + f) - f log₂ e) / f² for √½ <= 1 + f <= √2: minimax, the relative error of the logarithm is at most
/// 2^-26.5.
const LOG2_F32: [f32; 9] =
    [-0.72134733, 0.48089823, -0.36069658, 0.28856748, -0.2396184, 0.20460038, -0.1910559, 0.18617229, -0.10995987];

/// (log₁₀(1 + f) - f log₁₀ e) / f² for √½ <= 1 + f <= √2: minimax, the relative error of the logarithm is at most
/// 2^-26.6.
const LOG10_F32: [f32; 9] =
    [-0.21714719, 0.1447648, -0.10858049, 0.086867474, -0.07213233, 0.06159085, -0.057513557, 0.056043442, -0.03310122];

/// Logarithm to base 2.
#[inline(always)]
pub fn log2_f64(x: f64) -> f64 {
    poles_f64(x, log2_of_parts_f64(split_from_f64(x, LEAST)))
}

/// Logarithm to base 2, unless that is rare.
#[inline(always)]
pub fn log2_usual_f64(x: f64) -> f64 {
    log2_of_parts_f64(split_normal_from_f64(x, LEAST))
}

/// The logarithm of m 2ᵏ to base 2.
#[inline(always)]
fn log2_of_parts_f64((m, k): (f64, f64)) -> f64 {
    let (sum, low) = combine(k, m, LOG2_E, &LOG2_F64);
    sum + low
}

/// Logarithm to base 2.
#[inline(always)]
pub fn log2_f32(x: f32) -> f32 {
    poles_f32(x, log2_of_parts_f32(split_f32(x)))
}

/// Logarithm to base 2, unless that is rare.
#[inline(always)]
pub fn log2_usual_f32(x: f32) -> f32 {
    log2_of_parts_f32(split_normal_f32(x))
}

/// The logarithm of m 2ᵏ to base 2.
#[inline(always)]
fn log2_of_parts_f32((m, k): (f32, f32)) -> f32 {
    let f = m - 1.0;
    k + f.mul_add(std::f32::consts::LOG2_E, f * f * two_chains(f, &LOG2_F32))
}

/// Logarithm to base 10.
#[inline(always)]
pub fn log10_f64(x: f64) -> f64 {
    poles_f64(x, log10_of_parts_f64(split_from_f64(x, LEAST)))
}

/// Logarithm to base 10, unless that is rare.
#[inline(always)]
pub fn log10_usual_f64(x: f64) -> f64 {
    log10_of_parts_f64(split_normal_from_f64(x, LEAST))
}

/// The logarithm of m 2ᵏ to base 10.
#[inline(always)]
fn log10_of_parts_f64((m, k): (f64, f64)) -> f64 {
    let (sum, low) = combine(k * LOG10_2_F64[0], m, LOG10_E, &LOG10_F64);
    sum + k.mul_add(LOG10_2_F64[1], low)
}

/// Logarithm to base 10.
#[inline(always)]
pub fn log10_f32(x: f32) -> f32 {
    poles_f32(x, log10_of_parts_f32(split_f32(x)))
}

/// Logarithm to base 10, unless that is rare.
#[inline(always)]
pub fn log10_usual_f32(x: f32) -> f32 {
    log10_of_parts_f32(split_normal_f32(x))
}

/// The logarithm of m 2ᵏ to base 10.
#[inline(always)]
fn log10_of_parts_f32((m, k): (f32, f32)) -> f32 {
    let f = m - 1.0;
    let low = (f * f).mul_add(two_chains(f, &LOG10_F32), k * LOG10_2_F32[1]);
    k.mul_add(LOG10_2_F32[0], f.mul_add(std::f32::consts::LOG10_E, low))
}

/// start + c ln m as an unevaluated sum, where `factor` is c and `curve` belongs to it, and `start` is 0 or c ln 2 at
/// least.
///
/// With m = 1 + f and s = f / (2 + f), c ln m is c f - c f²/2 + s (c f²/2 + s² R(s²)). Each term is a fifth of the one
/// before at most, and so are its rounding errors.
#[inline(always)]
fn combine(start: f64, m: f64, factor: [f64; 2], curve: &[f64; 8]) -> (f64, f64) {
    let f = m - 1.0;
    let s = f / (m + 1.0);
    let (square, half) = (s * s, 0.5 * factor[0]);
    let bend = f * f;
    let sum = f.mul_add(factor[0], start);
    let lost = f.mul_add(factor[0], start - sum);
    let low = bend.mul_add(-half, f.mul_add(factor[1], lost));
    (sum, s.mul_add(square.mul_add(two_chains(square, curve), bend * half), low))
}
