//! What can go wrong below the seam.

use std::borrow::Cow;

use situ_types::ErrorKind;
use thiserror::Error;

/// A failure in a backend or its driver.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HalError {
    /// Memory could not be allocated.
    #[error("{operation}: out of memory{}", fmt_request(*.bytes, .detail))]
    OutOfMemory {
        /// What was being done.
        operation: Cow<'static, str>,
        /// Bytes asked for; 0 where it was the driver who wanted them, and did not say.
        bytes: usize,
        /// What the driver said, if anything.
        detail: String,
    },
    /// The device cannot do this at all.
    #[error("{operation} is not possible: {detail}")]
    Unsupported {
        /// What was being done.
        operation: Cow<'static, str>,
        /// Why not, and what would be.
        detail: String,
    },
    /// A kernel's text, which a user wrote, is not what the device's compiler takes.
    #[error("{operation} does not compile:\n{detail}")]
    Compile {
        /// What was being done.
        operation: Cow<'static, str>,
        /// What the compiler said.
        detail: String,
    },
    /// The device or its driver failed.
    #[error("{operation} failed: {detail}")]
    Failed {
        /// What was being done.
        operation: Cow<'static, str>,
        /// What the driver said.
        detail: String,
    },
}

fn fmt_request(bytes: usize, detail: &str) -> String {
    match (bytes, detail) {
        (0, "") => String::new(),
        (0, detail) => format!(" ({detail}; free some arrays)"),
        (bytes, "") => format!(" ({bytes} bytes were asked for)"),
        (bytes, detail) => format!(" ({bytes} bytes were asked for; {detail})"),
    }
}

impl HalError {
    /// What only a library does, asked of a device that has none.
    pub fn no_library(operation: Cow<'static, str>) -> HalError {
        let detail =
            "the device has no library for it; bring the arrays to one that has with to_device(\"native:cpu\")";
        HalError::Unsupported { operation, detail: detail.into() }
    }

    /// The classification of this failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            HalError::OutOfMemory { .. } => ErrorKind::Memory,
            HalError::Unsupported { .. } => ErrorKind::Value,
            HalError::Compile { .. } => ErrorKind::Compile,
            HalError::Failed { .. } => ErrorKind::Device,
        }
    }
}

/// A result from below the seam.
pub type Result<T, E = HalError> = std::result::Result<T, E>;
