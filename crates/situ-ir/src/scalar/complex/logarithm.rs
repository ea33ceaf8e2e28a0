//! Logarithms. Their cuts run along the negative real axis.

use std::f64::consts;

use num_complex::Complex;
use situ_types::C128;

use super::parts::angle;
use super::real;
use super::scaling::{exponent, power_of_two, scaled};
use super::twofold::Twofold;

/// What a logarithm to some base is made of.
#[derive(Debug)]
struct Base {
    log: fn(f64) -> f64,
    of_e: f64,
    of_two: f64,
}

const NATURAL: Base = Base { log: real::log, of_e: 1.0, of_two: consts::LN_2 };
const BINARY: Base = Base { log: real::log2, of_e: consts::LOG2_E, of_two: 1.0 };
const DECIMAL: Base = Base { log: real::log10, of_e: consts::LOG10_E, of_two: consts::LOG10_2 };

impl Base {
    #[inline(always)]
    fn complex_log(&self, z: C128) -> C128 {
        Complex::new(self.log_of_modulus(z), angle(z) * self.of_e)
    }

    /// The logarithm of |z|, accurate where |z| is close to one or out of range.
    #[inline(always)]
    fn log_of_modulus(&self, z: C128) -> f64 {
        let (re, im) = (z.re.abs(), z.im.abs());
        let (large, small) = if re > im { (re, im) } else { (im, re) };
        if small == 0.0 || !z.is_finite() {
            return (self.log)(real::hypot(large, small));
        }
        if large > power_of_two(500) || large < power_of_two(-450) {
            let shift = exponent(large);
            let (large, small) = (scaled(large, -shift), scaled(small, -shift));
            return (shift as f64).mul_add(self.of_two, self.half_log(squared_modulus(large, small)));
        }
        let squares = squared_modulus(large, small);
        // All that is left of the squares beside the one lies beyond what was kept of them.
        if (squares.hi - 1.0).abs() < power_of_two(-45) {
            let (first, second) = (Twofold::product(large, large), Twofold::product(small, small));
            let excess = Twofold::distilled([-1.0, first.hi, second.hi, first.lo, second.lo]).rounded();
            return 0.5 * self.of_e * real::log1p(excess);
        }
        self.half_log(squares)
    }

    #[inline(always)]
    fn half_log(&self, squares: Twofold) -> f64 {
        0.5 * (squares.lo / squares.hi).mul_add(self.of_e, (self.log)(squares.hi))
    }
}

/// Natural logarithm of |z|.
#[inline(always)]
pub(super) fn ln_abs(z: C128) -> f64 {
    NATURAL.log_of_modulus(z)
}

/// `large² + small²`, both of moderate size.
#[inline(always)]
pub(super) fn squared_modulus(large: f64, small: f64) -> Twofold {
    Twofold::product(large, large) + Twofold::product(small, small)
}

/// Natural logarithm.
#[inline(always)]
pub fn log(z: C128) -> C128 {
    NATURAL.complex_log(z)
}

/// Logarithm to base two.
#[inline(always)]
pub fn log2(z: C128) -> C128 {
    BINARY.complex_log(z)
}

/// Logarithm to base ten.
#[inline(always)]
pub fn log10(z: C128) -> C128 {
    DECIMAL.complex_log(z)
}

/// `log(1 + z)`, accurate for small `z`.
#[inline(always)]
pub fn log1p(z: C128) -> C128 {
    if z.re == 0.0 && z.im == 0.0 {
        return z;
    }
    let shifted = 1.0 + z.re;
    let im = real::atan2(z.im, shifted);
    let larger = z.re.abs().max(z.im.abs());
    if larger < power_of_two(60) && z.is_finite() {
        let (first, second) = (Twofold::product(z.re, z.re), Twofold::product(z.im, z.im));
        let excess = Twofold::distilled([2.0 * z.re, first.hi, second.hi, first.lo, second.lo]).rounded();
        if excess > -0.7 {
            return Complex::new(0.5 * real::log1p(excess), im);
        }
    }
    // The sum is exact where its modulus is small, or one is nothing beside it.
    Complex::new(ln_abs(Complex::new(shifted, z.im)), im)
}
