//! What every element type can do: sums, products, order, truth.

use situ_types::{C64, C128, F16};

use super::Element;

/// Every type. For `bool` sum and product are *or* and *and*; integers wrap; complex numbers are ordered by their real
/// parts and then by their imaginary parts, as in NumPy.
pub trait Numeric: Element {
    /// The type of the absolute value and of the real and imaginary parts.
    type Part: Element;

    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
    /// Whether both are equal.
    fn eq(self, other: Self) -> bool;
    /// Whether this comes before the other.
    fn lt(self, other: Self) -> bool;
    /// Whether this comes before the other or equals it.
    fn le(self, other: Self) -> bool;
    /// Whether it differs from zero.
    fn truth(self) -> bool;
    /// Whether it is not a number.
    fn is_nan(self) -> bool;
    /// Whether it is infinite.
    fn is_inf(self) -> bool;
    /// Absolute value; that of the least signed integer wraps.
    fn abs(self) -> Self::Part;
    /// Real part.
    fn re(self) -> Self::Part;
    /// Imaginary part.
    fn im(self) -> Self::Part;

    /// The later of two; what is not a number wins.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if other.le(self) | self.is_nan() { self } else { other }
    }
    /// The earlier of two; what is not a number wins.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self.le(other) | self.is_nan() { self } else { other }
    }
    /// Itself, but not before `low` nor after `high`; where these cross, `high`.
    #[inline(always)]
    fn clip(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }
}

impl Numeric for bool {
    type Part = bool;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn eq(self, other: Self) -> bool {
        self == other
    }
    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        !self & other
    }
    #[inline(always)]
    fn le(self, other: Self) -> bool {
        !self | other
    }
    #[inline(always)]
    fn truth(self) -> bool {
        self
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        false
    }
    #[inline(always)]
    fn is_inf(self) -> bool {
        false
    }
    #[inline(always)]
    fn abs(self) -> bool {
        self
    }
    #[inline(always)]
    fn re(self) -> bool {
        self
    }
    #[inline(always)]
    fn im(self) -> bool {
        false
    }
}

/// No integer is infinite or not a number.
#[inline(always)]
fn never<T>(_: T) -> bool {
    false
}

/// Integers and floating-point numbers: the order is Rust's own.
macro_rules! reals {
    ($($type:ident: $add:path, $mul:path, $abs:path, $nan:path, $inf:path;)*) => {$(
        impl Numeric for $type {
            type Part = $type;

            #[inline(always)]
            fn add(self, other: Self) -> Self { $add(self, other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { $mul(self, other) }
            #[inline(always)]
            fn eq(self, other: Self) -> bool { self == other }
            #[inline(always)]
            fn lt(self, other: Self) -> bool { self < other }
            #[inline(always)]
            fn le(self, other: Self) -> bool { self <= other }
            #[inline(always)]
            fn truth(self) -> bool { self != (0 as $type) }
            #[inline(always)]
            fn is_nan(self) -> bool { $nan(self) }
            #[inline(always)]
            fn is_inf(self) -> bool { $inf(self) }
            #[inline(always)]
            fn abs(self) -> Self { $abs(self) }
            #[inline(always)]
            fn re(self) -> Self { self }
            #[inline(always)]
            fn im(self) -> Self { 0 as $type }
        }
    )*};
}
reals! {
    i8: i8::wrapping_add, i8::wrapping_mul, i8::wrapping_abs, never, never;
    i16: i16::wrapping_add, i16::wrapping_mul, i16::wrapping_abs, never, never;
    i32: i32::wrapping_add, i32::wrapping_mul, i32::wrapping_abs, never, never;
    i64: i64::wrapping_add, i64::wrapping_mul, i64::wrapping_abs, never, never;
    u8: u8::wrapping_add, u8::wrapping_mul, std::convert::identity, never, never;
    u16: u16::wrapping_add, u16::wrapping_mul, std::convert::identity, never, never;
    u32: u32::wrapping_add, u32::wrapping_mul, std::convert::identity, never, never;
    u64: u64::wrapping_add, u64::wrapping_mul, std::convert::identity, never, never;
    f32: std::ops::Add::add, std::ops::Mul::mul, f32::abs, f32::is_nan, f32::is_infinite;
    f64: std::ops::Add::add, std::ops::Mul::mul, f64::abs, f64::is_nan, f64::is_infinite;
}

impl Numeric for F16 {
    type Part = F16;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        F16::from_f32(self.to_f32() + other.to_f32())
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        F16::from_f32(self.to_f32() * other.to_f32())
    }
    #[inline(always)]
    fn eq(self, other: Self) -> bool {
        self == other
    }
    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn le(self, other: Self) -> bool {
        self <= other
    }
    #[inline(always)]
    fn truth(self) -> bool {
        self.to_bits() & 0x7fff != 0
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.to_bits() & 0x7fff > 0x7c00
    }
    #[inline(always)]
    fn is_inf(self) -> bool {
        self.to_bits() & 0x7fff == 0x7c00
    }
    #[inline(always)]
    fn abs(self) -> Self {
        F16::from_bits(self.to_bits() & 0x7fff)
    }
    #[inline(always)]
    fn re(self) -> Self {
        self
    }
    #[inline(always)]
    fn im(self) -> Self {
        F16::ZERO
    }
}

macro_rules! complexes {
    ($($type:ty, $part:ident);*) => {$(
        impl Numeric for $type {
            type Part = $part;

            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn eq(self, other: Self) -> bool { self == other }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                let comparable = !self.im.is_nan() & !other.im.is_nan();
                ((self.re < other.re) & comparable) | ((self.re == other.re) & (self.im < other.im))
            }
            #[inline(always)]
            fn le(self, other: Self) -> bool {
                let comparable = !self.im.is_nan() & !other.im.is_nan();
                ((self.re < other.re) & comparable) | ((self.re == other.re) & (self.im <= other.im))
            }
            #[inline(always)]
            fn truth(self) -> bool { (self.re != 0.0) | (self.im != 0.0) }
            #[inline(always)]
            fn is_nan(self) -> bool { self.re.is_nan() | self.im.is_nan() }
            #[inline(always)]
            fn is_inf(self) -> bool { self.re.is_infinite() | self.im.is_infinite() }
            #[inline(always)]
            fn abs(self) -> $part { super::math::$part::hypot(self.re, self.im) }
            #[inline(always)]
            fn re(self) -> $part { self.re }
            #[inline(always)]
            fn im(self) -> $part { self.im }
        }
    )*};
}
complexes!(C64, f32; C128, f64);
