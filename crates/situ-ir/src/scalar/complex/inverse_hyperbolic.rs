//! Inverse sine and cosine, circular and hyperbolic.
//!
//! All four come from one place: with r and s the distances of z from -1 and 1, and a = (r + s) / 2, the real part of
//! asin z is the angle whose sine is x / a, and its imaginary part the number whose hyperbolic cosine is a. Nothing is
//! ever subtracted that could cancel.

use std::f64::consts::{FRAC_PI_2, LN_2};

use num_complex::Complex;
use situ_types::C128;

use super::logarithm::ln_abs;
use super::real;
use super::scaling::power_of_two;

/// For x, y ≥ 0: the adjacent side of the angle Re asin(x + iy), whose opposite side is x; and Im asin(x + iy).
#[inline(always)]
fn asin_parts(x: f64, y: f64) -> (f64, f64) {
    // One is nothing beside such a number.
    if x.max(y) > power_of_two(60) {
        return (y, ln_abs(Complex::new(x, y)) + LN_2);
    }
    let (to_left, to_right) = (real::hypot(x + 1.0, y), real::hypot(x - 1.0, y));
    let mean = 0.5 * (to_left + to_right);
    // mean² - x² and mean² - 1 as products; each factor is a sum of terms of one sign.
    let left = to_left + (x + 1.0);
    let right = to_right + (x - 1.0).abs();
    let outside = y * y / left + right;
    let inverses = 1.0 / left + 1.0 / right;
    let adjacent =
        if x <= 1.0 { (0.5 * (mean + x) * outside).sqrt() } else { y * (0.5 * (mean + x) * inverses).sqrt() };
    let (excess, root) = if x < 1.0 {
        (0.5 * y * y * inverses, y * (0.5 * inverses * (mean + 1.0)).sqrt())
    } else {
        (0.5 * outside, (outside * (0.5 * (mean + 1.0))).sqrt())
    };
    (adjacent, real::log1p(excess + root))
}

/// Inverse sine. The cuts run along the real axis outside of -1 to 1.
#[inline(always)]
pub fn asin(z: C128) -> C128 {
    // asinh with both components exchanged, here and in the result.
    let turned = asinh(Complex::new(z.im, z.re));
    Complex::new(turned.im, turned.re)
}

/// Inverse hyperbolic sine. The cuts run along the imaginary axis outside of -i to i.
#[inline(always)]
pub fn asinh(z: C128) -> C128 {
    let (re, im) = (z.re.abs(), z.im.abs());
    if !z.is_finite() {
        return infinite_asinh(z);
    }
    // The next term of the series is beyond the last bit.
    if re.max(im) < power_of_two(-28) {
        return z;
    }
    let (adjacent, length) = asin_parts(im, re);
    Complex::new(length.copysign(z.re), real::atan2(z.im, adjacent))
}

#[cold]
fn infinite_asinh(z: C128) -> C128 {
    if z.re.is_nan() && z.im == 0.0 {
        return z;
    }
    if z.re.is_nan() || z.im.is_nan() {
        let infinite = z.re.is_infinite() || (z.re.is_nan() && z.im.is_infinite());
        return Complex::new(if infinite { f64::INFINITY.copysign(z.re) } else { f64::NAN }, f64::NAN);
    }
    Complex::new(f64::INFINITY.copysign(z.re), real::atan2(z.im.abs(), z.re.abs()).copysign(z.im))
}

/// Inverse cosine. The cuts run along the real axis outside of -1 to 1.
#[inline(always)]
pub fn acos(z: C128) -> C128 {
    if !z.is_finite() {
        return infinite_acos(z);
    }
    let (adjacent, length) = asin_parts(z.re.abs(), z.im.abs());
    Complex::new(real::atan2(adjacent, z.re), -length.copysign(z.im))
}

#[cold]
fn infinite_acos(z: C128) -> C128 {
    if z.re.is_nan() || z.im.is_nan() {
        let infinite = z.re.is_infinite() || z.im.is_infinite();
        return Complex::new(
            if z.re == 0.0 { FRAC_PI_2 } else { f64::NAN },
            if infinite { -f64::INFINITY.copysign(z.im) } else { f64::NAN },
        );
    }
    Complex::new(real::atan2(z.im.abs(), z.re), -f64::INFINITY.copysign(z.im))
}

/// Inverse hyperbolic cosine with a real part that is not negative. The cut runs along the real axis below 1.
#[inline(always)]
pub fn acosh(z: C128) -> C128 {
    let turned = acos(z);
    Complex::new(turned.im.abs(), turned.re.copysign(z.im))
}
