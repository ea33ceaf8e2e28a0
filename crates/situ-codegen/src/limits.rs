//! What a device has room for.

use situ_types::{BackendKind, DeviceInfo, DeviceType};

/// How many elements by index are worth sorting; measured on an H200.
const WORTH_SORTING: usize = 1 << 24;

/// What part of a device's memory a command may take to be faster.
const SCRATCH_SHARE: u64 = 128;

/// The most local memory that a block declares: what every driver grants without being asked.
const LOCAL: usize = 48 << 10;

/// What a device has room for, as far as the choice of kernels depends on it. Results do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceLimits {
    /// Bytes of scratch memory that a command may take to be faster. One that cannot do without takes what it needs.
    pub scratch: usize,
    /// Bytes of the cache that all processors of the device share.
    pub cache: usize,
    /// Bytes of local memory that a block may declare.
    pub local: usize,
    /// The most threads of a block.
    pub group: usize,
    /// Bytes of local memory that a block may have, if it is asked for at the launch.
    pub group_local: usize,
    /// Whether 16 bytes can be exchanged at once.
    pub wide_atomics: bool,
    /// Whether 32 neighbouring threads exchange values without the others of their block.
    pub sub_groups: bool,
    /// Whether the device is a processor: a few cores, each of which goes through the threads of a block.
    pub is_processor: bool,
    /// How many processors the device has.
    pub cores: usize,
    /// From how many elements on gather and scatter may sort them.
    pub sort_from: usize,
}

impl DeviceLimits {
    /// The limits of a device.
    pub fn of(info: &DeviceInfo) -> DeviceLimits {
        DeviceLimits {
            scratch: usize::try_from(info.global_mem_size / SCRATCH_SHARE).unwrap_or(usize::MAX),
            cache: info.global_mem_cache_size as usize,
            local: usize::try_from(info.local_mem_size).unwrap_or(usize::MAX).min(LOCAL),
            group: usize::try_from(info.max_work_group_size).unwrap_or(usize::MAX),
            group_local: usize::try_from(info.local_mem_size).unwrap_or(usize::MAX),
            wide_atomics: false,
            sub_groups: info.backend == BackendKind::Cuda,
            cores: info.max_compute_units.max(1) as usize,
            is_processor: info.device_type == DeviceType::Cpu,
            sort_from: WORTH_SORTING,
        }
    }

    /// The same with no more scratch memory than there must be.
    pub fn without_scratch(self) -> DeviceLimits {
        DeviceLimits { scratch: 0, ..self }
    }
}
