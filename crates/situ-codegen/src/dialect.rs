//! The languages kernels are written in.

use situ_types::{DType, DTypeKind};

/// A language of the C family.
///
/// All text is written in what they have in common; a prelude per dialect names the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// CUDA C, for NVRTC with `--fmad=false`.
    Cuda,
    /// OpenCL C 1.2 or later, built with `-cl-fp32-correctly-rounded-divide-sqrt`.
    OpenCl,
    /// The same for a processor, where a block is one work-item that goes through the block's threads. A user's kernel,
    /// whose threads may wait for each other anywhere, is as in [`Dialect::OpenCl`].
    Processor,
    /// C11 for the system's compiler with `-ffp-contract=off`, so that kernels can be tested without a device.
    Host,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Dialect; 4] = [Dialect::Cuda, Dialect::OpenCl, Dialect::Processor, Dialect::Host];
}

/// What a dtype is called at the end of a library function's name.
pub(crate) const fn suffix(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::I8 => "i8",
        DType::I16 => "i16",
        DType::I32 => "i32",
        DType::I64 => "i64",
        DType::U8 => "u8",
        DType::U16 => "u16",
        DType::U32 => "u32",
        DType::U64 => "u64",
        DType::F16 => "f16",
        DType::F32 => "f32",
        DType::F64 => "f64",
        DType::C64 => "c64",
        DType::C128 => "c128",
    }
}

/// The dtype with that suffix, if there is one.
pub(crate) fn from_suffix(text: &str) -> Option<DType> {
    DType::ALL.into_iter().find(|&dtype| suffix(dtype) == text)
}

/// The C type that holds an element of a dtype.
pub(crate) const fn type_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "u8",
        other => suffix(other),
    }
}

/// The dtype of the unsigned integers as wide as an element, or as a complex number's part.
pub(crate) const fn unsigned(dtype: DType) -> DType {
    let part = dtype.real_part();
    match (part.kind(), part.size()) {
        (DTypeKind::Bool, _) | (_, 1) => DType::U8,
        (_, 2) => DType::U16,
        (_, 4) => DType::U32,
        _ => DType::U64,
    }
}
