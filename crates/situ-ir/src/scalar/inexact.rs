//! Functions of floating-point and complex numbers.
//!
//! `math` computes them for real numbers, `complex` for complex ones; half precision goes by way of single, and
//! complex64 by way of complex128.

use situ_types::{C64, C128, F16};

use super::{Arithmetic, complex, math};

/// Declares [`Inexact`] from a list of functions of one operand, and of those that real numbers have once more, for
/// usual ones.
macro_rules! inexact {
    ($($(#[$doc:meta])* $name:ident;)* @usual $($(#[$usual_doc:meta])* $usual:ident: $all:ident;)*) => {
        /// Floating-point and complex types.
        pub trait Inexact: Arithmetic {
            /// Quotient.
            fn div(self, other: Self) -> Self;
            /// Whether an angle is so large that sine, cosine and tangent need care.
            fn is_far_angle(self) -> bool;
            /// Sine in every case.
            fn sin_far(self) -> Self;
            /// Cosine in every case.
            fn cos_far(self) -> Self;
            /// Tangent in every case.
            fn tan_far(self) -> Self;
            /// Whether the logarithm is not that of a usual number.
            #[inline(always)]
            fn is_rare_log(self) -> bool { false }
            $($(#[$doc])* fn $name(self) -> Self;)*
            $($(#[$usual_doc])* #[inline(always)] fn $usual(self) -> Self { self.$all() })*
        }

        inexact! { @real f32, $($name)* $($usual)* }
        inexact! { @real f64, $($name)* $($usual)* }

        impl Inexact for F16 {
            #[inline(always)]
            fn div(self, other: Self) -> Self { F16::from_f32(self.to_f32() / other.to_f32()) }
            #[inline(always)]
            fn is_far_angle(self) -> bool { self.to_f32().is_far_angle() }
            $(#[inline(always)] fn $name(self) -> Self { F16::from_f32(Inexact::$name(self.to_f32())) })*
            inexact! { @half }
        }

        impl Inexact for C64 {
            #[inline(always)]
            fn div(self, other: Self) -> Self { complex::widened_pair(complex::div, self, other) }
            #[inline(always)]
            fn is_far_angle(self) -> bool { false }
            $(#[inline(always)] fn $name(self) -> Self { complex::widened(complex::$name, self) })*
            inexact! { @near }
        }

        impl Inexact for C128 {
            #[inline(always)]
            fn div(self, other: Self) -> Self { complex::div(self, other) }
            #[inline(always)]
            fn is_far_angle(self) -> bool { false }
            $(#[inline(always)] fn $name(self) -> Self { complex::$name(self) })*
            inexact! { @near }
        }
    };
    (@real $type:ident, $($name:ident)*) => {
        impl Inexact for $type {
            #[inline(always)]
            fn div(self, other: Self) -> Self { self / other }
            #[inline(always)]
            fn is_far_angle(self) -> bool { math::$type::is_far(self) }
            #[inline(always)]
            fn sin_far(self) -> Self { math::$type::sin_far(self) }
            #[inline(always)]
            fn cos_far(self) -> Self { math::$type::cos_far(self) }
            #[inline(always)]
            fn tan_far(self) -> Self { math::$type::tan_far(self) }
            #[inline(always)]
            fn is_rare_log(self) -> bool { math::$type::is_rare_log(self) }
            $(#[inline(always)] fn $name(self) -> Self { math::$type::$name(self) })*
        }
    };
    (@half) => {
        #[inline(always)]
        fn sin_far(self) -> Self { F16::from_f32(self.to_f32().sin_far()) }
        #[inline(always)]
        fn cos_far(self) -> Self { F16::from_f32(self.to_f32().cos_far()) }
        #[inline(always)]
        fn tan_far(self) -> Self { F16::from_f32(self.to_f32().tan_far()) }
    };
    (@near) => {
        #[inline(always)]
        fn sin_far(self) -> Self { Inexact::sin(self) }
        #[inline(always)]
        fn cos_far(self) -> Self { Inexact::cos(self) }
        #[inline(always)]
        fn tan_far(self) -> Self { Inexact::tan(self) }
    };
}

inexact! {
    /// Arc cosine.
    acos;
    /// Inverse hyperbolic cosine.
    acosh;
    /// Arc sine.
    asin;
    /// Inverse hyperbolic sine.
    asinh;
    /// Arc tangent.
    atan;
    /// Inverse hyperbolic tangent.
    atanh;
    /// Cosine.
    cos;
    /// Hyperbolic cosine.
    cosh;
    /// e to the power of `self`.
    exp;
    /// 2 to the power of `self`.
    exp2;
    /// e to the power of `self`, less 1.
    expm1;
    /// Natural logarithm.
    log;
    /// Natural logarithm of 1 more.
    log1p;
    /// Logarithm to base 2.
    log2;
    /// Logarithm to base 10.
    log10;
    /// 1 divided by `self`.
    reciprocal;
    /// Sine.
    sin;
    /// Hyperbolic sine.
    sinh;
    /// Square root.
    sqrt;
    /// Tangent.
    tan;
    /// Hyperbolic tangent.
    tanh;

    @usual
    /// Natural logarithm of a usual number.
    log_usual: log;
    /// Logarithm of a usual number to base 2.
    log2_usual: log2;
    /// Logarithm of a usual number to base 10.
    log10_usual: log10;
}

/// The next number of a floating-point format: its bits, one up or down.
macro_rules! next_number {
    ($type:ident, $from:expr, $toward:expr) => {{
        let (from, toward) = ($from, $toward);
        let zero = $type::from_bits(0);
        let away = (toward > from) == (from > zero);
        let bits = from.to_bits();
        let stepped = $type::from_bits(if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) });
        let moved = if from == zero { $type::from_bits(1).copysign(toward) } else { stepped };
        let near = if from == toward { toward } else { moved };
        let near = if toward.is_nan() { toward } else { near };
        if from.is_nan() { from } else { near }
    }};
}

/// Declares [`Floating`] from lists of functions of one operand and of two.
macro_rules! floating {
    (one { $($(#[$doc1:meta])* $one:ident;)* } two { $($(#[$doc2:meta])* $two:ident;)* }) => {
        /// Floating-point types.
        pub trait Floating: Inexact {
            $($(#[$doc1])* fn $one(self) -> Self;)*
            $($(#[$doc2])* fn $two(self, other: Self) -> Self;)*
            /// The magnitude of `self` with the sign of `sign`.
            fn copysign(self, sign: Self) -> Self;
            /// The next number on the way to `toward`.
            fn nextafter(self, toward: Self) -> Self;
        }

        floating! { @real f32, one { $($one)* } two { $($two)* } }
        floating! { @real f64, one { $($one)* } two { $($two)* } }

        impl Floating for F16 {
            $(#[inline(always)] fn $one(self) -> Self { F16::from_f32(Floating::$one(self.to_f32())) })*
            $(#[inline(always)] fn $two(self, other: Self) -> Self {
                F16::from_f32(Floating::$two(self.to_f32(), other.to_f32()))
            })*
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self { F16::from_bits(self.to_bits() & 0x7fff | sign.to_bits() & 0x8000) }
            #[inline(always)]
            fn nextafter(self, toward: Self) -> Self { next_number!(F16, self, toward) }
        }
    };
    (@real $type:ident, one { $($one:ident)* } two { $($two:ident)* }) => {
        impl Floating for $type {
            $(#[inline(always)] fn $one(self) -> Self { math::$type::$one(self) })*
            $(#[inline(always)] fn $two(self, other: Self) -> Self { math::$type::$two(self, other) })*
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self { $type::copysign(self, sign) }
            #[inline(always)]
            fn nextafter(self, toward: Self) -> Self { next_number!($type, self, toward) }
        }
    };
}

floating! {
    one {
        /// Cube root.
        cbrt;
        /// 1 divided by the square root.
        rsqrt;
    }
    two {
        /// The angle of the point (`other`, `self`) from the positive first axis.
        atan2;
        /// The length of the hypotenuse over both.
        hypot;
        /// log(exp(`self`) + exp(`other`)).
        logaddexp;
    }
}

/// Complex types.
pub trait ComplexNumber: Inexact {
    /// The angle from the positive real axis.
    fn angle(self) -> Self::Part;
    /// The projection onto the Riemann sphere: every infinity becomes one.
    fn proj(self) -> Self;
}

macro_rules! complexes {
    ($($type:ident, $part:ident, |$z:ident| $proj:expr;)*) => {$(
        impl ComplexNumber for $type {
            #[inline(always)]
            fn angle(self) -> $part { math::$part::atan2(self.im, self.re) }
            #[inline(always)]
            fn proj(self) -> Self { let $z = self; $proj }
        }
    )*};
}
complexes! {
    C64, f32, |z| complex::widened(complex::proj, z);
    C128, f64, |z| complex::proj(z);
}
