//! Conversion between any two element types, as NumPy's `astype`.
//!
//! Integers wrap; a float outside an integer's range saturates (NumPy leaves that to the hardware); complex to real
//! drops the imaginary part; anything to bool asks whether it differs from zero.

use num_complex::Complex;
use situ_types::{C64, C128, F16};

use super::Element;

/// Conversion to another element type.
pub trait CastTo<To: Element>: Element {
    /// The converted value.
    fn cast(self) -> To;
}

/// Real types by `as`, `bool` and half by way of `u8` and `f32`.
macro_rules! casts {
    ($($from:ty),* => $to_list:tt) => { $(casts!(@row $from => $to_list);)* };
    (@row $from:ty => [$($to:ty),*]) => {$(
        impl CastTo<$to> for $from {
            #[inline(always)]
            fn cast(self) -> $to { self as $to }
        }
    )*};
}
casts!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 => [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64]);

macro_rules! real_edges {
    ($($type:ty),*) => {$(
        impl CastTo<bool> for $type {
            #[inline(always)]
            fn cast(self) -> bool { self != (0 as $type) }
        }
        impl CastTo<$type> for bool {
            #[inline(always)]
            fn cast(self) -> $type { self as u8 as $type }
        }
        impl CastTo<$type> for F16 {
            #[inline(always)]
            fn cast(self) -> $type { self.to_f32() as $type }
        }
        impl CastTo<C64> for $type {
            #[inline(always)]
            fn cast(self) -> C64 { Complex::new(self as f32, 0.0) }
        }
        impl CastTo<C128> for $type {
            #[inline(always)]
            fn cast(self) -> C128 { Complex::new(self as f64, 0.0) }
        }
        impl CastTo<$type> for C64 {
            #[inline(always)]
            fn cast(self) -> $type { self.re as $type }
        }
        impl CastTo<$type> for C128 {
            #[inline(always)]
            fn cast(self) -> $type { self.re as $type }
        }
    )*};
}
real_edges!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

/// Half precision from double precision, rounded once. By way of single precision it would be rounded twice, so the
/// first step keeps a sticky last bit: it rounds to odd.
#[inline(always)]
fn half_from_double(value: f64) -> F16 {
    let near = value as f32;
    let exact = near as f64 == value || value.is_nan();
    let toward_zero = near.to_bits() - u32::from((near as f64).abs() > value.abs());
    F16::from_f32(if exact { near } else { f32::from_bits(toward_zero | 1) })
}

/// One conversion that the rules above do not cover.
macro_rules! cast {
    ($($from:ty => $to:ty: $value:ident -> $result:expr;)*) => {$(
        impl CastTo<$to> for $from {
            #[inline(always)]
            fn cast(self) -> $to { let $value = self; $result }
        }
    )*};
}
cast! {
    bool => bool: v -> v;
    bool => F16: v -> F16::from_f32(v as u8 as f32);
    bool => C64: v -> Complex::new(v as u8 as f32, 0.0);
    bool => C128: v -> Complex::new(v as u8 as f64, 0.0);
    i8 => F16: v -> F16::from_f32(v as f32);
    i16 => F16: v -> F16::from_f32(v as f32);
    i32 => F16: v -> half_from_double(v as f64);
    i64 => F16: v -> half_from_double(v as f64);
    u8 => F16: v -> F16::from_f32(v as f32);
    u16 => F16: v -> F16::from_f32(v as f32);
    u32 => F16: v -> half_from_double(v as f64);
    u64 => F16: v -> half_from_double(v as f64);
    f32 => F16: v -> F16::from_f32(v);
    f64 => F16: v -> half_from_double(v);
    F16 => F16: v -> v;
    F16 => bool: v -> v.to_bits() & 0x7fff != 0;
    F16 => C64: v -> Complex::new(v.to_f32(), 0.0);
    F16 => C128: v -> Complex::new(v.to_f32() as f64, 0.0);
    C64 => bool: v -> (v.re != 0.0) | (v.im != 0.0);
    C64 => F16: v -> F16::from_f32(v.re);
    C64 => C64: v -> v;
    C64 => C128: v -> Complex::new(v.re as f64, v.im as f64);
    C128 => bool: v -> (v.re != 0.0) | (v.im != 0.0);
    C128 => F16: v -> half_from_double(v.re);
    C128 => C64: v -> Complex::new(v.re as f32, v.im as f32);
    C128 => C128: v -> v;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_round_to_half_precision_once() {
        // Just above the midpoint of two halves, by less than single precision can tell.
        let midpoint = 1.0 + 1.0 / 2048.0;
        let above = midpoint + 2f64.powi(-40);
        let below = midpoint - 2f64.powi(-40);
        assert_eq!(CastTo::<F16>::cast(above).to_f32(), 1.0 + 1.0 / 1024.0);
        assert_eq!(CastTo::<F16>::cast(below).to_f32(), 1.0);
        assert_eq!(CastTo::<F16>::cast(-above).to_f32(), -1.0 - 1.0 / 1024.0);
        for v in [0.0, -0.0, 65504.0, 1e-8, f64::INFINITY, f64::NEG_INFINITY, 1e300, 5e-324] {
            let half: F16 = v.cast();
            assert_eq!(half.to_bits(), F16::from_f32(v as f32).to_bits(), "{v}");
        }
        assert!(CastTo::<F16>::cast(f64::NAN).is_nan());
    }
}
