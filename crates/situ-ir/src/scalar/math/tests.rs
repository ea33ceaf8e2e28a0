//! Exponential, logarithmic, hyperbolic and power functions against the standard library, over every binade.

use super::{f32 as single, f64 as double};
use std::f32::consts::LN_2;

type Function32 = fn(f32) -> f32;
type Function64 = fn(f64) -> f64;

/// Ours in both precisions, the standard library's, and how far the latter may be from the truth, in ulp.
const FUNCTIONS: [(&str, Function32, Function64, Function64, u64); 14] = [
    ("exp", single::exp, double::exp, f64::exp, 1),
    ("exp2", single::exp2, double::exp2, f64::exp2, 1),
    ("expm1", single::expm1, double::expm1, f64::exp_m1, 1),
    ("log", single::log, double::log, f64::ln, 1),
    ("log2", single::log2, double::log2, f64::log2, 1),
    ("log10", single::log10, double::log10, f64::log10, 1),
    ("log1p", single::log1p, double::log1p, f64::ln_1p, 1),
    ("sinh", single::sinh, double::sinh, f64::sinh, 2),
    ("cosh", single::cosh, double::cosh, f64::cosh, 2),
    ("tanh", single::tanh, double::tanh, f64::tanh, 2),
    ("asinh", single::asinh, double::asinh, asinh, 4),
    ("acosh", single::acosh, double::acosh, acosh, 4),
    ("atanh", single::atanh, double::atanh, atanh, 4),
    ("cbrt", single::cbrt, double::cbrt, f64::cbrt, 1),
];

/// The standard library's overflows.
fn asinh(x: f64) -> f64 {
    if x.abs() > 1e9 { (x.abs().ln() + std::f64::consts::LN_2).copysign(x) } else { x.asinh() }
}

/// The standard library's overflows, and loses half the bits near 1.
fn acosh(x: f64) -> f64 {
    let less = x - 1.0;
    let near = (less + (less * (x + 1.0)).sqrt()).ln_1p();
    let far = x.ln() + std::f64::consts::LN_2;
    match x {
        1.0..=1e9 => near,
        x if x > 1e9 => far,
        _ => f64::NAN,
    }
}

/// The standard library's loses all bits near -1.
fn atanh(x: f64) -> f64 {
    (0.5 * (2.0 * x.abs() / (1.0 - x.abs())).ln_1p()).copysign(x)
}

/// Numbers of both signs from every binade, and more of them around 1, where the functions bend.
fn arguments() -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut arguments = Vec::new();
    for exponent in 0..2047_u64 {
        for _ in 0..4 {
            let magnitude = f64::from_bits(exponent << 52 | random() >> 12);
            arguments.extend([magnitude, -magnitude]);
        }
    }
    for _ in 0..20_000 {
        let fraction = (random() >> 11) as f64 / (1_u64 << 53) as f64;
        arguments.extend([fraction, -fraction, 1.0 + fraction, 3.0 * fraction, -40.0 * fraction, 750.0 * fraction]);
        arguments.push(1.0 + fraction * 2.0_f64.powi(-((random() % 52) as i32)));
        arguments.push(-1.0 + fraction * 2.0_f64.powi(-((random() % 52) as i32)));
    }
    arguments
}

/// How many doubles apart two results are; NaN is next to NaN only.
fn apart_f64(a: f64, b: f64) -> u64 {
    let place =
        |x: f64| if x.is_sign_negative() { -x.abs().to_bits().cast_signed() } else { x.to_bits().cast_signed() };
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() && b.is_nan() { 0 } else { u64::MAX };
    }
    place(a).abs_diff(place(b))
}

/// How many floats apart two results are; NaN is next to NaN only.
fn apart_f32(a: f32, b: f32) -> u64 {
    let place =
        |x: f32| if x.is_sign_negative() { -x.abs().to_bits().cast_signed() } else { x.to_bits().cast_signed() };
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() && b.is_nan() { 0 } else { u64::MAX };
    }
    u64::from(place(a).abs_diff(place(b)))
}

/// The error of a float in units of the last place of the true value, which is a double and finite as a float.
fn ulps_f32(got: f32, want: f64) -> f64 {
    let exponent = ((want.abs().to_bits() >> 52).cast_signed() - 1023).max(-126);
    (f64::from(got) - want).abs() / 2.0_f64.powi(exponent as i32 - 23)
}

#[test]
fn doubles_agree_with_the_standard_library() {
    let arguments = arguments();
    for (name, _, ours, theirs, slack) in FUNCTIONS {
        for &x in &arguments {
            let (got, want) = (ours(x), theirs(x));
            assert!(apart_f64(got, want) <= 1 + slack, "{name}({x:e}) is {got:e}, not {want:e}");
        }
    }
}

#[test]
fn floats_are_within_the_stated_error_of_doubles() {
    let arguments = arguments();
    for (name, ours, _, theirs, _) in FUNCTIONS {
        for &x in &arguments {
            // The doubles beyond single precision become its subnormal numbers, zeros and infinities.
            let x = x as f32;
            let (got, want) = (ours(x), theirs(f64::from(x)));
            let close =
                if (want as f32).is_finite() { ulps_f32(got, want) < 2.0 } else { apart_f32(got, want as f32) == 0 };
            assert!(close, "{name}({x:e}) is {got:e}, not {want:e}");
        }
    }
}

#[test]
fn usual_logarithms_have_the_bits_of_all_logarithms() {
    let doubles: [[Function64; 2]; 3] =
        [[double::log_usual, double::log], [double::log2_usual, double::log2], [double::log10_usual, double::log10]];
    let singles: [[Function32; 2]; 3] =
        [[single::log_usual, single::log], [single::log2_usual, single::log2], [single::log10_usual, single::log10]];
    for x in arguments() {
        assert_eq!(double::is_rare_log(x), !(x.is_normal() && x > 0.0), "{x:e}");
        for [usual, all] in doubles.into_iter().filter(|_| !double::is_rare_log(x)) {
            assert_eq!(usual(x).to_bits(), all(x).to_bits(), "{x:e}");
        }
        let x = x as f32;
        assert_eq!(single::is_rare_log(x), !(x.is_normal() && x > 0.0), "{x:e}");
        for [usual, all] in singles.into_iter().filter(|_| !single::is_rare_log(x)) {
            assert_eq!(usual(x).to_bits(), all(x).to_bits(), "{x:e}");
        }
    }
}

#[test]
fn special_arguments_give_what_the_standard_library_gives() {
    let special = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, f64::MIN, 2.0, -2.0];
    for (name, ours_32, ours_64, theirs, slack) in FUNCTIONS {
        for x in special {
            let want = theirs(x);
            let got = ours_64(x);
            assert!(apart_f64(got, want) <= slack, "{name}({x}) is {got}, not {want}");
            assert_eq!(got.is_sign_negative() && got == 0.0, want.is_sign_negative() && want == 0.0, "{name}({x})");
            let want = theirs(f64::from(x as f32)) as f32;
            let got = ours_32(x as f32);
            assert!(apart_f32(got, want) <= 1, "{name}({x}) is {got}, not {want}");
            assert_eq!(got.is_sign_negative() && got == 0.0, want.is_sign_negative() && want == 0.0, "{name}({x})");
        }
    }
}

#[test]
fn powers_agree_with_the_standard_library() {
    let arguments = arguments();
    for (i, &x) in arguments.iter().enumerate() {
        // A wild exponent, a tame one, and one that makes the result cross the whole range.
        let wild = arguments[(i * 7919 + 13) % arguments.len()];
        let tame = wild.rem_euclid(7.0) - 3.5;
        let spread = wild.rem_euclid(2200.0) - 1100.0;
        for y in [wild, tame, spread / x.abs().log2(), spread.round()] {
            let (got, want) = (double::pow(x, y), x.powf(y));
            assert!(apart_f64(got, want) <= 2, "pow({x:e}, {y:e}) is {got:e}, not {want:e}");
            let (x, y) = (x as f32, y as f32);
            let (got, want) = (single::pow(x, y), f64::from(x).powf(f64::from(y)) as f32);
            assert!(apart_f32(got, want) <= 2, "pow({x:e}, {y:e}) is {got:e}, not {want:e}");
        }
    }
}

#[test]
fn powers_of_special_arguments_follow_the_c_standard() {
    let odd = 9_007_199_254_740_991.0;
    let special = [0.0, 0.5, 1.0, 2.0, 3.0, 2.5, odd, 2.0 * odd, 1e300, 5e-324, f64::INFINITY, f64::NAN];
    let special: Vec<f64> = special.iter().flat_map(|&x| [x, -x]).collect();
    for &x in &special {
        for &y in &special {
            let (got, want) = (double::pow(x, y), x.powf(y));
            assert!(apart_f64(got, want) <= 1, "pow({x}, {y}) is {got}, not {want}");
            assert_eq!(
                got.to_bits() >> 63 == 1 && got == 0.0,
                want.to_bits() >> 63 == 1 && want == 0.0,
                "pow({x}, {y})"
            );
            let (x, y) = (x as f32, y as f32);
            let (got, want) = (single::pow(x, y), x.powf(y));
            assert!(apart_f32(got, want) <= 1, "pow({x}, {y}) is {got}, not {want}");
            assert_eq!(
                got.to_bits() >> 31 == 1 && got == 0.0,
                want.to_bits() >> 31 == 1 && want == 0.0,
                "pow({x}, {y})"
            );
        }
    }
}

#[test]
fn powers_of_two_are_exact() {
    for k in -1074..=1023 {
        // Multiplied up: the standard library's powi may take the inverse of an overflown power.
        let want = if k < -1022 { f64::from_bits(1 << (k + 1074)) } else { f64::from_bits(((k + 1023) as u64) << 52) };
        assert_eq!(double::exp2(f64::from(k)), want);
        assert_eq!(double::pow(2.0, f64::from(k)), want);
        assert_eq!(double::log2(want), f64::from(k));
        assert_eq!(single::exp2(k as f32), want as f32);
    }
}

#[test]
fn sums_of_exponentials_keep_small_and_large_apart() {
    assert_eq!(double::logaddexp(0.0, f64::NEG_INFINITY), 0.0);
    assert!(double::logaddexp(-0.0, f64::NEG_INFINITY).is_sign_positive());
    assert!(single::logaddexp(-0.0, -1000.0).is_sign_positive());
    assert_eq!(double::logaddexp(f64::NEG_INFINITY, f64::NEG_INFINITY), f64::NEG_INFINITY);
    assert_eq!(double::logaddexp(f64::INFINITY, f64::INFINITY), f64::INFINITY);
    assert_eq!(double::logaddexp(f64::INFINITY, f64::NEG_INFINITY), f64::INFINITY);
    assert!(double::logaddexp(f64::NAN, f64::INFINITY).is_nan() && double::logaddexp(0.0, f64::NAN).is_nan());
    assert_eq!(single::logaddexp(0.0, 0.0), LN_2);
    for i in 0..1500 {
        let distance = f64::from(i) * 0.5;
        let want = (-distance).exp().ln_1p();
        assert!(apart_f64(double::logaddexp(0.0, -distance), want) <= 3, "logaddexp(0, -{distance})");
        assert!(apart_f64(double::logaddexp(100.0 - distance, 100.0), 100.0 + want) <= 1, "distance {distance}");
        // The distance is no double here, and what it lacks is many ulp of the exponential.
        let want = 1e-10 + ((-distance).exp() * (-1e-10_f64).exp()).ln_1p();
        assert!(apart_f64(double::logaddexp(1e-10, -distance), want) <= 3, "logaddexp(1e-10, -{distance})");
        // So far apart that the larger is the result, and closer, where it is not.
        let (near, far) = (double::logaddexp(1e-52, -distance), double::logaddexp(1e-48, -distance));
        let want = (-distance).exp().ln_1p();
        assert!(apart_f64(near, 1e-52 + want) <= 3 && apart_f64(far, 1e-48 + want) <= 3, "distance {distance}");
        let larger = f64::from(1e-4_f32);
        let beside = larger + (-distance - larger).exp().ln_1p();
        let got = single::logaddexp(1e-4, -distance as f32);
        assert!(apart_f32(got, beside as f32) <= 2, "logaddexp(1e-4, -{distance})");
        let got = single::logaddexp(-distance as f32, 0.0);
        assert!(apart_f32(got, want as f32) <= 2, "logaddexp(-{distance}, 0)");
    }
}
