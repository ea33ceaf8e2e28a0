//! Functions of square roots.

use super::parts::{select, two_product};

/// One over a positive normal number to three bits, from the exponent and the mantissa read as one number.
#[inline(always)]
pub(super) fn rough_inverse_f64(x: f64) -> f64 {
    f64::from_bits(0x7fde_0000_0000_0000_u64.wrapping_sub(x.to_bits()))
}

/// The length of a right triangle's longest side, without overflow or underflow on the way.
#[inline(always)]
pub fn hypot_f64(a: f64, b: f64) -> f64 {
    const LARGE: f64 = f64::from_bits((1023 + 500) << 52);
    const SMALL: f64 = f64::from_bits((1023 - 450) << 52);
    const UP: f64 = f64::from_bits((1023 + 600) << 52);
    const DOWN: f64 = f64::from_bits((1023 - 600) << 52);
    let (a, b) = (a.abs(), b.abs());
    let a_larger = a > b;
    let larger = select(a_larger, a, b);
    let (to_middle, back) = {
        let (large, small) = (larger > LARGE, larger < SMALL);
        (select(large, DOWN, select(small, UP, 1.0)), select(large, UP, select(small, DOWN, 1.0)))
    };
    let larger = larger * to_middle;
    let smaller = select(a_larger, b, a) * to_middle;
    let (square, square_low) = two_product(larger, larger);
    let sum = smaller.mul_add(smaller, square);
    let sum_low = smaller.mul_add(smaller, square - sum) + square_low;
    let root = sum.sqrt();
    let missing = (-root).mul_add(root, sum) + sum_low;
    let length = missing.mul_add(0.5 * rough_inverse_f64(root), root);
    // Infinite also beside NaN.
    let infinite = (a == f64::INFINITY) | (b == f64::INFINITY);
    select(infinite, f64::INFINITY, length * back)
}

/// The length of a right triangle's longest side, without overflow or underflow on the way.
#[inline(always)]
pub fn hypot_f32(a: f32, b: f32) -> f32 {
    const LARGE: f32 = f32::from_bits((127 + 60) << 23);
    const SMALL: f32 = f32::from_bits((127 - 50) << 23);
    const UP: [f32; 2] = [f32::from_bits((127 + 90) << 23), f32::from_bits((127 + 70) << 23)];
    const DOWN: [f32; 2] = [f32::from_bits((127 - 90) << 23), f32::from_bits((127 - 70) << 23)];
    let (a, b) = (a.abs(), b.abs());
    let a_larger = a > b;
    let larger = select(a_larger, a, b);
    let (to_middle, back) = {
        let (large, small) = (larger > LARGE, larger < SMALL);
        (select(large, DOWN[1], select(small, UP[0], 1.0)), select(large, UP[1], select(small, DOWN[0], 1.0)))
    };
    let larger = larger * to_middle;
    let smaller = select(a_larger, b, a) * to_middle;
    let length = smaller.mul_add(smaller, larger * larger).sqrt();
    let infinite = (a == f32::INFINITY) | (b == f32::INFINITY);
    select(infinite, f32::INFINITY, length * back)
}

/// One over the square root.
#[inline(always)]
pub fn rsqrt_f64(x: f64) -> f64 {
    const TINY: f64 = f64::from_bits((1023 - 1000) << 52);
    const UP: f64 = f64::from_bits((1023 + 108) << 52);
    const ROOT_UP: f64 = f64::from_bits((1023 + 54) << 52);
    let tiny = x < TINY;
    let scaled = x * select(tiny, UP, 1.0);
    // Half the negated exponent and mantissa, read as one number, are 1/√x to four bits; each step triples them.
    let mut root = f64::from_bits(0x5fe6_eb50_c7b5_37a9_u64.wrapping_sub(scaled.to_bits() >> 1));
    for _ in 0..2 {
        let missing = (-(scaled * root)).mul_add(root, 1.0);
        root = (root * missing).mul_add(missing.mul_add(0.375, 0.5), root);
    }
    let (product, product_low) = two_product(scaled, root);
    let missing = (-product_low).mul_add(root, (-product).mul_add(root, 1.0));
    root = (root * 0.5).mul_add(missing, root);
    let ordinary = (x > 0.0) & (x < f64::INFINITY);
    let limit = select(x == 0.0, f64::INFINITY.copysign(x), select(x > 0.0, 0.0, f64::NAN));
    select(ordinary, root * select(tiny, ROOT_UP, 1.0), limit)
}

/// One over the square root.
#[inline(always)]
pub fn rsqrt_f32(x: f32) -> f32 {
    const TINY: f32 = f32::from_bits((127 - 100) << 23);
    const UP: f32 = f32::from_bits((127 + 48) << 23);
    const ROOT_UP: f32 = f32::from_bits((127 + 24) << 23);
    let tiny = x < TINY;
    let scaled = x * select(tiny, UP, 1.0);
    // As for doubles; the second step is past the last bit.
    let mut root = f32::from_bits(0x5f37_5a86_u32.wrapping_sub(scaled.to_bits() >> 1));
    for _ in 0..2 {
        let missing = (-(scaled * root)).mul_add(root, 1.0);
        root = (root * missing).mul_add(missing.mul_add(0.375, 0.5), root);
    }
    let ordinary = (x > 0.0) & (x < f32::INFINITY);
    let limit = select(x == 0.0, f32::INFINITY.copysign(x), select(x > 0.0, 0.0, f32::NAN));
    select(ordinary, root * select(tiny, ROOT_UP, 1.0), limit)
}
