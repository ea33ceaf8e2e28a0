//! Hyperbolic functions, and circular ones as hyperbolic functions turned by a right angle.

use num_complex::Complex;
use situ_types::C128;

use super::exponential::{LARGE, half_exp_times};
use super::quarter_turned;
use super::real;

/// Hyperbolic sine.
#[inline(always)]
pub fn sinh(z: C128) -> C128 {
    if z.im == 0.0 {
        return Complex::new(real::sinh(z.re), z.im);
    }
    if !z.im.is_finite() && (z.re == 0.0 || z.re.is_infinite()) {
        return Complex::new(z.re, f64::NAN);
    }
    let (sin, cos) = real::sin_cos(z.im);
    if z.re.abs() > LARGE {
        let re = half_exp_times(z.re.abs(), cos);
        return Complex::new(if z.re < 0.0 { -re } else { re }, half_exp_times(z.re.abs(), sin));
    }
    Complex::new(real::sinh(z.re) * cos, real::cosh(z.re) * sin)
}

/// Hyperbolic cosine.
#[inline(always)]
pub fn cosh(z: C128) -> C128 {
    if z.im == 0.0 {
        return Complex::new(real::cosh(z.re), 0f64.copysign(z.re) * z.im.signum());
    }
    if !z.im.is_finite() && z.re == 0.0 {
        return Complex::new(f64::NAN, z.re * 1f64.copysign(z.im));
    }
    if !z.im.is_finite() && z.re.is_infinite() {
        return Complex::new(f64::INFINITY, f64::NAN);
    }
    let (sin, cos) = real::sin_cos(z.im);
    if z.re.abs() > LARGE {
        let im = half_exp_times(z.re.abs(), sin);
        return Complex::new(half_exp_times(z.re.abs(), cos), if z.re < 0.0 { -im } else { im });
    }
    Complex::new(real::cosh(z.re) * cos, real::sinh(z.re) * sin)
}

/// Hyperbolic tangent.
#[inline(always)]
pub fn tanh(z: C128) -> C128 {
    if z.im == 0.0 {
        return Complex::new(real::tanh(z.re), z.im);
    }
    if z.re == 0.0 {
        return Complex::new(z.re, real::tan(z.im));
    }
    if !z.is_finite() {
        return infinite_tanh(z);
    }
    let (x, y) = (z.re.abs(), z.im);
    let (twice_sin, twice_cos) = sin_cos_of_double(y);
    let (re, im) = if x >= 0.5 {
        let decay = real::exp(-2.0 * x);
        let divisor = decay.mul_add(2.0f64.mul_add(twice_cos, decay), 1.0);
        // The real part is one to the last bit long before the decay underflows.
        (-real::expm1(-4.0 * x) / divisor, 2.0 * (decay * twice_sin) / divisor)
    } else {
        let (sin, cos) = real::sin_cos(y);
        let sinh = real::sinh(x);
        let divisor =
            if sin.abs() < cos.abs() { (sinh - sin).mul_add(sinh + sin, 1.0) } else { sinh.mul_add(sinh, cos * cos) };
        (0.5 * real::sinh(2.0 * x) / divisor, 0.5 * twice_sin / divisor)
    };
    Complex::new(re.copysign(z.re), im)
}

/// For a real part other than zero.
#[cold]
fn infinite_tanh(z: C128) -> C128 {
    if !z.re.is_infinite() {
        return Complex::new(f64::NAN, f64::NAN);
    }
    // The standard gives the zero the sign of the imaginary part, C that of the sine of twice that.
    Complex::new(1f64.copysign(z.re), 0f64.copysign(z.im))
}

/// Sine and cosine of twice the angle, which itself may overflow.
#[inline(always)]
fn sin_cos_of_double(angle: f64) -> (f64, f64) {
    if angle.abs() < f64::MAX / 2.0 {
        return real::sin_cos(2.0 * angle);
    }
    let (sin, cos) = real::sin_cos(angle);
    (2.0 * sin * cos, (cos - sin) * (cos + sin))
}

/// Sine.
#[inline(always)]
pub fn sin(z: C128) -> C128 {
    quarter_turned(sinh, z)
}

/// Cosine.
#[inline(always)]
pub fn cos(z: C128) -> C128 {
    cosh(Complex::new(-z.im, z.re))
}

/// Tangent.
#[inline(always)]
pub fn tan(z: C128) -> C128 {
    quarter_turned(tanh, z)
}
