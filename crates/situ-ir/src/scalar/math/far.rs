//! Sine, cosine and tangent of every angle, the largest included.
//!
//! An angle is m 2ᵉ with an integer m. Of 2/π only the bits count that leave less than a full turn after the product
//! with it, so 192 of them, from where the exponent says, are enough. Everything up to the remainder is integer
//! arithmetic: the result is the same on every machine.

use super::parts::{fast_two_sum, two_product};
use super::trig::{
    cos_f32, cos_f64, is_far_f32, is_far_f64, sin_f32, sin_f64, sine_cosine_f64, sine_f32, tan_f32, tan_f64,
    tangent_f32, tangent_f64,
};

/// 32 zeros and the bits of 2/π after the point.
const TWO_OVER_PI: [u64; 19] = [
    0x0000_0000_a2f9_836e,
    0x4e44_1529_fc27_57d1,
    0xf534_ddc0_db62_9599,
    0x3c43_9041_fe51_63ab,
    0xdebb_c561_b724_6e3a,
    0x424d_d2e0_0649_2eea,
    0x09d1_921c_fe1d_eb1c,
    0xb129_a73e_e882_35f5,
    0x2ebb_4484_e99c_7026,
    0xb45f_7e41_3991_d639,
    0x8353_39f4_9c84_5f8b,
    0xbdf9_283b_1ff8_97ff,
    0xde05_980f_ef2f_118b,
    0x5a0a_6d1f_6d36_7ecf,
    0x27cb_09b7_4f46_3f66,
    0x9e5f_ea2d_7527_bac7,
    0xebe5_f17b_3d07_39f7,
    0x8a52_92ea_6bfb_5fb1,
    0x1f8d_5d08_5603_3046,
];

/// π/2 as two doubles.
const HALF_PI_F64: [f64; 2] = [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17];

/// π as two floats.
const PI_F32: [f32; 2] = [std::f32::consts::PI, -8.742278e-08];

/// 192 bits of [`TWO_OVER_PI`], the first words first.
#[inline(always)]
fn two_over_pi(start: usize) -> [u64; 3] {
    let (word, shift) = (start / 64, start % 64);
    // In two steps, because a shift by 64 is none.
    [0, 1, 2].map(|i| TWO_OVER_PI[word + i] << shift | TWO_OVER_PI[word + i + 1] >> 1 >> (63 - shift))
}

/// The nearest multiple of π/2 (its low bits) and what is left of a positive, finite, far angle, in two parts.
#[inline(always)]
fn reduce_far_f64(x: f64) -> (u64, f64, f64) {
    const IMPLICIT: u64 = 1 << 52;
    let bits = x.to_bits();
    let mantissa = u128::from(bits & (IMPLICIT - 1) | IMPLICIT);
    let [first, second, third] = two_over_pi((bits >> 52) as usize - 1045).map(u128::from);
    // Two bits before the point, 126 behind.
    let quarters = ((mantissa * first) << 64).wrapping_add(mantissa * second + ((mantissa * third) >> 64));
    let nearest = (quarters.wrapping_add(1 << 125) >> 126) as u64;
    let fraction = (quarters << 2).cast_signed();
    // Never 0: no double is nearer than 2⁻⁶² to a multiple.
    let zeros = fraction.unsigned_abs().leading_zeros();
    let normal = fraction.unsigned_abs() << zeros;
    let scale = f64::from_bits((1023 - 53 - u64::from(zeros)) << 52);
    let high = (normal >> 75) as u64 as f64 * scale;
    let low = ((normal >> 22) as u64 & (2 * IMPLICIT - 1)) as f64 * scale * (f64::EPSILON / 2.0);
    let (product, lost) = two_product(high, HALF_PI_F64[0]);
    let (angle, angle_low) = fast_two_sum(product, low.mul_add(HALF_PI_F64[0], high.mul_add(HALF_PI_F64[1], lost)));
    if fraction < 0 { (nearest, -angle, -angle_low) } else { (nearest, angle, angle_low) }
}

/// Sine of any double.
pub fn sin_far_f64(x: f64) -> f64 {
    if !is_far_f64(x) {
        return sin_f64(x);
    }
    if x.is_infinite() {
        return f64::NAN;
    }
    let (quarter, high, low) = reduce_far_f64(x.abs());
    let (sine, cosine) = sine_cosine_f64(high, low);
    let value = if quarter & 1 == 0 { sine } else { cosine };
    if (quarter & 2 != 0) ^ (x < 0.0) { -value } else { value }
}

/// Cosine of any double.
pub fn cos_far_f64(x: f64) -> f64 {
    if !is_far_f64(x) {
        return cos_f64(x);
    }
    if x.is_infinite() {
        return f64::NAN;
    }
    let (quarter, high, low) = reduce_far_f64(x.abs());
    let (sine, cosine) = sine_cosine_f64(high, low);
    let value = if quarter & 1 == 0 { cosine } else { sine };
    if (quarter + 1) & 2 != 0 { -value } else { value }
}

/// Tangent of any double.
pub fn tan_far_f64(x: f64) -> f64 {
    if !is_far_f64(x) {
        return tan_f64(x);
    }
    if x.is_infinite() {
        return f64::NAN;
    }
    let (quarter, high, low) = reduce_far_f64(x.abs());
    let value = tangent_f64(quarter, high, low);
    if x < 0.0 { -value } else { value }
}

/// A positive, finite, far angle in multiples of π/2, modulo 4: two bits before the point, 62 behind.
#[inline(always)]
fn quarters_f32(x: f32) -> u64 {
    const IMPLICIT: u32 = 1 << 23;
    let bits = x.to_bits();
    let mantissa = u64::from(bits & (IMPLICIT - 1) | IMPLICIT);
    let [first, second, _] = two_over_pi((bits >> 23) as usize - 120);
    mantissa.wrapping_mul(first).wrapping_add((mantissa * (second >> 32)) >> 32)
}

/// An angle given in 2⁻⁶⁴ π, which is not 0, in two parts.
#[inline(always)]
fn angle_f32(fraction: i64) -> (f32, f32) {
    let zeros = fraction.unsigned_abs().leading_zeros();
    let normal = fraction.unsigned_abs() << zeros;
    let scale = f32::from_bits((127 - 24 - zeros) << 23);
    let high = (normal >> 40) as f32 * scale;
    let low = (normal >> 16 & 0xff_ffff) as f32 * scale * (f32::EPSILON / 2.0);
    let (product, lost) = two_product(high, PI_F32[0]);
    let (angle, angle_low) = fast_two_sum(product, low.mul_add(PI_F32[0], high.mul_add(PI_F32[1], lost)));
    if fraction < 0 { (-angle, -angle_low) } else { (angle, angle_low) }
}

/// Sine of any float.
pub fn sin_far_f32(x: f32) -> f32 {
    if !is_far_f32(x) {
        return sin_f32(x);
    }
    if x.is_infinite() {
        return f32::NAN;
    }
    let quarters = quarters_f32(x.abs());
    let (high, low) = angle_f32((quarters << 1).cast_signed());
    let value = sine_f32(high, low);
    let odd = quarters.wrapping_add(1 << 62) >> 63 != 0;
    if odd ^ (x < 0.0) { -value } else { value }
}

/// Cosine of any float.
pub fn cos_far_f32(x: f32) -> f32 {
    if !is_far_f32(x) {
        return cos_f32(x);
    }
    if x.is_infinite() {
        return f32::NAN;
    }
    // From the nearest zero, half a turn after the first.
    let quarters = quarters_f32(x.abs());
    let (high, low) = angle_f32((quarters.wrapping_sub(1 << 62) << 1).cast_signed());
    let value = sine_f32(high, low);
    if quarters >> 63 == 0 { -value } else { value }
}

/// Tangent of any float.
pub fn tan_far_f32(x: f32) -> f32 {
    if !is_far_f32(x) {
        return tan_f32(x);
    }
    if x.is_infinite() {
        return f32::NAN;
    }
    let quarters = quarters_f32(x.abs());
    let (high, low) = angle_f32((quarters << 2).cast_signed() >> 1);
    let value = tangent_f32(quarters.wrapping_add(1 << 61) >> 62 & 1 == 0, high, low);
    if x < 0.0 { -value } else { value }
}
