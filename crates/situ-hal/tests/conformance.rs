//! The null device passes what every backend must, when it executes commands at once.

use situ_hal::null::{NullConfig, platform};

situ_conformance::suite!(Some(platform(NullConfig::default())));
