//! From programs to text: kernels in the C-family dialects, and the device library they call.
//!
//! * [`Dialect`]: CUDA C, OpenCL C, or plain C for tests on the host.
//! * [`library`]: what the rows of the op table mean, translated from `situ_ir::scalar` with the same operations in the
//!   same order, so that every device gives the same bits as the processor does. A kernel gets only what it uses.
//! * [`elementwise`]: how to launch a program over operands of any layout, and the kernel for it.
//! * [`indexing`]: the same for elements found by index or by mask.
//!
//! Nothing here knows a driver: a plan says which kernel to launch with which numbers, and the backend does it.

#![forbid(unsafe_code)]

mod dialect;
pub mod elementwise;
mod expression;
pub mod indexing;
mod launch;
pub mod library;

pub use dialect::Dialect;
pub use launch::{Argument, Source};
