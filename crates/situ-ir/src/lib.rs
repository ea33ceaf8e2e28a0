//! What is computed, independent of where: the scalar-op table and elementwise programs.
//!
//! * [`ops`]: one row per scalar op. Everything else about an op (SIMD loops, device code, the Python function, its
//!   documentation, its place in the test matrix) is derived from the row.
//! * [`scalar`]: what the rows mean, as plain Rust over plain numbers.
//! * [`Program`]: a short list of scalar ops over strided inputs, run in one pass.
//! * [`Reduction`]: what a reduction or a scan computes, in the order of the [`tree`]; [`statistic`]: one row per reduction
//!   that arrays have.
//! * [`moments`]: what squared deviations are combined from.
//! * [`order`](mod@order): the order of elements, which sorting and searching follow.
//! * [`product`]: what a product of matrices means.
//! * [`random`]: what random numbers are.
//! * [`kernel`]: what users write themselves: typed, structured programs that run once for every work-item.
//! * [`interpret`]: programs and reductions computed one element after another, which is what every backend must agree with.
//!
//! No machine code and no text of any device dialect is produced here.

#![forbid(unsafe_code)]

#[macro_use]
pub mod ops;
pub mod interpret;
pub mod kernel;
pub mod moments;
pub mod order;
pub mod product;
mod program;
pub mod random;
mod reduction;
pub mod scalar;
mod simplify;
pub mod statistic;
pub mod tree;

pub use ops::{DTypeRule, Lift, Op, OutRule};
pub use program::{Program, ProgramBuilder, ProgramError, Step, StepKind, Value};
pub use reduction::{Combine, Reduction, ReductionError};
pub use simplify::{Simpler, order_against, simpler};
pub use statistic::Statistic;
