//! Rust's operators on arrays and numbers. They return results, because placement and dtypes can be at odds.
//!
//! They mean what Python's do: `/` divides integers as floating-point numbers, `%` has the sign of the divisor, and `!`
//! changes every bit.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

use situ_ir::Op;
use situ_types::{C128, Order};

use crate::{Arg, Result, Tensor, Weak, apply};

macro_rules! numbers {
    ($($type:ty => $variant:ident),*) => {$(
        impl From<$type> for Weak {
            fn from(value: $type) -> Weak {
                Weak::$variant(value.into())
            }
        }
        impl From<$type> for Arg<'_> {
            fn from(value: $type) -> Self {
                Arg::Weak(value.into())
            }
        }
    )*};
}
numbers!(bool => Bool, i32 => Int, i64 => Int, u64 => Int, f32 => Float, f64 => Float, C128 => Complex);

impl From<Weak> for Arg<'_> {
    fn from(value: Weak) -> Self {
        Arg::Weak(value)
    }
}

impl<'a> From<&'a Tensor> for Arg<'a> {
    fn from(array: &'a Tensor) -> Arg<'a> {
        Arg::Array(array)
    }
}

/// An operator between any two of an array, a reference to one, and the number types.
macro_rules! operator {
    ($trait:ident $method:ident $op:ident) => {
        operator! { @pair $trait $method $op, &Tensor, &Tensor, (x, y) => (x, y) }
        operator! { @pair $trait $method $op, &Tensor, Tensor, (x, y) => (x, &y) }
        operator! { @pair $trait $method $op, Tensor, &Tensor, (x, y) => (&x, y) }
        operator! { @pair $trait $method $op, Tensor, Tensor, (x, y) => (&x, &y) }
        // One type of integers and one of floats, so that a literal beside an array has its type.
        operator! { @numbers $trait $method $op, i64 f64 C128 }
    };
    (@numbers $trait:ident $method:ident $op:ident, $($number:ty)*) => {$(
        operator! { @pair $trait $method $op, &Tensor, $number, (x, y) => (x, y) }
        operator! { @pair $trait $method $op, Tensor, $number, (x, y) => (&x, y) }
        operator! { @pair $trait $method $op, $number, &Tensor, (x, y) => (x, y) }
        operator! { @pair $trait $method $op, $number, Tensor, (x, y) => (x, &y) }
    )*};
    (@pair $trait:ident $method:ident $op:ident, $left:ty, $right:ty, ($x:ident, $y:ident) => ($a:expr, $b:expr)) => {
        impl $trait<$right> for $left {
            type Output = Result<Tensor>;
            fn $method(self, other: $right) -> Result<Tensor> {
                let ($x, $y) = (self, other);
                apply(Op::$op, &[Arg::from($a), Arg::from($b)], Order::K)
            }
        }
    };
}
operator!(Add add Add);
operator!(Sub sub Subtract);
operator!(Mul mul Multiply);
operator!(Div div Divide);
operator!(Rem rem Remainder);
operator!(BitAnd bitand BitwiseAnd);
operator!(BitOr bitor BitwiseOr);
operator!(BitXor bitxor BitwiseXor);
operator!(Shl shl BitwiseLeftShift);
operator!(Shr shr BitwiseRightShift);

macro_rules! prefix {
    ($($trait:ident $method:ident $name:ident),*) => {$(
        impl $trait for &Tensor {
            type Output = Result<Tensor>;
            fn $method(self) -> Result<Tensor> {
                self.$name()
            }
        }
        impl $trait for Tensor {
            type Output = Result<Tensor>;
            fn $method(self) -> Result<Tensor> {
                self.$name()
            }
        }
    )*};
}
prefix!(Neg neg negative, Not not bitwise_invert);
