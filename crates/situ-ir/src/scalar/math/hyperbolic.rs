//! Hyperbolic functions.
//!
//! With x = k ln 2 + r as in the exponential function, the addition theorems
//!
//! * sinh x = sinh(k ln 2) cosh r + cosh(k ln 2) sinh r,
//! * cosh x = cosh(k ln 2) cosh r + sinh(k ln 2) sinh r
//!
//! need two short polynomials and no division, and are as exact at 0 as elsewhere. With x = k ln 2 / 2 + r,
//!
//! * tanh x = ((2ᵏ - 1) + (2ᵏ + 1) tanh r) / ((2ᵏ + 1) + (2ᵏ - 1) tanh r)
//!
//! needs one polynomial and one division, and for k = 0 is the polynomial.

use super::exp::{LN_2_F32, LN_2_F64};
use super::parts::{ROUNDER_F32, ROUNDER_F64, fast_two_sum, horner, power_of_two_f32, power_of_two_f64, two_chains};
use std::f32::consts::LOG2_E as LOG2_E_F32;
use std::f64::consts::LOG2_E as LOG2_E_F64;

/// (sinh r - r) / r³ in powers of r², for |r| <= ln 2 / 2: minimax, the relative error of sinh r is at most 2^-60.6.
const SINH_F64: [f64; 5] =
    [0.16666666666666677, 0.008333333333321615, 0.00019841269886160365, 2.7557244180058746e-06, 2.5109045539184257e-08];

/// (cosh r - 1) / r² in powers of r², for |r| <= ln 2 / 2: minimax, cosh r is off by at most 2^-64.7.
const COSH_F64: [f64; 6] = [
    0.5,
    0.04166666666666671,
    0.0013888888888863931,
    2.4801587363405704e-05,
    2.755724181646465e-07,
    2.09244279928866e-09,
];

/// The same in single precision; the relative error of sinh r is at most 2^-26.1.
const SINH_F32: [f32; 2] = [0.16666543, 0.008366586];

/// The same in single precision; cosh r is off by at most 2^-29.8.
const COSH_F32: [f32; 3] = [0.5, 0.041666266, 0.001394623];

/// (tanh r - r) / r³ in powers of r², for |r| <= ln 2 / 4: minimax, the relative error of tanh r is at most 2^-57.7.
const TANH_F64: [f64; 6] = [
    -0.3333333333333249,
    0.13333333332784336,
    -0.053968252782165715,
    0.021869370683068216,
    -0.008857306676384803,
    0.0034448022506500123,
];

/// The same in single precision, at most 2^-32.4.
const TANH_F32: [f32; 3] = [-0.33333322, 0.1333114, -0.052714422];

/// Hyperbolic sine.
#[inline(always)]
pub fn sinh_f64(x: f64) -> f64 {
    let split = Split64::new(x.abs());
    let result = split.turn(split.sinh, split.sinh_lost, split.cosh);
    // Halving a subnormal number loses a bit that is there in the result.
    if x.abs() < 1e-8 { x } else { (result + result).copysign(x) }
}

/// Hyperbolic cosine.
#[inline(always)]
pub fn cosh_f64(x: f64) -> f64 {
    let split = Split64::new(x.abs());
    let result = split.turn(split.cosh, split.cosh_lost, split.sinh);
    result + result
}

/// Hyperbolic tangent.
///
/// What the quotient leaves of the numerator is summed in the order in which the large terms cancel.
#[inline(always)]
pub fn tanh_f64(x: f64) -> f64 {
    let magnitude = x.abs();
    // From 19.1 on the result rounds to 1.
    let magnitude = if magnitude > 22.0 { 22.0 } else { magnitude };
    let rounded = magnitude.mul_add(2.0 * LOG2_E_F64, ROUNDER_F64);
    let k = rounded - ROUNDER_F64;
    let r = k.mul_add(-0.5 * LN_2_F64[0], magnitude);
    let square = r * r;
    let past = (square * r).mul_add(two_chains(square, &TANH_F64), k * (-0.5 * LN_2_F64[1]));
    let tanh = r + past;
    let more = power_of_two_f64(rounded) + 1.0;
    // Not from the power: where one is rounded, both are those of one number near the power.
    let less = more - 2.0;
    let inverse = 1.0 / less.mul_add(tanh, more);
    // So few bits that its products are exact where the sums cancel.
    let quotient = f64::from_bits((more.mul_add(tanh, less) * inverse).to_bits() & (!0 << 27));
    let slope = quotient.mul_add(-less, more);
    let remainder = past.mul_add(slope, r.mul_add(slope, quotient.mul_add(-more, less)));
    remainder.mul_add(inverse, quotient).copysign(x)
}

/// Hyperbolic sine.
#[inline(always)]
pub fn sinh_f32(x: f32) -> f32 {
    let split = Split32::new(x.abs());
    let result = split.turn(split.sinh, split.sinh_lost, split.cosh);
    if x.abs() < 1e-4 { x } else { (result + result).copysign(x) }
}

/// Hyperbolic cosine.
#[inline(always)]
pub fn cosh_f32(x: f32) -> f32 {
    let split = Split32::new(x.abs());
    let result = split.turn(split.cosh, split.cosh_lost, split.sinh);
    result + result
}

/// Hyperbolic tangent.
#[inline(always)]
pub fn tanh_f32(x: f32) -> f32 {
    let magnitude = x.abs();
    // From 9.1 on the result rounds to 1.
    let magnitude = if magnitude > 10.0 { 10.0 } else { magnitude };
    let rounded = magnitude.mul_add(2.0 * LOG2_E_F32, ROUNDER_F32);
    // The larger k, the more the error of its product and the less of it in the result.
    let r = (rounded - ROUNDER_F32).mul_add(-0.5 * LN_2_F32[0], magnitude);
    let square = r * r;
    let tanh = (square * r).mul_add(horner(square, &TANH_F32), r);
    let more = power_of_two_f32(rounded) + 1.0;
    let less = more - 2.0;
    let inverse = 1.0 / less.mul_add(tanh, more);
    let quotient = more.mul_add(tanh, less) * inverse;
    let remainder = tanh.mul_add(quotient.mul_add(-less, more), quotient.mul_add(-more, less));
    remainder.mul_add(inverse, quotient).copysign(x)
}

/// A non-negative argument x = k ln 2 + r.
struct Split64 {
    /// Half of sinh(k ln 2). The other half appears when nothing can overflow any more.
    sinh: f64,
    sinh_lost: f64,
    /// Half of cosh(k ln 2).
    cosh: f64,
    cosh_lost: f64,
    r: f64,
    r_low: f64,
}

impl Split64 {
    #[inline(always)]
    fn new(x: f64) -> Self {
        let x = if x > 710.6 { 710.6 } else { x };
        let rounded = x.mul_add(LOG2_E_F64, ROUNDER_F64 - 2.0);
        let k = rounded - (ROUNDER_F64 - 2.0);
        let up = power_of_two_f64(rounded);
        // 2⁻ᵏ⁻². Its exponent leaves the range when it has long ceased to count.
        let down = f64::from_bits((0.25_f64.to_bits() + 0.25_f64.to_bits()).wrapping_sub(up.to_bits()));
        let down = if x > 100.0 { 0.0 } else { down };
        let (sinh, sinh_lost) = fast_two_sum(up, -down);
        let (cosh, cosh_lost) = fast_two_sum(up, down);
        Self { sinh, sinh_lost, cosh, cosh_lost, r: k.mul_add(-LN_2_F64[0], x), r_low: k * -LN_2_F64[1] }
    }

    /// even · cosh r + odd · sinh r.
    #[inline(always)]
    fn turn(&self, even: f64, even_lost: f64, odd: f64) -> f64 {
        let r = self.r + self.r_low;
        let square = r * r;
        let sum = odd.mul_add(self.r, even);
        let lost = odd.mul_add(self.r, even - sum);
        let cosh = square * two_chains(square, &COSH_F64);
        let sinh = (square * r).mul_add(two_chains(square, &SINH_F64), self.r_low);
        sum + even.mul_add(cosh, odd.mul_add(sinh, lost + even_lost))
    }
}

/// A non-negative argument x = k ln 2 + r.
struct Split32 {
    sinh: f32,
    sinh_lost: f32,
    cosh: f32,
    cosh_lost: f32,
    r: f32,
}

impl Split32 {
    #[inline(always)]
    fn new(x: f32) -> Self {
        let x = if x > 89.5 { 89.5 } else { x };
        let rounded = x.mul_add(LOG2_E_F32, ROUNDER_F32 - 2.0);
        let k = rounded - (ROUNDER_F32 - 2.0);
        let up = power_of_two_f32(rounded);
        let down = f32::from_bits((0.25_f32.to_bits() + 0.25_f32.to_bits()).wrapping_sub(up.to_bits()));
        let down = if x > 50.0 { 0.0 } else { down };
        let (sinh, sinh_lost) = fast_two_sum(up, -down);
        let (cosh, cosh_lost) = fast_two_sum(up, down);
        Self { sinh, sinh_lost, cosh, cosh_lost, r: k.mul_add(-LN_2_F32[1], k.mul_add(-LN_2_F32[0], x)) }
    }

    /// even · cosh r + odd · sinh r.
    #[inline(always)]
    fn turn(&self, even: f32, even_lost: f32, odd: f32) -> f32 {
        let r = self.r;
        let square = r * r;
        let sum = odd.mul_add(r, even);
        let lost = odd.mul_add(r, even - sum);
        let cosh = square * horner(square, &COSH_F32);
        let sinh = square * r * horner(square, &SINH_F32);
        sum + even.mul_add(cosh, odd.mul_add(sinh, lost + even_lost))
    }
}
