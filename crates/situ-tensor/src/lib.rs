//! N-dimensional arrays that compute where their data lives.
//!
//! A [`Tensor`] is a layout over a USM buffer, associated with a queue. Every function takes the same walk: dtypes are
//! resolved by the op's row, the place by [`placement`](situ_runtime::placement), the result's layout by broadcasting;
//! the runtime finds what to wait for; the queue executes. All checks happen here, before anything is touched.

mod convert;
mod creation;
mod elementwise;
mod error;
mod host;
mod operators;
mod programs;
mod range;
mod sequence;
mod tensor;
mod weak;

pub use elementwise::{Arg, apply, apply_into};
pub use error::{Error, Result};
pub use tensor::Tensor;
pub use weak::Weak;
