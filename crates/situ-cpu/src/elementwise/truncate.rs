//! Floating-point numbers to integers, in the few instructions that every vector unit has.
//!
//! The meaning is that of Rust's `as`, which `situ_ir::scalar` gives these conversions: fractions are cut off, numbers
//! outside the integer's range become its nearest end, and what is not a number becomes zero. The compiler makes one
//! element at a time of an `as`; of a number that was brought into the range first, and is then converted by an
//! instruction that need not look, it makes vectors.

use situ_ir::scalar::Element;
use situ_types::DType;

/// `value` as an integer, if it is a single- or double-precision number and `To` an integer type.
#[inline(always)]
pub(super) fn to_integer<From: Element, To: Element>(value: From) -> Option<To> {
    macro_rules! choose {
        ($($from_dtype:ident $from:ident: $($dtype:ident $to:ident)*;)*) => {
            match (From::DTYPE, To::DTYPE) {
                $($((DType::$from_dtype, DType::$dtype) => {
                    // SAFETY: there is one type to each dtype, so that `From` is the one and `To` the other.
                    unsafe { Some(same_type($from::$to(same_type(value)))) }
                })*)*
                _ => None,
            }
        };
    }
    use {double as f64, single as f32};
    choose! {
        F32 f32: I8 i8 I16 i16 I32 i32 I64 i64 U8 u8 U16 u16 U32 u32 U64 u64;
        F64 f64: I8 i8 I16 i16 I32 i32 I64 i64 U8 u8 U16 u16 U32 u32 U64 u64;
    }
}

/// A value as what it is.
///
/// # Safety
///
/// `From` and `To` are one type.
#[inline(always)]
unsafe fn same_type<From: Copy, To: Copy>(value: From) -> To {
    debug_assert_eq!(size_of::<From>(), size_of::<To>());
    // SAFETY: the caller's promise.
    unsafe { std::mem::transmute_copy(&value) }
}

macro_rules! conversions {
    ($name:ident, $float:ident; ends { $($held:ident by $by:ident),* } limit { $($wide:ident),* }) => {
        mod $name {
            // Integers whose ends are numbers of the format.
            $(#[inline(always)]
            pub(super) fn $held(x: $float) -> $held {
                const LOW: $float = $held::MIN as $float;
                const HIGH: $float = $held::MAX as $float;
                // What is not a number is not above anything.
                let inside = if x > LOW { x } else { LOW };
                let inside = if inside < HIGH { inside } else { HIGH };
                // SAFETY: a number between the ends, which `by` holds.
                let whole = unsafe { inside.to_int_unchecked::<$by>() } as $held;
                if x.is_nan() { 0 } else { whole }
            })*
            // Integers whose greatest is no number of the format, but one more is.
            $(#[inline(always)]
            pub(super) fn $wide(x: $float) -> $wide {
                const LOW: $float = $wide::MIN as $float;
                const LIMIT: $float = $wide::MAX as $float;
                let inside = if x > LOW { x } else { LOW };
                let inside = if inside < LIMIT { inside } else { LOW };
                // SAFETY: a number that is not below the least integer and less than one more than the greatest.
                let whole = unsafe { inside.to_int_unchecked::<$wide>() };
                let whole = if x >= LIMIT { $wide::MAX } else { whole };
                if x.is_nan() { 0 } else { whole }
            })*
        }
    };
}
conversions! { single, f32; ends { i8 by i32, i16 by i32, u8 by i32, u16 by i32 } limit { i32, i64, u32, u64 } }
conversions! { double, f64; ends { i8 by i32, i16 by i32, u8 by i32, u16 by i32, i32 by i32, u32 by u32 } limit { i64, u64 } }

#[cfg(test)]
mod tests {
    use situ_ir::scalar::{CastTo, Element};

    use super::to_integer;

    fn check<From: CastTo<To> + std::fmt::Debug, To: Element + PartialEq + std::fmt::Debug>(value: From) {
        assert_eq!(to_integer::<From, To>(value), Some(value.cast()), "{value:?} to {}", To::DTYPE);
    }

    macro_rules! check_all {
        ($value:expr) => {{
            let value = $value;
            check::<_, i8>(value);
            check::<_, i16>(value);
            check::<_, i32>(value);
            check::<_, i64>(value);
            check::<_, u8>(value);
            check::<_, u16>(value);
            check::<_, u32>(value);
            check::<_, u64>(value);
        }};
    }

    /// Numbers around every power of two, of both signs, and those without a size.
    #[test]
    fn conversions_are_those_of_the_meaning() {
        for exponent in -3..=66 {
            for sign in [1.0, -1.0] {
                let power = sign * 2f64.powi(exponent);
                let near = [power - 1.0, power - 0.5, power, power + 0.5, power + 1.0, power * 1.3];
                near.iter().for_each(|&x| [x.next_down(), x, x.next_up()].iter().for_each(|&x| check_all!(x)));
                let near = near.map(|x| x as f32);
                near.iter().for_each(|&x| [x.next_down(), x, x.next_up()].iter().for_each(|&x| check_all!(x)));
            }
        }
        for x in [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-45] {
            check_all!(x);
            check_all!(f64::from(x));
        }
        for x in [f64::MAX, f64::MIN, 5e-324] {
            check_all!(x);
        }
    }

    #[test]
    fn other_conversions_are_left_to_others() {
        assert_eq!(to_integer::<f64, f32>(1.0), None);
        assert_eq!(to_integer::<i32, i64>(1), None);
    }
}
