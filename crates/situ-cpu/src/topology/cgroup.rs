//! Limits that control groups put on this process.
//!
//! A machine may use version 1 (one hierarchy per controller), version 2 (one for all) or both. The files of the two
//! have different names, so every directory of either is asked for both, and whichever answers counts. A limit binds
//! all groups below it, so every group from this process' own up to the root is asked and the strictest wins.

use std::path::{Component, Path, PathBuf};

use super::core_set::CoreSet;
use super::kernel_files::KernelFiles;

/// Version 1 writes "no limit" as the largest multiple of the page size, which differs between machines.
const NO_LIMIT: u64 = 1 << 62;

/// The directories of the groups this process belongs to, by controller, innermost first.
#[derive(Debug)]
pub(super) struct Cgroups {
    cpu: Vec<PathBuf>,
    cpuset: Vec<PathBuf>,
    memory: Vec<PathBuf>,
}

impl Cgroups {
    /// Finds the groups through `/proc/self`.
    pub(super) fn of_this_process(files: &KernelFiles) -> Cgroups {
        let membership = files.text("proc/self/cgroup").unwrap_or_default();
        let mounts = files.text("proc/self/mountinfo").unwrap_or_default();
        let directories = |controller| directories(&membership, &mounts, controller);
        Cgroups { cpu: directories("cpu"), cpuset: directories("cpuset"), memory: directories("memory") }
    }

    /// Whole processors that the CPU quota pays for, rounded up.
    pub(super) fn cpu_quota(&self, files: &KernelFiles) -> Option<usize> {
        let quotas = self.cpu.iter().filter_map(|group| {
            let (quota, period) = quota_and_period(files, group)?;
            usize::try_from(quota.div_ceil(period)).ok()
        });
        quotas.min()
    }

    /// Processors that the cpuset controller leaves.
    pub(super) fn cpuset(&self, files: &KernelFiles) -> Option<CoreSet> {
        let names = ["cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"];
        let sets = self.cpuset.iter().filter_map(|group| {
            // An empty list means that the group inherits its parent's.
            names.iter().filter_map(|name| files.cores(group.join(name))).find(|cores| !cores.is_empty())
        });
        sets.reduce(|a, b| a.intersect(&b))
    }

    /// Bytes of memory that the groups may hold.
    pub(super) fn memory_limit(&self, files: &KernelFiles) -> Option<u64> {
        self.memory.iter().filter_map(|group| memory_limit(files, group)).min()
    }

    /// Bytes of memory that the groups may still take.
    pub(super) fn memory_left(&self, files: &KernelFiles) -> Option<u64> {
        let left = self.memory.iter().filter_map(|group| {
            let limit = memory_limit(files, group)?;
            Some(limit.saturating_sub(memory_used(files, group)))
        });
        left.min()
    }
}

fn quota_and_period(files: &KernelFiles, group: &Path) -> Option<(u64, u64)> {
    let (quota, period): (u64, u64) = if let Some(max) = files.text(group.join("cpu.max")) {
        let (quota, period) = max.split_once(' ')?;
        (quota.parse().ok()?, period.trim().parse().ok()?)
    } else {
        // Version 1 writes "no quota" as -1, which does not parse as unsigned.
        (files.number(group.join("cpu.cfs_quota_us"))?, files.number(group.join("cpu.cfs_period_us"))?)
    };
    (period > 0).then_some((quota, period))
}

fn memory_limit(files: &KernelFiles, group: &Path) -> Option<u64> {
    let limit = files.number(group.join("memory.max")).or_else(|| files.number(group.join("memory.limit_in_bytes")))?;
    (limit < NO_LIMIT).then_some(limit)
}

/// Bytes in use, less the cached file pages that the kernel drops on demand, as `MemAvailable` counts them too.
fn memory_used(files: &KernelFiles, group: &Path) -> u64 {
    let usage = ["memory.current", "memory.usage_in_bytes"];
    let used: u64 = usage.iter().find_map(|name| files.number(group.join(name))).unwrap_or(0);
    let stat = files.text(group.join("memory.stat")).unwrap_or_default();
    // In version 1 the plain entry leaves out the groups below, which the usage includes.
    let entry = |name: &str| stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    let droppable = entry("total_inactive_file ").or_else(|| entry("inactive_file ")).unwrap_or(0);
    used.saturating_sub(droppable)
}

/// Where `controller` describes this process: in its version 1 hierarchy, in version 2, or in both.
fn directories(membership: &str, mounts: &str, controller: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for line in membership.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (fields.next(), fields.next()) else { continue };
        let unified = controllers.is_empty();
        if !unified && !controllers.split(',').any(|name| name == controller) {
            continue;
        }
        let mount = mounts.lines().find_map(|line| Mount::parse(line, (!unified).then_some(controller)));
        let mount = mount.unwrap_or_else(|| Mount::usual((!unified).then_some(controller)));
        found.extend(mount.groups(group));
    }
    found
}

/// A mounted control group hierarchy.
struct Mount {
    /// The group that is visible at the mount point.
    root: PathBuf,
    /// The mount point, relative to the root directory.
    point: PathBuf,
}

impl Mount {
    /// Reads a line of `mountinfo`, if it mounts the controller's hierarchy, or version 2 for `None`.
    fn parse(line: &str, controller: Option<&str>) -> Option<Mount> {
        let (place, kind) = line.split_once(" - ")?;
        let mut kind = kind.split(' ');
        let fs_type = kind.next()?;
        let mut options = kind.nth(1)?.split(',');
        let wanted = match controller {
            Some(controller) => fs_type == "cgroup" && options.any(|option| option == controller),
            None => fs_type == "cgroup2",
        };
        let mut place = place.split(' ').skip(3);
        let (root, point) = (place.next()?, place.next()?);
        wanted.then(|| Mount { root: root.into(), point: point.trim_start_matches('/').into() })
    }

    /// Where distributions mount it.
    fn usual(controller: Option<&str>) -> Mount {
        let base = Path::new("sys/fs/cgroup");
        Mount { root: "/".into(), point: controller.map_or(base.to_owned(), |name| base.join(name)) }
    }

    /// The directories of `group` and of its ancestors that are visible here, innermost first.
    fn groups(&self, group: &str) -> Vec<PathBuf> {
        // In a container the group may be named from outside, or lie beside what is mounted here. The mount point is
        // then the nearest group that can be seen.
        let inside = Path::new(group).strip_prefix(&self.root).unwrap_or(Path::new(""));
        let plain = inside.components().all(|part| matches!(part, Component::Normal(_)));
        let inside = if plain { inside } else { Path::new("") };
        inside.ancestors().map(|ancestor| self.point.join(ancestor)).collect()
    }
}
