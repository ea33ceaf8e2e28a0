//! Everything with an OpenCL driver as a device: processors, GPUs, other accelerators.
//!
//! The loader is looked for when it is first needed, so that one build runs with and without it: a machine without OpenCL has
//! no device of this backend, and [`platforms`] says why. Each driver is a platform of its own.
//!
//! * `library`, `driver`: the functions of the loader, looked up by name, and their errors.
//! * `platform`, `device`, `facts`: what there is, and why there is not more.
//! * `context`, `memory`: memory, by Intel's extension for USM or else fine-grain SVM. A device with neither is not used.
//! * `stream`, `event`, `queue`: commands. A queue is one queue of the driver, in order, be it asked for or not.
//! * `module`, `compile`: kernels, emitted by `situ-codegen`, compiled once per context and kept in memory and on
//!   disk.
//! * `work`, `launch`: commands that kernels do; `situ-codegen` says which. `copy`: those that the driver does.

mod compile;
mod context;
mod copy;
mod device;
mod driver;
mod event;
mod facts;
mod launch;
mod library;
mod memory;
mod module;
mod platform;
mod queue;
mod stream;
mod work;

pub use platform::{Discovered, platforms};

/// What is wrong with the environment variables that this backend reads, if anything is.
pub fn check_environment() -> Result<(), String> {
    situ_codegen::cache::largest().map(drop)
}
