//! Rust's operators on arrays. They return results, because placement and dtypes can be at odds.

use std::ops::{Add, Div, Mul, Neg, Sub};

use situ_ir::Op;
use situ_types::Order;

use crate::{Arg, Result, Tensor, Weak, apply};

macro_rules! binary {
    ($($trait:ident $method:ident $op:ident),*) => {$(
        impl $trait<&Tensor> for &Tensor {
            type Output = Result<Tensor>;
            fn $method(self, other: &Tensor) -> Result<Tensor> {
                apply(Op::$op, &[Arg::Array(self), Arg::Array(other)], Order::K)
            }
        }
        impl $trait<f64> for &Tensor {
            type Output = Result<Tensor>;
            fn $method(self, other: f64) -> Result<Tensor> {
                apply(Op::$op, &[Arg::Array(self), Arg::Weak(Weak::Float(other))], Order::K)
            }
        }
    )*};
}
binary!(Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide);

impl Neg for &Tensor {
    type Output = Result<Tensor>;
    fn neg(self) -> Result<Tensor> {
        apply(Op::Negative, &[Arg::Array(self)], Order::K)
    }
}
