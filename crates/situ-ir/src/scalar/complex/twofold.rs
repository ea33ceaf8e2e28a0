//! Numbers of about 106 bits: the unevaluated sum of two `f64`.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// `hi + lo`, where `hi` is the sum rounded to nearest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Twofold {
    pub(super) hi: f64,
    pub(super) lo: f64,
}

impl Twofold {
    /// The sum of two parts that are known to be in order.
    pub(super) const fn new(hi: f64, lo: f64) -> Self {
        Twofold { hi, lo }
    }

    /// `a + b` without rounding.
    #[inline(always)]
    pub(super) fn sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        let from_b = hi - a;
        Twofold { hi, lo: (a - (hi - from_b)) + (b - from_b) }
    }

    /// `a + b` without rounding, where `a` is the larger.
    #[inline(always)]
    fn ordered_sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        Twofold { hi, lo: b - (hi - a) }
    }

    /// `a * b` without rounding.
    #[inline(always)]
    pub(super) fn product(a: f64, b: f64) -> Self {
        let hi = a * b;
        Twofold { hi, lo: a.mul_add(b, -hi) }
    }

    /// The sum of numbers that may cancel each other down to their last bits.
    #[inline(always)]
    pub(super) fn distilled<const N: usize>(mut parts: [f64; N]) -> Self {
        for _ in 0..3 {
            for i in 1..N {
                let Twofold { hi, lo } = Twofold::sum(parts[i - 1], parts[i]);
                (parts[i - 1], parts[i]) = (lo, hi);
            }
        }
        let rest = parts[..N - 1].iter().sum();
        Twofold::sum(parts[N - 1], rest)
    }

    /// The sum with a number that is known to be smaller.
    #[inline(always)]
    pub(super) fn plus_smaller(self, other: Self) -> Self {
        let high = Twofold::ordered_sum(self.hi, other.hi);
        Twofold::ordered_sum(high.hi, high.lo + (self.lo + other.lo))
    }

    /// Multiplied by a power of two.
    #[inline(always)]
    pub(super) fn times_power_of_two(self, power: f64) -> Self {
        Twofold { hi: self.hi * power, lo: self.lo * power }
    }

    /// Rounded to one `f64`.
    #[inline(always)]
    pub(super) fn rounded(self) -> f64 {
        self.hi + self.lo
    }
}

impl From<f64> for Twofold {
    #[inline(always)]
    fn from(value: f64) -> Self {
        Twofold { hi: value, lo: 0.0 }
    }
}

impl Add for Twofold {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (high, low) = (Twofold::sum(self.hi, other.hi), Twofold::sum(self.lo, other.lo));
        let middle = Twofold::ordered_sum(high.hi, high.lo + low.hi);
        Twofold::ordered_sum(middle.hi, middle.lo + low.lo)
    }
}

impl Neg for Twofold {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Twofold { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Twofold {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Twofold {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let high = Twofold::product(self.hi, other.hi);
        Twofold::ordered_sum(high.hi, high.lo + self.hi.mul_add(other.lo, self.lo * other.hi))
    }
}

impl Div for Twofold {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let first = self.hi / other.hi;
        let remainder = self - other * Twofold::from(first);
        Twofold::ordered_sum(first, remainder.hi / other.hi)
    }
}

/// `a * b + c * d` to within one and a half units in the last place, even where the products cancel.
#[inline(always)]
pub(super) fn sum_of_products(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let second = c * d;
    let excess = (-c).mul_add(d, second);
    // An exact product has an excess of +0, which must be subtracted to keep a sum of -0.
    a.mul_add(b, second) - excess
}
