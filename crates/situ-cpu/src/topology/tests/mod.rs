//! The topology of made-up machines, and of the one the tests run on.

mod cgroup;
mod core_set;
mod fixture;
mod info;
mod live;
mod partition;
mod usable;

use super::{CoreSet, Topology};

/// The set written in the kernel's notation.
fn cores(list: &str) -> CoreSet {
    CoreSet::parse(list).unwrap()
}
