use num_complex::Complex;

use super::super::pow;
use super::*;

fn power(a: (f64, f64), b: (f64, f64)) -> C128 {
    pow(Complex::new(a.0, a.1), Complex::new(b.0, b.1))
}

#[test]
fn anything_to_the_power_of_zero_is_one() {
    for part in [0.0, -0.0, 1.0, 5e-324, INF, -INF, NAN] {
        assert_close(power((part, part), (0.0, -0.0)), (1.0, 0.0), 0.0, "to zero");
        assert_close(power((part, 2.0), (1.0, 0.0)), (part, 2.0), 0.0, "to one");
    }
}

#[test]
fn zero_to_a_power() {
    for b in [(2.0, 0.0), (0.5, 3.0), (INF, 0.0)] {
        assert_close(power((0.0, 0.0), b), (0.0, 0.0), 0.0, "to a positive power");
    }
    for b in [(-1.0, 0.0), (0.0, 1.0), (NAN, 0.0), (1.0, NAN)] {
        assert_close(power((0.0, 0.0), b), (NAN, NAN), 0.0, "undefined");
    }
}

#[test]
fn infinite_operands_follow_exp_of_b_log_a() {
    assert_close(power((INF, 0.0), (2.0, 0.0)), (INF, NAN), 0.0, "inf²");
    assert_close(power((2.0, 0.0), (INF, 0.0)), (INF, NAN), 0.0, "2^inf");
    assert_close(power((NAN, 0.0), (2.0, 0.0)), (NAN, NAN), 0.0, "nan²");
    assert_close(power((2.0, 0.0), (NAN, 0.0)), (NAN, NAN), 0.0, "2^nan");
}

#[test]
fn powers_of_gaussian_integers_are_exact() {
    for (re, im) in [(1.0, 2.0), (-3.0, 1.0), (2.0, -2.0), (1.0, 1.0), (-1.0, 0.0), (0.0, -1.0)] {
        let z = Complex::new(re, im);
        let mut product = Complex::new(1.0, 0.0);
        for n in 1..20 {
            product *= z;
            assert_eq!(pow(z, Complex::new(n as f64, 0.0)), product, "{z}^{n}");
        }
    }
    assert_eq!(power((4.0, 0.0), (0.5, 0.0)), Complex::new(2.0, 0.0));
    assert_eq!(power((0.0, 1.0), (1e300, 0.0)), Complex::new(1.0, 0.0));
}

#[test]
fn zeros_of_whole_powers_have_the_sign_of_the_limit() {
    assert_close(power((-2.0, 0.0), (2.0, 0.0)), (4.0, -0.0), 0.0, "(-2 + 0i)²");
    assert_close(power((-2.0, -0.0), (3.0, 0.0)), (-8.0, -0.0), 0.0, "(-2 - 0i)³");
    assert_close(power((0.0, 2.0), (2.0, 0.0)), (-4.0, 0.0), 0.0, "(0 + 2i)²");
    assert_close(power((-0.0, 2.0), (2.0, 0.0)), (-4.0, -0.0), 0.0, "(-0 + 2i)²");
    assert_close(power((2.0, 0.0), (-1.0, 0.0)), (0.5, -0.0), 0.0, "1 / (2 + 0i)");
}

#[test]
fn powers_out_of_range_overflow_by_component() {
    assert_close(power((1e200, 1e200), (2.0, 0.0)), (0.0, INF), 0.0, "(1 + i)² 1e400");
    assert_close(power((1e200, 1e200), (-2.0, 0.0)), (0.0, -0.0), 0.0, "its reciprocal");
    assert_close(power((1e200, -1e200), (2.5, 0.0)), (-INF, -INF), 0.0, "with a fraction");
    assert_close(power((-1e-200, 0.0), (-3.0, 0.0)), (-INF, -0.0), 0.0, "on the axis");
}

/// References computed with 160 bits.
#[test]
fn large_exponents_do_not_lose_digits() {
    for (a, b, want) in [
        ((1.5, 0.25), (300.5, 0.0), (4.055599044156359e54, -3.008899061950468e54)),
        ((1.0000001, 1e-07), (10000000.0, 1000000.0), (1.1156666623487717, 2.192016307191564)),
        ((-3.0, 4.0), (0.1, -200.0), (8.570781324174587e191, -2.3693271256412507e192)),
        ((1e100, 1e90), (2.5, 0.5), (-4.449539091972778e249, 8.955534705365508e249)),
        ((0.6, 0.8), (10000000000.5, 0.0), (-0.8819225819570579, -0.4713947427830577)),
        ((0.9947637334411281, 0.10220134358347842), (10000000000.5, 0.0), (0.9498987184322443, -0.3125578741823355)),
        ((2.7, 0.0), (0.0, 10000000000.0), (0.8314414398009746, 0.5556123938337609)),
        ((3e-200, -0.0), (0.25, -1000000000.0), (-7.069727614550999e-51, -1.1100632063668391e-50)),
        ((0.6, 0.8), (100000.0, 0.0), (-0.645929681070003, 0.7633969132222405)),
        ((2.0, -3.0), (-99.0, 0.0), (-7.209938985798985e-56, 6.709635455477334e-57)),
        ((1e-300, 2e-300), (-0.75, 0.25), (-3.5660933993937706e224, 2.1157119231950994e224)),
        ((-1.0, 0.0), (0.5, 0.125), (0.0, 0.6752319066557773)),
        ((0.3, -0.7), (0.0, 10000.0), (-f64::INFINITY, -f64::INFINITY)),
    ] {
        assert_close(power(a, b), want, 3.0, &format!("{a:?}^{b:?}"));
    }
}
