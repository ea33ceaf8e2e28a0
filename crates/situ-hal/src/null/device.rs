//! Null devices and their sub-devices.

use std::sync::Arc;

use situ_types::{Aspect, BackendKind, CacheKind, DeviceInfo, DeviceType, Partition, VectorWidths};

use super::context::MEMORY_BYTES;
use super::{Call, NullConfig, faults};
use crate::{Device, HalError, Result};

#[derive(Debug)]
pub(super) struct NullDevice {
    info: DeviceInfo,
}

impl NullDevice {
    pub(super) fn root(number: usize, config: NullConfig) -> NullDevice {
        NullDevice { info: describe(number, config) }
    }

    fn part(&self, units: usize) -> Arc<dyn Device> {
        let units = units as u32;
        let info =
            DeviceInfo { max_compute_units: units, partition_max_sub_devices: most_parts(units), ..self.info.clone() };
        Arc::new(NullDevice { info })
    }

    /// The compute units of each part, or what to ask for instead.
    fn split(&self, how: &Partition) -> Result<Vec<usize>, String> {
        let units = self.info.max_compute_units as usize;
        if most_parts(self.info.max_compute_units) == 0 {
            return Err("use the device whole".into());
        }
        match how {
            Partition::Equally(each) if (1..=units).contains(each) => Ok(vec![*each; units / each]),
            Partition::Equally(_) => Err(format!("ask for 1 to {units} compute units each")),
            Partition::ByCounts(counts) => {
                let total = counts.iter().fold(0usize, |sum, &count| sum.saturating_add(count));
                if total <= units && total > 0 && !counts.contains(&0) {
                    Ok(counts.clone())
                } else {
                    Err(format!("ask for counts of at least 1 that add up to at most {units}"))
                }
            }
            Partition::ByAffinity(_) => Err("it has no affinity domains; ask for numbers of compute units".into()),
        }
    }
}

impl Device for NullDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn partition(&self, how: &Partition) -> Result<Vec<Arc<dyn Device>>> {
        faults::pass(Call::Partition).map_err(|fault| fault.error("partition", 0))?;
        match self.split(how) {
            Ok(parts) => Ok(parts.into_iter().map(|units| self.part(units)).collect()),
            Err(remedy) => {
                let DeviceInfo { name, max_compute_units: units, .. } = &self.info;
                let plural = if *units == 1 { "" } else { "s" };
                Err(HalError::Unsupported {
                    operation: "partition".into(),
                    detail: format!("{how} was asked for, and {name} has {units} compute unit{plural}; {remedy}"),
                })
            }
        }
    }
}

/// A single unit cannot be split, which the description says with a 0.
fn most_parts(units: u32) -> u32 {
    if units > 1 { units } else { 0 }
}

fn describe(number: usize, config: NullConfig) -> DeviceInfo {
    let units = config.compute_units.max(1);
    let widths = VectorWidths {
        char: 1,
        short: 1,
        int: 1,
        long: 1,
        float: 1,
        double: config.fp64.into(),
        half: config.fp16.into(),
    };
    let mut aspects = vec![
        Aspect::Custom,
        Aspect::Emulated,
        Aspect::QueueProfiling,
        Aspect::UsmDeviceAllocations,
        Aspect::UsmHostAllocations,
        Aspect::UsmSharedAllocations,
        Aspect::UsmSystemAllocations,
    ];
    aspects.extend(config.fp16.then_some(Aspect::Fp16));
    aspects.extend(config.fp64.then_some(Aspect::Fp64));
    DeviceInfo {
        backend: BackendKind::Null,
        device_type: DeviceType::Custom,
        name: format!("situ null device {number}"),
        vendor: "situ".into(),
        driver_version: env!("CARGO_PKG_VERSION").into(),
        default_score: -1,
        aspects,
        max_compute_units: units,
        max_work_item_dims: 3,
        max_work_item_sizes: [1024; 3],
        max_work_group_size: 1024,
        max_num_sub_groups: 1024,
        sub_group_sizes: vec![1],
        sub_group_independent_forward_progress: false,
        max_clock_frequency: 0,
        profiling_timer_resolution: 1,
        global_mem_size: MEMORY_BYTES as u64,
        local_mem_size: 64 << 10,
        max_mem_alloc_size: MEMORY_BYTES as u64,
        global_mem_cache_kind: CacheKind::None,
        global_mem_cache_size: 0,
        global_mem_cache_line_size: 0,
        preferred_vector_widths: widths,
        native_vector_widths: widths,
        partition_max_sub_devices: most_parts(units),
    }
}
