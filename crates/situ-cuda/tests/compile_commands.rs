//! Every kind of kernel compiles, for which no GPU is needed.
//!
//! `SITU_NVRTC` says where NVRTC is. Without it these tests say so and pass, unless `SITU_REQUIRE_NVRTC` is set.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod compiler;

use std::collections::HashSet;

use situ_codegen::{Kernel, work_for};

/// Compiles the kernels that commands of a kind need.
fn compile(kind: &str) {
    let (_, commands) = situ_conformance::commands().into_iter().find(|(name, _)| *name == kind).unwrap();
    compiler::compile_all(compiler::kernels_of(&commands).collect::<HashSet<Kernel>>());
}

macro_rules! every_kernel_compiles {
    ($($kind:ident)*) => {
        $(#[test]
        fn $kind() {
            compile(stringify!($kind));
        })*
    };
}

// Those of elementwise programs are compiled many at a time, by another test.
every_kernel_compiles! { arrange indexing order product random reduce launch linalg }

/// Some of the commands for elements by index are large enough to go through bins.
#[test]
fn bins_are_among_them() {
    let (_, commands) = situ_conformance::commands().into_iter().find(|(name, _)| *name == "indexing").unwrap();
    let sorted = commands.iter().filter(|command| work_for(command, &compiler::LIMITS).unwrap().has_leaner).count();
    assert!(sorted > 12, "{sorted}");
}
