//! What the driver says about a device.

use situ_codegen::DeviceLimits;
use situ_types::{Aspect, BackendKind, CacheKind, DeviceInfo, DeviceType, VectorWidths};

use crate::driver::{Driver, Ordinal, code};

/// The driver's numbers of attributes.
mod attribute {
    pub(super) const MAX_THREADS_PER_BLOCK: i32 = 1;
    pub(super) const MAX_BLOCK_DIM: [i32; 3] = [2, 3, 4];
    pub(super) const MAX_SHARED_MEMORY_PER_BLOCK: i32 = 8;
    pub(super) const WARP_SIZE: i32 = 10;
    pub(super) const CLOCK_RATE: i32 = 13;
    pub(super) const MULTIPROCESSOR_COUNT: i32 = 16;
    pub(super) const L2_CACHE_SIZE: i32 = 38;
    pub(super) const COMPUTE_CAPABILITY_MAJOR: i32 = 75;
    pub(super) const COMPUTE_CAPABILITY_MINOR: i32 = 76;
    pub(super) const MANAGED_MEMORY: i32 = 83;
    pub(super) const PAGEABLE_MEMORY_ACCESS: i32 = 88;
    pub(super) const CONCURRENT_MANAGED_ACCESS: i32 = 89;
    pub(super) const MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: i32 = 97;
}

/// A GPU comes before the processor where no device is named, and the first GPU before others.
const DEFAULT_SCORE: i32 = 1000;

/// A device's facts, and what kernels are compiled for.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) info: DeviceInfo,
    /// What the choice of kernels depends on.
    pub(crate) limits: DeviceLimits,
    /// Compute capability: 90 is 9.0.
    pub(crate) capability: i32,
    /// Whether host and device may use managed memory at the same time.
    pub(crate) shares_concurrently: bool,
}

impl Facts {
    pub(crate) fn of(driver: &Driver, device: Ordinal) -> Facts {
        let get = |attribute| {
            let mut value = 0;
            // SAFETY: writes one integer; an unknown attribute is an error code.
            let code = unsafe { (driver.api.cuDeviceGetAttribute)(&raw mut value, attribute, device) };
            if code == code::SUCCESS { value.max(0) as u32 } else { 0 }
        };
        let mut name = [0u8; 256];
        // SAFETY: writes at most as many bytes as it is told, the last of them 0.
        unsafe { (driver.api.cuDeviceGetName)(name.as_mut_ptr().cast(), name.len() as i32, device) };
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        let mut memory = 0;
        // SAFETY: writes one size.
        unsafe { (driver.api.cuDeviceTotalMem_v2)(&raw mut memory, device) };
        let (major, minor) = driver.version();
        let capability = get(attribute::COMPUTE_CAPABILITY_MAJOR) * 10 + get(attribute::COMPUTE_CAPABILITY_MINOR);
        let threads = get(attribute::MAX_THREADS_PER_BLOCK);
        let warp = get(attribute::WARP_SIZE).max(1);
        // Elsewhere the host must not touch such memory while the device works on anything at all.
        let shares_concurrently = get(attribute::MANAGED_MEMORY) != 0 && get(attribute::CONCURRENT_MANAGED_ACCESS) != 0;
        let mut aspects = vec![
            Aspect::Atomic64,
            Aspect::Fp16,
            Aspect::Fp64,
            Aspect::Gpu,
            Aspect::OnlineCompiler,
            Aspect::QueueProfiling,
            Aspect::UsmDeviceAllocations,
            Aspect::UsmHostAllocations,
        ];
        if shares_concurrently {
            aspects.push(Aspect::UsmSharedAllocations);
        }
        if get(attribute::PAGEABLE_MEMORY_ACCESS) != 0 {
            aspects.push(Aspect::UsmSystemAllocations);
        }
        let preferred = VectorWidths { char: 16, short: 8, int: 4, long: 2, float: 4, double: 2, half: 8 };
        let native = VectorWidths { char: 1, short: 1, int: 1, long: 1, float: 1, double: 1, half: 2 };
        let info = DeviceInfo {
            backend: BackendKind::Cuda,
            device_type: DeviceType::Gpu,
            name: String::from_utf8_lossy(name).into_owned(),
            vendor: "NVIDIA Corporation".into(),
            driver_version: format!("{major}.{minor}"),
            default_score: DEFAULT_SCORE - device,
            aspects,
            max_compute_units: get(attribute::MULTIPROCESSOR_COUNT),
            max_work_item_dims: 3,
            max_work_item_sizes: attribute::MAX_BLOCK_DIM.map(|a| get(a).into()),
            max_work_group_size: threads.into(),
            max_num_sub_groups: threads / warp,
            sub_group_sizes: vec![warp],
            sub_group_independent_forward_progress: capability >= 70,
            max_clock_frequency: get(attribute::CLOCK_RATE) / 1000,
            profiling_timer_resolution: 500,
            global_mem_size: memory as u64,
            local_mem_size: get(attribute::MAX_SHARED_MEMORY_PER_BLOCK)
                .max(get(attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN))
                .into(),
            max_mem_alloc_size: memory as u64,
            global_mem_cache_kind: CacheKind::ReadWrite,
            global_mem_cache_size: get(attribute::L2_CACHE_SIZE).into(),
            global_mem_cache_line_size: 128,
            preferred_vector_widths: preferred,
            native_vector_widths: native,
            partition_max_sub_devices: 0,
        };
        // Hopper is the first to exchange 16 bytes at once.
        let limits = DeviceLimits { wide_atomics: capability >= 90, ..DeviceLimits::of(&info) };
        Facts { limits, info, capability: capability as i32, shares_concurrently }
    }
}
