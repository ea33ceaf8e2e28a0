//! The logarithm of a sum of exponentials.

use super::exp::{EXPM1_F32, EXPM1_F64, LN_2_F32 as SPLIT_F32, LN_2_F64 as SPLIT_F64};
use super::log::{LN_2_F32, LN_2_F64, combine_f64, curve_f32};
use super::parts::{
    SCALE_ROUNDER_F32, SCALE_ROUNDER_F64, fast_two_sum, scale_f32, scale_f64, split_normal_f32, split_normal_f64,
    two_chains, two_sum,
};
use std::f32::consts::LOG2_E as LOG2_E_F32;
use std::f64::consts::LOG2_E as LOG2_E_F64;

/// ln(eᵃ + eᵇ), without overflow.
///
/// The larger of the two plus ln(1 + e⁻ᵈ), where d is their distance. The exponential goes into the logarithm with what
/// its rounding took, the logarithm into the sum likewise. Where the larger and the logarithm cancel, the result is as
/// exact as the larger is, and no more.
#[inline(always)]
pub fn logaddexp_f64(a: f64, b: f64) -> f64 {
    let larger = if a > b { a } else { b };
    let smaller = if a > b { b } else { a };
    let (distance, lost) = two_sum(smaller, -larger);
    // The difference of infinities is no number.
    let distance = if a == b { 0.0 } else { distance };
    // So far apart the larger is the result. (One that all but vanishes is changed by smaller exponentials.) Nothing is
    // computed from such a distance: the exponential's fourth power would be subnormal, which takes processors a
    // hundred times as long, nor is what a difference to infinity loses a number.
    let is_far = distance < if larger.abs() < 1e-50 { -746.0 } else { -170.0 };
    let distance = if is_far { 0.0 } else { distance };
    let distance_lost = if is_far { 0.0 } else { lost };
    let rounded = distance.mul_add(LOG2_E_F64, SCALE_ROUNDER_F64);
    let k = rounded - SCALE_ROUNDER_F64;
    let r = k.mul_add(-SPLIT_F64[0], distance);
    let r_low = k.mul_add(-SPLIT_F64[1], distance_lost);
    let whole = r + r_low;
    let (one_more, one_lost) = fast_two_sum(1.0, r);
    let tail = one_lost + (whole * whole).mul_add(two_chains(whole, &EXPM1_F64), r_low);
    let (sum, lost) = fast_two_sum(1.0, scale_f64(one_more, rounded));
    let (lost, residue) = fast_two_sum(lost, scale_f64(tail, rounded));
    let (sum, lost) = fast_two_sum(sum, lost);

    let (m, k) = split_normal_f64(sum);
    // The sum is between 1 and 2, so k is 0 or 1.
    let f_low = lost * k.mul_add(-0.5, 1.0);
    let f = m - 1.0;
    // What is lost comes last: beside a larger of 0 and an exponential below the ulp of 1 it is the result.
    let (log, log_low) = combine_f64(k, f, f + f_low, k.mul_add(LN_2_F64[1], residue));
    let (total, total_lost) = two_sum(larger, log);
    let result = total + (total_lost + (f_low + log_low));
    // The sum takes the sign from a zero, as the others do.
    let result = if (larger.abs() < f64::INFINITY) & !is_far { result } else { larger + 0.0 };
    if a.is_nan() | b.is_nan() { f64::NAN } else { result }
}

/// ln(eᵃ + eᵇ), without overflow.
#[inline(always)]
pub fn logaddexp_f32(a: f32, b: f32) -> f32 {
    let larger = if a > b { a } else { b };
    let smaller = if a > b { b } else { a };
    let (distance, lost) = two_sum(smaller, -larger);
    let distance = if a == b { 0.0 } else { distance };
    let is_far = distance < if larger.abs() < 1e-5 { -104.5 } else { -40.0 };
    let distance = if is_far { 0.0 } else { distance };
    let distance_lost = if is_far { 0.0 } else { lost };
    let rounded = distance.mul_add(LOG2_E_F32, SCALE_ROUNDER_F32);
    let k = rounded - SCALE_ROUNDER_F32;
    let r = k.mul_add(-SPLIT_F32[0], distance) + k.mul_add(-SPLIT_F32[1], distance_lost);
    let (one_more, one_lost) = fast_two_sum(1.0, r);
    let tail = (r * r).mul_add(two_chains(r, &EXPM1_F32), one_lost);
    let (sum, lost) = fast_two_sum(1.0, scale_f32(one_more, rounded));
    let (sum, lost) = fast_two_sum(sum, lost + scale_f32(tail, rounded));

    let (m, k) = split_normal_f32(sum);
    let f_low = lost * k.mul_add(-0.5, 1.0);
    let f = m - 1.0;
    let curve = curve_f32(f + f_low, k.mul_add(LN_2_F32[1], f_low));
    let log = k.mul_add(LN_2_F32[0], f);
    let log_lost = f - k.mul_add(-LN_2_F32[0], log);
    let (total, total_lost) = two_sum(larger, log);
    let result = total + (total_lost + (log_lost + curve));
    let result = if (larger.abs() < f32::INFINITY) & !is_far { result } else { larger + 0.0 };
    if a.is_nan() | b.is_nan() { f32::NAN } else { result }
}
