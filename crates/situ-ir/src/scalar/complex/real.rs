//! The functions of real numbers that complex ones are made of: those of [`math`](crate::scalar::math), for every
//! argument. Their bits are the same on every device, which those of the C library are not.

pub(super) use crate::scalar::math::f64::{
    atan, atan2, cosh, exp, exp2, expm1, hypot, log, log1p, log2, log10, pow, sinh, tanh,
};
use crate::scalar::math::f64::{cos, cos_far, is_far, sin as sin_near, sin_far, tan as tan_near, tan_far};

/// Sine of any angle.
#[inline(always)]
pub(super) fn sin(angle: f64) -> f64 {
    if is_far(angle) { sin_far(angle) } else { sin_near(angle) }
}

/// Sine and cosine of any angle.
#[inline(always)]
pub(super) fn sin_cos(angle: f64) -> (f64, f64) {
    if is_far(angle) { (sin_far(angle), cos_far(angle)) } else { (sin_near(angle), cos(angle)) }
}

/// Tangent of any angle.
#[inline(always)]
pub(super) fn tan(angle: f64) -> f64 {
    if is_far(angle) { tan_far(angle) } else { tan_near(angle) }
}
