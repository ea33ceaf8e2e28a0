//! Reductions and scans: a map program, what combines its values, and a finishing program.

use situ_types::{DType, DTypeKind, Scalar};
use thiserror::Error;

use crate::{Op, Program};

/// What brings two values of a reduction together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// An op of the table, with two operands and a result of one dtype: one of [`Combine::OPS`].
    Op(Op),
    /// The greater value, and where it was: of equal ones the first, and what is not a number before all others.
    ArgMax,
    /// The lesser value, and where it was: of equal ones the first, and what is not a number before all others.
    ArgMin,
    /// The sum of squared deviations from the mean, as [`moments`](crate::moments) have it.
    Moments,
}

/// Calls `$consume!{ $($extra)* ; (Op Domain) ... }` with the ops that values can be combined by, and their domains.
#[macro_export]
#[rustfmt::skip]
macro_rules! combining_ops {
    ($consume:ident $(, $($extra:tt)*)?) => {
        $consume! { $($($extra)*)? ; (Add Numeric) (Hypot Floating) (Logaddexp Floating) (Maximum Numeric) (Minimum Numeric) (Multiply Numeric) }
    };
}

macro_rules! op_list {
    (; $(($op:ident $domain:ident))*) => { &[$(Op::$op),*] };
}

impl Combine {
    /// The ops that values can be combined by.
    pub const OPS: &[Op] = combining_ops!(op_list);

    /// Every way to bring values together.
    pub fn all() -> impl Iterator<Item = Combine> {
        let ops = Combine::OPS.iter().map(|&op| Combine::Op(op));
        ops.chain([Combine::ArgMax, Combine::ArgMin, Combine::Moments])
    }

    /// Whether values of a dtype can be brought together so.
    pub fn takes(self, dtype: DType) -> bool {
        match self {
            Combine::Op(op) => Combine::OPS.contains(&op) && op.rule().computes_in(dtype),
            Combine::ArgMax | Combine::ArgMin => true,
            Combine::Moments => matches!(dtype, DType::F32 | DType::F64),
        }
    }

    /// What changes no value it is combined with, bit for bit, if there is such a thing: a device may let it stand for
    /// values that are not there.
    pub fn identity(self, dtype: DType) -> Option<Scalar> {
        let (kind, range) = (dtype.kind(), dtype.integer_range());
        let real = |float: f64, integer: i128| match kind {
            DTypeKind::Bool => Some(Scalar::Bool(integer != 0)),
            DTypeKind::Integer => Some(integer_scalar(dtype, integer)),
            DTypeKind::Float => Some(float_scalar(dtype, float)),
            DTypeKind::Complex => None,
        };
        match self {
            // A sum of negative zeros is one.
            Combine::Op(Op::Add) if kind == DTypeKind::Complex => Some(complex_scalar(dtype, -0.0)),
            Combine::Op(Op::Add) => real(-0.0, 0),
            // Not of complex numbers: an infinite one times 1 + 0i has a part that is not a number.
            Combine::Op(Op::Multiply) => real(1.0, 1),
            Combine::Op(Op::Maximum) if kind == DTypeKind::Complex => Some(complex_scalar(dtype, f64::NEG_INFINITY)),
            Combine::Op(Op::Maximum) => real(f64::NEG_INFINITY, range.map_or(0, |(least, _)| least)),
            Combine::Op(Op::Minimum) if kind == DTypeKind::Complex => Some(complex_scalar(dtype, f64::INFINITY)),
            Combine::Op(Op::Minimum) => real(f64::INFINITY, range.map_or(1, |(_, greatest)| greatest)),
            // Not of `logaddexp` either: negative infinity makes a zero of a negative zero.
            Combine::Op(_) | Combine::ArgMax | Combine::ArgMin | Combine::Moments => None,
        }
    }

    /// Whether a value that is combined with itself stays what it is, so that it need not be repeated.
    pub fn is_idempotent(self) -> bool {
        matches!(self, Combine::Op(Op::Maximum | Op::Minimum))
    }

    /// The dtype of what is known of a sequence of values of a dtype once they are combined: what the finishing program reads
    /// first.
    pub fn state(self, dtype: DType) -> DType {
        match self {
            Combine::Op(_) | Combine::Moments => dtype,
            Combine::ArgMax | Combine::ArgMin => DType::I64,
        }
    }
}

fn integer_scalar(dtype: DType, value: i128) -> Scalar {
    let mut bytes = [0; 16];
    let width = dtype.size();
    bytes[..width].copy_from_slice(&value.to_le_bytes()[..width]);
    if cfg!(target_endian = "big") {
        bytes[..width].reverse();
    }
    Scalar::from_bytes(dtype, bytes)
}

fn float_scalar(dtype: DType, value: f64) -> Scalar {
    match dtype {
        DType::F16 => Scalar::F16(situ_types::F16::from_f64(value)),
        DType::F32 => Scalar::F32(value as f32),
        _ => Scalar::F64(value),
    }
}

fn complex_scalar(dtype: DType, part: f64) -> Scalar {
    match dtype {
        DType::C64 => Scalar::C64(situ_types::C64::new(part as f32, part as f32)),
        _ => Scalar::C128(situ_types::C128::new(part, part)),
    }
}

/// Why a reduction is not well formed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReductionError {
    /// The map does not have one result.
    #[error("the map of a reduction has one result, not {given}")]
    Map {
        /// Its results.
        given: usize,
    },
    /// Values of that dtype cannot be combined so.
    #[error("values of dtype {dtype} cannot be combined by {combine:?}")]
    Combine {
        /// What was to combine them.
        combine: Combine,
        /// Their dtype.
        dtype: DType,
    },
    /// The finishing program does not begin with what was combined, or has not one result.
    #[error("the finishing program of a reduction reads {wanted} first and has one result")]
    Finish {
        /// The dtype it should read.
        wanted: DType,
    },
}

/// What a reduction computes: values by a map program, one by combining them in the order of the
/// [`tree`](crate::tree), and the result from that by a finishing program.
///
/// The finishing program may have more inputs, which are numbers: the count that a mean divides by. Of positions
/// ([`Combine::ArgMax`], [`Combine::ArgMin`]) it reads an int64, counted in C order along what is reduced.
///
/// Nothing is written to memory between the three.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reduction {
    map: Program,
    combine: Combine,
    finish: Program,
}

impl Reduction {
    /// A reduction, if its parts fit together.
    pub fn new(map: Program, combine: Combine, finish: Program) -> Result<Reduction, ReductionError> {
        if map.outputs().len() != 1 {
            return Err(ReductionError::Map { given: map.outputs().len() });
        }
        let dtype = map.dtype_of(map.outputs()[0]);
        if !combine.takes(dtype) {
            return Err(ReductionError::Combine { combine, dtype });
        }
        let wanted = combine.state(dtype);
        if finish.inputs().first() != Some(&wanted) || finish.outputs().len() != 1 {
            return Err(ReductionError::Finish { wanted });
        }
        Ok(Reduction { map, combine, finish })
    }

    /// The same with the constants of the map among its inputs; see [`Program::general`].
    pub fn general(&self) -> Reduction {
        Reduction { map: self.map.general(), ..self.clone() }
    }

    /// What is computed from the inputs' elements.
    pub fn map(&self) -> &Program {
        &self.map
    }

    /// What brings the values together.
    pub fn combine(&self) -> Combine {
        self.combine
    }

    /// What is computed from the combined value.
    pub fn finish(&self) -> &Program {
        &self.finish
    }

    /// The dtype of the values that are combined.
    pub fn accumulator(&self) -> DType {
        self.map.dtype_of(self.map.outputs()[0])
    }

    /// The dtype of the result.
    pub fn result(&self) -> DType {
        self.finish.dtype_of(self.finish.outputs()[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_must_fit() {
        let (f32s, f64s) = (Program::convert(DType::F32, DType::F32), Program::convert(DType::F32, DType::F64));
        let mean = Program::single(Op::Divide, &[DType::F32, DType::F32], DType::F32).unwrap();
        let reduction = Reduction::new(f32s.clone(), Combine::Op(Op::Add), mean.clone()).unwrap();
        assert_eq!((reduction.accumulator(), reduction.result()), (DType::F32, DType::F32));
        let wrong = Reduction::new(f64s, Combine::Op(Op::Add), mean.clone());
        assert_eq!(wrong, Err(ReductionError::Finish { wanted: DType::F64 }));
        let wrong = Reduction::new(f32s.clone(), Combine::Op(Op::Less), mean.clone());
        assert!(matches!(wrong, Err(ReductionError::Combine { .. })));
        assert!(matches!(Reduction::new(f32s, Combine::ArgMax, mean), Err(ReductionError::Finish { .. })));
        let halves = Program::convert(DType::F16, DType::F16);
        let wrong = Reduction::new(halves.clone(), Combine::Moments, halves);
        assert!(matches!(wrong, Err(ReductionError::Combine { .. })));
    }

    #[test]
    fn ops_that_combine_return_what_they_take() {
        for op in Combine::OPS {
            let rule = op.rule();
            assert!(op.arity() == 2 && rule.domain.iter().all(|dtype| rule.out.apply(*dtype) == *dtype), "{op}");
        }
    }

    #[test]
    fn identities_change_nothing() {
        use crate::interpret::{apply, cast};
        for dtype in DType::ALL {
            for x in [0.0, -0.0, 1.5, -2.5e300, 100.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
                let x = cast(Scalar::F64(x), dtype);
                for &op in Combine::OPS {
                    let Some(identity) = Combine::Op(op).identity(dtype) else { continue };
                    for args in [[identity, x], [x, identity]] {
                        let combined = apply(op, &args).unwrap();
                        assert!(combined.is_identical(x), "{op} {args:?} {combined:?}");
                    }
                }
            }
        }
        assert_eq!(Combine::Op(Op::Maximum).identity(DType::I8), Some(Scalar::I8(-128)));
        assert_eq!(Combine::Op(Op::Minimum).identity(DType::U16), Some(Scalar::U16(u16::MAX)));
        assert_eq!(Combine::Op(Op::Add).identity(DType::Bool), Some(Scalar::Bool(false)));
    }
}
