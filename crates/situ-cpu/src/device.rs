//! A set of cores and the threads that work for it.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use rayon_core::ThreadPool;
use situ_hal::{Device, HalError, Result};
use situ_types::{DeviceInfo, Partition};

use crate::elementwise::Machine;
use crate::executor::Executor;
use crate::isa::Isa;
use crate::linalg;
use crate::momentum::Momentum;
use crate::team::Team;
use crate::topology::{CoreSet, Topology};

/// The native device, or a part of it. Its threads start with its first work.
pub(crate) struct CpuDevice {
    info: DeviceInfo,
    cores: CoreSet,
    is_root: bool,
    is_bound: bool,
    topology: Arc<Topology>,
    machine: Machine,
    team: Team,
    momentum: Momentum,
    executor: OnceLock<Executor>,
    linalg_pool: OnceLock<Option<ThreadPool>>,
}

impl fmt::Debug for CpuDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuDevice(cores {})", self.cores)
    }
}

impl CpuDevice {
    /// Every core this process may use.
    pub(crate) fn root(topology: Arc<Topology>) -> Arc<CpuDevice> {
        let cores = topology.usable().clone();
        Self::new(topology, cores, true)
    }

    fn new(topology: Arc<Topology>, cores: CoreSet, is_root: bool) -> Arc<CpuDevice> {
        // A quota grants time, not a place: binding would crowd every container of a machine onto its first cores.
        let is_bound = !(is_root && topology.quota_limited());
        let name = format!("cpu{cores}");
        let team = if is_bound { Team::new(&name, cores.iter().collect()) } else { Team::unbound(&name, cores.len()) };
        let machine = Machine {
            isa: Isa::detected(),
            threads: team.width(),
            last_level_cache: topology.last_level_cache() as usize,
        };
        let info = topology.device_info(&cores, is_root);
        Arc::new(CpuDevice {
            info,
            cores,
            is_root,
            is_bound,
            topology,
            machine,
            team,
            momentum: Momentum::default(),
            executor: OnceLock::new(),
            linalg_pool: OnceLock::new(),
        })
    }

    /// The native device behind a device of any backend, if it is one.
    pub(crate) fn shared(device: &Arc<dyn Device>) -> Option<Arc<CpuDevice>> {
        let any: Arc<dyn Any + Send + Sync> = device.clone();
        any.downcast().ok()
    }

    pub(crate) fn topology(&self) -> &Arc<Topology> {
        &self.topology
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    pub(crate) fn team(&self) -> &Team {
        &self.team
    }

    pub(crate) fn momentum(&self) -> &Momentum {
        &self.momentum
    }

    pub(crate) fn executor(&self) -> &Executor {
        self.executor.get_or_init(|| Executor::new(self.cores.clone(), self.is_bound))
    }

    /// Threads for large matrices, if there are any to be had. They start with the first such matrix.
    pub(crate) fn linalg_pool(&self) -> Option<&ThreadPool> {
        self.linalg_pool.get_or_init(|| linalg::pool(&self.cores, self.is_bound)).as_ref()
    }

    /// Whether the calling thread is on one of this device's cores, so that work may run inline.
    pub(crate) fn hosts_caller(&self) -> bool {
        self.is_root || current_processor().is_some_and(|cpu| self.cores.contains(cpu))
    }
}

#[cfg(target_os = "linux")]
fn current_processor() -> Option<u32> {
    // SAFETY: sched_getcpu takes no arguments and touches no memory of ours.
    u32::try_from(unsafe { libc::sched_getcpu() }).ok()
}

#[cfg(not(target_os = "linux"))]
fn current_processor() -> Option<u32> {
    None
}

impl Drop for CpuDevice {
    fn drop(&mut self) {
        if let Some(executor) = self.executor.get() {
            executor.stop();
        }
    }
}

impl Device for CpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn partition(&self, how: &Partition) -> Result<Vec<Arc<dyn Device>>> {
        let parts = self.topology.partition(&self.cores, how).map_err(|error| HalError::Unsupported {
            operation: "create sub-devices".into(),
            detail: error.to_string(),
        })?;
        Ok(parts.into_iter().map(|cores| Self::new(self.topology.clone(), cores, false) as Arc<dyn Device>).collect())
    }
}
