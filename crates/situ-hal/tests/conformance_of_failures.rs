//! The null device, told to fail, does what every backend must after a failure.

use situ_hal::null::{self, Call, Fault, Faults, Latency, NullConfig};

#[test]
fn failures() {
    let _alone = null::exclusive();
    for latency in [Latency::Immediate, Latency::OnWait] {
        null::set_latency(latency);
        let platform = null::platform(NullConfig::default());
        situ_conformance::failures(platform, || Faults::fail(Call::Execute, 1, Fault::DeviceLost));
    }
}
