//! What a product of matrices means: for each pair of a row and a column, the sum of the products of their elements.
//!
//! Integers wrap, and of truth values the sum is *or* and the product *and*. Floating-point numbers are added in any
//! order, with or without rounding a product before it is added: the error of a sum of n products a·b is at most about
//! n·ε·Σ|a|·|b|, and results differ between devices in their last places.

use situ_types::{DType, Scalar};

use crate::Op;
use crate::interpret::{apply, cast};

/// The dtype that many values of a dtype are added up in: half precision has too few digits for that.
pub fn accumulator(dtype: DType) -> DType {
    if dtype == DType::F16 { DType::F32 } else { dtype }
}

/// The sum of the products of pairs, each of two values of a dtype; `None` if some are of another.
///
/// ```
/// use situ_ir::product::evaluate;
/// use situ_types::{DType, Scalar};
///
/// let pairs = [[Scalar::U8(100), Scalar::U8(2)], [Scalar::U8(60), Scalar::U8(1)]];
/// assert_eq!(evaluate(DType::U8, pairs), Some(Scalar::U8(4)));
/// ```
pub fn evaluate(dtype: DType, pairs: impl IntoIterator<Item = [Scalar; 2]>) -> Option<Scalar> {
    let wide = accumulator(dtype);
    let mut sum = cast(Scalar::Bool(false), wide);
    for pair in pairs {
        if pair.iter().any(|value| value.dtype() != dtype) {
            return None;
        }
        let product = apply(Op::Multiply, &pair.map(|value| cast(value, wide)))?;
        sum = apply(Op::Add, &[sum, product])?;
    }
    Some(cast(sum, dtype))
}

#[cfg(test)]
mod tests {
    use situ_types::F16;

    use super::*;

    #[test]
    fn half_precision_is_rounded_once() {
        let (one, small) = (F16::from_f64(1.0), F16::from_f64(1.0 / 4096.0));
        let pairs = [[one, one]].into_iter().chain([[one, small]; 4]);
        let sum = evaluate(DType::F16, pairs.map(|pair| pair.map(Scalar::F16)));
        assert_eq!(sum, Some(Scalar::F16(F16::from_f64(1.0 + 4.0 / 4096.0))));
    }

    #[test]
    fn truth_values_are_or_of_and() {
        let sum = |pairs: &[[bool; 2]]| evaluate(DType::Bool, pairs.iter().map(|pair| pair.map(Scalar::Bool)));
        assert_eq!(sum(&[[true, false], [true, true], [true, true]]), Some(Scalar::Bool(true)));
        assert_eq!(sum(&[[true, false]]), Some(Scalar::Bool(false)));
        assert_eq!(evaluate(DType::I8, [[Scalar::I8(1), Scalar::I16(1)]]), None);
    }
}
