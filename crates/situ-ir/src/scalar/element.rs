//! The Rust type behind each dtype.

use situ_types::{C64, C128, DType, F16, Scalar};

/// A Rust type that is the element type of some dtype.
pub trait Element: Copy + Default + Send + Sync + std::fmt::Debug + 'static {
    /// The dtype.
    const DTYPE: DType;

    /// The value with its dtype.
    fn to_scalar(self) -> Scalar;

    /// The value, if it has this type's dtype.
    fn from_scalar(scalar: Scalar) -> Option<Self>;
}

macro_rules! elements {
    ($($type:ty => $variant:ident),* $(,)?) => {$(
        impl Element for $type {
            const DTYPE: DType = DType::$variant;

            #[inline(always)]
            fn to_scalar(self) -> Scalar {
                Scalar::$variant(self)
            }

            #[inline(always)]
            fn from_scalar(scalar: Scalar) -> Option<Self> {
                if let Scalar::$variant(value) = scalar { Some(value) } else { None }
            }
        }
    )*};
}

elements! {
    bool => Bool,
    i8 => I8, i16 => I16, i32 => I32, i64 => I64,
    u8 => U8, u16 => U16, u32 => U32, u64 => U64,
    F16 => F16, f32 => F32, f64 => F64, C64 => C64, C128 => C128,
}
