//! Elementwise programs as kernels.
//!
//! [`plan`] looks at shape and strides and says which kernel to launch, with what; [`emit`] writes that kernel. What a
//! kernel is specialised on, besides its program, is a [`Form`]: small, and the same for most launches, so that
//! compiled kernels can be kept by program and form. Sizes, steps and addresses are arguments.
//!
//! There are four walks through the elements. Axes are first put in the order in which the output lies in memory and
//! merged where they can be.
//!
//! * *Dense*: everything in memory lies densely along one axis. A thread moves 16 bytes at a time, and does so twice where
//!   there is much to compute for many elements.
//! * *Rows*: the same along the inner axis, with outer axes around it, and rows that begin at aligned addresses.
//! * *Strided*: any steps. Neighbouring threads take neighbouring elements, each thread a few of them.
//! * *Tiled*: an input lies densely along another axis than the output does. Square tiles of it are turned round in
//!   shared memory, so that both are read and written in runs.
//!
//! Functions have *rare* arguments that need a branch: far angles, results at the ends of the range. On the first two
//! walks a program of several such functions is first run without any of their branches, and again, with them, by those
//! threads that came upon a rare argument.

mod access;
mod axes;
mod direct;
mod element;
mod emit;
mod form;
mod magic;
mod plan;
mod strided;
mod tiled;
mod walks;
mod weight;

pub use element::{element_function, usual_element_function};
pub use emit::{emit, emit_bare};
pub use form::{Form, MAX_OPERANDS};
pub use plan::{OperandForm, Plan, TooManyOperands, plan};
