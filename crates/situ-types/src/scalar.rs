//! A single value of any dtype.

use crate::{C64, C128, DType, F16};

/// One value with its dtype, for fills, immediates and scalar operands.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant is the dtype of the same name")]
pub enum Scalar {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    F16(F16),
    F32(f32),
    F64(f64),
    C64(C64),
    C128(C128),
}

impl Scalar {
    /// The value's dtype.
    pub const fn dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::I8(_) => DType::I8,
            Scalar::I16(_) => DType::I16,
            Scalar::I32(_) => DType::I32,
            Scalar::I64(_) => DType::I64,
            Scalar::U8(_) => DType::U8,
            Scalar::U16(_) => DType::U16,
            Scalar::U32(_) => DType::U32,
            Scalar::U64(_) => DType::U64,
            Scalar::F16(_) => DType::F16,
            Scalar::F32(_) => DType::F32,
            Scalar::F64(_) => DType::F64,
            Scalar::C64(_) => DType::C64,
            Scalar::C128(_) => DType::C128,
        }
    }

    /// Whether two values are the same, bit for bit: negative zero is not zero. Only the bits of what is not a number do not
    /// count, because processors choose them as they like.
    ///
    /// ```
    /// use situ_types::Scalar;
    ///
    /// assert!(Scalar::F64(f64::NAN).is_identical(Scalar::F64(-f64::NAN)));
    /// assert!(!Scalar::F64(0.0).is_identical(Scalar::F64(-0.0)));
    /// ```
    pub fn is_identical(self, other: Scalar) -> bool {
        let [a, b] = [self, other].map(|value| match value {
            Scalar::F16(v) if v.is_nan() => Scalar::F16(F16::NAN),
            Scalar::F32(v) => Scalar::F32(if v.is_nan() { f32::NAN } else { v }),
            Scalar::F64(v) => Scalar::F64(if v.is_nan() { f64::NAN } else { v }),
            Scalar::C64(v) => {
                let part = |v: f32| if v.is_nan() { f32::NAN } else { v };
                Scalar::C64(C64::new(part(v.re), part(v.im)))
            }
            Scalar::C128(v) => {
                let part = |v: f64| if v.is_nan() { f64::NAN } else { v };
                Scalar::C128(C128::new(part(v.re), part(v.im)))
            }
            other => other,
        });
        a.dtype() == b.dtype() && a.to_bytes() == b.to_bytes()
    }

    /// The value's bytes in memory order, padded with zeros to 16.
    pub fn to_bytes(self) -> [u8; 16] {
        let mut out = [0u8; 16];
        let mut put = |bytes: &[u8]| out[..bytes.len()].copy_from_slice(bytes);
        match self {
            Scalar::Bool(v) => put(&[v as u8]),
            Scalar::I8(v) => put(&v.to_ne_bytes()),
            Scalar::I16(v) => put(&v.to_ne_bytes()),
            Scalar::I32(v) => put(&v.to_ne_bytes()),
            Scalar::I64(v) => put(&v.to_ne_bytes()),
            Scalar::U8(v) => put(&v.to_ne_bytes()),
            Scalar::U16(v) => put(&v.to_ne_bytes()),
            Scalar::U32(v) => put(&v.to_ne_bytes()),
            Scalar::U64(v) => put(&v.to_ne_bytes()),
            Scalar::F16(v) => put(&v.to_ne_bytes()),
            Scalar::F32(v) => put(&v.to_ne_bytes()),
            Scalar::F64(v) => put(&v.to_ne_bytes()),
            Scalar::C64(v) => {
                put(&v.re.to_ne_bytes());
                out[4..8].copy_from_slice(&v.im.to_ne_bytes());
            }
            Scalar::C128(v) => {
                put(&v.re.to_ne_bytes());
                out[8..16].copy_from_slice(&v.im.to_ne_bytes());
            }
        }
        out
    }

    /// The value of this dtype stored in the first bytes of `bytes`, the inverse of [`to_bytes`](Self::to_bytes).
    pub fn from_bytes(dtype: DType, bytes: [u8; 16]) -> Scalar {
        fn first<const N: usize>(bytes: [u8; 16], at: usize) -> [u8; N] {
            let mut out = [0u8; N];
            out.copy_from_slice(&bytes[at..at + N]);
            out
        }
        match dtype {
            DType::Bool => Scalar::Bool(bytes[0] != 0),
            DType::I8 => Scalar::I8(bytes[0] as i8),
            DType::I16 => Scalar::I16(i16::from_ne_bytes(first(bytes, 0))),
            DType::I32 => Scalar::I32(i32::from_ne_bytes(first(bytes, 0))),
            DType::I64 => Scalar::I64(i64::from_ne_bytes(first(bytes, 0))),
            DType::U8 => Scalar::U8(bytes[0]),
            DType::U16 => Scalar::U16(u16::from_ne_bytes(first(bytes, 0))),
            DType::U32 => Scalar::U32(u32::from_ne_bytes(first(bytes, 0))),
            DType::U64 => Scalar::U64(u64::from_ne_bytes(first(bytes, 0))),
            DType::F16 => Scalar::F16(F16::from_ne_bytes(first(bytes, 0))),
            DType::F32 => Scalar::F32(f32::from_ne_bytes(first(bytes, 0))),
            DType::F64 => Scalar::F64(f64::from_ne_bytes(first(bytes, 0))),
            DType::C64 => {
                Scalar::C64(C64::new(f32::from_ne_bytes(first(bytes, 0)), f32::from_ne_bytes(first(bytes, 4))))
            }
            DType::C128 => {
                Scalar::C128(C128::new(f64::from_ne_bytes(first(bytes, 0)), f64::from_ne_bytes(first(bytes, 8))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip_for_every_dtype() {
        for dtype in DType::ALL {
            let mut bytes = [0u8; 16];
            for (i, b) in bytes[..dtype.size()].iter_mut().enumerate() {
                *b = if dtype == DType::Bool { 1 } else { 17 + i as u8 };
            }
            let value = Scalar::from_bytes(dtype, bytes);
            assert_eq!(value.dtype(), dtype);
            assert_eq!(value.to_bytes(), bytes);
        }
    }
}
