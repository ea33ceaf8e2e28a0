//! situ's runtime: safe objects over the backends.
//!
//! * [`Platform`], [`Device`], [`Context`], [`Queue`], [`Event`], [`Timer`]: SYCL's vocabulary. Devices are found by
//!   [`selector`] strings.
//! * [`Buffer`]: USM memory from a pool. It remembers the last command that wrote it and those that read it since,
//!   so that commands on different queues never race and no caller passes events around.
//! * [`placement`]: the one function that decides where a computation runs.
//!
//! Everything here is checked before it reaches a backend; nothing here knows what an array is.

mod buffer;
mod context;
mod counted;
mod deferred_drop;
mod device;
mod error;
mod event;
mod fork;
mod hazard;
mod host_memory;
mod interrupt;
pub mod placement;
mod platform;
pub mod pool;
mod queue;
mod registry;
pub mod scope;
pub mod selector;
mod sync;
mod timer;
mod transfer;
mod visibility;

pub use buffer::{Access, Buffer, FreshMemory, Owner, OwnerCount, Written};
pub use context::Context;
pub use counted::Counted;
pub use device::Device;
pub use error::{Error, Result};
pub use event::Event;
pub use host_memory::is_mapped;
pub use interrupt::set_interrupt_check;
pub use platform::Platform;
pub use queue::Queue;
pub use registry::{availability, devices, finish_all, host_queue, left_out, platforms};
/// Adds folders of Python packages, among which there may be some with CUDA's libraries.
pub use situ_cuda::search::search_in as search_libraries_in;
pub use situ_hal::HalError;
pub use situ_hal::{Address, Command, Elementwise, EventStatus, LINE_OPERANDS, Operand, Profile, ProgramRef};
pub use situ_hal::{
    Fft, FftKind, IndexCheck, IndexMode, IndexOperand, Indexed, Join, Launch, LaunchArgument, Mapped, MaskCount,
    MaskExpand, MaskSelect, Matrices, Product, Random, Reduce, ReductionRef, Repeat, Scan, Sequences, Strided, Taken,
    Times, Values,
};
pub use situ_hal::{Linalg, Problem, SingularVectors};
pub use situ_hal::{Question, RunCount, RunSelect, Search, Sort};
pub use situ_hal::{RawArgument, RawFacts, RawKernel, RawLaunch};
pub use situ_hal::{SMALL_STEP_INPUTS, SmallStep, SmallStepInput};
pub use timer::{Timer, TimerMode};
pub use transfer::{Route, TransferStats};

/// Measurements of the native backend itself.
pub use situ_cpu::diagnostics;
/// The backend that computes one element after another and fails on demand, for tests of everything above it.
pub use situ_hal::null;
