//! Elementwise programs as kernels.
//!
//! [`plan`] looks at shape and strides and says which kernel to launch, with what; [`emit`] writes that kernel. What a
//! kernel is specialised on, besides its program, is a [`Form`]: small, and the same for most launches, so that compiled
//! kernels can be kept by program and form. Sizes, steps and addresses are arguments.
//!
//! There are four walks through the elements. Axes are first put in the order in which the output lies in memory and
//! merged where they can be.
//!
//! * *Dense*: everything in memory lies densely along one axis. A thread moves 16 bytes at a time.
//! * *Rows*: the same along the inner axis, with outer axes around it, and rows that begin at aligned addresses.
//! * *Strided*: any steps. Neighbouring threads take neighbouring elements, each thread a few of them.
//! * *Tiled*: an input lies densely along another axis than the output does. Square tiles of it are turned round in
//!   shared memory, so that both are read and written in runs.

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

pub use element::{element_function, usual_element_function};
pub use emit::{emit, emit_bare};
pub use form::{Form, MAX_OPERANDS};
pub use plan::{OperandForm, Plan, TooManyOperands, plan};
