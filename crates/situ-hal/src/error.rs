//! What can go wrong below the seam.

use std::borrow::Cow;

use situ_types::ErrorKind;
use thiserror::Error;

/// A failure in a backend or its driver.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HalError {
    /// Memory could not be allocated.
    #[error("{operation}: out of memory ({bytes} bytes were asked for{})", fmt_detail(.detail))]
    OutOfMemory {
        /// What was being done.
        operation: Cow<'static, str>,
        /// Bytes asked for.
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
    /// The device or its driver failed.
    #[error("{operation} failed: {detail}")]
    Failed {
        /// What was being done.
        operation: Cow<'static, str>,
        /// What the driver said.
        detail: String,
    },
}

fn fmt_detail(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!("; {detail}") }
}

impl HalError {
    /// The classification of this failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            HalError::OutOfMemory { .. } => ErrorKind::Memory,
            HalError::Unsupported { .. } => ErrorKind::Value,
            HalError::Failed { .. } => ErrorKind::Device,
        }
    }
}

/// A result from below the seam.
pub type Result<T, E = HalError> = std::result::Result<T, E>;
