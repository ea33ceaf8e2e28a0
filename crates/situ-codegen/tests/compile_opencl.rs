//! Every kind of kernel compiles on every OpenCL driver there is, in both of OpenCL's dialects.
//!
//! That takes them most of an hour, so that only every [`SHARE`]th kernel is compiled unless `SITU_TEST_OPENCL` names a platform: then
//! all are, on that one. Where there is no driver these tests say so and pass, unless a platform is named.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod host;

use std::collections::HashSet;
use std::rc::Rc;

use host::opencl::Device;
use host::runner::{LIMITS, PROCESSOR};
use situ_codegen::{DeviceLimits, Dialect, Kernel, work_for};

/// Of so many kernels one is compiled, unless a platform is named.
const SHARE: usize = 32;

/// The devices to compile for, and of how many kernels one is compiled.
fn devices() -> (Vec<Rc<Device>>, usize) {
    if let Some(chosen) = Device::chosen() {
        return (vec![chosen], 1);
    }
    match Device::all() {
        Ok(all) => (all.into_iter().map(Rc::new).collect(), SHARE),
        Err(reason) => {
            eprintln!("not compiled: {reason}");
            (Vec::new(), SHARE)
        }
    }
}

/// Compiles the kernels that commands of a kind need.
fn compile(kind: &str) {
    let (devices, share) = devices();
    let (_, commands) = situ_conformance::commands().into_iter().find(|(name, _)| *name == kind).unwrap();
    let gpu = DeviceLimits { wide_atomics: false, sub_groups: false, ..LIMITS };
    for (dialect, limits) in [(Dialect::Processor, PROCESSOR), (Dialect::OpenCl, gpu)] {
        let mut seen = HashSet::new();
        // Some exchanges of values are refused where threads are not in step.
        let works = commands.iter().filter_map(|command| work_for(command, &limits).ok());
        let mut kernels: Vec<Kernel> = works.flat_map(|work| work.launches).map(|launch| launch.kernel).collect();
        kernels.retain(|kernel| seen.insert(kernel.clone()));
        assert!(!kernels.is_empty());
        for device in &devices {
            for kernel in kernels.iter().step_by(share) {
                let source = kernel.emit(dialect);
                if let Err(log) = device.try_compile(&source) {
                    panic!("{} does not compile on {}:\n{log}\n{}", source.kernel, device.name, source.text);
                }
            }
        }
    }
}

macro_rules! every_kernel_compiles {
    ($($kind:ident)*) => {
        $(#[test]
        fn $kind() {
            compile(stringify!($kind));
        })*
    };
}

every_kernel_compiles! { elementwise arrange indexing order product random reduce launch linalg }
