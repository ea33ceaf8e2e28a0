//! N-dimensional arrays that compute where their data lives.
//!
//! ```
//! use situ::prelude::*;
//!
//! let x = Tensor::from_slice(&[1.0, 2.0, 3.0])?;
//! let y = (x.square()? + 1.0)?;
//! assert_eq!(y.to_vec::<f64>()?, [2.0, 5.0, 10.0]);
//!
//! // Every function of the op table is a method, and an operand is an array or a number. Arrays print as in Python.
//! println!("{}", x.sin()?.maximum(0.5)?);
//! assert_eq!(format!("{:?}", (1.0 - &x)?.slice(1..)?), "ndarray([-1., -2.])");
//! assert_eq!(x.greater(&y)?.to_string(), "[False False False]");
//!
//! // Arrays on different queues are never mixed silently.
//! let other = x.to_queue(&Queue::on(x.device())?)?;
//! assert_eq!((&x + &other).unwrap_err().kind(), ErrorKind::Placement);
//! # Ok::<(), Error>(())
//! ```
//!
//! This crate only re-exports: [`runtime`] holds devices, queues and memory, [`tensor`] the arrays, [`ir`] the op table
//! and elementwise programs, [`types`] the vocabulary.
//!
//! With the feature `ndarray`, arrays are made of those of the crate `ndarray` (`Tensor::try_from(&array)`) and turned into
//! them (`x.to_ndarray::<f64>()`).

#![forbid(unsafe_code)]

pub use situ_ir as ir;
pub use situ_runtime as runtime;
pub use situ_tensor as tensor;
pub use situ_tensor::{fft, linalg};
pub use situ_types as types;

/// What most programs need.
pub mod prelude {
    pub use situ_ir::kernel::{Atomic, KernelBuilder, NdRange, Position, Space};
    pub use situ_ir::{Op, Program};
    pub use situ_runtime::{Buffer, Context, Device, Event, Platform, Queue, Timer, TimerMode, scope};
    pub use situ_tensor::{Arg, Error, Generator, Item, KernelArg, Result, Slice, Tensor, Weak, evaluate, launch};
    pub use situ_types::{DType, ErrorKind, Layout, Order, Partition, QueueProperties, Scalar, UsmKind};
}
