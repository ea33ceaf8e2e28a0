//! The fourteen element types.

use std::fmt;

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum DType {
    /// Truth value, one byte, 0 or 1.
    Bool,
    /// Signed 8-bit integer.
    I8,
    /// Signed 16-bit integer.
    I16,
    /// Signed 32-bit integer.
    I32,
    /// Signed 64-bit integer.
    I64,
    /// Unsigned 8-bit integer.
    U8,
    /// Unsigned 16-bit integer.
    U16,
    /// Unsigned 32-bit integer.
    U32,
    /// Unsigned 64-bit integer.
    U64,
    /// Half-precision float.
    F16,
    /// Single-precision float.
    F32,
    /// Double-precision float.
    F64,
    /// Single-precision complex.
    C64,
    /// Double-precision complex.
    C128,
}

/// The family a [`DType`] belongs to, in promotion order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DTypeKind {
    /// Truth values.
    Bool,
    /// Signed and unsigned integers.
    Integer,
    /// Real floating-point numbers.
    Float,
    /// Complex floating-point numbers.
    Complex,
}

impl DType {
    /// Every dtype, in declaration order: `DType::ALL[d as usize] == d`.
    pub const ALL: [DType; 14] = [
        DType::Bool,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::F16,
        DType::F32,
        DType::F64,
        DType::C64,
        DType::C128,
    ];

    /// Bytes per element.
    pub const fn size(self) -> usize {
        match self {
            DType::Bool | DType::I8 | DType::U8 => 1,
            DType::I16 | DType::U16 | DType::F16 => 2,
            DType::I32 | DType::U32 | DType::F32 => 4,
            DType::I64 | DType::U64 | DType::F64 | DType::C64 => 8,
            DType::C128 => 16,
        }
    }

    /// The family this dtype belongs to.
    pub const fn kind(self) -> DTypeKind {
        match self {
            DType::Bool => DTypeKind::Bool,
            DType::F16 | DType::F32 | DType::F64 => DTypeKind::Float,
            DType::C64 | DType::C128 => DTypeKind::Complex,
            _ => DTypeKind::Integer,
        }
    }

    /// Whether this is one of the four signed integer types.
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, DType::I8 | DType::I16 | DType::I32 | DType::I64)
    }

    /// Whether this is one of the four unsigned integer types.
    pub const fn is_unsigned_integer(self) -> bool {
        matches!(self, DType::U8 | DType::U16 | DType::U32 | DType::U64)
    }

    /// The least and the greatest value of an integer dtype.
    pub const fn integer_range(self) -> Option<(i128, i128)> {
        let bits = 8 * self.size() as u32;
        if self.is_signed_integer() {
            Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
        } else if self.is_unsigned_integer() {
            Some((0, (1 << bits) - 1))
        } else {
            None
        }
    }

    /// NumPy's name for this dtype.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::I8 => "int8",
            DType::I16 => "int16",
            DType::I32 => "int32",
            DType::I64 => "int64",
            DType::U8 => "uint8",
            DType::U16 => "uint16",
            DType::U32 => "uint32",
            DType::U64 => "uint64",
            DType::F16 => "float16",
            DType::F32 => "float32",
            DType::F64 => "float64",
            DType::C64 => "complex64",
            DType::C128 => "complex128",
        }
    }

    /// Whether a text is this dtype's [name](Self::name) or [type string](Self::typestr).
    pub fn goes_by(self, text: &str) -> bool {
        self.name() == text || self.typestr() == text
    }

    /// NumPy's kind letter and item size, such as `f8` or `b1`.
    pub const fn typestr(self) -> &'static str {
        match self {
            DType::Bool => "b1",
            DType::I8 => "i1",
            DType::I16 => "i2",
            DType::I32 => "i4",
            DType::I64 => "i8",
            DType::U8 => "u1",
            DType::U16 => "u2",
            DType::U32 => "u4",
            DType::U64 => "u8",
            DType::F16 => "f2",
            DType::F32 => "f4",
            DType::F64 => "f8",
            DType::C64 => "c8",
            DType::C128 => "c16",
        }
    }

    /// NumPy's one-letter code.
    pub const fn letter(self) -> char {
        match self {
            DType::Bool => '?',
            DType::I8 => 'b',
            DType::I16 => 'h',
            DType::I32 => 'i',
            DType::I64 => 'l',
            DType::U8 => 'B',
            DType::U16 => 'H',
            DType::U32 => 'I',
            DType::U64 => 'L',
            DType::F16 => 'e',
            DType::F32 => 'f',
            DType::F64 => 'd',
            DType::C64 => 'F',
            DType::C128 => 'D',
        }
    }

    /// The dtype with the given [`typestr`](Self::typestr) (without byte order), if there is one.
    pub fn from_typestr(code: &str) -> Option<DType> {
        Self::ALL.into_iter().find(|d| d.typestr() == code)
    }

    /// The real dtype of a complex number's parts; any other dtype unchanged.
    pub const fn real_part(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lists_every_dtype_at_its_own_index() {
        for (i, d) in DType::ALL.into_iter().enumerate() {
            assert_eq!(d as usize, i);
            assert_eq!(DType::from_typestr(d.typestr()), Some(d));
            let digits: usize = d.typestr()[1..].parse().unwrap();
            assert_eq!(digits, d.size());
        }
    }
}
