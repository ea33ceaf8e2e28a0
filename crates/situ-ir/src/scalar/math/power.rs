//! Powers: xʸ = 2^(y log₂ x).
//!
//! An error in the logarithm is multiplied by up to a thousand before it reaches the result, so the logarithm is an
//! unevaluated sum of two numbers with about 65 good bits (35 in single precision).
//!
//! There are two functions to each precision. One is for every number; the other takes half the time and is for usual
//! ones, of which `is_rare` tells the others apart. Where both may be asked they give the same bits.

use super::exp::EXP2_F32;
use super::parts::{
    ROUNDER_F32, ROUNDER_F64, SCALE_ROUNDER_F32, SCALE_ROUNDER_F64, clamp, horner, scale_f32, scale_f64, shift_f32,
    shift_f64, split_f32, split_f64, split_normal_f32, split_normal_f64, two_chains,
};
use super::power_log::{exponent_f32, exponent_f64};

/// ln 2, rounded, and what rounding took.
const LN_2: [f64; 2] = super::exp::LN_2_F64;

/// (2ʳ - 1 - r ln 2) / r² for |r| <= 1/2: minimax, 2ʳ off by at most 2^-56.9.
const EXP2_F64: [f64; 10] = [
    0.2402265069591012,
    0.055504108664821604,
    0.009618129107595103,
    0.0013333558146410654,
    0.00015403530458709013,
    1.52527338388832e-05,
    1.3215433535373761e-06,
    1.0178057620590688e-07,
    7.074195334903874e-09,
    4.455818442553684e-10,
];

macro_rules! powers {
    ($float:ident, $bits:ident: $pow:ident, $pow_usual:ident, $is_rare:ident, $exponent:ident, $mantissa:ident,
     $split:ident, $split_normal:ident, $scale:ident, $shift:ident, $scale_rounder:ident, $rounder:ident,
     large $large:literal, end $end:literal, usual $usual:literal, normal $normal:literal) => {
        /// `x` to the power of `y`.
        ///
        /// 1 whenever y is 0 or x is 1, even if the other is NaN. NaN for a negative finite x and a y that is no
        /// integer.
        #[inline(always)]
        pub fn $pow(x: $float, y: $float) -> $float {
            let magnitude = x.abs();
            let (m, k) = $split(magnitude);
            // The logarithm of 0, infinity and NaN. From here on they take care of themselves.
            let k = if magnitude < $float::INFINITY { k } else { magnitude };
            let k = if magnitude == 0.0 { $float::NEG_INFINITY } else { k };
            // No logarithm but 0 is so small that a larger y than this would matter, and infinity times 0 is kept away.
            let (exponent, exponent_low) = $exponent(clamp(y, -$large, $large), m, k);
            let rounded = exponent + $scale_rounder;
            let r = exponent - (rounded - $scale_rounder);
            let power = $scale($mantissa(r, exponent_low), rounded);
            // Picked at the end rather than clamped before: nothing waits for it.
            let power = if exponent > $end { $float::INFINITY } else { power };
            let power = if exponent < -$end { 0.0 } else { power };

            let half = 0.5 * y;
            let integer = y.trunc() == y;
            let odd = integer & (half.trunc() != half);
            let power = if (x < 0.0) & (magnitude < $float::INFINITY) & !integer { $float::NAN } else { power };
            let power = if odd { power.copysign(x) } else { power };
            if (y == 0.0) | (x == 1.0) { 1.0 } else { power }
        }

        /// `x` to the power of `y`, unless that is rare.
        #[inline(always)]
        pub fn $pow_usual(x: $float, y: $float) -> $float {
            let (m, k) = $split_normal(x.abs());
            let (exponent, exponent_low) = $exponent(y, m, k);
            let rounded = exponent + $rounder;
            let power = $shift($mantissa(exponent - (rounded - $rounder), exponent_low), rounded);
            // The last bit of y, if it is an integer.
            let whole = y + $rounder;
            let odd = whole.to_bits() << ($bits::BITS - 1);
            let signed = $float::from_bits(power.to_bits() | (x.to_bits() & odd));
            if (x < 0.0) & (whole - $rounder != y) { $float::NAN } else { signed }
        }

        /// Whether `x` or the result is subnormal, zero, infinite or no number, or `y` huge.
        #[inline(always)]
        pub fn $is_rare(x: $float, y: $float) -> bool {
            const LEAST: $bits = $float::MIN_POSITIVE.to_bits();
            let (m, k) = $split_normal(x.abs());
            let (exponent, _) = $exponent(y, m, k);
            let is_normal = x.abs().to_bits().wrapping_sub(LEAST) < $float::INFINITY.to_bits() - LEAST;
            !(is_normal & (y.abs() <= $usual) & (exponent.abs() <= $normal))
        }
    };
}
powers!(
    f64, u64: pow_f64, pow_usual_f64, is_rare_f64, exponent_f64, mantissa_f64, split_f64, split_normal_f64,
    scale_f64, shift_f64, SCALE_ROUNDER_F64, ROUNDER_F64,
    large 1e30, end 1100.0, usual 1_125_899_906_842_624.0, normal 1020.0
);
powers!(
    f32, u32: pow_f32, pow_usual_f32, is_rare_f32, exponent_f32, mantissa_f32, split_f32, split_normal_f32,
    scale_f32, shift_f32, SCALE_ROUNDER_F32, ROUNDER_F32,
    large 1e15, end 160.0, usual 2_097_152.0, normal 125.0
);

/// 2 to the power of r + low, for |r| <= 1/2 and a `low` far below.
#[inline(always)]
fn mantissa_f64(r: f64, low: f64) -> f64 {
    let whole = r + low;
    let low = low.mul_add(LN_2[0], r * LN_2[1]);
    let curve = (whole * whole).mul_add(two_chains(whole, &EXP2_F64), low);
    1.0 + r.mul_add(LN_2[0], curve)
}

/// 2 to the power of r + low, for |r| <= 1/2 and a `low` far below.
#[inline(always)]
fn mantissa_f32(r: f32, low: f32) -> f32 {
    let r = r + low;
    r.mul_add(horner(r, &EXP2_F32), 1.0)
}
