//! What is known of an op before its operands are looked at: [`situ_ir::simpler`], asked of arrays and numbers.

use std::cmp::Ordering;

use situ_ir::{Op, Simpler, order_against, simpler};
use situ_types::{DType, DTypeKind, Scalar};

use super::Arg;
use crate::{Tensor, Weak};

/// What an op over operands comes to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known<'a> {
    /// Another op of one array alone.
    Apply(Op, &'a Tensor),
    /// The same value wherever the array has an element.
    Constant(Scalar, &'a Tensor),
}

/// What an op over these operands comes to, if that is known beforehand.
#[inline]
pub(super) fn known<'a>(op: Op, args: &[Arg<'a>]) -> Option<Known<'a>> {
    match *args {
        [Arg::Array(x)] => op.known_result(x.dtype()).map(|answer| Known::Constant(Scalar::Bool(answer), x)),
        [Arg::Array(x), Arg::Weak(number)] => with_number(op, x, number, false),
        [Arg::Weak(number), Arg::Array(x)] => with_number(op, x, number, true),
        _ => None,
    }
}

/// The same for an array and a number, which may come first.
#[inline(never)]
fn with_number<'a>(op: Op, x: &'a Tensor, number: Weak, comes_first: bool) -> Option<Known<'a>> {
    if op.is_comparison() {
        let ordering = number.order_against(x.dtype())?;
        let answer = op.of_ordered(if comes_first { ordering.reverse() } else { ordering })?;
        return Some(Known::Constant(Scalar::Bool(answer), x));
    }
    let dtype = x.dtype();
    // A complex exponent is left to the power function, and so are numbers that the array is converted for.
    if number.kind() > dtype.kind().min(DTypeKind::Float) || op != Op::Pow {
        return None;
    }
    let number = Some(number.to_scalar(dtype).ok()?);
    let operands = if comes_first { [number, None] } else { [None, number] };
    Some(match simpler(op, dtype, &operands)? {
        Simpler::Apply(op, _) => Known::Apply(op, x),
        Simpler::Constant(value) => Known::Constant(value, x),
    })
}

impl Weak {
    /// How every integer of a dtype compares with this one, where it lies outside the dtype's range.
    fn order_against(self, dtype: DType) -> Option<Ordering> {
        match self {
            Weak::Int(value) => order_against(dtype, value),
            Weak::Huge(value) => order_against(dtype, if value > 0.0 { i128::MAX } else { i128::MIN }),
            Weak::Bool(_) | Weak::Float(_) | Weak::Complex(_) => None,
        }
    }
}
