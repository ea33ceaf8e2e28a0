//! Sine, cosine and tangent.
//!
//! The nearest multiple of π/2 or π is subtracted from the argument, with enough bits of π that the remainder is good
//! even beside a zero of the function. That holds up to a limit; an argument past it is *far*, and the caller asks the
//! `_far` functions for it, one element at a time.

use super::parts::{ROUNDER_F32, ROUNDER_F64, fast_two_sum, horner, select, two_chains, two_product};

/// The largest double that the straight-line bodies are right for.
const LIMIT_F64: f64 = 16_777_216.0;

/// π/2 as a double, the next 29 bits (so that the product with any multiple below 2²⁴ is exact) and a double more.
const HALF_PI_F64: [f64; 3] = [std::f64::consts::FRAC_PI_2, 6.12323399409214e-17, 1.6446256936324258e-26];

/// (sin r - r) / r³ in r², for |r| up to a hair past π/4: minimax, sine's relative error below 2⁻⁵⁷.
const SINE_F64: [f64; 6] = [
    -0.16666666666666632,
    0.008333333333322455,
    -0.00019841269829813567,
    2.755731368768166e-06,
    -2.5050756739352304e-08,
    1.589668371001691e-10,
];

/// (cos r - 1 + r²/2) / r⁴ in r², for |r| up to a hair past π/4: minimax, cosine's error below 2⁻⁶⁴.
const COSINE_F64: [f64; 6] = [
    0.0416666666666666,
    -0.0013888888888874441,
    2.4801587289636456e-05,
    -2.7557314387563724e-07,
    2.0875727079120468e-09,
    -1.135980388368722e-11,
];

/// (tan r - r) / r³ in r², for |r| up to a hair past π/4: minimax, tangent's relative error below 2⁻⁵⁹.
const TANGENT_F64: [f64; 15] = [
    0.3333333333333338,
    0.13333333333325342,
    0.05396825397290318,
    0.021869488399319244,
    0.008863237922232186,
    0.0035921008841530823,
    0.0014560455191178693,
    0.0005888646918415422,
    0.00024375109847233237,
    8.355741396711806e-05,
    6.722752641371637e-05,
    -2.5644638514420323e-05,
    4.8648143173535906e-05,
    -2.428154125243334e-05,
    9.801086840673241e-06,
];

/// The nearest multiple of π/2 (its low bits) and what is left of the argument, in two parts.
#[inline(always)]
fn reduce_f64(x: f64) -> (u64, f64, f64) {
    let rounded = x.mul_add(std::f64::consts::FRAC_2_PI, ROUNDER_F64);
    let multiple = rounded - ROUNDER_F64;
    let [first, second, third] = HALF_PI_F64;
    // Exact: the difference is below 1 and no bit of it is below the last of the argument or of π/2.
    let coarse = (-multiple).mul_add(first, x);
    let high = (-multiple).mul_add(second, coarse);
    let low = (-multiple).mul_add(third, (-multiple).mul_add(second, coarse - high));
    (rounded.to_bits(), high, low)
}

/// Sine and cosine of a reduced argument.
#[inline(always)]
pub(crate) fn sine_cosine_f64(high: f64, low: f64) -> (f64, f64) {
    let square = high * high;
    let parabola = square.mul_add(-0.5, 1.0);
    let sine = high + (square * high).mul_add(horner(square, &SINE_F64), low * parabola);
    let lost = (-high).mul_add(low, square.mul_add(-0.5, 1.0 - parabola));
    let cosine = parabola + (square * square).mul_add(horner(square, &COSINE_F64), lost);
    (sine, cosine)
}

/// Sine.
#[inline(always)]
pub fn sin_f64(x: f64) -> f64 {
    let (quarter, high, low) = reduce_f64(x.abs());
    let (sine, cosine) = sine_cosine_f64(high, low);
    let value = select(quarter & 1 == 0, sine, cosine);
    f64::from_bits(value.to_bits() ^ (((quarter << 62) ^ x.to_bits()) & (1 << 63)))
}

/// Cosine.
#[inline(always)]
pub fn cos_f64(x: f64) -> f64 {
    let (quarter, high, low) = reduce_f64(x.abs());
    let (sine, cosine) = sine_cosine_f64(high, low);
    let value = select(quarter & 1 == 0, cosine, sine);
    f64::from_bits(value.to_bits() ^ ((quarter.wrapping_add(1) << 62) & (1 << 63)))
}

/// Tangent of a reduced argument, in the quarter it came from.
#[inline(always)]
pub(super) fn tangent_f64(quarter: u64, high: f64, low: f64) -> f64 {
    let (square, square_low) = two_product(high, high);
    // The slopes in the argument, 1 + tan², and in its square need few bits for the low parts.
    let slope = square.mul_add(1.5, 1.0);
    let lost = (square_low * high).mul_add(0.5, low * slope);
    let cube = square * high;
    let [first, rest @ ..] = TANGENT_F64;
    let past_first = cube.mul_add(square * two_chains(square, &rest), lost);
    let past_high = cube.mul_add(first, past_first);
    let (tangent, rest) = fast_two_sum(high, past_high);
    let cotangent = -1.0 / tangent;
    let missing = cotangent.mul_add(rest, cotangent.mul_add(tangent, 1.0));
    select(quarter & 1 == 0, tangent, cotangent.mul_add(missing, cotangent))
}

/// Tangent.
#[inline(always)]
pub fn tan_f64(x: f64) -> f64 {
    let (quarter, high, low) = reduce_f64(x.abs());
    f64::from_bits(tangent_f64(quarter, high, low).to_bits() ^ (x.to_bits() & (1 << 63)))
}

/// Whether the double is past what [`sin_f64`], [`cos_f64`] and [`tan_f64`] are right for.
#[inline(always)]
pub fn is_far_f64(x: f64) -> bool {
    x.abs() > LIMIT_F64
}

/// The largest float that the straight-line bodies are right for.
const LIMIT_F32: f32 = 131_072.0;

/// π as three floats.
const PI_F32: [f32; 3] = [std::f32::consts::PI, -8.742278e-08, -3.430249e-15];

/// (sin r - r) / r³ in r², for |r| up to a hair past π/2: minimax, sine's relative error below 2⁻³¹.
const SINE_F32: [f32; 5] = [-0.16666667, 0.008333352, -0.00019843476, 2.7651113e-06, -2.5977215e-08];

/// (tan r - r) / r³ in r², for |r| up to a hair past π/4: minimax, tangent's relative error below 2⁻²⁹.
const TANGENT_F32: [f32; 7] = [0.3333335, 0.13332672, 0.054059446, 0.02128277, 0.010837704, 8.385935e-05, 0.0043803686];

/// The argument less a multiple of π, which may be half an integer, in two parts.
#[inline(always)]
fn remainder_f32(x: f32, multiple: f32) -> (f32, f32) {
    let [first, second, third] = PI_F32;
    // Exact, as for doubles. It is also a multiple of the last bit of the next product, or larger than it.
    let coarse = (-multiple).mul_add(first, x);
    let (product, lost) = two_product(-multiple, second);
    let (high, low) = fast_two_sum(coarse, product);
    (high, low + (-multiple).mul_add(third, lost))
}

/// Sine of a number up to π/2, given in two parts.
#[inline(always)]
pub(crate) fn sine_f32(high: f32, low: f32) -> f32 {
    let square = high * high;
    // The slope of the sine as a parabola through its zero at π/2 is enough for the low part.
    let slope = square.mul_add(-0.405, 1.0);
    let [first, rest @ ..] = SINE_F32;
    let cube = square * high;
    let past_first = cube.mul_add(square * horner(square, &rest), low * slope);
    high + cube.mul_add(first, past_first)
}

/// Sine.
#[inline(always)]
pub fn sin_f32(x: f32) -> f32 {
    let rounded = x.abs().mul_add(std::f32::consts::FRAC_1_PI, ROUNDER_F32);
    let (high, low) = remainder_f32(x.abs(), rounded - ROUNDER_F32);
    let sign = ((rounded.to_bits() << 31) ^ x.to_bits()) & (1 << 31);
    f32::from_bits(sine_f32(high, low).to_bits() ^ sign)
}

/// Cosine.
#[inline(always)]
pub fn cos_f32(x: f32) -> f32 {
    let rounded = x.abs().mul_add(std::f32::consts::FRAC_1_PI, -0.5) + ROUNDER_F32;
    let (high, low) = remainder_f32(x.abs(), (rounded - ROUNDER_F32) + 0.5);
    let sign = (!rounded.to_bits()) << 31;
    f32::from_bits(sine_f32(high, low).to_bits() ^ sign)
}

/// Tangent of a number up to π/4, given in two parts, from an even or an odd multiple of π/2.
#[inline(always)]
pub(super) fn tangent_f32(even: bool, high: f32, low: f32) -> f32 {
    let square = high * high;
    let slope = square.mul_add(1.5, 1.0);
    let cube = square * high;
    let [first, rest @ ..] = TANGENT_F32;
    let past_first = cube.mul_add(square * horner(square, &rest), low * slope);
    let past_high = cube.mul_add(first, past_first);
    let tangent = high + past_high;
    select(even, tangent, -1.0 / tangent)
}

/// Tangent.
#[inline(always)]
pub fn tan_f32(x: f32) -> f32 {
    // At half the size, the rounder rounds to halves.
    let rounded = x.abs().mul_add(std::f32::consts::FRAC_1_PI, ROUNDER_F32 / 2.0);
    let (high, low) = remainder_f32(x.abs(), rounded - ROUNDER_F32 / 2.0);
    let value = tangent_f32(rounded.to_bits() & 1 == 0, high, low);
    f32::from_bits(value.to_bits() ^ (x.to_bits() & (1 << 31)))
}

/// Whether the float is past what [`sin_f32`], [`cos_f32`] and [`tan_f32`] are right for.
#[inline(always)]
pub fn is_far_f32(x: f32) -> bool {
    x.abs() > LIMIT_F32
}
