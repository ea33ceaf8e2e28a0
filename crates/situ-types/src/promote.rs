//! Type promotion: the Array API lattice completed by NumPy's rules for mixed kinds.

use crate::{DType, DTypeKind};

/// Which floating-point widths a device can compute with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatSupport {
    /// Half precision is available.
    pub fp16: bool,
    /// Double precision is available.
    pub fp64: bool,
}

impl FloatSupport {
    /// Every width.
    pub const ALL: FloatSupport = FloatSupport { fp16: true, fp64: true };

    /// Whether arrays of this dtype can live on the device.
    pub const fn supports(self, dtype: DType) -> bool {
        match dtype {
            DType::F16 => self.fp16,
            DType::F64 | DType::C128 => self.fp64,
            _ => true,
        }
    }

    /// The widest real dtype, which is the default for creation.
    pub const fn default_float(self) -> DType {
        if self.fp64 { DType::F64 } else { DType::F32 }
    }

    /// The widest complex dtype, which is the default for creation.
    pub const fn default_complex(self) -> DType {
        if self.fp64 { DType::C128 } else { DType::C64 }
    }

    /// The nearest dtype the device has: doubles narrow, halves widen.
    pub const fn nearest(self, dtype: DType) -> DType {
        match dtype {
            DType::F16 if !self.fp16 => DType::F32,
            DType::F64 if !self.fp64 => DType::F32,
            DType::C128 if !self.fp64 => DType::C64,
            other => other,
        }
    }
}

/// The smallest dtype that holds the values of both, as NumPy has it.
///
/// ```
/// use situ_types::{promote, DType::*};
/// assert_eq!(promote(I8, U8), I16);
/// assert_eq!(promote(I64, U64), F64);
/// assert_eq!(promote(I32, F32), F64);
/// assert_eq!(promote(F64, C64), C128);
/// ```
pub fn promote(a: DType, b: DType) -> DType {
    use DTypeKind::*;
    if a == b {
        return a;
    }
    let (low, high) = if a.kind() <= b.kind() { (a, b) } else { (b, a) };
    match (low.kind(), high.kind()) {
        (Bool, _) => high,
        (Integer, Integer) => promote_integers(low, high),
        (Integer, Float) => promote_floats(float_holding(low), high),
        (Integer, Complex) => complex_of(promote_floats(float_holding(low), high.real_part())),
        (Float, Float) => promote_floats(low, high),
        (Float, Complex) | (Complex, Complex) => complex_of(promote_floats(low.real_part(), high.real_part())),
        (Integer | Float | Complex, Bool) | (Float | Complex, Integer) | (Complex, Float) => high,
    }
}

/// The dtype of a computation with all of these, whatever their order: each integer joins the floating-point dtypes by
/// itself, as in NumPy, and not by way of a wider integer that it shares with another. `None` of none.
///
/// ```
/// use situ_types::{promote_all, DType::*};
/// assert_eq!(promote_all([U16, I8, F32]), Some(F32));
/// assert_eq!(promote_all([F32, I8, U16]), Some(F32));
/// ```
pub fn promote_all(dtypes: impl IntoIterator<Item = DType>) -> Option<DType> {
    let (mut inexact, mut exact) = (None, 0u16);
    for dtype in dtypes {
        if dtype.kind() >= DTypeKind::Float {
            inexact = Some(inexact.map_or(dtype, |common| promote(common, dtype)));
        } else {
            exact |= 1 << dtype as u16;
        }
    }
    let exact = DType::ALL.into_iter().filter(|&dtype| exact & (1 << dtype as u16) != 0);
    inexact.into_iter().chain(exact).reduce(promote)
}

fn promote_integers(a: DType, b: DType) -> DType {
    if a.is_signed_integer() == b.is_signed_integer() {
        return if a.size() >= b.size() { a } else { b };
    }
    let (signed, unsigned) = if a.is_signed_integer() { (a, b) } else { (b, a) };
    if signed.size() > unsigned.size() {
        return signed;
    }
    match unsigned {
        DType::U8 => DType::I16,
        DType::U16 => DType::I32,
        DType::U32 => DType::I64,
        _ => DType::F64,
    }
}

fn promote_floats(a: DType, b: DType) -> DType {
    if a.size() >= b.size() { a } else { b }
}

/// The smallest float whose mantissa holds the integer type (64-bit integers settle for a double).
const fn float_holding(integer: DType) -> DType {
    match integer.size() {
        1 => DType::F16,
        2 => DType::F32,
        _ => DType::F64,
    }
}

const fn complex_of(real: DType) -> DType {
    match real {
        DType::F64 => DType::C128,
        _ => DType::C64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_dtypes_agree_in_any_order() {
        for a in DType::ALL {
            assert_eq!(promote_all([a]), Some(a));
            for b in DType::ALL {
                assert_eq!(promote_all([a, b]), Some(promote(a, b)));
                for c in DType::ALL {
                    let orders = [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]];
                    let [first, others @ ..] = orders.map(promote_all);
                    assert!(others.iter().all(|&other| other == first), "{a} {b} {c}");
                }
            }
        }
        assert_eq!(promote_all([]), None);
    }

    #[test]
    fn promotion_is_a_join() {
        for a in DType::ALL {
            assert_eq!(promote(a, a), a);
            for b in DType::ALL {
                assert_eq!(promote(a, b), promote(b, a), "{a} {b}");
                assert!(promote(a, b).kind() >= a.kind());
            }
        }
    }
}
