//! NVIDIA GPUs as devices, through the CUDA driver.
//!
//! The driver and the run-time compiler are looked for when they are first needed, so that one build runs with and
//! without them: a machine without a GPU has no device of this backend, and [`platform`] says why.
//!
//! * `library`, `driver`, `nvrtc`, `cublas`, `cufft`, `cusolver`: the functions of the libraries, loaded by name, and their errors;
//!   `search`: where they may be.
//! * `platform`, `device`, `facts`, `context`: what there is, and memory on it.
//! * `stream`, `event`, `queue`: commands. A queue is one CUDA stream, so that its commands run in order, and an event is
//!   a number in it: the driver is asked for an event of its own only where somebody waits for one.
//! * `module`, `compile`: kernels, emitted by `situ-codegen`, compiled once per device and kept in memory and on
//!   disk.
//! * `work`, `launch`: commands that kernels do; `situ-codegen` says which. `copy`: those that the driver
//!   does; `gemm`: products of matrices that cuBLAS does; `fft`, `dft`: Fourier transforms that cuFFT does; `cusolver`:
//!   linear algebra that cuSOLVER and cuBLAS do.

mod compile;
mod context;
mod copy;
mod cublas;
mod cufft;
mod cusolver;
mod device;
mod dft;
mod driver;
mod event;
mod facts;
mod fft;
mod gemm;
mod launch;
mod library;
mod module;
pub mod nvrtc;
mod platform;
mod queue;
pub mod search;
mod stream;
mod work;

pub use platform::platform;

/// What is wrong with the environment variables that this backend reads, if anything is.
pub fn check_environment() -> Result<(), String> {
    nvrtc::check_environment()
        .and(cublas::check_environment())
        .and(cufft::check_environment())
        .and(cusolver::check_environment())
        .and(situ_codegen::cache::largest().map(drop))
}
