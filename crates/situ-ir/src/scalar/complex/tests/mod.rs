//! Special values as the Array API standard lists them, and accuracy where it is hard to have.
//!
//! The tables hold the upper half plane; [`holds`] checks each row in the lower one as well, since every function here
//! commutes with conjugation.

mod accuracy;
mod arithmetic;
mod exponentials;
mod hyperbolics;
mod inverses;
mod powers;

use num_complex::Complex;
use situ_types::C128;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
/// Some positive finite number.
const POSITIVE: f64 = 0.75;

/// A function under test.
type Function = fn(C128) -> C128;

/// What a component must be.
#[derive(Clone, Copy, Debug)]
enum Want {
    /// This number, or NaN; zeros have their sign.
    Is(f64),
    /// This number with any sign.
    Either(f64),
}
use Want::{Either, Is};

impl Want {
    fn met_by(self, value: f64, tolerance: f64) -> bool {
        match self {
            Is(want) if want.is_nan() => value.is_nan(),
            Is(want) if want == 0.0 || want.is_infinite() => {
                value == want && value.is_sign_negative() == want.is_sign_negative()
            }
            Is(want) => (value - want).abs() <= tolerance * want.abs(),
            Either(want) => Is(want).met_by(value, tolerance) || Is(-want).met_by(value, tolerance),
        }
    }

    fn negated(self) -> Self {
        match self {
            Is(want) => Is(-want),
            either => either,
        }
    }
}

/// A row of a table: arguments, and what the function makes of them.
type Row = ((f64, f64), (Want, Want));

/// Whether the function takes these values, and the conjugate ones for conjugate arguments.
fn holds(name: &str, function: Function, rows: &[Row]) {
    for &((re, im), (want_re, want_im)) in rows {
        check(name, function, (re, im), (want_re, want_im));
        check(name, function, (re, -im), (want_re, want_im.negated()));
    }
}

/// As [`holds`], and the negative values for negative arguments.
fn holds_oddly(name: &str, function: Function, rows: &[Row]) {
    holds(name, function, rows);
    for &((re, im), (want_re, want_im)) in rows {
        check(name, function, (-re, -im), (want_re.negated(), want_im.negated()));
    }
}

fn check(name: &str, function: Function, z: (f64, f64), want: (Want, Want)) {
    let got = function(Complex::new(z.0, z.1));
    let met = want.0.met_by(got.re, 4e-16) && want.1.met_by(got.im, 4e-16);
    assert!(met, "{name}({z:?}) is {got:?}, not {want:?}");
}

/// Whether both components are within `ulps` units of the last place; zeros, infinities and NaN exactly.
fn assert_close(got: C128, want: (f64, f64), ulps: f64, what: &str) {
    let tolerance = ulps * f64::EPSILON;
    let met = Is(want.0).met_by(got.re, tolerance) && Is(want.1).met_by(got.im, tolerance);
    assert!(met, "{what}: {got:?}, not {want:?}");
}
