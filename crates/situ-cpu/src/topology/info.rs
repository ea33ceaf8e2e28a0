//! The description of the native CPU device that users see.

use situ_types::{Aspect, BackendKind, CacheKind, DeviceInfo, DeviceType};

use super::{CoreSet, Topology, vector};

/// What every x86-64 and nearly every 64-bit ARM processor has, for when the kernel does not say.
const USUAL_CACHE_LINE: u32 = 64;
const USUAL_FIRST_LEVEL: u64 = 32 << 10;

const SUB_GROUP_SIZES: [u32; 5] = [4, 8, 16, 32, 64];
const MAX_WORK_GROUP_SIZE: u32 = 8192;

/// CPUs come last among real devices, but before none at all.
const DEFAULT_SCORE: i32 = 1;
/// A part of a device is only ever chosen by name.
const NEVER_DEFAULT: i32 = -1;

const ASPECTS: [Aspect; 13] = [
    Aspect::Atomic64,
    Aspect::Cpu,
    Aspect::Fp16,
    Aspect::Fp64,
    Aspect::HostDebuggable,
    Aspect::OnlineCompiler,
    Aspect::QueueProfiling,
    Aspect::UsmAtomicHostAllocations,
    Aspect::UsmAtomicSharedAllocations,
    Aspect::UsmDeviceAllocations,
    Aspect::UsmHostAllocations,
    Aspect::UsmSharedAllocations,
    Aspect::UsmSystemAllocations,
];

impl Topology {
    /// Describes the device, or for `is_root == false` the sub-device, made of these cores.
    ///
    /// Unknown sizes and clocks are 0, except the largest allocation: not knowing the size of the memory is no reason
    /// to refuse one.
    pub fn device_info(&self, cores: &CoreSet, is_root: bool) -> DeviceInfo {
        let units = u32::try_from(cores.len()).unwrap_or(u32::MAX);
        let first_level = self.machine.first_level(cores);
        let last_level = self.machine.last_level(cores);
        let line = last_level.iter().copied().chain(first_level).find_map(|cache| cache.line);
        let memory = self.memory_size();
        let widths = vector::widths();
        DeviceInfo {
            backend: BackendKind::Native,
            device_type: DeviceType::Cpu,
            name: self.processor.name.clone(),
            vendor: self.processor.vendor.clone(),
            driver_version: env!("CARGO_PKG_VERSION").to_owned(),
            default_score: if is_root { DEFAULT_SCORE } else { NEVER_DEFAULT },
            aspects: ASPECTS.to_vec(),
            max_compute_units: units,
            max_work_item_dims: 3,
            max_work_item_sizes: [u64::from(MAX_WORK_GROUP_SIZE); 3],
            max_work_group_size: u64::from(MAX_WORK_GROUP_SIZE),
            max_num_sub_groups: MAX_WORK_GROUP_SIZE / SUB_GROUP_SIZES[0],
            sub_group_sizes: SUB_GROUP_SIZES.to_vec(),
            sub_group_independent_forward_progress: false,
            max_clock_frequency: self.machine.max_khz(cores).map(|khz| khz / 1000).or(self.processor.mhz).unwrap_or(0),
            profiling_timer_resolution: 1,
            global_mem_size: memory.unwrap_or(0),
            local_mem_size: first_level.map_or(USUAL_FIRST_LEVEL, |cache| cache.bytes),
            max_mem_alloc_size: memory.unwrap_or(isize::MAX as u64),
            global_mem_cache_kind: CacheKind::ReadWrite,
            global_mem_cache_size: last_level.iter().map(|cache| cache.bytes).sum(),
            global_mem_cache_line_size: line.unwrap_or(USUAL_CACHE_LINE),
            preferred_vector_widths: widths,
            native_vector_widths: widths,
            partition_max_sub_devices: if units > 1 { units } else { 0 },
        }
    }
}
