//! Exponential functions.

use num_complex::Complex;
use situ_types::C128;

use super::real;
use super::scaling::{power_of_two, scaled};
use super::twofold::Twofold;

/// Natural logarithm of two.
pub(super) const LN_2: Twofold = Twofold::new(std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17);

/// Above this, `e` to a power is near the end of `f64`'s range.
pub(super) const LARGE: f64 = 709.0;

/// A power of `e` that is all but exactly a double.
const STEP: f64 = 695.0;
const E_TO_STEP: f64 = 6.833_841_829_578_011e301;

/// `factor * e^x / 2` for `x` above [`LARGE`], where `e^x` alone may overflow.
#[inline(always)]
pub(super) fn half_exp_times(x: f64, factor: f64) -> f64 {
    // Here even the smallest factor overflows, and a factor of zero stays zero.
    let x = x.min(1500.0);
    let begun = factor * (E_TO_STEP * 0.5);
    // Both differences are exact.
    if x <= 2.0 * STEP { begun * real::exp(x - STEP) } else { begun * E_TO_STEP * real::exp(x - 2.0 * STEP) }
}

/// `e^x (cos + i sin)`, for a cosine and a sine that are numbers.
#[inline(always)]
pub(super) fn exp_times(x: f64, cos: f64, sin: f64) -> C128 {
    if x > LARGE {
        Complex::new(2.0 * half_exp_times(x, cos), 2.0 * half_exp_times(x, sin))
    } else if x < -LARGE + 1.0 {
        // Rounded by the last step only.
        let begun = real::exp(x + STEP);
        Complex::new(begun * cos / E_TO_STEP, begun * sin / E_TO_STEP)
    } else {
        let modulus = real::exp(x);
        Complex::new(modulus * cos, modulus * sin)
    }
}

/// `e` to the power of `z`.
#[inline(always)]
pub fn exp(z: C128) -> C128 {
    if z.im == 0.0 {
        return Complex::new(real::exp(z.re), z.im);
    }
    if !z.im.is_finite() && z.re.is_infinite() {
        return infinite_modulus_without_angle(z);
    }
    let (sin, cos) = real::sin_cos(z.im);
    exp_times(z.re, cos, sin)
}

/// A modulus of zero needs no angle; an infinite one has a real part of unspecified sign, here +.
#[cold]
fn infinite_modulus_without_angle(z: C128) -> C128 {
    if z.re > 0.0 { Complex::new(f64::INFINITY, f64::NAN) } else { Complex::new(0.0, 0f64.copysign(z.im)) }
}

/// Two to the power of `z`.
///
/// The angle `im * ln 2` is known to 106 bits, so the result is accurate up to imaginary parts of about 2^50.
#[inline(always)]
pub fn exp2(z: C128) -> C128 {
    if z.im == 0.0 {
        return Complex::new(real::exp2(z.re), z.im);
    }
    if !z.is_finite() {
        return exp(Complex::new(z.re, z.im * LN_2.hi));
    }
    let angle = Twofold::product(z.im, LN_2.hi);
    let (cos, sin) = cos_sin(Twofold::new(angle.hi, z.im.mul_add(LN_2.lo, angle.lo)));
    if z.re.abs() < 1000.0 {
        let modulus = real::exp2(z.re);
        return Complex::new(modulus * cos, modulus * sin);
    }
    let whole = z.re.floor();
    let fraction = real::exp2(z.re - whole);
    let power = |part: f64| match whole as i32 {
        // A result that underflows is rounded by the last step only, one that grows starts from a normal number.
        down if down < 0 => scaled(part * fraction, down),
        up => scaled(part, up) * fraction,
    };
    Complex::new(power(cos), power(sin))
}

/// Cosine and sine of an angle of twofold precision.
#[inline(always)]
pub(super) fn cos_sin(angle: Twofold) -> (f64, f64) {
    let (sin, cos) = real::sin_cos(angle.hi);
    // An angle beyond 2^23 has a rest that is not small.
    let (sin_lo, cos_lo) = if angle.lo.abs() < power_of_two(-29) { (angle.lo, 1.0) } else { real::sin_cos(angle.lo) };
    (cos * cos_lo - sin * sin_lo, sin * cos_lo + cos * sin_lo)
}

/// `e^z - 1`, accurate for small `z`.
#[inline(always)]
pub fn expm1(z: C128) -> C128 {
    if z.im == 0.0 {
        // The standard has no negative zero here.
        return Complex::new(real::expm1(z.re) + 0.0, z.im);
    }
    // Without cancellation, or with an infinity.
    if z.re < -1.0 || z.re > LARGE {
        let power = exp(z);
        return Complex::new(power.re - 1.0, power.im);
    }
    let (sin, cos) = real::sin_cos(z.im);
    let half_sin = real::sin(z.im * 0.5);
    Complex::new(real::expm1(z.re) * cos - 2.0 * half_sin * half_sin, real::exp(z.re) * sin)
}
