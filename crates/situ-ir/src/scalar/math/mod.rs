//! Elementary functions as straight-line code that the compiler vectorises.
//!
//! Every function is at most 1 ulp from the true value in double precision and 2 ulp in single precision, over the
//! whole range, subnormal numbers included. Special values follow IEEE 754 and Annex F of the C standard: signed zeros,
//! infinities, NaN outside the domain, infinities at poles. Only where `logaddexp` adds two numbers that cancel, it is
//! as exact as the numbers are and no more.
//!
//! But for the functions of far angles, there are no tables and no branches. A condition picks one of two finished
//! values, which every vector unit can do. Without a fused multiply-add in hardware the results are the same and the
//! functions slow.

mod cbrt;
mod exp;
mod far;
mod hyperbolic;
mod inverse_hyperbolic;
mod inverse_trig;
mod log;
mod log_base;
mod logaddexp;
mod parts;
mod power;
mod power_log;
#[cfg(test)]
mod power_tests;
mod roots;
#[cfg(test)]
mod tests;
mod trig;
#[cfg(test)]
mod trig_tests;

pub(crate) use self::trig::{sine_cosine_f64, sine_f32};

/// Functions of single-precision numbers.
pub mod f32 {
    pub use super::cbrt::cbrt_f32 as cbrt;
    pub use super::exp::{exp_f32 as exp, exp2_f32 as exp2, expm1_f32 as expm1};
    pub use super::far::{cos_far_f32 as cos_far, sin_far_f32 as sin_far, tan_far_f32 as tan_far};
    pub use super::hyperbolic::{cosh_f32 as cosh, sinh_f32 as sinh, tanh_f32 as tanh};
    pub use super::inverse_hyperbolic::{acosh_f32 as acosh, asinh_f32 as asinh, atanh_f32 as atanh};
    pub use super::inverse_trig::{acos_f32 as acos, asin_f32 as asin, atan_f32 as atan, atan2_f32 as atan2};
    pub use super::log::{is_rare_f32 as is_rare_log, log_f32 as log, log_usual_f32 as log_usual, log1p_f32 as log1p};
    pub use super::log_base::{
        log2_f32 as log2, log2_usual_f32 as log2_usual, log10_f32 as log10, log10_usual_f32 as log10_usual,
    };
    pub use super::logaddexp::logaddexp_f32 as logaddexp;
    pub use super::power::{is_rare_f32 as is_rare_power, pow_f32 as pow, pow_usual_f32 as pow_usual};
    pub use super::roots::{hypot_f32 as hypot, rsqrt_f32 as rsqrt};
    pub use super::trig::{cos_f32 as cos, is_far_f32 as is_far, sin_f32 as sin, tan_f32 as tan};

    /// Square root, correctly rounded.
    #[inline(always)]
    pub fn sqrt(x: f32) -> f32 {
        x.sqrt()
    }

    /// 1 divided by `x`, correctly rounded.
    #[inline(always)]
    pub fn reciprocal(x: f32) -> f32 {
        1.0 / x
    }
}

/// Functions of double-precision numbers.
pub mod f64 {
    pub use super::cbrt::cbrt_f64 as cbrt;
    pub use super::exp::{exp_f64 as exp, exp2_f64 as exp2, expm1_f64 as expm1};
    pub use super::far::{cos_far_f64 as cos_far, sin_far_f64 as sin_far, tan_far_f64 as tan_far};
    pub use super::hyperbolic::{cosh_f64 as cosh, sinh_f64 as sinh, tanh_f64 as tanh};
    pub use super::inverse_hyperbolic::{acosh_f64 as acosh, asinh_f64 as asinh, atanh_f64 as atanh};
    pub use super::inverse_trig::{acos_f64 as acos, asin_f64 as asin, atan_f64 as atan, atan2_f64 as atan2};
    pub use super::log::{is_rare_f64 as is_rare_log, log_f64 as log, log_usual_f64 as log_usual, log1p_f64 as log1p};
    pub use super::log_base::{
        log2_f64 as log2, log2_usual_f64 as log2_usual, log10_f64 as log10, log10_usual_f64 as log10_usual,
    };
    pub use super::logaddexp::logaddexp_f64 as logaddexp;
    pub use super::power::{is_rare_f64 as is_rare_power, pow_f64 as pow, pow_usual_f64 as pow_usual};
    pub use super::roots::{hypot_f64 as hypot, rsqrt_f64 as rsqrt};
    pub use super::trig::{cos_f64 as cos, is_far_f64 as is_far, sin_f64 as sin, tan_f64 as tan};

    /// Square root, correctly rounded.
    #[inline(always)]
    pub fn sqrt(x: f64) -> f64 {
        x.sqrt()
    }

    /// 1 divided by `x`, correctly rounded.
    #[inline(always)]
    pub fn reciprocal(x: f64) -> f64 {
        1.0 / x
    }
}
