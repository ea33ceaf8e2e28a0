//! Elementary functions of complex numbers.
//!
//! Branch cuts, signs of zeros and special values are those of the Array API standard and C99's annex G; where these
//! leave a choice, NumPy's is taken. Every function computes in double precision; [`widened`] and [`widened_pair`] give
//! them to `complex64`, whose results are then rounded once, overflow to infinity included.
//!
//! Components are good to a few units in the last place for every finite argument. Where a component passes through
//! zero inside the plane (the real part of `expm1`, say) the error is a few units of the modulus instead.

mod division;
mod exponential;
mod hyperbolic;
mod inverse_hyperbolic;
mod inverse_tangent;
mod logarithm;
mod parts;
mod power;
mod precise_log;
mod real;
mod root;
mod scaling;
#[cfg(test)]
mod tests;
mod twofold;

use num_complex::Complex;
use situ_types::{C64, C128};

pub use division::{div, mul, reciprocal};
pub use exponential::{exp, exp2, expm1};
pub use hyperbolic::{cos, cosh, sin, sinh, tan, tanh};
pub use inverse_hyperbolic::{acos, acosh, asin, asinh};
pub use inverse_tangent::{atan, atanh};
pub use logarithm::{log, log1p, log2, log10};
pub use parts::{abs, angle, proj, round, sign};
pub use power::pow;
pub use root::sqrt;

/// A function of one `complex128` applied to a `complex64`.
#[inline(always)]
pub fn widened(function: impl FnOnce(C128) -> C128, z: C64) -> C64 {
    narrow(function(widen(z)))
}

/// A function of two `complex128` applied to `complex64` operands.
#[inline(always)]
pub fn widened_pair(function: impl FnOnce(C128, C128) -> C128, a: C64, b: C64) -> C64 {
    narrow(function(widen(a), widen(b)))
}

/// A real-valued function of one `complex128` applied to a `complex64`.
#[inline(always)]
pub fn widened_real(function: impl FnOnce(C128) -> f64, z: C64) -> f32 {
    function(widen(z)) as f32
}

#[inline(always)]
fn widen(z: C64) -> C128 {
    Complex::new(z.re as f64, z.im as f64)
}

#[inline(always)]
fn narrow(z: C128) -> C64 {
    Complex::new(z.re as f32, z.im as f32)
}

/// `-i f(iz)`: turns an odd hyperbolic function into its circular one, signs of zeros included.
#[inline(always)]
fn quarter_turned(function: impl FnOnce(C128) -> C128, z: C128) -> C128 {
    let turned = function(Complex::new(-z.im, z.re));
    Complex::new(turned.im, -turned.re)
}
