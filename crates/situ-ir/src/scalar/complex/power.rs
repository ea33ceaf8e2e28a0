//! Powers.

use num_complex::Complex;
use situ_types::C128;

use super::division::mul;
use super::exponential::{cos_sin, exp, exp_times};
use super::logarithm::log;
use super::precise_log::precise_log;
use super::real;
use super::scaling::{exponent, scaled};
use super::twofold::Twofold;

/// Whole exponents up to this are done by multiplication, so that powers of Gaussian integers are exact.
const MOST_MULTIPLIED: f64 = 100.0;

/// `a` to the power of `b`, that is `exp(b log a)`, accurate for large exponents too.
///
/// The error stays at a few units in the last place while `b log a` is below 2^35; beyond, the angle fades. Anything to
/// the power of zero is one. Zero to a power is zero if the power has a positive real part, and undefined otherwise.
#[inline(always)]
pub fn pow(a: C128, b: C128) -> C128 {
    if b.re == 0.0 && b.im == 0.0 {
        return Complex::new(1.0, 0.0);
    }
    if b.re == 1.0 && b.im == 0.0 {
        return a;
    }
    if a.re == 0.0 && a.im == 0.0 {
        let defined = b.re > 0.0 && !b.im.is_nan();
        let value = if defined { 0.0 } else { f64::NAN };
        return Complex::new(value, value);
    }
    if !a.is_finite() || !b.is_finite() {
        return exp(mul(b, log(a)));
    }
    if b.im == 0.0 {
        if b.re.trunc() == b.re {
            if let Some(power) = whole_power(a, b.re) {
                return power;
            }
        } else if a.im == 0.0 && a.re > 0.0 {
            return Complex::new(real::pow(a.re, b.re), mul(b, log(a)).im);
        }
    }
    general_power(a, b)
}

/// A power of a number on an axis, or a small power of any number, to a whole exponent other than zero.
#[inline(always)]
fn whole_power(a: C128, n: f64) -> Option<C128> {
    if a.im == 0.0 {
        return Some(axis_power(a, n));
    }
    if a.re == 0.0 {
        // a = i w, with w on the real axis.
        let power = axis_power(Complex::new(a.im, -a.re), n);
        return Some(match n.rem_euclid(4.0) as u8 {
            0 => power,
            1 => Complex::new(-power.im, power.re),
            2 => -power,
            _ => Complex::new(power.im, -power.re),
        });
    }
    (n.abs() <= MOST_MULTIPLIED).then(|| multiplied_power(a, n as i32))
}

/// For `a` on the real axis. The zero in the imaginary part has the sign of the derivative times that of `a`'s.
#[inline(always)]
fn axis_power(a: C128, n: f64) -> C128 {
    let even = n.rem_euclid(2.0) == 0.0;
    let slope = if even { n.signum() * a.re.signum() } else { n.signum() };
    Complex::new(real::pow(a.re, n), a.im * slope)
}

/// By repeated squaring, in twofold precision and with the power of two kept apart.
#[inline(always)]
fn multiplied_power(a: C128, n: i32) -> C128 {
    let shift = exponent(a.re.abs().max(a.im.abs()));
    let part = |v: f64| Twofold::from(scaled(v, -shift));
    let mut square = [part(a.re), part(a.im)];
    let mut power = [Twofold::from(1.0), Twofold::from(0.0)];
    let mut left = n.unsigned_abs();
    while left != 0 {
        if left & 1 == 1 {
            power = product(power, square);
        }
        square = product(square, square);
        left >>= 1;
    }
    if n < 0 {
        let squares = power[0] * power[0] + power[1] * power[1];
        power = [power[0] / squares, -power[1] / squares];
    }
    Complex::new(scaled(power[0].rounded(), shift * n), scaled(power[1].rounded(), shift * n))
}

#[inline(always)]
fn product(a: [Twofold; 2], b: [Twofold; 2]) -> [Twofold; 2] {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

#[inline(always)]
fn general_power(a: C128, b: C128) -> C128 {
    let (log_modulus, log_angle) = precise_log(a);
    let [growth, angle] = product([b.re.into(), b.im.into()], [log_modulus, log_angle]);
    if !growth.lo.is_finite() || !angle.lo.is_finite() {
        return exp(mul(b, log(a)));
    }
    let (cos, sin) = cos_sin(angle);
    // e^lo is 1 + lo to the last bit; where it is not, e^hi has long left the range.
    let rest = if growth.hi.abs() < 2000.0 { growth.lo } else { 0.0 };
    exp_times(growth.hi, rest.mul_add(cos, cos), rest.mul_add(sin, sin))
}
