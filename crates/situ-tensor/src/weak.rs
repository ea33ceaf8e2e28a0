//! Scalars without a dtype of their own: they take the array's, as Python numbers do.

use situ_ir::scalar::CastTo;
use situ_types::{C64, C128, DType, DTypeKind, FloatSupport, Scalar, promote};

use crate::{Error, Result};

/// A number that adapts to the arrays it meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weak {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// An integer beyond that, as the nearest real number, which is infinite where there is none.
    Huge(f64),
    /// A real number.
    Float(f64),
    /// A complex number.
    Complex(C128),
}

impl Weak {
    #[inline]
    pub(crate) fn kind(self) -> DTypeKind {
        match self {
            Weak::Bool(_) => DTypeKind::Bool,
            Weak::Int(_) | Weak::Huge(_) => DTypeKind::Integer,
            Weak::Float(_) => DTypeKind::Float,
            Weak::Complex(_) => DTypeKind::Complex,
        }
    }

    /// The dtype it gets where nothing else decides.
    pub fn default_dtype(self, floats: FloatSupport) -> DType {
        match self {
            Weak::Bool(_) => DType::Bool,
            Weak::Int(v) if v > i64::MAX as i128 => DType::U64,
            Weak::Huge(v) if v > 0.0 => DType::U64,
            Weak::Int(_) | Weak::Huge(_) => DType::I64,
            Weak::Float(_) => floats.default_float(),
            Weak::Complex(_) => floats.default_complex(),
        }
    }

    /// The dtype of a computation that combines it with an array of `dtype`.
    pub fn combine(self, dtype: DType, floats: FloatSupport) -> DType {
        combine(self.kind(), dtype, floats)
    }

    /// Its value in a dtype. Integers must fit; anything complex loses its imaginary part in a real dtype.
    pub fn to_scalar(self, dtype: DType) -> Result<Scalar> {
        let too_large = || Error::Overflow(format!("Python integer {self} does not fit in {dtype}"));
        let integer = |v: i128| -> Result<Scalar> {
            Ok(match dtype {
                DType::I8 => Scalar::I8(v.try_into().map_err(|_| too_large())?),
                DType::I16 => Scalar::I16(v.try_into().map_err(|_| too_large())?),
                DType::I32 => Scalar::I32(v.try_into().map_err(|_| too_large())?),
                DType::I64 => Scalar::I64(v.try_into().map_err(|_| too_large())?),
                DType::U8 => Scalar::U8(v.try_into().map_err(|_| too_large())?),
                DType::U16 => Scalar::U16(v.try_into().map_err(|_| too_large())?),
                DType::U32 => Scalar::U32(v.try_into().map_err(|_| too_large())?),
                _ => Scalar::U64(v.try_into().map_err(|_| too_large())?),
            })
        };
        let (re, im) = match self {
            Weak::Bool(v) => (v as u8 as f64, 0.0),
            Weak::Int(v) => (v as f64, 0.0),
            Weak::Float(v) | Weak::Huge(v) => (v, 0.0),
            Weak::Complex(v) => (v.re, v.im),
        };
        match dtype.kind() {
            DTypeKind::Integer => match self {
                Weak::Bool(v) => integer(v as i128),
                Weak::Int(v) => integer(v),
                Weak::Huge(_) => Err(too_large()),
                Weak::Float(_) | Weak::Complex(_) => {
                    if !re.is_finite() {
                        return Err(Error::Overflow(format!("{self} cannot be converted to {dtype}")));
                    }
                    integer(re.trunc() as i128)
                }
            },
            DTypeKind::Bool => Ok(Scalar::Bool(re != 0.0 || im != 0.0)),
            _ if matches!(self, Weak::Huge(v) if v.is_infinite()) => Err(too_large()),
            _ => Ok(match dtype {
                DType::F16 => Scalar::F16(re.cast()),
                DType::F32 => Scalar::F32(re as f32),
                DType::C64 => Scalar::C64(C64::new(re as f32, im as f32)),
                DType::C128 => Scalar::C128(C128::new(re, im)),
                _ => Scalar::F64(re),
            }),
        }
    }
}

/// The dtype of a computation that combines a number of this kind with something of `dtype`.
pub(crate) fn combine(kind: DTypeKind, dtype: DType, floats: FloatSupport) -> DType {
    if kind <= dtype.kind() {
        return dtype;
    }
    match (kind, dtype) {
        (DTypeKind::Complex, DType::F16 | DType::F32) => DType::C64,
        (DTypeKind::Complex, DType::F64) => promote(DType::F64, DType::C64),
        (DTypeKind::Complex, _) => floats.default_complex(),
        (DTypeKind::Float, _) => floats.default_float(),
        // A truth value beside an integer of any size: the default integer, as in NumPy.
        (DTypeKind::Integer, _) => DType::I64,
        (DTypeKind::Bool, _) => DType::Bool,
    }
}

impl std::fmt::Display for Weak {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Weak::Bool(v) => write!(f, "{v}"),
            Weak::Int(v) => write!(f, "{v}"),
            Weak::Huge(v) if v.is_infinite() => write!(f, "of more than 1023 bits"),
            Weak::Huge(v) => write!(f, "of about {v:e}"),
            Weak::Float(v) => write!(f, "{v}"),
            Weak::Complex(v) => write!(f, "{v}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_scalars_keep_the_arrays_dtype_within_a_kind() {
        let all = FloatSupport::ALL;
        assert_eq!(Weak::Int(3).combine(DType::I8, all), DType::I8);
        assert_eq!(Weak::Int(3).combine(DType::F32, all), DType::F32);
        assert_eq!(Weak::Int(3).combine(DType::Bool, all), DType::I64);
        assert_eq!(Weak::Float(3.0).combine(DType::F16, all), DType::F16);
        assert_eq!(Weak::Float(3.0).combine(DType::I8, all), DType::F64);
        assert_eq!(Weak::Complex(C128::new(0.0, 1.0)).combine(DType::F32, all), DType::C64);
        assert_eq!(Weak::Complex(C128::new(0.0, 1.0)).combine(DType::I32, all), DType::C128);
    }

    #[test]
    fn integers_must_fit() {
        assert_eq!(Weak::Int(255).to_scalar(DType::U8).unwrap(), Scalar::U8(255));
        assert!(matches!(Weak::Int(256).to_scalar(DType::U8), Err(Error::Overflow(_))));
        assert!(matches!(Weak::Int(-1).to_scalar(DType::U64), Err(Error::Overflow(_))));
        assert!(matches!(Weak::Huge(1e60).to_scalar(DType::U64), Err(Error::Overflow(_))));
        assert_eq!(Weak::Huge(1e60).to_scalar(DType::F64).unwrap(), Scalar::F64(1e60));
        assert!(matches!(Weak::Huge(f64::INFINITY).to_scalar(DType::F64), Err(Error::Overflow(_))));
        assert!(matches!(Weak::Float(f64::NAN).to_scalar(DType::I64), Err(Error::Overflow(_))));
    }
}
