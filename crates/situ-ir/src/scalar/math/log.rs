//! Natural logarithms.
//!
//! The argument is written as 2ᵏ (1 + f) with √½ <= 1 + f < √2, and ln x = k ln 2 + ln(1 + f).

use super::parts::{split_f32, split_f64, split_normal_f32, split_normal_f64, two_chains, two_sum};

/// ln 2 as a part with so few bits that its product with any exponent is exact, and the rest.
pub(super) const LN_2_F64: [f64; 2] = [0.693_147_180_559_663, 2.823_529_056_303_157_7e-13];
pub(super) const LN_2_F32: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];

/// (ln(1 + f) / s - 2) / s² in powers of s², where s = f / (2 + f), for √½ <= 1 + f <= √2: minimax, the relative error
/// of the logarithm is at most 2^-58.8.
pub(super) const LOG_F64: [f64; 7] = [
    0.6666666666666734,
    0.39999999999413977,
    0.2857142874255989,
    0.22222198553931347,
    0.18183565402874022,
    0.1531402117019004,
    0.1479626111402704,
];

/// (ln(1 + f) - f) / f² for √½ <= 1 + f <= √2: minimax, the relative error of the logarithm is at most 2^-27.4.
///
/// In single precision nine coefficients cost less than the quotient above.
pub(super) const LOG_F32: [f32; 9] =
    [-0.49999988, 0.33333325, -0.25001583, 0.20001975, -0.16609082, 0.14181818, -0.13242985, 0.1290448, -0.076218374];

/// Logarithm to base e.
#[inline(always)]
pub fn log_f64(x: f64) -> f64 {
    poles_f64(x, of_parts_f64(split_f64(x)))
}

/// Logarithm to base e, unless that is rare.
#[inline(always)]
pub fn log_usual_f64(x: f64) -> f64 {
    of_parts_f64(split_normal_f64(x))
}

/// Whether the logarithm of `x` needs more: `x` is not positive, normal and finite.
#[inline(always)]
pub fn is_rare_f64(x: f64) -> bool {
    const LEAST: u64 = f64::MIN_POSITIVE.to_bits();
    x.to_bits().wrapping_sub(LEAST) >= f64::INFINITY.to_bits() - LEAST
}

/// ln(m 2ᵏ).
#[inline(always)]
fn of_parts_f64((m, k): (f64, f64)) -> f64 {
    let f = m - 1.0;
    let (sum, lost) = combine_f64(k, f, f, k * LN_2_F64[1]);
    sum + lost
}

/// Logarithm to base e.
#[inline(always)]
pub fn log_f32(x: f32) -> f32 {
    poles_f32(x, of_parts_f32(split_f32(x)))
}

/// Logarithm to base e, unless that is rare.
#[inline(always)]
pub fn log_usual_f32(x: f32) -> f32 {
    of_parts_f32(split_normal_f32(x))
}

/// Whether the logarithm of `x` needs more: `x` is not positive, normal and finite.
#[inline(always)]
pub fn is_rare_f32(x: f32) -> bool {
    const LEAST: u32 = f32::MIN_POSITIVE.to_bits();
    x.to_bits().wrapping_sub(LEAST) >= f32::INFINITY.to_bits() - LEAST
}

/// ln(m 2ᵏ).
#[inline(always)]
fn of_parts_f32((m, k): (f32, f32)) -> f32 {
    let f = m - 1.0;
    k.mul_add(LN_2_F32[0], f + curve_f32(f, k * LN_2_F32[1]))
}

/// ln(1 + x), exact to the last bits near 0.
#[inline(always)]
pub fn log1p_f64(x: f64) -> f64 {
    let (sum, lost) = two_sum(1.0, x);
    let (m, k) = split_normal_f64(sum);
    // Four times 2⁻ᵏ, which always exists: m and the sum differ in nothing but the exponent.
    let unscale = f64::from_bits(m.to_bits().wrapping_sub(sum.to_bits()).wrapping_add(4.0_f64.to_bits()));
    let f_low = lost * unscale * 0.25;
    let f = m - 1.0;
    // Near 0, f holds the first bits of x and the loss the others.
    let (log, log_lost) = combine_f64(k, f, f + f_low, k.mul_add(LN_2_F64[1], f_low));
    poles_f64(sum, (log + log_lost).copysign(x))
}

/// ln(1 + x), exact to the last bits near 0.
#[inline(always)]
pub fn log1p_f32(x: f32) -> f32 {
    let (sum, lost) = two_sum(1.0, x);
    let (m, k) = split_normal_f32(sum);
    let unscale = f32::from_bits(m.to_bits().wrapping_sub(sum.to_bits()).wrapping_add(4.0_f32.to_bits()));
    let f_low = lost * unscale * 0.25;
    let f = m - 1.0;
    let curve = curve_f32(f + f_low, k.mul_add(LN_2_F32[1], f_low));
    poles_f32(sum, k.mul_add(LN_2_F32[0], f + curve).copysign(x))
}

/// k ln 2 + ln(1 + f) + low as an unevaluated sum, where √½ <= 1 + f <= √2 and `curve_at` is f or f plus what it lacks.
///
/// With s = f / (2 + f), ln(1 + f) is f - s (f - s² R(s²)). What is taken from the exact f is at most a fifth of it,
/// and so are its rounding errors.
#[inline(always)]
pub(super) fn combine_f64(k: f64, f: f64, curve_at: f64, low: f64) -> (f64, f64) {
    let s = curve_at / (2.0 + curve_at);
    let square = s * s;
    let bend = square.mul_add(-two_chains(square, &LOG_F64), curve_at);
    let sum = k.mul_add(LN_2_F64[0], f);
    let lost = f - k.mul_add(-LN_2_F64[0], sum);
    (sum, lost + s.mul_add(-bend, low))
}

/// ln(1 + f) - f + low, where √½ <= 1 + f <= √2.
#[inline(always)]
pub(super) fn curve_f32(f: f32, low: f32) -> f32 {
    (f * f).mul_add(two_chains(f, &LOG_F32), low)
}

/// The value of a logarithm outside the positive finite numbers, else `result`.
#[inline(always)]
pub(super) fn poles_f64(x: f64, result: f64) -> f64 {
    let pole = if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    let result = if x < f64::INFINITY { result } else { x };
    if x > 0.0 { result } else { pole }
}

/// The value of a logarithm outside the positive finite numbers, else `result`.
#[inline(always)]
pub(super) fn poles_f32(x: f32, result: f32) -> f32 {
    let pole = if x == 0.0 { f32::NEG_INFINITY } else { f32::NAN };
    let result = if x < f32::INFINITY { result } else { x };
    if x > 0.0 { result } else { pole }
}
