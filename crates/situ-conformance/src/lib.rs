//! What every backend of situ must pass, written once against the traits of `situ-hal`.
//!
//! A backend's crate has this as a dev-dependency and one line in `tests/conformance.rs`, which becomes a test for each
//! function here:
//!
//! ```ignore
//! situ_conformance::suite!(Some(situ_cpu::platform()));
//! ```
//!
//! The platform is an `Option`: where a driver is missing there is nothing to test. The first device is tested.
//!
//! What commands compute is compared with the null device, which computes one element after another by the interpreter of
//! `situ-ir`: all memory of a command, bit for bit but for the bits of what is not a number, so that what a command should
//! not have touched is seen too. Commands are random but the same in every run.
//!
//! This is a crate of its own, and not a part of `situ-hal` behind a feature, so that no build of the library carries it and
//! no feature of a test is switched on in what is released.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod arrange;
mod bench;
mod commands;
mod copies;
mod elementwise;
mod fft;
mod indexing;
mod kernels;
mod launches;
mod layout;
mod linalg;
mod memory;
mod order;
mod products;
mod random;
mod reductions;
mod sorting;
mod source;

use std::sync::Arc;

use situ_hal::Platform;

pub use commands::commands;
pub use kernels::{RandomKernel, RandomLaunch};
pub use source::{Source, holds};

/// What becomes of commands after one that failed, for a backend whose next command can be made to fail.
pub fn failures(platform: Arc<dyn Platform>, fail_next: impl Fn()) {
    if let Some(bench) = bench::Bench::new(platform) {
        order::failures(&bench, &fail_next);
    }
}

/// A public function and a test of the suite for each of these; one that is left out here is dead code.
macro_rules! define_suite {
    ($d:tt $($module:ident :: $name:ident)*) => {
        $(
            #[doc = concat!("The test `", stringify!($name), "` of `", stringify!($module), "`, on the first device.")]
            pub fn $name(platform: Arc<dyn Platform>) {
                if let Some(bench) = bench::Bench::new(platform) {
                    $module::$name(&bench);
                }
            }
        )*

        /// A test for each part of the suite, on a platform given as an `Option<Arc<dyn Platform>>`.
        #[macro_export]
        macro_rules! suite {
            ($d platform:expr) => {
                $(
                    #[test]
                    fn $name() {
                        if let Some(platform) = $d platform {
                            $d crate::$name(platform);
                        }
                    }
                )*
            };
        }
    };
}

define_suite! { $
    memory::memory
    memory::memory_that_is_not_there
    memory::host_access
    memory::two_contexts
    copies::copies
    copies::copies_within_a_block_and_to_the_host
    copies::fills
    copies::hints
    order::in_order_queues
    order::wait_lists
    order::barriers
    order::markers
    order::waiting
    order::profiles
    elementwise::every_op
    elementwise::every_conversion
    elementwise::any_program
    indexing::gathers
    indexing::scatters
    indexing::index_checks
    indexing::masks
    arrange::joins
    arrange::repeats
    reductions::reductions_of_every_length
    reductions::reductions_of_every_dtype
    reductions::reductions_of_every_layout
    reductions::scans
    sorting::sorts
    sorting::searches
    sorting::runs
    products::products
    linalg::linalg_lu
    linalg::linalg_equations
    linalg::linalg_cholesky
    linalg::linalg_cholesky_leaves_zeros
    linalg::linalg_qr
    linalg::linalg_svd
    linalg::linalg_eigh
    linalg::linalg_eig
    linalg::linalg_of_what_is_not_finite
    random::random_numbers
    fft::transforms
    kernels::kernels
    kernels::kernels_with_groups
    launches::launches
    launches::launches_in_groups
    launches::guards
}
