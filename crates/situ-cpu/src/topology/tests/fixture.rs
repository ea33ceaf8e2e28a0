//! Kernel files of made-up machines in a temporary directory.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{Topology, cores};

/// A directory that plays the root of a machine; removed when dropped.
pub(super) struct Fixture {
    root: PathBuf,
}

impl Fixture {
    /// A machine whose kernel says nothing at all.
    pub(super) fn silent() -> Fixture {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let unique = format!("situ-topology-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let root = std::env::temp_dir().join(unique);
        fs::create_dir_all(&root).unwrap();
        Fixture { root }
    }

    /// Two cores without SMT; each has L1 and L2 caches, both share an L3 cache; one memory node.
    pub(super) fn two_cores() -> Fixture {
        let mut machine = Fixture::silent().online("0-1").nodes("0").node(0, "0-1");
        for id in 0..2 {
            let own = id.to_string();
            machine = machine.core(id, 0, id, &own).caches(id, &own, "0-1");
        }
        machine.file("proc/meminfo", "MemTotal:       24682416 kB\nMemFree: 1 kB\nMemAvailable:   20000000 kB\n")
    }

    /// Four cores with two threads each, numbered (0,4) (1,5) | (2,6) (3,7); two memory nodes, each with an L3 cache.
    pub(super) fn eight_threads() -> Fixture {
        let mut machine = Fixture::silent().online("0-7").nodes("0-1").node(0, "0-1,4-5").node(1, "2-3,6-7");
        for id in 0..8 {
            let (core, package) = (id % 4, id % 4 / 2);
            let siblings = format!("{core},{}", core + 4);
            let l3 = if package == 0 { "0-1,4-5" } else { "2-3,6-7" };
            // The kernel numbers cores from 0 again in each package.
            machine = machine.core(id, package, core % 2, &siblings).caches(id, &siblings, l3);
        }
        machine
    }

    pub(super) fn file(self, path: &str, text: &str) -> Fixture {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(super) fn online(self, list: &str) -> Fixture {
        self.file("sys/devices/system/cpu/online", list)
    }

    pub(super) fn nodes(self, list: &str) -> Fixture {
        self.file("sys/devices/system/node/online", list)
    }

    pub(super) fn node(self, node: u32, list: &str) -> Fixture {
        self.file(&format!("sys/devices/system/node/node{node}/cpulist"), list)
    }

    pub(super) fn core(self, id: u32, package: u32, core: u32, siblings: &str) -> Fixture {
        let directory = format!("sys/devices/system/cpu/cpu{id}/topology");
        self.file(&format!("{directory}/physical_package_id"), &format!("{package}\n"))
            .file(&format!("{directory}/core_id"), &format!("{core}\n"))
            .file(&format!("{directory}/core_cpus_list"), siblings)
    }

    /// The four caches of a usual x86 core: `own` are the threads of the core, `all` those that share the third level.
    pub(super) fn caches(self, id: u32, own: &str, all: &str) -> Fixture {
        self.cache(id, 0, "1 Data 48K", own)
            .cache(id, 1, "1 Instruction 64K", own)
            .cache(id, 2, "2 Unified 1280K", own)
            .cache(id, 3, "3 Unified 49152K", all)
    }

    /// One cache, described as level, type and size.
    pub(super) fn cache(self, id: u32, index: u32, described: &str, shared: &str) -> Fixture {
        let directory = format!("sys/devices/system/cpu/cpu{id}/cache/index{index}");
        let [level, kind, size] = described.split(' ').collect::<Vec<_>>().try_into().unwrap();
        self.file(&format!("{directory}/level"), level)
            .file(&format!("{directory}/type"), &format!("{kind}\n"))
            .file(&format!("{directory}/size"), &format!("{size}\n"))
            .file(&format!("{directory}/shared_cpu_list"), &format!("{shared}\n"))
            .file(&format!("{directory}/coherency_line_size"), "64\n")
    }

    /// What a process with this affinity mask would find.
    pub(super) fn topology(&self, allowed: &str) -> Topology {
        Topology::from_root(&self.root, cores(allowed))
    }

    /// The usable processors of a process with this affinity mask, in the kernel's notation.
    pub(super) fn usable(&self, allowed: &str) -> String {
        self.topology(allowed).usable().to_string()
    }

    /// Changes a file while a topology is alive.
    pub(super) fn rewrite(&self, path: &str, text: &str) {
        fs::write(self.root.join(path), text).unwrap();
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // Leaving a directory behind is better than hiding why the test failed.
        let _ = fs::remove_dir_all(&self.root);
    }
}
