//! N-dimensional arrays that compute where their data lives.
//!
//! A [`Tensor`] is a layout over a USM buffer, associated with a queue. Every function takes the same walk: dtypes are
//! resolved by the op's row, the place by [`placement`](situ_runtime::placement), the result's layout by broadcasting;
//! the runtime finds what to wait for; the queue executes. All checks happen here, before anything is touched.

mod close;
mod convert;
mod creation;
mod edges;
mod element;
mod elementwise;
mod error;
pub mod fft;
mod grid;
mod host;
mod index;
mod launch;
pub mod linalg;
mod manipulate;
mod methods;
#[cfg(feature = "ndarray")]
mod ndarray;
mod nested;
mod operators;
mod print;
mod product;
mod programs;
mod random;
mod range;
mod raw_launch;
mod reduce;
mod sequence;
mod shared_layout;
mod sort;
mod strided;
mod submit;
mod tensor;
mod triangle;
mod view;
mod weak;

pub use close::Tolerance;
pub use element::Reading;
pub use elementwise::{
    Arg, Expression, FILLED_AT_ONCE, OperandType, Term, TermKind, TermOperand, apply, apply_in_place, apply_into, clip,
    clip_into, common_dtype, compute_dtype, evaluate, select, select_into,
};
pub use error::{Error, Result};
pub use index::{Item, Key, OutOfRange, Slice};
pub use launch::{KernelArg, Launched, begin_launch, launch};
pub use manipulate::broadcast_shapes;
pub use nested::{Nested, Piece};
pub use product::{Contracted, Multiplying, matmul, matmul_in_place, tensordot, vecdot};
pub use random::Generator;
pub use raw_launch::{RawArg, RawGeometry, raw_launch};
pub use reduce::{
    Accumulating, Axes, Deviating, Reducing, accumulate, deviation, diff, diff_joined, reduce, reduce_program, variance,
};
pub use sort::{TopK, UniqueAll, UniqueCounts, UniqueInverse, is_in};
pub use tensor::Tensor;
pub use weak::Weak;
