//! NVRTC, and kernels as a Hopper GPU would get them: what the tests that compile kernels share.

use situ_codegen::{DeviceLimits, Dialect, Kernel, work_for};
use situ_cuda::nvrtc::Nvrtc;
use situ_hal::Command;

/// Compute capability 9.0: Hopper.
pub const HOPPER: i32 = 90;

/// What a large GPU has room for.
pub const LIMITS: DeviceLimits = DeviceLimits {
    scratch: 1 << 30,
    cache: 60 << 20,
    local: 48 << 10,
    group: 1024,
    group_local: 227 << 10,
    wide_atomics: true,
    sub_groups: true,
    is_processor: false,
    cores: 132,
    sort_from: 1 << 24,
};

/// The compiler; `None`, which is said, where it is not installed and need not be.
pub fn nvrtc() -> Option<&'static Nvrtc> {
    match Nvrtc::get() {
        Ok(nvrtc) => Some(nvrtc),
        Err(reason) if std::env::var_os("SITU_REQUIRE_NVRTC").is_some() => panic!("{reason}"),
        Err(reason) => {
            eprintln!("not compiled: {reason}");
            None
        }
    }
}

/// The kernels that commands need.
#[allow(dead_code, reason = "elementwise kernels are compiled many at a time")]
pub fn kernels_of(commands: &[Command]) -> impl Iterator<Item = Kernel> {
    let works = commands.iter().map(|command| work_for(command, &LIMITS).unwrap());
    works.flat_map(|work| work.launches).map(|launch| launch.kernel)
}

/// Compiles kernels, one by one.
#[allow(dead_code, reason = "as above")]
pub fn compile_all(kernels: impl IntoIterator<Item = Kernel>) {
    let Some(nvrtc) = nvrtc() else { return };
    for kernel in kernels {
        let source = kernel.emit(Dialect::Cuda);
        let options = nvrtc.options(HOPPER, &source.rules).unwrap();
        if let Err(log) = nvrtc.compile(&source.text, &options) {
            panic!("{} does not compile:\n{log}\n{}", source.kernel, source.text);
        }
    }
}
