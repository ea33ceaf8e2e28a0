//! Square root.

use num_complex::Complex;
use situ_types::C128;

use super::real;
use super::scaling::power_of_two;

/// Square root with a real part that is not negative; the cut runs along the negative real axis.
#[inline(always)]
pub fn sqrt(z: C128) -> C128 {
    if !z.is_finite() {
        return infinite_sqrt(z);
    }
    let larger = z.re.abs().max(z.im.abs());
    if larger == 0.0 {
        return Complex::new(0.0, z.im);
    }
    let (scale, root_of_scale) = if larger > power_of_two(1020) {
        (power_of_two(-4), power_of_two(2))
    } else if larger < power_of_two(-900) {
        (power_of_two(120), power_of_two(-60))
    } else {
        (1.0, 1.0)
    };
    let (re, im) = (z.re * scale, z.im * scale);
    // The component without cancellation first; the product of both is half the imaginary part.
    let major = ((re.abs() + real::hypot(re, im)) * 0.5).sqrt();
    let minor = im.abs() / (2.0 * major);
    let (re, im) = if re >= 0.0 { (major, minor) } else { (minor, major) };
    Complex::new(re * root_of_scale, (im * root_of_scale).copysign(z.im))
}

#[cold]
fn infinite_sqrt(z: C128) -> C128 {
    if z.im.is_infinite() {
        Complex::new(f64::INFINITY, z.im)
    } else if z.re == f64::INFINITY {
        Complex::new(z.re, if z.im.is_nan() { z.im } else { 0f64.copysign(z.im) })
    } else if z.re == f64::NEG_INFINITY {
        Complex::new(if z.im.is_nan() { z.im } else { 0.0 }, f64::INFINITY.copysign(z.im))
    } else {
        Complex::new(f64::NAN, f64::NAN)
    }
}
