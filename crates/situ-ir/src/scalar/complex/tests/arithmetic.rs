use num_complex::Complex;

use super::super::scaling::{exponent, power_of_two, scaled};
use super::super::{
    abs, angle, div, exp, mul, proj, reciprocal, round, sign, sqrt, widened, widened_pair, widened_real,
};
use super::*;

#[test]
fn exponents_and_scaling() {
    for (value, want) in [(1.0, 0), (-1.5, 0), (f64::MAX, 1023), (2.3e-308, -1022), (1e-310, -1030), (5e-324, -1074)] {
        assert_eq!(exponent(value), want, "{value}");
    }
    assert_eq!(scaled(5e-324, 2097), power_of_two(1023));
    assert_eq!(scaled(-power_of_two(1023), -2097), -5e-324);
    assert_eq!(scaled(1.0, i32::MAX), INF);
    assert_eq!(scaled(1.0, i32::MIN), 0.0);
}

#[test]
fn products_follow_the_textbook() {
    let infinite = mul(Complex::new(INF, 1.0), Complex::new(1.0, 0.0));
    assert_close(infinite, (INF, NAN), 0.0, "inf * 0 is not recovered");
    assert_eq!(mul(Complex::new(1.0, 2.0), Complex::new(3.0, -1.0)), Complex::new(5.0, 5.0));
}

#[test]
fn quotients_of_special_values() {
    let quotient = |a: (f64, f64), b: (f64, f64)| div(Complex::new(a.0, a.1), Complex::new(b.0, b.1));
    assert_close(quotient((1.0, -2.0), (0.0, 0.0)), (INF, -INF), 0.0, "by zero");
    assert_close(quotient((1.0, 0.0), (-0.0, 0.0)), (INF, NAN), 0.0, "by zero");
    assert_close(quotient((0.0, 0.0), (0.0, 0.0)), (NAN, NAN), 0.0, "0 / 0");
    assert_close(quotient((1.0, 1.0), (INF, 0.0)), (0.0, 0.0), 0.0, "by infinity");
    assert_close(quotient((INF, 1.0), (2.0, 0.0)), (INF, NAN), 0.0, "of infinity");
    assert_close(quotient((NAN, 1.0), (2.0, 1.0)), (NAN, NAN), 0.0, "of NaN");
    assert_close(quotient((-0.0, -0.0), (2.0, 0.0)), (-0.0, 0.0), 0.0, "of zeros");
}

#[test]
fn quotients_keep_both_components() {
    // 2^-54 beside 1, for the products in the imaginary part cancel.
    let (a, b) = (Complex::new(1.0 + f64::EPSILON, 1.0), Complex::new(1.0, 1.0 - f64::EPSILON / 2.0));
    assert_close(div(a, b), (1.0000000000000002, -5.551115123125782e-17), 2.0, "cancellation");
    for scale in [1e-320, 1e-300, 1e-160, 1e160, 1e300] {
        let z = Complex::new(3.0 * scale, 4.0 * scale);
        assert_close(div(z, z), (1.0, 0.0), 1.0, "z / z");
        assert_close(div(z, Complex::new(z.re, -z.im)), (-0.28, 0.96), 2e3, "z / conj z");
    }
    assert_close(div(Complex::new(1e-48, 1e-290), Complex::new(1e-37, 0.0)), (1e-11, 1e-253), 2.0, "unequal parts");
    assert_close(div(Complex::new(1e308, 1e308), Complex::new(2.0, 2.0)), (5e307, 0.0), 2.0, "large");
}

#[test]
fn reciprocals() {
    assert_close(reciprocal(Complex::new(2.0, 0.0)), (0.5, -0.0), 0.0, "1/2");
    assert_close(reciprocal(Complex::new(-2.0, -0.0)), (-0.5, 0.0), 0.0, "-1/2");
    assert_close(reciprocal(Complex::new(0.0, 0.0)), (INF, NAN), 0.0, "1/0");
    assert_close(reciprocal(Complex::new(INF, 1.0)), (0.0, -0.0), 0.0, "1/inf");
    assert_close(reciprocal(Complex::new(1.0, NAN)), (NAN, NAN), 0.0, "1/nan");
    assert_close(reciprocal(Complex::new(1e308, 1e308)), (5e-309, -5e-309), 1.0, "large");
    assert_close(reciprocal(Complex::new(1e-310, 0.0)), (INF, -0.0), 1.0, "small");
}

#[test]
fn directions() {
    let (half, nan) = (0.5f64.sqrt(), (NAN, NAN));
    for scale in [f64::MAX, 1.0, 1e-310, 5e-324] {
        assert_close(sign(Complex::new(scale, -scale)), (half, -half), 1.0, "diagonal");
    }
    assert_close(sign(Complex::new(-0.0, -0.0)), (0.0, 0.0), 0.0, "zero");
    assert_close(sign(Complex::new(-3.0, 0.0)), (-1.0, 0.0), 0.0, "real");
    assert_close(sign(Complex::new(-INF, 3.0)), (-1.0, 0.0), 0.0, "infinite");
    for z in [(INF, INF), (INF, NAN), (NAN, 1.0)] {
        assert_close(sign(Complex::new(z.0, z.1)), nan, 0.0, "undefined");
    }
}

#[test]
fn parts_of_special_values() {
    assert_eq!(abs(Complex::new(NAN, -INF)), INF);
    assert!(abs(Complex::new(NAN, 0.0)).is_nan());
    assert_eq!(abs(Complex::new(-0.0, -5e-324)), 5e-324);
    assert_eq!(angle(Complex::new(-0.0, -0.0)), -std::f64::consts::PI);
    assert_close(proj(Complex::new(NAN, -INF)), (INF, -0.0), 0.0, "proj");
    assert_close(proj(Complex::new(1.0, -2.0)), (1.0, -2.0), 0.0, "proj");
    assert_close(round(Complex::new(2.5, -0.5)), (2.0, -0.0), 0.0, "round");
    assert_close(round(Complex::new(-INF, NAN)), (-INF, NAN), 0.0, "round");
}

#[test]
fn single_precision_rounds_the_double_result_once() {
    assert_eq!(widened(exp, Complex::new(89f32, 0.0)), Complex::new(f32::INFINITY, 0.0));
    assert_eq!(widened(sqrt, Complex::new(f32::MAX, 0.0)).re, (f32::MAX as f64).sqrt() as f32);
    assert_eq!(widened_real(abs, Complex::new(f32::MAX, f32::MAX)), f32::INFINITY);
    let (tiny, one) = (Complex::new(1e-40f32, 1e-40), Complex::new(1e-40f32, -1e-40));
    assert_eq!(widened_pair(div, tiny, one), Complex::new(0.0, 1.0));
}
