//! The processor this program runs on, as the operating system describes it.
//!
//! Everything is read from small kernel files (`/sys`, `/proc`, control groups) and from the calling thread's affinity
//! mask. No fact is required: where the kernel says nothing, the fact is unknown and a modest default stands in for it.
//! That is also how other systems are served: they have none of the files, so only the number of processors is known.
//!
//! | file | holds |
//! |---|---|
//! | `core_set` | sets of logical processors in the kernel's own notation |
//! | `kernel_files` | reading one small file below a root that tests can move |
//! | `cgroup` | limits on processors and memory from control groups, versions 1 and 2 |
//! | `machine` | memory nodes, caches and physical cores |
//! | `processor` | name, vendor and nominal clock |
//! | `vector` | vector registers |
//! | `info` | the description users see |
//! | `partition` | sub-devices |
//! | `os` | what needs a system call: one file for Linux, one for the rest |

mod cgroup;
mod core_set;
mod info;
mod kernel_files;
mod machine;
#[cfg_attr(target_os = "linux", path = "os/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "os/fallback.rs")]
mod os;
mod partition;
mod processor;
#[cfg(test)]
mod tests;
mod vector;

use std::path::Path;

use cgroup::Cgroups;
use kernel_files::KernelFiles;
use machine::Machine;
use processor::Processor;

pub use core_set::CoreSet;

/// What to assume of the last-level cache when the kernel does not describe it.
const ASSUMED_LAST_LEVEL_CACHE: u64 = 8 << 20;

/// The machine as the kernel describes it, limited to what this process may use.
#[derive(Debug)]
pub struct Topology {
    files: KernelFiles,
    cgroups: Cgroups,
    usable: CoreSet,
    quota_limited: bool,
    machine: Machine,
    processor: Processor,
    memory_total: Option<u64>,
}

impl Topology {
    /// Asks the operating system; never fails, because a missing fact becomes an unknown one.
    ///
    /// The affinity mask is the calling thread's, so call this before pinning threads.
    pub fn detect() -> Topology {
        let mut topology = Topology::from_root(Path::new("/"), os::allowed());
        topology.memory_total = topology.memory_total.or_else(os::physical_memory);
        topology
    }

    /// The same with every kernel file read below `root`, for a process whose affinity mask is `allowed`.
    fn from_root(root: &Path, allowed: CoreSet) -> Topology {
        let files = KernelFiles::below(root);
        let cgroups = Cgroups::of_this_process(&files);
        let (usable, quota_limited) = usable(&files, &cgroups, allowed);
        Topology {
            machine: Machine::read(&files, &usable),
            processor: Processor::read(&files),
            memory_total: files.meminfo("MemTotal"),
            files,
            cgroups,
            usable,
            quota_limited,
        }
    }

    /// The processors this process may keep busy; never empty.
    pub fn usable(&self) -> &CoreSet {
        &self.usable
    }

    /// Whether a CPU quota, and not a mask, decided how many processors are usable.
    ///
    /// A quota grants an amount of time, not a place: every container of a machine would name the same first
    /// processors. Threads should not be pinned then.
    pub fn quota_limited(&self) -> bool {
        self.quota_limited
    }

    /// Bytes that can still be allocated without swapping or being killed, or `None` when unknown.
    ///
    /// Read afresh at each call.
    pub fn memory_available(&self) -> Option<u64> {
        smaller(self.files.meminfo("MemAvailable"), self.cgroups.memory_left(&self.files))
    }

    /// Bytes of the largest cache that one core sees.
    pub fn last_level_cache(&self) -> u64 {
        self.machine.largest_cache().unwrap_or(ASSUMED_LAST_LEVEL_CACHE)
    }

    /// Bytes of memory this process may ever hold, or `None` when unknown.
    fn memory_size(&self) -> Option<u64> {
        smaller(self.memory_total, self.cgroups.memory_limit(&self.files))
    }
}

/// The usable processors, and whether a quota limited them.
fn usable(files: &KernelFiles, cgroups: &Cgroups, allowed: CoreSet) -> (CoreSet, bool) {
    // Containers can show masks that contradict each other (a virtualised `online`, say). The affinity mask is what
    // the scheduler obeys, so a limit that would leave nothing is not believed.
    let mut cores = if allowed.is_empty() { CoreSet::new([0]) } else { allowed };
    let limits = [files.cores("sys/devices/system/cpu/online"), cgroups.cpuset(files)];
    for limit in limits.into_iter().flatten() {
        let within = cores.intersect(&limit);
        if !within.is_empty() {
            cores = within;
        }
    }
    match cgroups.cpu_quota(files) {
        Some(quota) if quota < cores.len() => (cores.first(quota.max(1)), true),
        _ => (cores, false),
    }
}

/// The smaller of two limits, either of which may be unknown.
fn smaller(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.into_iter().chain(b).min()
}
