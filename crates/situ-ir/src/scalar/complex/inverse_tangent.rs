//! Inverse tangent, circular and hyperbolic.

use std::f64::consts::{FRAC_PI_2, LN_2};

use num_complex::Complex;
use situ_types::C128;

use super::division::reciprocal;
use super::quarter_turned;
use super::real;
use super::scaling::power_of_two;

/// Inverse hyperbolic tangent. The cuts run along the real axis outside of -1 to 1.
#[inline(always)]
pub fn atanh(z: C128) -> C128 {
    if !z.is_finite() {
        return infinite_atanh(z);
    }
    let (x, y) = (z.re.abs(), z.im);
    if x == 0.0 {
        return Complex::new(z.re, real::atan(y));
    }
    // One is nothing beside such a number.
    if x.max(y.abs()) > power_of_two(60) {
        return Complex::new(reciprocal(z).re, FRAC_PI_2.copysign(y));
    }
    // So close to one that the square of the distance underflows.
    if x == 1.0 && y.abs() < power_of_two(-500) {
        let im = if y == 0.0 { y } else { 0.5 * FRAC_PI_2.copysign(y) };
        return Complex::new((0.5 * (LN_2 - real::log(y.abs()))).copysign(z.re), im);
    }
    let re = 0.25 * real::log1p(4.0 * x / (1.0 - x).mul_add(1.0 - x, y * y));
    let im = 0.5 * real::atan2(2.0 * y, (1.0 - x).mul_add(1.0 + x, -(y * y)));
    Complex::new(re.copysign(z.re), im)
}

#[cold]
fn infinite_atanh(z: C128) -> C128 {
    let undefined = z.re.is_nan() || z.im.is_nan();
    let re = if z.im.is_infinite() || z.re.is_infinite() || z.re == 0.0 { 0f64.copysign(z.re) } else { f64::NAN };
    let im = if z.im.is_infinite() || !undefined { FRAC_PI_2.copysign(z.im) } else { f64::NAN };
    Complex::new(re, im)
}

/// Inverse tangent. The cuts run along the imaginary axis outside of -i to i.
#[inline(always)]
pub fn atan(z: C128) -> C128 {
    quarter_turned(atanh, z)
}
