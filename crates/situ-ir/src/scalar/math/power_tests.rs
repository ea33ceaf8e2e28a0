//! Powers of usual numbers, which take a shorter way than those of all numbers.

use super::{f32 as single, f64 as double};
use crate::scalar::Arithmetic;

/// Numbers of both signs from every binade, with the ends of the usual among them.
fn numbers() -> Vec<f64> {
    let mut numbers = vec![0.0, 0.5, 1.0, 3.0, 2.5, f64::INFINITY, f64::NAN, 5e-324, f64::MAX, f64::MIN_POSITIVE];
    let mut bits = 0x9E37_79B9_7F4A_7C15_u64;
    for exponent in (-1074..1024).step_by(7).chain(-5..5).chain(45..56) {
        bits = bits.wrapping_mul(0x2545_F491_4F6C_DD1D).rotate_left(17) ^ exponent as u64;
        let mantissa = f64::from_bits((bits >> 12) | 1.0_f64.to_bits());
        numbers.extend([mantissa * 2f64.powi(exponent), 2f64.powi(exponent)]);
    }
    numbers.iter().flat_map(|&x| [x, -x]).collect()
}

#[test]
fn usual_powers_have_the_bits_of_all_powers() {
    let (mut usual, mut rare) = ([0, 0], [0, 0]);
    for &x in &numbers() {
        for &number in &numbers() {
            // The number itself, what makes it the result's exponent, and an integer.
            for y in [number, number.rem_euclid(2048.0) - 1024.0, (number % 1100.0) / x.abs().log2(), number.round()] {
                if double::is_rare_power(x, y) {
                    rare[0] += 1;
                } else {
                    usual[0] += 1;
                    let (got, wanted) = (double::pow_usual(x, y), double::pow(x, y));
                    assert!(got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan(), "pow({x:e}, {y:e})");
                }
                let (x, y) = (x as f32, y as f32);
                if single::is_rare_power(x, y) {
                    rare[1] += 1;
                } else {
                    usual[1] += 1;
                    let (got, wanted) = (single::pow_usual(x, y), single::pow(x, y));
                    assert!(got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan(), "pow({x:e}, {y:e})");
                }
            }
        }
    }
    for (usual, rare) in usual.into_iter().zip(rare) {
        assert!(usual > 50_000 && rare > 50_000, "{usual} usual, {rare} rare");
    }
}

#[test]
fn ordinary_powers_are_usual() {
    for x in [1e-300, 0.1, 1.0, 2.0, 10.0, 1e300] {
        for y in [-1.0, -0.5, 0.0, 0.3, 0.99, 1.0] {
            for x in [x, -x] {
                assert!(!double::is_rare_power(x, y), "pow({x}, {y})");
                assert!(!single::is_rare_power(x.cbrt().cbrt() as f32, y as f32), "pow({x}, {y})");
            }
        }
    }
}

#[test]
fn usual_powers_of_integers_are_all_powers() {
    macro_rules! check {
        ($($type:ty),*) => {$(
            for base in [0, 1, 2, 3, 7, 10, 100, 127, <$type>::MAX, <$type>::MIN, <$type>::MAX.wrapping_add(3)] {
                for exponent in 0..=15 {
                    assert!(!base.is_rare_power(exponent));
                    assert_eq!(base.pow_usual(exponent), Arithmetic::pow(base, exponent), "{base} ** {exponent}");
                }
                for exponent in [16, 31, 32, 100, <$type>::MAX, (0 as $type).wrapping_sub(1), <$type>::MAX / 2 + 1] {
                    assert!(base.is_rare_power(exponent), "{base} ** {exponent}");
                }
            }
        )*};
    }
    check!(i8, i16, i32, i64, u8, u16, u32, u64);
}
