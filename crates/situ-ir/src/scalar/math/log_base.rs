//! Logarithms to the bases 2 and 10.
//!
//! As in the natural logarithm, x = 2ᵏ (1 + f). Changing the base multiplies a logarithm by a number that rounding
//! changes. So the polynomials contain it, and the first term gets a few bits to spare.

use super::log::{poles_f32, poles_f64};
use super::parts::{fast_two_sum, split_f32, split_f64, two_chains, two_product};

/// log₂ e, rounded, and what rounding took.
const LOG2_E: [f64; 2] = [std::f64::consts::LOG2_E, 2.035_527_374_093_103_3e-17];
/// log₁₀ e, rounded, and what rounding took.
const LOG10_E: [f64; 2] = [std::f64::consts::LOG10_E, 1.098_319_650_216_765e-17];
/// log₁₀ 2 as a part with so few bits that its product with any exponent is exact, and the rest.
const LOG10_2_F64: [f64; 2] = [0.301_029_995_663_839_14, 1.420_502_322_726_61e-13];
const LOG10_2_F32: [f32; 2] = [0.301_025_4, 4.605_039e-6];

/// (log₂(1 + f) / s - 2 log₂ e) / s² in powers of s², where s = f / (2 + f), for √½ <= 1 + f <= √2: minimax, the
/// relative error of the logarithm is at most 2^-59.
const LOG2_F64: [f64; 7] = [
    0.9617966939259854,
    0.5770780163471309,
    0.4121985855800354,
    0.3205985565140665,
    0.26233339632406477,
    0.2209346239830177,
    0.2134649253290502,
];

/// (log₁₀(1 + f) / s - 2 log₁₀ e) / s² in powers of s², as above; the relative error of the logarithm is at most
/// 2^-59.2.
const LOG10_F64: [f64; 7] = [
    0.28952965460217084,
    0.17371779275875568,
    0.12408413842985724,
    0.09650978207730807,
    0.07897022115795069,
    0.06650794889963113,
    0.06425934554621605,
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
    let (m, k) = split_f64(x);
    let (high, low) = scaled_log(m, LOG2_E, &LOG2_F64);
    let (sum, lost) = fast_two_sum(k, high);
    poles_f64(x, sum + (lost + low))
}

/// Logarithm to base 2.
#[inline(always)]
pub fn log2_f32(x: f32) -> f32 {
    let (m, k) = split_f32(x);
    let f = m - 1.0;
    poles_f32(x, k + f.mul_add(std::f32::consts::LOG2_E, f * f * two_chains(f, &LOG2_F32)))
}

/// Logarithm to base 10.
#[inline(always)]
pub fn log10_f64(x: f64) -> f64 {
    let (m, k) = split_f64(x);
    let (high, low) = scaled_log(m, LOG10_E, &LOG10_F64);
    let (sum, lost) = fast_two_sum(k * LOG10_2_F64[0], high);
    poles_f64(x, sum + (lost + k.mul_add(LOG10_2_F64[1], low)))
}

/// Logarithm to base 10.
#[inline(always)]
pub fn log10_f32(x: f32) -> f32 {
    let (m, k) = split_f32(x);
    let f = m - 1.0;
    let low = (f * f).mul_add(two_chains(f, &LOG10_F32), k * LOG10_2_F32[1]);
    poles_f32(x, k.mul_add(LOG10_2_F32[0], f.mul_add(std::f32::consts::LOG10_E, low)))
}

/// c ln m for √½ <= m <= √2 as an unevaluated sum, where `factor` is c and `curve` belongs to it.
///
/// With m = 1 + f and s = f / (2 + f), c ln m is c f - s (c f - s² R(s²)).
#[inline(always)]
fn scaled_log(m: f64, factor: [f64; 2], curve: &[f64; 7]) -> (f64, f64) {
    let f = m - 1.0;
    let s = f / (m + 1.0);
    let square = s * s;
    let (line, line_lost) = two_product(f, factor[0]);
    let bend = f.mul_add(factor[0], -(square * two_chains(square, curve)));
    // What s lacks is the remainder f - s (2 + f) over the denominator, and for so little the inverse needs no
    // division. The difference f - 2 s is exact, because one is near the other.
    let remainder = s.mul_add(-f, s.mul_add(-2.0, f));
    let low = f.mul_add(factor[1], line_lost);
    (line, s.mul_add(-bend, remainder.mul_add(-0.46 * bend, low)))
}
