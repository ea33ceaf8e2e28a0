//! Products and quotients.

use num_complex::Complex;
use situ_types::C128;

use super::scaling::{exponent, power_of_two, scaled};
use super::twofold::sum_of_products;

/// Product by the textbook formula: a product of infinities is not looked at again, as in NumPy.
#[inline(always)]
pub fn mul(a: C128, b: C128) -> C128 {
    Complex::new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
}

/// Quotient. Both components are accurate, and only a quotient out of range overflows or underflows.
///
/// Infinite, undefined and zero divisors give what NumPy gives.
#[inline(always)]
pub fn div(a: C128, b: C128) -> C128 {
    if is_moderate(a) && is_moderate(b) && (b.re != 0.0 || b.im != 0.0) {
        return moderate_quotient(a, b);
    }
    extreme_quotient(a, b)
}

/// `1 / z`, as accurate as [`div`]. The reciprocal of a conjugate is the conjugate of the reciprocal.
#[inline(always)]
pub fn reciprocal(z: C128) -> C128 {
    if is_moderate(z) && (z.re != 0.0 || z.im != 0.0) {
        return moderate_reciprocal(z);
    }
    extreme_reciprocal(z)
}

/// Whether products with such numbers, and quotients of those, stay well inside the range of `f64`.
#[inline(always)]
fn is_moderate(z: C128) -> bool {
    let moderate = |part: f64| part == 0.0 || (part.abs() > power_of_two(-250) && part.abs() < power_of_two(250));
    moderate(z.re) && moderate(z.im)
}

#[inline(always)]
fn larger_exponent(z: C128) -> i32 {
    exponent(z.re.abs().max(z.im.abs()))
}

#[inline(always)]
fn scale(z: C128, exponent: i32) -> C128 {
    Complex::new(scaled(z.re, exponent), scaled(z.im, exponent))
}

#[inline(always)]
fn moderate_quotient(a: C128, b: C128) -> C128 {
    let squared = sum_of_products(b.re, b.re, b.im, b.im);
    Complex::new(sum_of_products(a.re, b.re, a.im, b.im) / squared, sum_of_products(a.im, b.re, -a.re, b.im) / squared)
}

#[inline(always)]
fn moderate_reciprocal(z: C128) -> C128 {
    let squared = sum_of_products(z.re, z.re, z.im, z.im);
    Complex::new(z.re / squared, -z.im / squared)
}

#[cold]
fn extreme_quotient(a: C128, b: C128) -> C128 {
    if !a.is_finite() || !b.is_finite() || (b.re == 0.0 && b.im == 0.0) {
        return special_quotient(a, b);
    }
    let (up, down) = (larger_exponent(a), larger_exponent(b));
    scale(moderate_quotient(scale(a, -up), scale(b, -down)), up - down)
}

#[cold]
fn extreme_reciprocal(z: C128) -> C128 {
    if z.re == 0.0 && z.im == 0.0 {
        return special_quotient(Complex::new(1.0, 0.0), z);
    }
    if !z.is_finite() {
        return special_reciprocal(z);
    }
    let down = larger_exponent(z);
    scale(moderate_reciprocal(scale(z, -down)), -down)
}

/// Smith's formula, whose infinities and NaNs are NumPy's.
fn special_quotient(a: C128, b: C128) -> C128 {
    if b.re == 0.0 && b.im == 0.0 {
        return Complex::new(a.re / b.re.abs(), a.im / b.re.abs());
    }
    if b.re.abs() >= b.im.abs() {
        let ratio = b.im / b.re;
        let factor = 1.0 / (b.re + b.im * ratio);
        Complex::new((a.re + a.im * ratio) * factor, (a.im - a.re * ratio) * factor)
    } else {
        let ratio = b.re / b.im;
        let factor = 1.0 / (b.im + b.re * ratio);
        Complex::new((a.re * ratio + a.im) * factor, (a.im * ratio - a.re) * factor)
    }
}

/// Smith's formula for a dividend of one.
fn special_reciprocal(z: C128) -> C128 {
    if z.re.abs() >= z.im.abs() {
        let ratio = z.im / z.re;
        let divisor = z.re + z.im * ratio;
        Complex::new(1.0 / divisor, -ratio / divisor)
    } else {
        let ratio = z.re / z.im;
        let divisor = z.im + z.re * ratio;
        Complex::new(ratio / divisor, -1.0 / divisor)
    }
}
