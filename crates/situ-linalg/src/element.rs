//! The numbers that matrices are of.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use faer::traits::ComplexField;
use num_complex::Complex;

/// An element of a matrix: `f32`, `f64`, or a complex number of either.
pub trait Element: Number + ComplexField<Real = <Self as Number>::Part> {}

impl Element for f32 {}
impl Element for f64 {}
impl Element for Complex<f32> {}
impl Element for Complex<f64> {}

/// A real or complex number.
pub trait Number:
    Copy
    + Default
    + Debug
    + PartialEq
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + MulAssign
    + SubAssign
    + 'static
{
    /// What its parts are.
    type Part: Part;
    /// The number 1.
    fn one() -> Self {
        Self::of(Self::Part::from_count(1), Self::Part::default())
    }
    /// The real and the imaginary part.
    fn parts(self) -> [Self::Part; 2];
    /// The number with this real part, and this imaginary part if it can have one.
    fn of(real: Self::Part, imaginary: Self::Part) -> Self;
    /// The complex conjugate.
    fn conjugate(self) -> Self;
    /// The greater of the magnitudes of its parts; NaN if one of them is.
    fn magnitude(self) -> Self::Part {
        let [re, im] = self.parts().map(Part::magnitude_of);
        if re >= im || re.is_nan() { re } else { im }
    }
    /// This number over another one, none of whose squares comes up.
    fn over(self, other: Self) -> Self;
    /// The distance from zero, likewise.
    fn length(self) -> Self::Part;
    /// This number times a real one.
    fn times(self, factor: Self::Part) -> Self {
        let [re, im] = self.parts();
        Self::of(re * factor, im * factor)
    }
}

/// A real number: `f32` or `f64`.
pub trait Part: Number<Part = Self> + PartialOrd + Div<Output = Self> {
    /// The distance from 1 to the next number.
    const EPSILON: Self;
    /// The exponent of a power of two whose square is in range, and so are products of a few numbers with it.
    const FAR: i32;
    /// The magnitude.
    fn magnitude_of(self) -> Self;
    /// Whether it is neither infinite nor NaN.
    fn is_a_number(self) -> bool;
    /// Whether it is NaN.
    fn is_nan(self) -> bool;
    /// The square root of the sum of two squares.
    fn hypotenuse(self, other: Self) -> Self;
    /// The square root.
    fn root(self) -> Self;
    /// The nearest number to a count.
    fn from_count(count: usize) -> Self;
    /// The greatest whole number whose power of two is no more than this positive number.
    fn exponent(self) -> i32;
    /// Two to the power of a whole number, none of whose halves is out of range.
    fn power_of_two(exponent: i32) -> Self;
}

macro_rules! real {
    ($part:ident, $bits:ident, $mantissa:literal, $bias:literal) => {
        impl Number for $part {
            type Part = $part;
            #[inline(always)]
            fn parts(self) -> [$part; 2] {
                [self, 0.0]
            }
            #[inline(always)]
            fn of(real: $part, _imaginary: $part) -> $part {
                real
            }
            #[inline(always)]
            fn conjugate(self) -> $part {
                self
            }
            #[inline(always)]
            fn over(self, other: $part) -> $part {
                self / other
            }
            #[inline(always)]
            fn length(self) -> $part {
                self.abs()
            }
        }

        impl Number for Complex<$part> {
            type Part = $part;
            #[inline(always)]
            fn parts(self) -> [$part; 2] {
                [self.re, self.im]
            }
            #[inline(always)]
            fn of(real: $part, imaginary: $part) -> Complex<$part> {
                Complex::new(real, imaginary)
            }
            #[inline(always)]
            fn conjugate(self) -> Complex<$part> {
                self.conj()
            }
            #[inline]
            fn over(self, other: Complex<$part>) -> Complex<$part> {
                // Smith's way: by the greater part first.
                if other.re.abs() >= other.im.abs() {
                    let ratio = other.im / other.re;
                    let by = other.re + other.im * ratio;
                    Complex::new((self.re + self.im * ratio) / by, (self.im - self.re * ratio) / by)
                } else {
                    let ratio = other.re / other.im;
                    let by = other.re * ratio + other.im;
                    Complex::new((self.re * ratio + self.im) / by, (self.im * ratio - self.re) / by)
                }
            }
            #[inline]
            fn length(self) -> $part {
                self.re.hypot(self.im)
            }
        }

        impl Part for $part {
            const EPSILON: $part = $part::EPSILON;
            const FAR: i32 = $bias / 2 - 4;
            #[inline(always)]
            fn magnitude_of(self) -> $part {
                self.abs()
            }
            #[inline(always)]
            fn is_a_number(self) -> bool {
                self.is_finite()
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                $part::is_nan(self)
            }
            #[inline]
            fn hypotenuse(self, other: $part) -> $part {
                self.hypot(other)
            }
            #[inline(always)]
            fn root(self) -> $part {
                self.sqrt()
            }
            #[inline(always)]
            fn from_count(count: usize) -> $part {
                count as $part
            }
            fn exponent(self) -> i32 {
                let stored = (self.to_bits() >> $mantissa) as i32;
                if stored == 0 {
                    // Subnormal: made normal first.
                    return (self * Self::power_of_two($mantissa)).exponent() - $mantissa;
                }
                stored - $bias
            }
            fn power_of_two(exponent: i32) -> $part {
                $part::from_bits(((exponent + $bias) as $bits) << $mantissa)
            }
        }
    };
}
real!(f32, u32, 23, 127);
real!(f64, u64, 52, 1023);
