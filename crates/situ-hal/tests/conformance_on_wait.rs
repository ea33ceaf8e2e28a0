//! The null device passes what every backend must, when it executes commands only as somebody waits for them.

use std::sync::Arc;

use situ_hal::Platform;
use situ_hal::null::{self, Latency, NullConfig};

fn patient() -> Arc<dyn Platform> {
    null::set_latency(Latency::OnWait);
    null::platform(NullConfig::default())
}

situ_conformance::suite!(Some(patient()));
