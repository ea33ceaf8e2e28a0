//! Cube root.
//!
//! A short polynomial gives the inverse cube root of the mantissa, Newton's method the rest. No division.

use super::parts::{ROUNDER_F32, ROUNDER_F64, power_of_two_f32, power_of_two_f64, split_f32, split_f64, two_chains};

/// (1 + f)^(-1/3) for √½ <= 1 + f <= √2: minimax, relative error at most 2^-17.4.
const INVERSE_F64: [f64; 6] = [
    1.0000038466599024,
    -0.3332609762657579,
    0.22160513145359145,
    -0.17581864163431304,
    0.16041693249579653,
    -0.10806342788890767,
];

/// The same in single precision, at most 2^-14.6.
const INVERSE_F32: [f32; 5] = [0.9999766, -0.3329016, 0.2243627, -0.18890896, 0.1283693];

/// The quadratic in j that is 2^(-j/3) for j = -1, 0, 1.
const INVERSE_ROOT: [f64; 2] = [-0.2331102619553867, 0.02681078793948649];

/// Cube root, with the sign of `x`.
#[inline(always)]
pub fn cbrt_f64(x: f64) -> f64 {
    const THIRD: f64 = 1.0 / 3.0;
    let (m, k) = split_f64(x.abs());
    let rounded = k.mul_add(THIRD, ROUNDER_F64);
    let j = (rounded - ROUNDER_F64).mul_add(-3.0, k);
    // m 2ʲ, by the quadratic that is 2ʲ for j = -1, 0, 1.
    let value = m * j.mul_add(j.mul_add(0.25, 0.75), 1.0);
    let inverse = two_chains(m - 1.0, &INVERSE_F64) * j.mul_add(j.mul_add(INVERSE_ROOT[1], INVERSE_ROOT[0]), 1.0);
    let error = (value * inverse).mul_add(-(inverse * inverse), 1.0);
    let inverse = (inverse * error).mul_add(THIRD, inverse);
    let inverse_square = inverse * inverse;
    let root = value * inverse_square;
    let remainder = (root * root).mul_add(-root, value);
    let root = (remainder * inverse_square).mul_add(THIRD, root) * power_of_two_f64(rounded);
    let plain = (x != 0.0) & (x.abs() < f64::INFINITY);
    if plain { root.copysign(x) } else { x }
}

/// Cube root, with the sign of `x`.
#[inline(always)]
pub fn cbrt_f32(x: f32) -> f32 {
    const THIRD: f32 = 1.0 / 3.0;
    let (m, k) = split_f32(x.abs());
    let rounded = k.mul_add(THIRD, ROUNDER_F32);
    let j = (rounded - ROUNDER_F32).mul_add(-3.0, k);
    let value = m * j.mul_add(j.mul_add(0.25, 0.75), 1.0);
    let factor = j.mul_add(j.mul_add(INVERSE_ROOT[1] as f32, INVERSE_ROOT[0] as f32), 1.0);
    let inverse = two_chains(m - 1.0, &INVERSE_F32) * factor;
    let inverse_square = inverse * inverse;
    let root = value * inverse_square;
    let remainder = (root * root).mul_add(-root, value);
    let root = (remainder * inverse_square).mul_add(THIRD, root) * power_of_two_f32(rounded);
    let plain = (x != 0.0) & (x.abs() < f32::INFINITY);
    if plain { root.copysign(x) } else { x }
}
