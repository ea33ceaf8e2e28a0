//! Powers of a root of unity, each correct to about a unit in the last place of double precision.

use std::f64::consts::TAU;

use num_complex::Complex;

use super::plan::Real;

/// Powers that are made at a time.
pub(super) const GROUP: usize = 64;

/// The powers of exp(-2πi / n), or of its conjugate, as products of two from short tables.
#[derive(Debug)]
pub(super) struct Roots {
    length: usize,
    /// Powers below 2 to the `bits`.
    fine: Vec<Complex<f64>>,
    /// Powers that are multiples of it.
    coarse: Vec<Complex<f64>>,
    bits: u32,
}

impl Roots {
    pub(super) fn new(length: usize, is_inverse: bool) -> Roots {
        let bits = (length.max(1).ilog2()).div_ceil(2);
        let sign = if is_inverse { 1.0 } else { -1.0 };
        let power = |m: usize| {
            let (sine, cosine) = sine_and_cosine(m, length);
            Complex::new(cosine, sign * sine)
        };
        let fine = (0..1 << bits).map(|m| power(m % length)).collect();
        let coarse = (0..=length >> bits).map(|m| power((m << bits) % length)).collect();
        Roots { length, fine, coarse, bits }
    }

    /// The power of an exponent, which is less than the length.
    #[inline]
    pub(super) fn power(&self, exponent: usize) -> Complex<f64> {
        self.coarse[exponent >> self.bits] * self.fine[exponent & ((1 << self.bits) - 1)]
    }

    /// The powers 0, `step`, 2 · `step` and so on; the step is less than the length.
    pub(super) fn multiples<T: Real>(&self, step: usize) -> [Complex<T>; GROUP] {
        let mut exponent = 0;
        std::array::from_fn(|_| {
            let power = narrowed(self.power(exponent));
            exponent = (exponent + step) % self.length;
            power
        })
    }

    /// The powers from the `first` on.
    pub(super) fn run<T: Real>(&self, first: usize, out: &mut [Complex<T>]) {
        for (exponent, out) in (first..).zip(out) {
            *out = narrowed(self.power(exponent % self.length));
        }
    }
}

pub(super) fn narrowed<T: Real>(number: Complex<f64>) -> Complex<T> {
    Complex::new(T::of(number.re), T::of(number.im))
}

/// Sine and cosine of 2πm / n, from an angle of at most an eighth of a turn.
fn sine_and_cosine(m: usize, n: usize) -> (f64, f64) {
    let (m, n) = (m as u128, n as u128);
    let eighth = (8 * m) / n;
    // The distance to the nearest multiple of a quarter turn, in units of 2π / 4n.
    let quarter = eighth.div_ceil(2);
    let off = 4 * m as i128 - (quarter * n) as i128;
    let (sine, cosine) = (TAU * off as f64 / (4 * n) as f64).sin_cos();
    match quarter % 4 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}
