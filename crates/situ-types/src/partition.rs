//! How a device can be split into sub-devices.

use std::fmt;

/// A request to split a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Partition {
    /// As many sub-devices of this many compute units as fit.
    Equally(usize),
    /// One sub-device per entry, each with that many compute units.
    ByCounts(Vec<usize>),
    /// One sub-device per affinity domain.
    ByAffinity(AffinityDomain),
}

/// A part of the machine whose cores share something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AffinityDomain {
    /// Cores of one memory node.
    Numa,
    /// Cores that share a fourth-level cache.
    L4Cache,
    /// Cores that share a third-level cache.
    L3Cache,
    /// Cores that share a second-level cache.
    L2Cache,
    /// Cores that share a first-level cache.
    L1Cache,
    /// The first of the domains above, outermost first, that splits the device.
    NextPartitionable,
    /// No domain: never splits.
    NotApplicable,
}

impl AffinityDomain {
    /// Every domain.
    pub const ALL: [AffinityDomain; 7] = [
        AffinityDomain::Numa,
        AffinityDomain::L4Cache,
        AffinityDomain::L3Cache,
        AffinityDomain::L2Cache,
        AffinityDomain::L1Cache,
        AffinityDomain::NextPartitionable,
        AffinityDomain::NotApplicable,
    ];

    /// The name users write.
    pub const fn name(self) -> &'static str {
        match self {
            AffinityDomain::Numa => "numa",
            AffinityDomain::L4Cache => "L4_cache",
            AffinityDomain::L3Cache => "L3_cache",
            AffinityDomain::L2Cache => "L2_cache",
            AffinityDomain::L1Cache => "L1_cache",
            AffinityDomain::NextPartitionable => "next_partitionable",
            AffinityDomain::NotApplicable => "not_applicable",
        }
    }

    /// The domain with that name, if there is one.
    pub fn from_name(name: &str) -> Option<AffinityDomain> {
        Self::ALL.into_iter().find(|d| d.name() == name)
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Partition::Equally(n) => write!(f, "{n} compute units each"),
            Partition::ByCounts(counts) => write!(f, "compute units {counts:?}"),
            Partition::ByAffinity(domain) => f.write_str(domain.name()),
        }
    }
}
