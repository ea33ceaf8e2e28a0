//! Exponential functions.
//!
//! The argument is split as x = k ln 2 + r with an integer k and |r| <= ln 2 / 2, and eˣ = 2ᵏ eʳ.

use super::parts::{
    ROUNDER_F32, ROUNDER_F64, SCALE_ROUNDER_F32, SCALE_ROUNDER_F64, clamp, fast_two_sum, power_of_two_f32,
    power_of_two_f64, scale_f32, scale_f64, two_chains,
};
use std::f32::consts::LOG2_E as LOG2_E_F32;
use std::f64::consts::LOG2_E as LOG2_E_F64;

/// ln 2, rounded, and what rounding took. For every k below, k times the first part is exact down to the last bit of
/// the argument it is taken from, so that the fused difference is exact.
pub(super) const LN_2_F64: [f64; 2] = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];
pub(super) const LN_2_F32: [f32; 2] = [std::f32::consts::LN_2, -1.904_654_2e-9];

/// (eʳ - 1 - r) / r² for |r| <= ln 2 / 2: minimax, eʳ off by at most 2^-56.9.
const EXP_F64: [f64; 10] = [
    0.500000000000001,
    0.16666666666666674,
    0.04166666666652199,
    0.008333333333322207,
    0.0013888888947820891,
    0.00019841269886591,
    2.4801487326012337e-05,
    2.7557242336680357e-06,
    2.763265575933203e-07,
    2.5110049895858716e-08,
];

/// The same for the relative error of eʳ - 1, which is at most 2^-60.6.
pub(super) const EXPM1_F64: [f64; 11] = [
    0.5,
    0.16666666666666677,
    0.0416666666666667,
    0.008333333333321617,
    0.0013888888888866878,
    0.00019841269886158042,
    2.4801587360491277e-05,
    2.755724418234809e-06,
    2.7557242804194115e-07,
    2.5109044756723384e-08,
    2.0924432318089683e-09,
];

/// The same in single precision; the relative error of eʳ - 1 is at most 2^-25.9.
pub(super) const EXPM1_F32: [f32; 5] = [0.5, 0.16666543, 0.04166628, 0.008366584, 0.001394646];

/// (2ʳ - 1) / r for |r| <= 1/2: minimax, 2ʳ off by at most 2^-56.
const EXP2_F64: [f64; 11] = [
    std::f64::consts::LN_2,
    0.24022650695910133,
    0.05550410866482174,
    0.009618129107593328,
    0.0013333558146379151,
    0.00015403530458085133,
    1.5252733867444269e-05,
    1.3215434813740015e-06,
    1.0178046496788191e-07,
    7.073860782766235e-09,
    4.4573825088275326e-10,
];

/// The same in single precision; 2ʳ is off by at most 2^-26.5.
pub(super) const EXP2_F32: [f32; 6] = [0.69314724, 0.2402265, 0.055502973, 0.009618031, 0.0013410004, 0.00015469735];

/// e to the power of `x`.
#[inline(always)]
pub fn exp_f64(x: f64) -> f64 {
    // Beyond these the result is 0 or infinite, and the split would leave the range of exponents.
    let x = clamp(x, -746.0, 710.0);
    let rounded = x.mul_add(LOG2_E_F64, SCALE_ROUNDER_F64);
    let k = rounded - SCALE_ROUNDER_F64;
    let r = k.mul_add(-LN_2_F64[0], x);
    let r_low = k * -LN_2_F64[1];
    let whole = r + r_low;
    scale_f64(1.0 + (r + (whole * whole).mul_add(two_chains(whole, &EXP_F64), r_low)), rounded)
}

/// e to the power of `x`.
#[inline(always)]
pub fn exp_f32(x: f32) -> f32 {
    let x = clamp(x, -104.5, 89.0);
    let rounded = x.mul_add(LOG2_E_F32, SCALE_ROUNDER_F32);
    let k = rounded - SCALE_ROUNDER_F32;
    let r = k.mul_add(-LN_2_F32[1], k.mul_add(-LN_2_F32[0], x));
    scale_f32(1.0 + (r * r).mul_add(two_chains(r, &EXPM1_F32), r), rounded)
}

/// 2 to the power of `x`.
#[inline(always)]
pub fn exp2_f64(x: f64) -> f64 {
    let x = clamp(x, -1076.0, 1025.0);
    let rounded = x + SCALE_ROUNDER_F64;
    let r = x - (rounded - SCALE_ROUNDER_F64);
    scale_f64(r.mul_add(two_chains(r, &EXP2_F64), 1.0), rounded)
}

/// 2 to the power of `x`.
#[inline(always)]
pub fn exp2_f32(x: f32) -> f32 {
    let x = clamp(x, -151.0, 129.0);
    let rounded = x + SCALE_ROUNDER_F32;
    let r = x - (rounded - SCALE_ROUNDER_F32);
    scale_f32(r.mul_add(two_chains(r, &EXP2_F32), 1.0), rounded)
}

/// eˣ - 1, exact to the last bits near 0.
#[inline(always)]
pub fn expm1_f64(x: f64) -> f64 {
    let clamped = clamp(x, -40.0, 710.0);
    let rounded = clamped.mul_add(LOG2_E_F64, ROUNDER_F64 - 1.0);
    let k = rounded - (ROUNDER_F64 - 1.0);
    let (r, r_low) = fast_two_sum(k.mul_add(-LN_2_F64[0], clamped), k * -LN_2_F64[1]);
    // Half the result: 2ᵏ⁻¹ does not overflow where the result does not. The largest terms are added without loss,
    // because from k = 1 they cancel.
    let scale = power_of_two_f64(rounded);
    let (scale_less, scale_lost) = fast_two_sum(scale, -0.5);
    let line = scale.mul_add(r, scale_less);
    let line_lost = scale.mul_add(r, scale_less - line);
    // The slope of the curve at r, for so little, is r.
    let curve = (r * r).mul_add(two_chains(r, &EXPM1_F64), r.mul_add(r_low, r_low));
    let result = line + scale.mul_add(curve, line_lost + scale_lost);
    // The difference from x is below half an ulp, halving a subnormal number is not.
    if x.abs() < 1e-17 { x } else { result + result }
}

/// eˣ - 1, exact to the last bits near 0.
#[inline(always)]
pub fn expm1_f32(x: f32) -> f32 {
    let clamped = clamp(x, -20.0, 89.0);
    let rounded = clamped.mul_add(LOG2_E_F32, ROUNDER_F32 - 1.0);
    let k = rounded - (ROUNDER_F32 - 1.0);
    let r = k.mul_add(-LN_2_F32[1], k.mul_add(-LN_2_F32[0], clamped));
    let scale = power_of_two_f32(rounded);
    let (sum, lost) = fast_two_sum(scale - 0.5, scale * r);
    let result = sum + (scale * r).mul_add(r * two_chains(r, &EXPM1_F32), lost);
    if x.abs() < 1e-8 { x } else { result + result }
}
