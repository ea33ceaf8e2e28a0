//! Memory nodes, caches and physical cores.

use super::core_set::CoreSet;
use super::kernel_files::KernelFiles;

/// A cache for data; several processors may share it.
#[derive(Debug)]
pub(super) struct Cache {
    pub(super) level: u32,
    pub(super) bytes: u64,
    pub(super) line: Option<u32>,
    shared: CoreSet,
}

/// A logical processor.
#[derive(Debug)]
struct Cpu {
    id: u32,
    numa: u32,
    package: u32,
    core: u32,
    max_khz: Option<u32>,
    /// Indices into the machine's caches.
    caches: Vec<usize>,
}

/// The usable processors and what they share.
#[derive(Debug)]
pub(super) struct Machine {
    /// In ascending order of id.
    cpus: Vec<Cpu>,
    caches: Vec<Cache>,
}

impl Machine {
    /// Reads the facts of these processors.
    pub(super) fn read(files: &KernelFiles, cores: &CoreSet) -> Machine {
        let nodes = memory_nodes(files);
        let mut machine = Machine { cpus: Vec::with_capacity(cores.len()), caches: Vec::new() };
        for id in cores.iter() {
            let directory = directory(id);
            let siblings = ["core_cpus_list", "thread_siblings_list"]
                .iter()
                .find_map(|name| files.cores(format!("{directory}/topology/{name}")))
                .unwrap_or_else(|| CoreSet::new([id]));
            let cpu = Cpu {
                id,
                numa: nodes.iter().find(|(_, cores)| cores.contains(id)).map_or(0, |(node, _)| *node),
                package: files.number(format!("{directory}/topology/physical_package_id")).unwrap_or(0),
                core: files.number(format!("{directory}/topology/core_id")).unwrap_or(id),
                max_khz: files.number(format!("{directory}/cpufreq/cpuinfo_max_freq")),
                caches: machine.caches_of_core(files, id, &siblings),
            };
            machine.cpus.push(cpu);
        }
        machine
    }

    /// Processors of this set, ordered so that those which share more stand closer together.
    pub(super) fn by_place(&self, cores: &CoreSet) -> Vec<u32> {
        let mut order: Vec<u32> = cores.iter().collect();
        order.sort_by_cached_key(|&id| {
            let place = |cpu| (self.cache_at(cpu, 3), self.cache_at(cpu, 2), cpu.package, cpu.core);
            (self.node(id), self.cpu(id).map(place), id)
        });
        order
    }

    /// The memory node of a processor.
    pub(super) fn node(&self, id: u32) -> Option<usize> {
        self.cpu(id).map(|cpu| cpu.numa as usize)
    }

    /// Which cache of that level a processor uses; equal answers mean the same cache.
    pub(super) fn cache(&self, id: u32, level: u32) -> Option<usize> {
        self.cache_at(self.cpu(id)?, level)
    }

    /// The smallest first-level cache of these processors; hybrid machines have several sizes.
    pub(super) fn first_level(&self, cores: &CoreSet) -> Option<&Cache> {
        let first_levels = self.among(cores).filter_map(|cpu| self.cache_at(cpu, 1));
        first_levels.map(|cache| &self.caches[cache]).min_by_key(|cache| cache.bytes)
    }

    /// The distinct outermost caches of these processors.
    pub(super) fn last_level(&self, cores: &CoreSet) -> Vec<&Cache> {
        let outermost = |cpu: &Cpu| cpu.caches.iter().copied().max_by_key(|&cache| self.caches[cache].level);
        let mut found: Vec<usize> = self.among(cores).filter_map(outermost).collect();
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|cache| &self.caches[cache]).collect()
    }

    /// Bytes of the largest cache that any processor uses.
    pub(super) fn largest_cache(&self) -> Option<u64> {
        self.caches.iter().map(|cache| cache.bytes).max()
    }

    /// The fastest clock of these processors in kHz.
    pub(super) fn max_khz(&self, cores: &CoreSet) -> Option<u32> {
        self.among(cores).filter_map(|cpu| cpu.max_khz).max()
    }

    fn among(&self, cores: &CoreSet) -> impl Iterator<Item = &Cpu> {
        self.cpus.iter().filter(|cpu| cores.contains(cpu.id))
    }

    fn cpu(&self, id: u32) -> Option<&Cpu> {
        let position = self.cpus.binary_search_by_key(&id, |cpu| cpu.id).ok()?;
        Some(&self.cpus[position])
    }

    fn cache_at(&self, cpu: &Cpu, level: u32) -> Option<usize> {
        cpu.caches.iter().copied().find(|&cache| self.caches[cache].level == level)
    }

    /// The caches of the physical core that processor `id` belongs to.
    ///
    /// SMT siblings share every cache of their core, whatever a hypervisor writes about each of them, and reading a
    /// core once halves the work on large machines.
    fn caches_of_core(&mut self, files: &KernelFiles, id: u32, siblings: &CoreSet) -> Vec<usize> {
        if let Some(sibling) = siblings.iter().find_map(|sibling| self.cpu(sibling)) {
            return sibling.caches.clone();
        }
        let mut caches = Vec::new();
        for index in 0.. {
            let directory = format!("{}/cache/index{index}", directory(id));
            let Some(kind) = files.text(format!("{directory}/type")) else { break };
            if kind == "Instruction" {
                continue;
            }
            caches.extend(self.cache_in(files, &directory, id));
        }
        caches
    }

    /// The cache described in this directory, remembered if it was not known yet.
    fn cache_in(&mut self, files: &KernelFiles, directory: &str, id: u32) -> Option<usize> {
        let level = files.number(format!("{directory}/level"))?;
        let shared = files.cores(format!("{directory}/shared_cpu_list")).unwrap_or_else(|| CoreSet::new([id]));
        let same = |cache: &Cache| cache.level == level && cache.shared == shared;
        if let Some(known) = self.caches.iter().position(same) {
            return Some(known);
        }
        let bytes = size_in_bytes(&files.text(format!("{directory}/size"))?)?;
        let line = files.number(format!("{directory}/coherency_line_size"));
        self.caches.push(Cache { level, bytes, line, shared });
        Some(self.caches.len() - 1)
    }
}

fn directory(id: u32) -> String {
    format!("sys/devices/system/cpu/cpu{id}")
}

/// Every memory node with its processors.
fn memory_nodes(files: &KernelFiles) -> Vec<(u32, CoreSet)> {
    let nodes = files.cores("sys/devices/system/node/online").unwrap_or_else(|| CoreSet::new([]));
    let with_cores = |node| Some((node, files.cores(format!("sys/devices/system/node/node{node}/cpulist"))?));
    nodes.iter().filter_map(with_cores).collect()
}

/// Reads a size such as `48K`, the only unit the kernel writes.
fn size_in_bytes(text: &str) -> Option<u64> {
    text.strip_suffix('K')?.parse::<u64>().ok()?.checked_mul(1 << 10)
}
