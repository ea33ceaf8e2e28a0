//! The order of elements, decided once for every backend: sorting, searching and telling elements apart all follow it.
//!
//! An element's place in the order is its [`Key`], an unsigned integer as wide as the element. Elements of one key are
//! equal, and whatever sorts them keeps them in the order it found them in; descending, keys are compared the other way
//! round, and elements of one key still keep their order.
//!
//! * Truth values, and integers, in the order of numbers.
//! * Floating-point numbers in the order of numbers; the two zeros have one key, and so has everything that is not a number,
//!   which comes last.
//! * Complex numbers by their real parts, then by their imaginary ones. A part that is not a number puts them last: first
//!   those with such an imaginary part, in the order of the real one; then those with such a real part, in the order of the
//!   imaginary one; then those with two.
//!
//! Equal keys do not make what is not a number equal: [`Ordered::is_nan`] says which elements differ from themselves.

use std::fmt::Debug;

use situ_types::{C64, C128, F16, Scalar};

use crate::scalar::Element;

/// The place of an element in the order of its dtype.
pub trait Key: Copy + Ord + Default + Send + Sync + Debug + 'static {
    /// The greatest key.
    const MAX: Self;

    /// The key of the other direction.
    fn complement(self) -> Self;

    /// The same number in the widest type.
    fn widened(self) -> u128;

    /// The lowest bits of a number in the widest type.
    fn narrowed(wide: u128) -> Self;
}

macro_rules! keys {
    ($($type:ty),*) => {$(
        impl Key for $type {
            const MAX: Self = <$type>::MAX;

            #[inline(always)]
            fn complement(self) -> Self {
                !self
            }

            #[inline(always)]
            fn widened(self) -> u128 {
                self.into()
            }

            #[inline(always)]
            fn narrowed(wide: u128) -> Self {
                wide as $type
            }
        }
    )*};
}
keys!(u8, u16, u32, u64, u128);

/// An element that has a place in an order: one of any dtype.
pub trait Ordered: Element {
    /// The type of its key.
    type Key: Key;

    /// Its place.
    fn key(self) -> Self::Key;

    /// Whether it, or a part of it, is not a number, so that it equals nothing.
    #[inline(always)]
    fn is_nan(self) -> bool {
        false
    }

    /// An element with that key, if the dtype is real.
    #[inline(always)]
    fn from_key(_key: Self::Key) -> Option<Self> {
        None
    }

    /// Whether the element with its key is this one, bit for bit.
    #[inline(always)]
    fn is_told_by_key(self) -> bool {
        true
    }
}

/// Integers from their bits, and a truth value from whether there are any.
trait FromBits<Bits> {
    fn from_bits(bits: Bits) -> Self;
}

impl FromBits<u8> for bool {
    #[inline(always)]
    fn from_bits(bits: u8) -> bool {
        bits != 0
    }
}

macro_rules! from_bits {
    ($($type:ty => $bits:ty),*) => {$(
        impl FromBits<$bits> for $type {
            #[inline(always)]
            fn from_bits(bits: $bits) -> $type {
                bits as $type
            }
        }
    )*};
}
from_bits!(u8 => u8, u16 => u16, u32 => u32, u64 => u64, i8 => u8, i16 => u16, i32 => u32, i64 => u64);

macro_rules! integers {
    ($($type:ty => $key:ty, $least:expr;)*) => {$(
        impl Ordered for $type {
            type Key = $key;

            #[inline(always)]
            fn key(self) -> $key {
                self as $key ^ $least
            }

            #[inline(always)]
            fn from_key(key: $key) -> Option<Self> {
                Some(<$type as FromBits<$key>>::from_bits(key ^ $least))
            }
        }
    )*};
}
integers! {
    bool => u8, 0;
    u8 => u8, 0;
    u16 => u16, 0;
    u32 => u32, 0;
    u64 => u64, 0;
    i8 => u8, 1 << 7;
    i16 => u16, 1 << 15;
    i32 => u32, 1 << 31;
    i64 => u64, 1 << 63;
}

macro_rules! floats {
    ($($type:ty => $key:ty, $infinity:expr;)*) => {$(
        impl Ordered for $type {
            type Key = $key;

            #[inline(always)]
            fn key(self) -> $key {
                const SIGN: $key = 1 << (<$key>::BITS - 1);
                let bits = self.to_bits();
                let magnitude = bits & !SIGN;
                // Subtracting turns negative numbers round, and makes one of the two zeros.
                let place = if bits == magnitude { SIGN + magnitude } else { SIGN - magnitude };
                if magnitude > $infinity { <$key>::MAX } else { place }
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                <$type>::is_nan(self)
            }

            #[inline(always)]
            fn from_key(key: $key) -> Option<Self> {
                const SIGN: $key = 1 << (<$key>::BITS - 1);
                Some(<$type>::from_bits(if key >= SIGN { key - SIGN } else { SIGN | (SIGN - key) }))
            }

            #[inline(always)]
            fn is_told_by_key(self) -> bool {
                const SIGN: $key = 1 << (<$key>::BITS - 1);
                let bits = self.to_bits();
                (bits & !SIGN <= $infinity) & (bits != SIGN)
            }
        }
    )*};
}
floats! {
    F16 => u16, F16::INFINITY.to_bits();
    f32 => u32, f32::INFINITY.to_bits();
    f64 => u64, f64::INFINITY.to_bits();
}

macro_rules! complex {
    ($($type:ty => $part:ty, $key:ty;)*) => {$(
        impl Ordered for $type {
            type Key = $key;

            #[inline(always)]
            fn key(self) -> $key {
                const NAN: $part = <$part>::MAX;
                // Between the key of infinity and the last one there is room for the kinds of what is not a number.
                let (high, low) = match (self.re.is_nan(), self.im.is_nan()) {
                    (false, false) => (self.re.key(), self.im.key()),
                    (false, true) => (NAN - 2, self.re.key()),
                    (true, false) => (NAN - 1, self.im.key()),
                    (true, true) => (NAN, NAN),
                };
                <$key>::from(high) << <$part>::BITS | <$key>::from(low)
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                self.re.is_nan() || self.im.is_nan()
            }

            #[inline(always)]
            fn is_told_by_key(self) -> bool {
                false
            }
        }
    )*};
}
complex! {
    C64 => u32, u64;
    C128 => u64, u128;
}

/// Where an element belongs among sorted ones that are equal to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Before them.
    Left,
    /// After them.
    Right,
}

macro_rules! define_functions {
    (; $(($dtype:ident, $type:ty))*) => {
        /// The key of an element of any dtype.
        pub fn key(element: Scalar) -> u128 {
            match element { $(Scalar::$dtype(element) => element.key().widened(),)* }
        }

        /// Whether an element, or a part of it, is not a number.
        pub fn is_nan(element: Scalar) -> bool {
            match element { $(Scalar::$dtype(element) => Ordered::is_nan(element),)* }
        }
    };
}
domain_types!(Numeric, define_functions,);

/// Whether two elements of one dtype are equal.
pub fn equal(a: Scalar, b: Scalar) -> bool {
    key(a) == key(b) && !is_nan(a)
}

/// Where the elements of a sequence are, in their order.
///
/// ```
/// use situ_ir::order;
/// use situ_types::Scalar;
///
/// let sequence = [2.0, f64::NAN, -0.0, 0.0].map(Scalar::F64);
/// assert_eq!(order::sorted(&sequence, false), [2, 3, 0, 1]);
/// assert_eq!(order::sorted(&sequence, true), [1, 0, 2, 3]);
/// ```
pub fn sorted(sequence: &[Scalar], descending: bool) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..sequence.len()).collect();
    positions.sort_by(|&a, &b| {
        let order = key(sequence[a]).cmp(&key(sequence[b]));
        if descending { order.reverse() } else { order }
    });
    positions
}

/// How many elements of a sorted sequence come before a place on one side of those that are equal to a needle.
pub fn position(sorted: &[Scalar], needle: Scalar, side: Side) -> usize {
    let needle = key(needle);
    sorted.partition_point(|&element| match side {
        Side::Left => key(element) < needle,
        Side::Right => key(element) <= needle,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_in_the_order_of_numbers() {
        let order = [f64::NEG_INFINITY, f64::MIN, -1.5, -f64::MIN_POSITIVE, -5e-324, 0.0, 5e-324, 1.0, f64::INFINITY];
        for (a, b) in order.iter().zip(&order[1..]) {
            assert!(a.key() < b.key() && (*a as f32).key() <= (*b as f32).key(), "{a} {b}");
            assert!(F16::from_f64(*a).key() <= F16::from_f64(*b).key(), "{a} {b}");
        }
        assert_eq!((-0.0f64).key(), 0.0f64.key());
        for nan in [f64::NAN, -f64::NAN, f64::from_bits(0x7FF0_0000_0000_0001)] {
            assert_eq!((nan.key(), (nan as f32).key()), (u64::MAX, u32::MAX));
        }
    }

    #[test]
    fn complex_numbers_are_in_numpys_order() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let order = [
            (-inf, inf),
            (-1.0, 2.0),
            (0.0, -1.0),
            (-0.0, 3.0),
            (inf, -inf),
            (inf, inf),
            (-inf, nan),
            (0.0, nan),
            (inf, nan),
            (nan, -inf),
            (nan, 0.0),
            (nan, inf),
            (nan, nan),
        ];
        for (a, b) in order.iter().zip(&order[1..]) {
            assert!(C128::new(a.0, a.1).key() < C128::new(b.0, b.1).key(), "{a:?} {b:?}");
            let [a, b] = [a, b].map(|c| C64::new(c.0 as f32, c.1 as f32));
            assert!(a.key() < b.key(), "{a:?} {b:?}");
        }
    }

    #[test]
    fn integers_are_in_the_order_of_numbers() {
        assert!(i8::MIN.key() < (-1i8).key() && (-1i8).key() < 0i8.key() && 0i8.key() < i8::MAX.key());
        assert!(i64::MIN.key() == 0 && i64::MAX.key() == u64::MAX && false.key() < true.key());
    }

    #[test]
    fn keys_tell_elements() {
        for x in [f64::NEG_INFINITY, -2.5, -5e-324, 0.0, 5e-324, 1.0, f64::INFINITY] {
            assert!(x.is_told_by_key() && f64::from_key(x.key()).unwrap().to_bits() == x.to_bits(), "{x}");
            let half = F16::from_f64(x);
            assert!(!half.is_told_by_key() || F16::from_key(half.key()).unwrap().to_bits() == half.to_bits(), "{x}");
        }
        assert!(!(-0.0f64).is_told_by_key() && !f32::NAN.is_told_by_key() && f32::from_key(u32::MAX).unwrap().is_nan());
        assert_eq!((i8::from_key((-3i8).key()), u16::from_key(7), bool::from_key(1)), (Some(-3), Some(7), Some(true)));
        assert_eq!(C64::from_key(0), None);
    }

    #[test]
    fn equal_means_equal_and_a_number() {
        assert!(equal(Scalar::F32(-0.0), Scalar::F32(0.0)));
        assert!(!equal(Scalar::F32(f32::NAN), Scalar::F32(f32::NAN)));
        assert!(!equal(Scalar::C64(C64::new(1.0, f32::NAN)), Scalar::C64(C64::new(1.0, f32::NAN))));
    }

    #[test]
    fn needles_go_before_or_behind_what_is_equal() {
        let sorted = [1, 2, 2, 5].map(Scalar::I64);
        let at = |needle, side| position(&sorted, Scalar::I64(needle), side);
        assert_eq!([at(2, Side::Left), at(2, Side::Right), at(9, Side::Left), at(0, Side::Right)], [1, 3, 4, 0]);
    }
}
