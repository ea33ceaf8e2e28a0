//! OpenCL devices pass what every backend must, where there are any.
//!
//! Memory, copies and order are tested on the first device of every platform. The rest compiles thousands of kernels,
//! which takes OpenCL's compilers most of an hour: `SITU_TEST_OPENCL=Intel`, a part of a platform's name, asks for it.

use std::sync::Arc;

use situ_hal::Platform;

/// The platform that was asked for.
fn asked_for() -> Option<Arc<dyn Platform>> {
    let name = std::env::var("SITU_TEST_OPENCL").ok()?;
    let platforms = &situ_opencl::platforms().platforms;
    let found = platforms.iter().find(|platform| platform.info().name.contains(&name));
    assert!(found.is_some(), "no platform's name contains SITU_TEST_OPENCL={name}");
    found.cloned()
}

mod whole {
    situ_conformance::suite!(super::asked_for());
}

macro_rules! on_every_platform {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                for platform in &situ_opencl::platforms().platforms {
                    situ_conformance::$name(platform.clone());
                }
            }
        )*
    };
}

on_every_platform! {
    memory memory_that_is_not_there host_access two_contexts
    copies copies_within_a_block_and_to_the_host fills hints
    in_order_queues wait_lists barriers markers waiting profiles
}
