//! Division and transcendental functions.

use num_complex::Complex;
use situ_types::F16;

use super::Arithmetic;

/// Floating-point and complex types.
pub trait Inexact: Arithmetic {
    /// Quotient.
    fn div(self, other: Self) -> Self;
    /// Sine.
    fn sin(self) -> Self;
    /// e to the power of `self`.
    fn exp(self) -> Self;
}

macro_rules! reals {
    ($($type:ident),*) => {$(
        impl Inexact for $type {
            #[inline(always)]
            fn div(self, other: Self) -> Self { self / other }
            #[inline(always)]
            fn sin(self) -> Self { $type::sin(self) }
            #[inline(always)]
            fn exp(self) -> Self { $type::exp(self) }
        }

        impl Inexact for Complex<$type> {
            /// Smith's algorithm: scales by the larger part of the divisor, so that the squared modulus neither
            /// overflows nor underflows.
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                if other.re.abs() >= other.im.abs() {
                    if other.re == 0.0 && other.im == 0.0 {
                        return Complex::new(self.re / other.re.abs(), self.im / other.re.abs());
                    }
                    let ratio = other.im / other.re;
                    let scale = 1.0 / (other.re + other.im * ratio);
                    Complex::new((self.re + self.im * ratio) * scale, (self.im - self.re * ratio) * scale)
                } else {
                    let ratio = other.re / other.im;
                    let scale = 1.0 / (other.im + other.re * ratio);
                    Complex::new((self.re * ratio + self.im) * scale, (self.im * ratio - self.re) * scale)
                }
            }
            #[inline(always)]
            fn sin(self) -> Self {
                Complex::new(self.re.sin() * self.im.cosh(), self.re.cos() * self.im.sinh())
            }
            #[inline(always)]
            fn exp(self) -> Self {
                let modulus = self.re.exp();
                // exp(x + 0i) is real: keeps exp(±inf + 0i) free of inf·0.
                if self.im == 0.0 {
                    return Complex::new(modulus, self.im);
                }
                // A vanishing modulus wins over an undefined angle: exp(-inf + iy) is 0 for every y.
                if modulus == 0.0 && !self.im.is_finite() {
                    return Complex::new(0.0, 0.0);
                }
                // The real part of exp(inf ± i·inf) is ±inf, of unspecified sign; its angle is not a number.
                if modulus == $type::INFINITY && !self.im.is_finite() {
                    return Complex::new(modulus, $type::NAN);
                }
                Complex::new(modulus * self.im.cos(), modulus * self.im.sin())
            }
        }
    )*};
}
reals!(f32, f64);

impl Inexact for F16 {
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        F16::from_f32(self.to_f32() / other.to_f32())
    }
    #[inline(always)]
    fn sin(self) -> Self {
        F16::from_f32(self.to_f32().sin())
    }
    #[inline(always)]
    fn exp(self) -> Self {
        F16::from_f32(self.to_f32().exp())
    }
}
