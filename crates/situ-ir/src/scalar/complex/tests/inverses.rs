use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, FRAC_PI_4, PI};

use num_complex::Complex;

use super::super::{acos, acosh, asin, asinh, atan, atanh};
use super::*;

#[test]
fn acos_of_special_values() {
    holds(
        "acos",
        acos,
        &[
            ((0.0, 0.0), (Is(FRAC_PI_2), Is(-0.0))),
            ((-0.0, 0.0), (Is(FRAC_PI_2), Is(-0.0))),
            ((0.0, NAN), (Is(FRAC_PI_2), Is(NAN))),
            ((-0.0, NAN), (Is(FRAC_PI_2), Is(NAN))),
            ((1.0, 0.0), (Is(0.0), Is(-0.0))),
            ((POSITIVE, INF), (Is(FRAC_PI_2), Is(-INF))),
            ((POSITIVE, NAN), (Is(NAN), Is(NAN))),
            ((-INF, POSITIVE), (Is(PI), Is(-INF))),
            ((INF, POSITIVE), (Is(0.0), Is(-INF))),
            ((-INF, INF), (Is(3.0 * FRAC_PI_4), Is(-INF))),
            ((INF, INF), (Is(FRAC_PI_4), Is(-INF))),
            ((INF, NAN), (Is(NAN), Either(INF))),
            ((-INF, NAN), (Is(NAN), Either(INF))),
            ((NAN, POSITIVE), (Is(NAN), Is(NAN))),
            ((NAN, INF), (Is(NAN), Is(-INF))),
            ((NAN, NAN), (Is(NAN), Is(NAN))),
            // Both sides of both cuts.
            ((2.0, 0.0), (Is(0.0), Is(-1.3169578969248167))),
            ((-2.0, 0.0), (Is(PI), Is(-1.3169578969248167))),
        ],
    );
}

#[test]
fn acosh_of_special_values() {
    holds(
        "acosh",
        acosh,
        &[
            ((0.0, 0.0), (Is(0.0), Is(FRAC_PI_2))),
            ((-0.0, 0.0), (Is(0.0), Is(FRAC_PI_2))),
            ((1.0, 0.0), (Is(0.0), Is(0.0))),
            ((POSITIVE, INF), (Is(INF), Is(FRAC_PI_2))),
            ((POSITIVE, NAN), (Is(NAN), Is(NAN))),
            ((0.0, NAN), (Is(NAN), Either(FRAC_PI_2))),
            ((-INF, POSITIVE), (Is(INF), Is(PI))),
            ((INF, POSITIVE), (Is(INF), Is(0.0))),
            ((-INF, INF), (Is(INF), Is(3.0 * FRAC_PI_4))),
            ((INF, INF), (Is(INF), Is(FRAC_PI_4))),
            ((INF, NAN), (Is(INF), Is(NAN))),
            ((-INF, NAN), (Is(INF), Is(NAN))),
            ((NAN, POSITIVE), (Is(NAN), Is(NAN))),
            ((NAN, INF), (Is(INF), Is(NAN))),
            ((NAN, NAN), (Is(NAN), Is(NAN))),
            ((0.5, 0.0), (Is(0.0), Is(FRAC_PI_3))),
            ((-2.0, 0.0), (Is(1.3169578969248167), Is(PI))),
        ],
    );
}

#[test]
fn asinh_of_special_values() {
    holds_oddly(
        "asinh",
        asinh,
        &[
            ((0.0, 0.0), (Is(0.0), Is(0.0))),
            ((POSITIVE, INF), (Is(INF), Is(FRAC_PI_2))),
            ((POSITIVE, NAN), (Is(NAN), Is(NAN))),
            ((0.0, NAN), (Is(NAN), Is(NAN))),
            ((INF, POSITIVE), (Is(INF), Is(0.0))),
            ((INF, INF), (Is(INF), Is(FRAC_PI_4))),
            ((INF, NAN), (Is(INF), Is(NAN))),
            ((NAN, 0.0), (Is(NAN), Is(0.0))),
            ((NAN, POSITIVE), (Is(NAN), Is(NAN))),
            ((NAN, INF), (Either(INF), Is(NAN))),
            ((NAN, NAN), (Is(NAN), Is(NAN))),
            ((0.0, 2.0), (Is(1.3169578969248167), Is(FRAC_PI_2))),
            ((-0.0, 2.0), (Is(-1.3169578969248167), Is(FRAC_PI_2))),
        ],
    );
}

#[test]
fn atanh_of_special_values() {
    holds_oddly(
        "atanh",
        atanh,
        &[
            ((0.0, 0.0), (Is(0.0), Is(0.0))),
            ((0.0, NAN), (Is(0.0), Is(NAN))),
            ((1.0, 0.0), (Is(INF), Is(0.0))),
            ((POSITIVE, INF), (Is(0.0), Is(FRAC_PI_2))),
            ((POSITIVE, NAN), (Is(NAN), Is(NAN))),
            ((INF, POSITIVE), (Is(0.0), Is(FRAC_PI_2))),
            ((INF, INF), (Is(0.0), Is(FRAC_PI_2))),
            ((INF, NAN), (Is(0.0), Is(NAN))),
            ((NAN, POSITIVE), (Is(NAN), Is(NAN))),
            ((NAN, 0.0), (Is(NAN), Is(NAN))),
            ((NAN, INF), (Either(0.0), Is(FRAC_PI_2))),
            ((NAN, NAN), (Is(NAN), Is(NAN))),
            ((2.0, 0.0), (Is(0.5493061443340549), Is(FRAC_PI_2))),
        ],
    );
}

#[test]
fn circular_inverses_are_turned_hyperbolic_ones() {
    let parts = [0.0, POSITIVE, 1.0, 2.0, 1e-320, 1e300, INF, NAN];
    for (re, im) in parts.iter().flat_map(|re| parts.iter().map(move |im| (*re, *im))) {
        for (re, im) in [(re, im), (-re, im), (re, -im), (-re, -im)] {
            let (z, turned) = (Complex::new(re, im), Complex::new(-im, re));
            for (circular, hyperbolic) in [(asin as Function, asinh as Function), (atan, atanh)] {
                // The sign of an infinite real part of asinh(NaN ± i inf) is unspecified.
                if im.is_nan() && re.is_infinite() {
                    continue;
                }
                let want = hyperbolic(turned);
                assert_close(circular(z), (want.im, -want.re), 0.0, &format!("{z:?}"));
            }
        }
    }
}
