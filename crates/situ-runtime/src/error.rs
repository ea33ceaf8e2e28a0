//! What can go wrong in the runtime.

use situ_hal::HalError;
use situ_types::ErrorKind;
use thiserror::Error as ThisError;

use crate::placement::PlacementError;

/// A failure in the runtime, or in a backend below it.
#[derive(Clone, Debug, ThisError)]
pub enum Error {
    /// A backend failed.
    #[error("{0}")]
    Hal(#[from] HalError),
    /// The place of execution is ambiguous.
    #[error("{0}")]
    Placement(Box<PlacementError>),
    /// Operands are in memory of different kinds, and who was [told](crate::placement::notice_mixed_kinds) refuses that.
    #[error("{0}")]
    MixedKinds(String),
    /// A selector string is malformed.
    #[error(
        "malformed device selector {selector:?}: {reason}. A selector is one to three of backend, device type and number joined by ':', as in \"native:cpu:0\"; alternatives are joined by ','"
    )]
    Selector {
        /// The string.
        selector: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No device fits.
    #[error("no device fits {wanted}: {reason}")]
    NoDevice {
        /// What was asked for.
        wanted: String,
        /// Why nothing fits, and what is there.
        reason: String,
    },
    /// A device cannot be split as asked.
    #[error("{0}")]
    SubDevices(String),
    /// A context cannot be created.
    #[error("the context cannot be created: {0}")]
    ContextCreation(String),
    /// A queue cannot be created.
    #[error("the queue cannot be created: {0}")]
    QueueCreation(String),
    /// A value is out of its domain.
    #[error("{0}")]
    Value(String),
    /// The process was forked after situ had been used.
    #[error(
        "this process was forked from one that had already used situ, whose threads and queues do not exist here; \
         start workers with the 'spawn' or 'forkserver' method, or fork before the first use"
    )]
    Forked,
    /// An array or buffer holds nothing because the command that should have written it failed.
    #[error("the contents are lost because an earlier operation failed: {cause}")]
    Poisoned {
        /// The failure.
        cause: HalError,
    },
}

impl Error {
    /// The classification of this failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Hal(error) => error.kind(),
            Error::Placement(_) => ErrorKind::Placement,
            Error::MixedKinds(_) => ErrorKind::MixedKinds,
            Error::Selector { .. } | Error::NoDevice { .. } => ErrorKind::DeviceCreation,
            Error::SubDevices(_) => ErrorKind::SubDeviceCreation,
            Error::ContextCreation(_) => ErrorKind::ContextCreation,
            Error::QueueCreation(_) => ErrorKind::QueueCreation,
            Error::Value(_) => ErrorKind::Value,
            Error::Forked | Error::Poisoned { .. } => ErrorKind::Device,
        }
    }
}

/// A result of the runtime.
pub type Result<T, E = Error> = std::result::Result<T, E>;
