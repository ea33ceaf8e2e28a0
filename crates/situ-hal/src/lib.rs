//! The seam between situ and the hardware: the traits a backend implements.
//!
//! # Contract
//!
//! *Callers have validated; backends do not.* Every dtype, shape, stride, device and placement that arrives here has
//! been checked by `situ-runtime` and `situ-tensor`. A backend may assume that
//!
//! * addresses lie inside live allocations of the queue's context, or in host memory, and stay alive and unmoved
//!   until the command's completion;
//! * commands whose memory overlaps are ordered by the events they are given, never by luck;
//! * events in a wait list come from the same backend;
//! * devices passed to a context are its own, and a program is well formed.
//!
//! In return a backend promises that
//!
//! * nothing panics, and every failure is a [`HalError`] that names the operation;
//! * a call that fails has had no effect;
//! * a command submitted after others runs after the events it was given, and, on an in-order queue, after everything
//!   submitted before;
//! * a command does not run if something in its wait list failed, and fails with that error; the order of an in-order
//!   queue or a barrier only says when, so that one failure does not spoil a queue for ever.
//!
//! This is the only place in situ where `dyn` is used to choose between implementations.

mod arrange;
mod command;
mod error;
mod fft;
mod indexing;
mod launch;
mod linalg;
pub mod null;
mod product;
mod random;
mod raw;
mod reduce;
mod scratch;
mod small_step;
mod sort;
mod traits;

pub use arrange::{Join, Repeat, Times};
pub use command::{Address, Command, Elementwise, LINE_OPERANDS, Operand, ProgramRef};
pub use error::{HalError, Result};
pub use fft::{Fft, FftKind, Sequences};
pub use indexing::{
    IndexCheck, IndexMode, IndexOperand, Indexed, MaskCount, MaskExpand, MaskSelect, Strided, Taken, Values,
};
pub use launch::{Launch, LaunchArgument};
pub use linalg::{Linalg, Problem, SingularVectors};
pub use product::{Matrices, Product};
pub use random::Random;
pub use raw::{RawArgument, RawFacts, RawKernel, RawLaunch};
pub use reduce::{Mapped, Reduce, ReductionRef, Scan};
pub use scratch::{ScratchSource, UnpooledScratch};
pub use small_step::{SMALL_STEP_INPUTS, SmallStep, SmallStepInput};
pub use sort::{Question, RunCount, RunSelect, Search, Sort};
pub use traits::{Completion, Context, Device, Event, EventStatus, Lane, Platform, Profile, Queue};
