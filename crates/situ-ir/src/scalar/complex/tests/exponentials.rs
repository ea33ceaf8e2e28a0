use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, LN_10, PI};

use num_complex::Complex;

use super::super::exponential::exp_times;
use super::super::{exp, exp2, expm1, log, log1p, log2, log10, sqrt};
use super::*;

#[test]
fn exp_of_special_values() {
    let (sin, cos) = POSITIVE.sin_cos();
    holds(
        "exp",
        exp,
        &[
            ((0.0, 0.0), (Is(1.0), Is(0.0))),
            ((-0.0, 0.0), (Is(1.0), Is(0.0))),
            ((POSITIVE, INF), (Is(NAN), Is(NAN))),
            ((POSITIVE, NAN), (Is(NAN), Is(NAN))),
            ((INF, 0.0), (Is(INF), Is(0.0))),
            ((-INF, POSITIVE), (Is(0.0 * cos), Is(0.0 * sin))),
            ((-INF, 2.0), (Is(-0.0), Is(0.0))),
            ((INF, POSITIVE), (Is(INF), Is(INF))),
            ((INF, 2.0), (Is(-INF), Is(INF))),
            ((-INF, INF), (Either(0.0), Either(0.0))),
            ((INF, INF), (Either(INF), Is(NAN))),
            ((-INF, NAN), (Either(0.0), Either(0.0))),
            ((INF, NAN), (Either(INF), Is(NAN))),
            ((NAN, 0.0), (Is(NAN), Is(0.0))),
            ((NAN, POSITIVE), (Is(NAN), Is(NAN))),
            ((NAN, NAN), (Is(NAN), Is(NAN))),
        ],
    );
}

#[test]
fn powers_of_e_out_of_range() {
    assert_close(exp_times(1e4, 1.0, 0.0), (INF, 0.0), 0.0, "a sine of zero");
    assert_close(exp_times(1e4, -5e-324, 1.0), (-INF, INF), 0.0, "a small cosine");
    assert_close(exp_times(-1e4, 1.0, -1.0), (0.0, -0.0), 0.0, "underflow");
}

#[test]
fn exp2_of_special_values() {
    holds(
        "exp2",
        exp2,
        &[
            ((0.0, 0.0), (Is(1.0), Is(0.0))),
            ((3.0, 0.0), (Is(8.0), Is(0.0))),
            ((INF, 0.0), (Is(INF), Is(0.0))),
            // The angle is 2.2 ln 2 = 1.52, in the first quadrant where 2.2 itself is not.
            ((INF, 2.2), (Is(INF), Is(INF))),
            ((-INF, 2.2), (Is(0.0), Is(0.0))),
            ((INF, 3.0), (Is(-INF), Is(INF))),
            ((POSITIVE, INF), (Is(NAN), Is(NAN))),
            ((-INF, NAN), (Either(0.0), Either(0.0))),
            ((INF, NAN), (Either(INF), Is(NAN))),
            ((NAN, 0.0), (Is(NAN), Is(0.0))),
            ((NAN, POSITIVE), (Is(NAN), Is(NAN))),
        ],
    );
}

#[test]
fn expm1_of_special_values() {
    holds(
        "expm1",
        expm1,
        &[
            ((0.0, 0.0), (Is(0.0), Is(0.0))),
            ((-0.0, 0.0), (Is(0.0), Is(0.0))),
            ((POSITIVE, INF), (Is(NAN), Is(NAN))),
            ((POSITIVE, NAN), (Is(NAN), Is(NAN))),
            ((INF, 0.0), (Is(INF), Is(0.0))),
            ((-INF, POSITIVE), (Is(-1.0), Is(0.0))),
            ((-INF, 4.0), (Is(-1.0), Is(-0.0))),
            ((INF, 2.0), (Is(-INF), Is(INF))),
            ((-INF, INF), (Is(-1.0), Either(0.0))),
            ((INF, INF), (Either(INF), Is(NAN))),
            ((-INF, NAN), (Is(-1.0), Either(0.0))),
            ((INF, NAN), (Either(INF), Is(NAN))),
            ((NAN, 0.0), (Is(NAN), Is(0.0))),
            ((NAN, POSITIVE), (Is(NAN), Is(NAN))),
            ((NAN, NAN), (Is(NAN), Is(NAN))),
        ],
    );
}

/// What the logarithms have in common, their imaginary parts divided by that of e.
fn logarithms_share(unit: f64) -> Vec<Row> {
    vec![
        ((POSITIVE, INF), (Is(INF), Is(FRAC_PI_2 / unit))),
        ((POSITIVE, NAN), (Is(NAN), Is(NAN))),
        ((-INF, POSITIVE), (Is(INF), Is(PI / unit))),
        ((INF, POSITIVE), (Is(INF), Is(0.0))),
        ((-INF, INF), (Is(INF), Is(3.0 * FRAC_PI_4 / unit))),
        ((INF, INF), (Is(INF), Is(FRAC_PI_4 / unit))),
        ((INF, NAN), (Is(INF), Is(NAN))),
        ((-INF, NAN), (Is(INF), Is(NAN))),
        ((NAN, POSITIVE), (Is(NAN), Is(NAN))),
        ((NAN, INF), (Is(INF), Is(NAN))),
        ((NAN, NAN), (Is(NAN), Is(NAN))),
    ]
}

#[test]
fn logarithms_of_special_values() {
    for (name, function, unit) in
        [("log", log as Function, 1.0), ("log2", log2, LN_2), ("log10", log10, LN_10), ("log1p", log1p, 1.0)]
    {
        holds(name, function, &logarithms_share(unit));
    }
    for (name, function, unit) in [("log", log as Function, 1.0), ("log2", log2, LN_2), ("log10", log10, LN_10)] {
        holds(
            name,
            function,
            &[
                ((-0.0, 0.0), (Is(-INF), Is(PI / unit))),
                ((0.0, 0.0), (Is(-INF), Is(0.0))),
                ((1.0, 0.0), (Is(0.0), Is(0.0))),
                ((-1.0, 0.0), (Is(0.0), Is(PI / unit))),
            ],
        );
    }
    holds("log1p", log1p, &[((-1.0, 0.0), (Is(-INF), Is(0.0))), ((-0.0, 0.0), (Is(-0.0), Is(0.0)))]);
}

#[test]
fn logarithms_of_powers_of_the_base_are_exact() {
    for n in -300..300 {
        assert_eq!(log2(Complex::new(2f64.powi(n), 0.0)), Complex::new(n as f64, 0.0));
    }
    for n in 0..22 {
        assert_eq!(log10(Complex::new(10f64.powi(n), 0.0)), Complex::new(n as f64, 0.0));
    }
}

#[test]
fn sqrt_of_special_values() {
    holds(
        "sqrt",
        sqrt,
        &[
            ((0.0, 0.0), (Is(0.0), Is(0.0))),
            ((-0.0, 0.0), (Is(0.0), Is(0.0))),
            ((-4.0, 0.0), (Is(0.0), Is(2.0))),
            ((POSITIVE, INF), (Is(INF), Is(INF))),
            ((-INF, INF), (Is(INF), Is(INF))),
            ((NAN, INF), (Is(INF), Is(INF))),
            ((POSITIVE, NAN), (Is(NAN), Is(NAN))),
            ((-INF, POSITIVE), (Is(0.0), Is(INF))),
            ((INF, POSITIVE), (Is(INF), Is(0.0))),
            ((-INF, NAN), (Is(NAN), Either(INF))),
            ((INF, NAN), (Is(INF), Is(NAN))),
            ((NAN, POSITIVE), (Is(NAN), Is(NAN))),
            ((NAN, NAN), (Is(NAN), Is(NAN))),
        ],
    );
}
