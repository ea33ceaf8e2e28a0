//! Every kind of kernel for random numbers compiles, for which no GPU is needed.
//!
//! `SITU_NVRTC` says where NVRTC is. Without it this test says so and passes, unless `SITU_REQUIRE_NVRTC` is set.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod compiler;

use situ_hal::{Address, Command, Random};
use situ_ir::random::{Distribution, Stream};

#[test]
fn every_kind_of_kernel_compiles() {
    use Distribution::*;
    let distributions = [
        Bits32,
        Bits64,
        Uniform32,
        Uniform64,
        Normal32,
        Normal64,
        Exponential32,
        Exponential64,
        Below32 { low: 0, count: 6 },
        Below64 { low: 0, count: 6 },
    ];
    let commands: Vec<Command> = distributions
        .into_iter()
        .flat_map(|distribution| {
            [64, 72].map(|address| {
                let (out, stream) = (Address(address as *mut u8), Stream { key: 0, counter: 0 });
                Command::Random(Box::new(Random { out, count: 1000, stream, distribution }))
            })
        })
        .collect();
    compiler::compile_all(compiler::kernels_of(&commands));
}
