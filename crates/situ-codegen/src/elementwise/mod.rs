//! Elementwise programs as kernels.
//!
//! `plan` looks at shape and strides and says which kernel to launch, with what. What a kernel is specialised on,
//! besides its program, is a `Variant`: small, and the same for most launches, so that compiled kernels can be kept by
//! program and variant. Sizes, steps and addresses are arguments.
//!
//! There are five walks through the elements. Axes are first put in the order in which the output lies in memory and
//! merged where they can be.
//!
//! * *Dense*: everything in memory lies densely along one axis. A thread moves 16 bytes at a time, and does so twice where
//!   there is much to compute for many elements.
//! * *Rows*: the same along the inner axis, with outer axes around it, and rows that begin at aligned addresses.
//! * *Chunks*: the dense walk of a processor. A block is one thread, which goes through many neighbours, in loops that its
//!   compiler makes vectors of.
//! * *Strided*: any steps. Neighbouring threads take neighbouring elements, each thread a few of them.
//! * *Tiled*: an input lies densely along another axis than the output does. Square tiles of it are turned round in
//!   local memory, so that both are read and written in runs.
//!
//! Functions have *rare* arguments that need a branch: far angles, results at the ends of the range. On the first three
//! walks a program of several such functions is first run without any of their branches, and again, with them, by those
//! threads that came upon a rare argument.

mod chunks;
mod direct;
mod element;
mod kernel;
mod plan;
mod strided;
mod tiled;
mod variant;
mod walks;
mod weight;
mod writer;

pub use element::{element_function, usual_element_function};
pub use kernel::ElementwiseKernel;
pub use variant::MAX_OPERANDS;

pub(crate) use element::long_element_function;
pub(crate) use plan::{ACCESS, alignment, plan};
pub(crate) use variant::{Access, Accesses};
pub(crate) use walks::lowest_bit;
pub(crate) use weight::{copies, is_long};
