//! N-dimensional arrays that compute where their data lives.
//!
//! ```
//! use situ::prelude::*;
//!
//! let x = Tensor::from_slice(&[1.0, 2.0, 3.0])?;
//! let y = (&x * &x)?;
//! assert_eq!(y.to_vec::<f64>()?, [1.0, 4.0, 9.0]);
//!
//! // Arrays on different queues are never mixed silently.
//! let other = x.to_queue(&Queue::on(x.device())?)?;
//! assert_eq!((&x + &other).unwrap_err().kind(), ErrorKind::Placement);
//! # Ok::<(), Error>(())
//! ```
//!
//! This crate only re-exports: [`runtime`] holds devices, queues and memory, [`tensor`] the arrays, [`ir`] the op table
//! and elementwise programs, [`types`] the vocabulary.

#![forbid(unsafe_code)]

pub use situ_ir as ir;
pub use situ_runtime as runtime;
pub use situ_tensor as tensor;
pub use situ_types as types;

/// What most programs need.
pub mod prelude {
    pub use situ_ir::{Op, Program};
    pub use situ_runtime::{Buffer, Context, Device, Event, Platform, Queue, Timer, TimerMode, scope};
    pub use situ_tensor::{Arg, Error, Result, Tensor, Weak, apply, clip, evaluate, select};
    pub use situ_types::{DType, ErrorKind, Layout, Order, Partition, QueueProperties, Scalar, UsmKind};
}
