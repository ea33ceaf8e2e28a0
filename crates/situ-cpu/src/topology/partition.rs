//! Splitting a device into sub-devices.

use std::fmt;

use situ_types::{AffinityDomain, Partition};

use super::{CoreSet, Topology};

/// The domains that can split a device, outermost first.
const DOMAINS: [AffinityDomain; 5] = [
    AffinityDomain::Numa,
    AffinityDomain::L4Cache,
    AffinityDomain::L3Cache,
    AffinityDomain::L2Cache,
    AffinityDomain::L1Cache,
];

/// Why a device cannot be split as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartitionError {
    /// The device has a single compute unit.
    #[error(
        "cannot split the device ({asked}): it has {units} compute unit(s), which cannot be divided; \
         use the device itself, or split one with more compute units"
    )]
    Indivisible {
        /// What was asked.
        asked: Partition,
        /// Compute units of the device.
        units: usize,
    },
    /// Equal parts of a size that the device cannot give.
    #[error(
        "cannot split the device into parts of {size} compute units: it has {units}; \
         ask for parts of 1 to {units} compute units"
    )]
    Size {
        /// Compute units asked for each part.
        size: usize,
        /// Compute units of the device.
        units: usize,
    },
    /// An empty list of counts.
    #[error(
        "cannot split the device by an empty list of counts: it has {units} compute units; \
         give one count per sub-device, for example [{}, {}]", units / 2, units - units / 2
    )]
    NoCounts {
        /// Compute units of the device.
        units: usize,
    },
    /// A count of zero.
    #[error(
        "cannot split the device by the counts {counts:?}: entry {position} asks for no compute unit; \
         every count must be at least 1, and together at most the {units} that the device has"
    )]
    ZeroCount {
        /// What was asked.
        counts: Vec<usize>,
        /// Index of the first zero.
        position: usize,
        /// Compute units of the device.
        units: usize,
    },
    /// Counts that add up to more than there is.
    #[error(
        "cannot split the device by the counts {counts:?}: they add up to {sum} compute units, it has {units}; \
         give counts that add up to at most {units}"
    )]
    CountsExceed {
        /// What was asked.
        counts: Vec<usize>,
        /// Their sum.
        sum: usize,
        /// Compute units of the device.
        units: usize,
    },
    /// A domain of which the device has none, or only one.
    #[error("cannot split the device by {}: {}; {remedy}", domain.name(), Reason(*domain, *found, remedy.units))]
    Domain {
        /// What was asked.
        domain: AffinityDomain,
        /// How many such domains the device has.
        found: usize,
        /// What would work instead.
        remedy: Remedy,
    },
}

/// The ways in which a device can be split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// Compute units of the device.
    pub units: usize,
    /// The domains that split it, and into how many parts.
    pub domains: Vec<(AffinityDomain, usize)>,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what works: ")?;
        for (domain, parts) in &self.domains {
            write!(f, "{} ({parts} sub-devices), ", domain.name())?;
        }
        write!(f, "equal parts of 1 to {0} compute units, or counts that add up to at most {0}", self.units)
    }
}

/// The middle of a [`PartitionError::Domain`] message: what the device has.
struct Reason(AffinityDomain, usize, usize);

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reason(domain, found, units) = *self;
        match (domain, found) {
            (AffinityDomain::NotApplicable, _) => write!(f, "it names no part of the device's {units} compute units"),
            (AffinityDomain::NextPartitionable, _) => {
                write!(f, "none of {} splits its {units} compute units", DOMAINS.map(AffinityDomain::name).join(", "))
            }
            (_, 0) => write!(f, "its {units} compute units have no such domain"),
            _ => write!(f, "its {units} compute units lie in {found} such domain"),
        }
    }
}

impl Topology {
    /// Splits these cores into the cores of sub-devices.
    ///
    /// Parts by number take cores that stand close together: memory node first, then caches, then SMT siblings.
    pub fn partition(&self, cores: &CoreSet, how: &Partition) -> Result<Vec<CoreSet>, PartitionError> {
        let order = self.machine.by_place(cores);
        if order.len() < 2 {
            return Err(PartitionError::Indivisible { asked: how.clone(), units: order.len() });
        }
        match how {
            Partition::Equally(size) => equally(&order, *size),
            Partition::ByCounts(counts) => by_counts(&order, counts),
            Partition::ByAffinity(domain) => self.by_affinity(&order, *domain),
        }
    }

    fn by_affinity(&self, order: &[u32], asked: AffinityDomain) -> Result<Vec<CoreSet>, PartitionError> {
        let candidates = if asked == AffinityDomain::NextPartitionable { &DOMAINS[..] } else { &[asked] };
        let splitting = candidates.iter().map(|&domain| self.domains(order, domain)).find(|parts| parts.len() > 1);
        splitting.ok_or_else(|| PartitionError::Domain {
            domain: asked,
            found: self.domains(order, asked).len(),
            remedy: self.remedy(order),
        })
    }

    /// The domains these cores lie in; none if the machine has no such thing.
    fn domains(&self, order: &[u32], domain: AffinityDomain) -> Vec<CoreSet> {
        let mut parts: Vec<(Option<usize>, Vec<u32>)> = Vec::new();
        for &core in order {
            let key = self.domain_of(core, domain);
            match parts.iter_mut().find(|(known, _)| *known == key) {
                Some((_, part)) => part.push(core),
                None => parts.push((key, vec![core])),
            }
        }
        // Some hybrid processors have cores outside the last-level cache; those make one part of their own. But where
        // no core has such a cache, the domain does not exist.
        if parts.iter().all(|(key, _)| key.is_none()) {
            return Vec::new();
        }
        parts.into_iter().map(|(_, part)| CoreSet::new(part)).collect()
    }

    fn domain_of(&self, core: u32, domain: AffinityDomain) -> Option<usize> {
        match domain {
            AffinityDomain::Numa => self.machine.node(core),
            AffinityDomain::L4Cache => self.machine.cache(core, 4),
            AffinityDomain::L3Cache => self.machine.cache(core, 3),
            AffinityDomain::L2Cache => self.machine.cache(core, 2),
            AffinityDomain::L1Cache => self.machine.cache(core, 1),
            AffinityDomain::NextPartitionable | AffinityDomain::NotApplicable => None,
        }
    }

    fn remedy(&self, order: &[u32]) -> Remedy {
        let counted = DOMAINS.map(|domain| (domain, self.domains(order, domain).len()));
        Remedy { units: order.len(), domains: counted.into_iter().filter(|(_, parts)| *parts > 1).collect() }
    }
}

fn equally(order: &[u32], size: usize) -> Result<Vec<CoreSet>, PartitionError> {
    if size == 0 || size > order.len() {
        return Err(PartitionError::Size { size, units: order.len() });
    }
    Ok(order.chunks_exact(size).map(|part| CoreSet::new(part.iter().copied())).collect())
}

fn by_counts(order: &[u32], counts: &[usize]) -> Result<Vec<CoreSet>, PartitionError> {
    let units = order.len();
    if counts.is_empty() {
        return Err(PartitionError::NoCounts { units });
    }
    if let Some(position) = counts.iter().position(|&count| count == 0) {
        return Err(PartitionError::ZeroCount { counts: counts.to_vec(), position, units });
    }
    let sum = counts.iter().fold(0, |sum: usize, &count| sum.saturating_add(count));
    if sum > units {
        return Err(PartitionError::CountsExceed { counts: counts.to_vec(), sum, units });
    }
    let mut rest = order.iter().copied();
    Ok(counts.iter().map(|&count| CoreSet::new(rest.by_ref().take(count))).collect())
}
