//! Trigonometric functions, their inverses and roots against the standard library and against exact values.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::{f32 as single, f64 as double};

/// Numbers of both signs from every binade, by a linear congruential generator, and the edges.
fn doubles() -> impl Iterator<Item = f64> {
    let mut state = 1_u64;
    let edges = [0.0, f64::MIN_POSITIVE, 5e-324, 0.5, 1.0, 2.0, f64::MAX, f64::INFINITY, f64::NAN];
    let random = (0..2048_u64 * 16).map(move |i| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        f64::from_bits((state >> 12) | ((i % 2048) << 52))
    });
    random.chain(edges).flat_map(|x| [x, -x])
}

/// Floats from every binade.
fn floats() -> impl Iterator<Item = f32> {
    let mut state = 1_u32;
    let edges = [0.0, f32::MIN_POSITIVE, 1e-45, 0.5, 1.0, 2.0, f32::MAX, f32::INFINITY, f32::NAN];
    let random = (0..256_u32 * 128).map(move |i| {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        f32::from_bits((state >> 9) | ((i % 256) << 23))
    });
    random.chain(edges).flat_map(|x| [x, -x])
}

/// Numbers beside the zeros and poles of the trigonometric functions.
fn beside_quarter_turns() -> impl Iterator<Item = f64> {
    (1..10_000_000_u64).step_by(4_999).flat_map(|k| {
        let near = k as f64 * FRAC_PI_2;
        [near, near.next_up(), near.next_down(), near * (1.0 + 1e-9), near * (1.0 - 1e-6)]
    })
}

/// Same NaN, or same sign and at most two representable numbers apart.
#[track_caller]
fn assert_double(got: f64, expected: f64, argument: impl std::fmt::Debug) {
    let apart = got.to_bits().abs_diff(expected.to_bits());
    assert!(apart <= 2 || (got.is_nan() && expected.is_nan()), "{argument:?}: {got:e} instead of {expected:e}");
}

/// Same NaN, or same sign and less than two units in the last place from a value known to twice the precision.
#[track_caller]
fn assert_float(got: f32, expected: f64, argument: impl std::fmt::Debug) {
    let rounded = expected as f32;
    let exact = got.to_bits() == rounded.to_bits() || (got.is_nan() && expected.is_nan());
    let unit = f64::from(f32::from_bits(rounded.abs().to_bits().max(1 << 23)).next_up())
        - f64::from(f32::from_bits(rounded.abs().to_bits().max(1 << 23)));
    let near = (f64::from(got) - expected).abs() <= 2.0 * unit && got.is_sign_negative() == rounded.is_sign_negative();
    assert!(exact || near, "{argument:?}: {got:e} instead of {expected:e}");
}

/// A straight-line body with the far arguments taken care of, as its caller does.
fn everywhere<T: Copy>(is_far: fn(T) -> bool, near: fn(T) -> T, far: fn(T) -> T) -> impl Fn(T) -> T {
    move |x| if is_far(x) { far(x) } else { near(x) }
}

#[test]
fn trigonometric_functions_agree_with_the_standard_library() {
    let sin = everywhere(double::is_far, double::sin, double::sin_far);
    let cos = everywhere(double::is_far, double::cos, double::cos_far);
    let tan = everywhere(double::is_far, double::tan, double::tan_far);
    for x in doubles().chain(beside_quarter_turns()) {
        assert_double(sin(x), x.sin(), x);
        assert_double(cos(x), x.cos(), x);
        assert_double(tan(x), x.tan(), x);
    }
    let sin = everywhere(single::is_far, single::sin, single::sin_far);
    let cos = everywhere(single::is_far, single::cos, single::cos_far);
    let tan = everywhere(single::is_far, single::tan, single::tan_far);
    for x in floats().chain(beside_quarter_turns().map(|x| x as f32)) {
        let wide = f64::from(x);
        assert_float(sin(x), wide.sin(), x);
        assert_float(cos(x), wide.cos(), x);
        assert_float(tan(x), wide.tan(), x);
    }
}

#[test]
fn hardest_remainders_keep_their_bits() {
    // The doubles below the limit that come closest to a multiple of π/2: what is left is 2⁻⁶⁰ and 2⁻⁵⁹.
    for x in [45.553093477052, 14_461_176.67027838_f64, 16_777_216.0] {
        for x in [x, x.next_up(), x.next_down()].into_iter().filter(|x| !double::is_far(*x)) {
            assert_double(double::sin(x), x.sin(), x);
            assert_double(double::cos(x), x.cos(), x);
            assert_double(double::tan(x), x.tan(), x);
        }
    }
    // Of all doubles, 6381956970095103 · 2⁷⁹⁷ comes closest.
    let hardest = 5.319372648326541e255;
    assert_double(double::sin_far(hardest), 1.0, hardest);
    assert_double(double::cos_far(hardest), -4.687165924254628e-19, hardest);
    assert_double(double::tan_far(hardest), -2.133485385753704e18, hardest);
    assert_double(double::sin_far(-f64::MAX), -0.004961954789184062, -f64::MAX);
    assert_eq!(double::sin_far(-1.5).to_bits(), double::sin(-1.5).to_bits());
    assert_eq!(single::cos_far(1.5).to_bits(), single::cos(1.5).to_bits());
    assert!(double::is_far(16_777_216.0_f64.next_up()) && double::is_far(-1e300) && !double::is_far(f64::NAN));
    assert!(single::is_far(131_072.0_f32.next_up()) && single::is_far(-1e30) && !single::is_far(f32::NAN));
}

#[test]
fn inverse_functions_agree_with_the_standard_library() {
    let inside = (-1000..=1000).map(|k| f64::from(k) / 1000.0);
    for x in doubles().chain(inside.clone()) {
        assert_double(double::asin(x), x.asin(), x);
        assert_double(double::acos(x), x.acos(), x);
        assert_double(double::atan(x), x.atan(), x);
    }
    for x in floats().chain(inside.map(|x| x as f32)) {
        let wide = f64::from(x);
        assert_float(single::asin(x), wide.asin(), x);
        assert_float(single::acos(x), wide.acos(), x);
        assert_float(single::atan(x), wide.atan(), x);
    }
}

#[test]
fn angles_of_points_agree_with_the_standard_library() {
    for (y, x) in doubles().zip(doubles().skip(1)).chain(doubles().zip(doubles().skip(2048))) {
        for (y, x) in [(y, x), (x, y), (y, x * 1e-3), (y, 0.0), (y, -0.0), (y, f64::INFINITY), (y, -f64::INFINITY)] {
            assert_double(double::atan2(y, x), y.atan2(x), (y, x));
        }
    }
    for (y, x) in floats().zip(floats().skip(1)).chain(floats().zip(floats().skip(256))) {
        for (y, x) in [(y, x), (x, y), (y, x * 1e-3), (y, 0.0), (y, -0.0), (y, f32::INFINITY), (y, -f32::INFINITY)] {
            assert_float(single::atan2(y, x), f64::from(y).atan2(f64::from(x)), (y, x));
        }
    }
    let infinity = f64::INFINITY;
    assert_eq!(double::atan2(infinity, infinity), FRAC_PI_4);
    assert_eq!(double::atan2(-infinity, -infinity), -3.0 * FRAC_PI_4);
    assert_eq!(double::atan2(0.0, -0.0), PI);
    assert_eq!(double::atan2(-0.0, 0.0).to_bits(), (-0.0_f64).to_bits());
    for (y, x) in [(f64::NAN, infinity), (infinity, f64::NAN), (f64::NAN, 0.0), (1.0, f64::NAN)] {
        assert!(double::atan2(y, x).is_nan() && single::atan2(y as f32, x as f32).is_nan(), "{y} {x}");
    }
}

#[test]
fn lengths_neither_overflow_nor_underflow() {
    for (a, b) in doubles().zip(doubles().skip(1)).chain(doubles().zip(doubles().skip(2048))) {
        for (a, b) in [(a, b), (a, b * 1e-3), (a, 0.0), (a, a)] {
            assert_double(double::hypot(a, b), a.hypot(b), (a, b));
        }
    }
    for (a, b) in floats().zip(floats().skip(1)).chain(floats().zip(floats().skip(256))) {
        for (a, b) in [(a, b), (a, b * 1e-3), (a, 0.0), (a, a)] {
            assert_float(single::hypot(a, b), f64::from(a).hypot(f64::from(b)), (a, b));
        }
    }
    assert_eq!(double::hypot(3e-320, 4e-320), 5e-320);
    assert_eq!(double::hypot(3e307, -4e307), 5e307);
    assert_eq!(double::hypot(f64::NAN, -f64::INFINITY), f64::INFINITY);
    assert_eq!(single::hypot(-f32::INFINITY, f32::NAN), f32::INFINITY);
}

#[test]
fn inverse_roots_agree_with_the_standard_library() {
    for x in doubles() {
        let expected = if x == 0.0 { f64::INFINITY.copysign(x) } else { 1.0 / x.sqrt() };
        assert_double(double::rsqrt(x), expected, x);
    }
    for x in floats() {
        let wide = f64::from(x);
        let expected = if x == 0.0 { f64::INFINITY.copysign(wide) } else { 1.0 / wide.sqrt() };
        assert_float(single::rsqrt(x), expected, x);
    }
}
