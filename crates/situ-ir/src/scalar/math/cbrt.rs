//! Cube root.
//!
//! The bits of a number are nearly its logarithm, so that a third of them, negated, are nearly those of the inverse
//! cube root y. With e = 1 - x y³, which is at most a ninth, the inverse of the square of the root is
//! y² (1 - e)^(-2/3), and x times that is the root but for a last step of Newton's method. No division.

use super::parts::{TWO_52, horner, select, two_chains};

/// (1 - e)^(-2/3) for -0.106 <= e <= 0.0999: minimax, relative error at most 2^-30.3.
const CURVE_F64: [f64; 7] = [
    1.0000000001282034,
    0.6666667153870575,
    0.5555552995348254,
    0.49379016614453586,
    0.45273713112710456,
    0.4295285458122207,
    0.39825148723808335,
];

/// The same in single precision, at most 2^-17.2.
const CURVE_F32: [f32; 4] = [0.9999936, 0.6666849, 0.5603762, 0.4934505];

/// Cube root, with the sign of `x`.
#[inline(always)]
pub fn cbrt_f64(x: f64) -> f64 {
    const THIRD: f64 = 1.0 / 3.0;
    // The bits of 1, and a third more, of which the last 20 are left out: for any other constant e would be larger.
    const START: f64 = 5_858_050_179_072.0;
    const TINY: f64 = f64::from_bits((1023 - 960) << 52);
    const UP: f64 = f64::from_bits((1023 + 54) << 52);
    const ROOT_DOWN: f64 = f64::from_bits((1023 - 18) << 52);
    // The last remainder of a smaller number would be subnormal.
    let tiny = x.abs() < TINY;
    let size = x.abs() * select(tiny, UP, 1.0);
    let bits = f64::from_bits((size.to_bits() >> 20) | TWO_52.to_bits());
    let inverse = f64::from_bits(bits.mul_add(-THIRD, TWO_52 + THIRD * TWO_52 + START).to_bits() << 20);
    let square = inverse * inverse;
    let error = (size * inverse).mul_add(-square, 1.0);
    let inverse_square = square * two_chains(error, &CURVE_F64);
    let root = size * inverse_square;
    let remainder = (root * root).mul_add(-root, size);
    let root = (remainder * inverse_square).mul_add(THIRD, root) * select(tiny, ROOT_DOWN, 1.0);
    if x.abs() < f64::INFINITY { root.copysign(x) } else { x }
}

/// Cube root, with the sign of `x`.
#[inline(always)]
pub fn cbrt_f32(x: f32) -> f32 {
    const THIRD: f32 = 1.0 / 3.0;
    const TWO_23: f32 = 8_388_608.0;
    const START: f32 = 2_773_269.0;
    const TINY: f32 = f32::from_bits((127 - 110) << 23);
    const UP: f32 = f32::from_bits((127 + 27) << 23);
    const ROOT_DOWN: f32 = f32::from_bits((127 - 9) << 23);
    let tiny = x.abs() < TINY;
    let size = x.abs() * select(tiny, UP, 1.0);
    let bits = f32::from_bits((size.to_bits() >> 9) | TWO_23.to_bits());
    let inverse = f32::from_bits(bits.mul_add(-THIRD, TWO_23 + THIRD * TWO_23 + START).to_bits() << 9);
    let square = inverse * inverse;
    let error = (size * inverse).mul_add(-square, 1.0);
    let inverse_square = square * horner(error, &CURVE_F32);
    let root = size * inverse_square;
    let remainder = (root * root).mul_add(-root, size);
    let root = (remainder * inverse_square).mul_add(THIRD, root) * select(tiny, ROOT_DOWN, 1.0);
    if x.abs() < f32::INFINITY { root.copysign(x) } else { x }
}
