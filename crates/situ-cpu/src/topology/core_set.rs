//! Sets of logical processors.

use std::fmt;

use super::os;

/// Above this the list is nonsense: kernels are built for some thousands of processors, and a range such as
/// `0-4294967295` must not be spelled out in memory.
const MOST_CORES: u32 = 1 << 16;

/// A set of logical processors, sorted, without repeats.
///
/// It reads and prints the kernel's list notation, such as `0-3,8,10-11`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CoreSet(Vec<u32>);

impl CoreSet {
    /// The set of these processors, in any order.
    pub fn new(cores: impl IntoIterator<Item = u32>) -> CoreSet {
        let mut cores: Vec<u32> = cores.into_iter().collect();
        cores.sort_unstable();
        cores.dedup();
        CoreSet(cores)
    }

    /// Reads the kernel's list notation; `None` if it is anything else.
    ///
    /// An empty list is an empty set: that is how the kernel writes the processors of a memory-only node.
    pub fn parse(list: &str) -> Option<CoreSet> {
        let list = list.trim();
        if list.is_empty() {
            return Some(CoreSet(Vec::new()));
        }
        let mut cores = Vec::new();
        for range in list.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last) = (first.trim().parse::<u32>().ok()?, last.trim().parse::<u32>().ok()?);
            if first > last || last >= MOST_CORES {
                return None;
            }
            cores.extend(first..=last);
        }
        Some(CoreSet::new(cores))
    }

    /// Number of processors.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The processors in ascending order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    /// Whether this processor is among them.
    pub fn contains(&self, core: u32) -> bool {
        self.0.binary_search(&core).is_ok()
    }

    /// The lowest-numbered `n` of them, or all if there are fewer.
    pub fn first(&self, n: usize) -> CoreSet {
        CoreSet(self.0.iter().take(n).copied().collect())
    }

    /// Those that are in both sets.
    pub fn intersect(&self, other: &CoreSet) -> CoreSet {
        CoreSet(self.iter().filter(|&core| other.contains(core)).collect())
    }

    /// Keeps the calling thread on these processors, and tells whether the system agreed.
    ///
    /// A refusal costs speed, not correctness, so callers may ignore it.
    pub fn bind_current_thread(&self) -> bool {
        os::bind_current_thread(self)
    }
}

impl fmt::Display for CoreSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, run) in self.0.chunk_by(|a, b| a + 1 == *b).enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            match run {
                [first, .., last] => write!(f, "{first}-{last}")?,
                [only] => write!(f, "{only}")?,
                [] => {}
            }
        }
        Ok(())
    }
}
