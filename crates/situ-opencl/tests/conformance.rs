//! OpenCL devices pass what every backend must, where there are any: one device each of the first two platforms.

use std::sync::Arc;

use situ_hal::Platform;

fn platform(number: usize) -> Option<Arc<dyn Platform>> {
    situ_opencl::platforms().platforms.get(number).cloned()
}

mod first {
    situ_conformance::suite!(super::platform(0));
}

mod second {
    situ_conformance::suite!(super::platform(1));
}
