use num_complex::Complex;

use super::super::{cos, cosh, sin, sinh, tan, tanh};
use super::*;

#[test]
fn sinh_of_special_values() {
    holds_oddly(
        "sinh",
        sinh,
        &[
            ((0.0, 0.0), (Is(0.0), Is(0.0))),
            ((0.0, INF), (Either(0.0), Is(NAN))),
            ((0.0, NAN), (Either(0.0), Is(NAN))),
            ((POSITIVE, INF), (Is(NAN), Is(NAN))),
            ((POSITIVE, NAN), (Is(NAN), Is(NAN))),
            ((INF, 0.0), (Is(INF), Is(0.0))),
            ((INF, POSITIVE), (Is(INF), Is(INF))),
            ((INF, 2.0), (Is(-INF), Is(INF))),
            ((INF, INF), (Either(INF), Is(NAN))),
            ((INF, NAN), (Either(INF), Is(NAN))),
            ((NAN, 0.0), (Is(NAN), Is(0.0))),
            ((NAN, POSITIVE), (Is(NAN), Is(NAN))),
            ((NAN, NAN), (Is(NAN), Is(NAN))),
        ],
    );
}

#[test]
fn cosh_of_special_values() {
    let rows: &[Row] = &[
        ((0.0, 0.0), (Is(1.0), Is(0.0))),
        ((0.0, INF), (Is(NAN), Either(0.0))),
        ((0.0, NAN), (Is(NAN), Either(0.0))),
        ((POSITIVE, INF), (Is(NAN), Is(NAN))),
        ((POSITIVE, NAN), (Is(NAN), Is(NAN))),
        ((INF, 0.0), (Is(INF), Is(0.0))),
        ((INF, POSITIVE), (Is(INF), Is(INF))),
        ((INF, 2.0), (Is(-INF), Is(INF))),
        ((INF, INF), (Either(INF), Is(NAN))),
        ((INF, NAN), (Is(INF), Is(NAN))),
        ((NAN, 0.0), (Is(NAN), Either(0.0))),
        ((NAN, POSITIVE), (Is(NAN), Is(NAN))),
        ((NAN, NAN), (Is(NAN), Is(NAN))),
    ];
    holds("cosh", cosh, rows);
    for &((re, im), want) in rows {
        check("cosh", cosh, (-re, -im), want);
    }
}

#[test]
fn tanh_of_special_values() {
    holds_oddly(
        "tanh",
        tanh,
        &[
            ((0.0, 0.0), (Is(0.0), Is(0.0))),
            ((POSITIVE, INF), (Is(NAN), Is(NAN))),
            ((0.0, INF), (Is(0.0), Is(NAN))),
            ((POSITIVE, NAN), (Is(NAN), Is(NAN))),
            ((0.0, NAN), (Is(0.0), Is(NAN))),
            ((INF, POSITIVE), (Is(1.0), Is(0.0))),
            // In C99 it would have the sign of sin(2y).
            ((INF, 2.0), (Is(1.0), Is(0.0))),
            ((INF, INF), (Is(1.0), Either(0.0))),
            ((INF, NAN), (Is(1.0), Either(0.0))),
            ((NAN, 0.0), (Is(NAN), Is(0.0))),
            ((NAN, POSITIVE), (Is(NAN), Is(NAN))),
            ((NAN, INF), (Is(NAN), Is(NAN))),
            ((NAN, NAN), (Is(NAN), Is(NAN))),
        ],
    );
}

/// Circular functions of special values are those of the hyperbolic ones, turned.
#[test]
fn circular_functions_are_turned_hyperbolic_ones() {
    let parts = [0.0, POSITIVE, 2.0, 1e-320, 1e300, INF, NAN];
    for (re, im) in parts.iter().flat_map(|re| parts.iter().map(move |im| (*re, *im))) {
        for (re, im) in [(re, im), (-re, im), (re, -im), (-re, -im)] {
            let (z, turned) = (Complex::new(re, im), Complex::new(-im, re));
            for (circular, hyperbolic) in [(sin as Function, sinh as Function), (tan, tanh)] {
                let want = hyperbolic(turned);
                assert_close(circular(z), (want.im, -want.re), 0.0, &format!("{z:?}"));
            }
            let want = cosh(turned);
            assert_close(cos(z), (want.re, want.im), 0.0, &format!("cos {z:?}"));
        }
    }
    assert_close(sin(Complex::new(-0.0, 2.0)), (-0.0, 2f64.sinh()), 1.0, "sin");
    assert_close(cos(Complex::new(0.0, 2.0)), (2f64.cosh(), -0.0), 1.0, "cos");
}

#[test]
fn sums_of_squares() {
    for (re, im) in [(0.3, 0.4), (2.0, -1.0), (-5.0, 0.1), (1e-9, 1e-5)] {
        let z = Complex::new(re, im);
        let difference = cosh(z) * cosh(z) - sinh(z) * sinh(z);
        assert!((difference - 1.0).norm() < 1e-15 * cosh(z).norm_sqr(), "{z}");
        let quotient = sinh(z) / cosh(z);
        assert!((tanh(z) - quotient).norm() < 1e-15 * quotient.norm(), "{z}");
    }
}
