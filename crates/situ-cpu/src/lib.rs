//! The native backend: the processor this program runs on, as a device.
//!
//! * `topology`: what the operating system says about cores, caches and memory.
//! * `device`: a set of cores, with the threads that work for it.
//! * `context`: memory from the operating system, large blocks on huge pages.
//! * `queue`, `event`, `executor`: asynchronous commands. Small work with nothing to wait for runs inline;
//!   everything else becomes a task that the device's executor runs once its dependencies are over.
//! * `team`: the fork-join pool a running command spreads over.
//! * `elementwise`, `indexing`, `reduce`, `sort`, `product`, `fft`, `bytes`: the commands themselves, in SIMD loops chosen at
//!   start-up by `isa`.
//! * `linalg`: linear algebra, by `situ-linalg`.
//! * `launch`: kernels that users write, by the same loops.

mod bytes;
mod context;
mod device;
pub mod diagnostics;
mod elementwise;
mod event;
mod executor;
mod fft;
mod indexing;
mod isa;
mod launch;
mod linalg;
mod momentum;
mod platform;
mod product;
mod queue;
mod random;
mod reduce;
mod sort;
mod team;
mod topology;

pub use platform::platform;

/// What is wrong with the environment variables that this backend reads, if anything is.
pub fn check_environment() -> Result<(), String> {
    isa::limit().map(drop)
}
