//! Modulus, direction and components.

use num_complex::Complex;
use situ_types::C128;

use super::real;
use super::scaling::{exponent, scaled};

/// Modulus, without overflow or underflow on the way. An infinite component makes it infinite.
#[inline(always)]
pub fn abs(z: C128) -> f64 {
    real::hypot(z.re, z.im)
}

/// The angle between the positive real axis and `z`, from -π to π.
#[inline(always)]
pub fn angle(z: C128) -> f64 {
    real::atan2(z.im, z.re)
}

/// Projection onto the Riemann sphere: all infinities become one, on the real axis.
#[inline(always)]
pub fn proj(z: C128) -> C128 {
    if z.re.is_infinite() || z.im.is_infinite() { Complex::new(f64::INFINITY, 0f64.copysign(z.im)) } else { z }
}

/// The number of modulus one in the direction of `z`; 0 for 0.
///
/// The direction of an infinite number is that of its infinite component, and none if both are infinite.
#[inline(always)]
pub fn sign(z: C128) -> C128 {
    if z.re.is_nan() || z.im.is_nan() || (z.re.is_infinite() && z.im.is_infinite()) {
        return Complex::new(f64::NAN, f64::NAN);
    }
    if z.re == 0.0 && z.im == 0.0 {
        return Complex::new(0.0, 0.0);
    }
    if z.re.is_infinite() || z.im.is_infinite() {
        let unit = |v: f64| if v.is_infinite() { 1f64.copysign(v) } else { 0.0 };
        return Complex::new(unit(z.re), unit(z.im));
    }
    let down = -exponent(z.re.abs().max(z.im.abs()));
    let near_one = Complex::new(scaled(z.re, down), scaled(z.im, down));
    let modulus = abs(near_one);
    Complex::new(near_one.re / modulus, near_one.im / modulus)
}

/// Each component rounded to the nearest integer, halves to even.
#[inline(always)]
pub fn round(z: C128) -> C128 {
    Complex::new(z.re.round_ties_even(), z.im.round_ties_even())
}
