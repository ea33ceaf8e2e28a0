//! What can go wrong with arrays.

use situ_ir::kernel::{KernelError, RangeError};
use situ_ir::{Op, ProgramError, ReductionError};
use situ_runtime::{Device, HalError};
use situ_types::{DType, ErrorKind, LayoutError};
use thiserror::Error as ThisError;

/// A failure in an array function, or in the runtime below it.
#[derive(Clone, Debug, ThisError)]
pub enum Error {
    /// The runtime failed.
    #[error("{0}")]
    Runtime(#[from] situ_runtime::Error),
    /// Shapes or strides do not fit.
    #[error("{operation}: {source}")]
    Layout {
        /// The function.
        operation: String,
        /// What does not fit.
        source: LayoutError,
    },
    /// An op has no meaning for these dtypes.
    #[error("{op} does not support inputs of dtype {}, and they cannot be converted safely to a dtype it supports ({}); convert them with astype first", fmt_dtypes(.dtypes), fmt_dtypes(.op.rule().domain))]
    DTypes {
        /// The op.
        op: Op,
        /// The inputs' dtypes.
        dtypes: Vec<DType>,
    },
    /// A dtype the device cannot compute with.
    #[error("{operation}: {dtype} is not supported by {device}")]
    Unsupported {
        /// The function.
        operation: String,
        /// The dtype.
        dtype: DType,
        /// The device.
        device: String,
    },
    /// A number does not fit its target type.
    #[error("{0}")]
    Overflow(String),
    /// A value is out of its domain.
    #[error("{0}")]
    Value(String),
    /// An argument has the wrong type.
    #[error("{0}")]
    Type(String),
    /// An index does not fit the array.
    #[error("{0}")]
    Index(String),
    /// An axis does not exist.
    #[error("{0}")]
    Axis(String),
    /// A matrix has no answer, or is none.
    #[error("{0}")]
    LinAlg(String),
    /// A kernel has found that something does not hold.
    #[error("{0}")]
    Fault(String),
    /// A kernel is not well formed.
    #[error("{0}")]
    Kernel(#[from] KernelError),
    /// There is no such range, or not for this kernel.
    #[error("{0}")]
    Range(#[from] RangeError),
    /// A program is not well formed.
    #[error("{0}")]
    Program(#[from] ProgramError),
    /// A reduction is not well formed.
    #[error("{0}")]
    Reduction(#[from] ReductionError),
}

fn fmt_dtypes(dtypes: &[DType]) -> String {
    dtypes.iter().map(|d| d.name()).collect::<Vec<_>>().join(", ")
}

impl Error {
    pub(crate) fn layout(operation: &str) -> impl FnOnce(LayoutError) -> Error {
        let operation = operation.to_owned();
        move |source| Error::Layout { operation, source }
    }

    /// The same, said of a function on a device, where that device cannot do it.
    pub(crate) fn of_function(self, name: &str, device: &Device) -> Error {
        match self {
            Error::Runtime(situ_runtime::Error::Hal(HalError::Unsupported { detail, .. })) => {
                let operation = format!("{name} on {}", device.label()).into();
                situ_runtime::Error::Hal(HalError::Unsupported { operation, detail }).into()
            }
            error => error,
        }
    }

    /// The classification of this failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Runtime(error) => error.kind(),
            Error::Overflow(_) => ErrorKind::Overflow,
            Error::Type(_) => ErrorKind::Type,
            Error::Index(_) => ErrorKind::Index,
            Error::Axis(_) => ErrorKind::Axis,
            Error::LinAlg(_) => ErrorKind::LinAlg,
            Error::Fault(_) => ErrorKind::Fault,
            Error::Layout { .. }
            | Error::DTypes { .. }
            | Error::Unsupported { .. }
            | Error::Value(_)
            | Error::Kernel(_)
            | Error::Range(_)
            | Error::Program(_)
            | Error::Reduction(_) => ErrorKind::Value,
        }
    }
}

/// A result of an array function.
pub type Result<T, E = Error> = std::result::Result<T, E>;
