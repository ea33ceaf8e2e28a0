//! Plain descriptions of platforms and devices.

use std::fmt;

/// The family of driver a device is reached through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BackendKind {
    /// The processor this program runs on.
    Native,
    /// NVIDIA GPUs through the CUDA driver.
    Cuda,
    /// Anything with an OpenCL driver.
    OpenCl,
    /// Intel's Level-Zero; recognised, not implemented.
    LevelZero,
    /// AMD's HIP; recognised, not implemented.
    Hip,
    /// Computes one element after another and fails on request; for tests.
    Null,
}

impl BackendKind {
    /// Every backend that a selector may name.
    pub const ALL: [BackendKind; 6] = [
        BackendKind::Native,
        BackendKind::Cuda,
        BackendKind::OpenCl,
        BackendKind::LevelZero,
        BackendKind::Hip,
        BackendKind::Null,
    ];

    /// The name used in selectors and filter strings.
    pub const fn name(self) -> &'static str {
        match self {
            BackendKind::Native => "native",
            BackendKind::Cuda => "cuda",
            BackendKind::OpenCl => "opencl",
            BackendKind::LevelZero => "level_zero",
            BackendKind::Hip => "hip",
            BackendKind::Null => "null",
        }
    }

    /// The language that compilers of its devices take, if they have one of their own.
    pub const fn language(self) -> Option<&'static str> {
        match self {
            BackendKind::Cuda => Some("CUDA C"),
            BackendKind::OpenCl => Some("OpenCL C"),
            BackendKind::Native | BackendKind::LevelZero | BackendKind::Hip | BackendKind::Null => None,
        }
    }

    /// The backend with that name, if there is one.
    pub fn from_name(name: &str) -> Option<BackendKind> {
        Self::ALL.into_iter().find(|b| b.name() == name)
    }
}

impl fmt::Display for BackendKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What sort of processor a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeviceType {
    /// A general-purpose processor.
    Cpu,
    /// A graphics processor.
    Gpu,
    /// Any other accelerator.
    Accelerator,
    /// None of the above, such as the null device.
    Custom,
}

impl DeviceType {
    /// Every device type.
    pub const ALL: [DeviceType; 4] = [DeviceType::Cpu, DeviceType::Gpu, DeviceType::Accelerator, DeviceType::Custom];

    /// The name used in selectors and filter strings.
    pub const fn name(self) -> &'static str {
        match self {
            DeviceType::Cpu => "cpu",
            DeviceType::Gpu => "gpu",
            DeviceType::Accelerator => "accelerator",
            DeviceType::Custom => "custom",
        }
    }

    /// The device type with that name, if there is one.
    pub fn from_name(name: &str) -> Option<DeviceType> {
        Self::ALL.into_iter().find(|t| t.name() == name)
    }
}

impl fmt::Display for DeviceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A yes-or-no property of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Aspect {
    /// The device is an accelerator.
    Accelerator,
    /// 64-bit atomic operations.
    Atomic64,
    /// The device is a CPU.
    Cpu,
    /// The device is of a custom type.
    Custom,
    /// The device is emulated.
    Emulated,
    /// Half-precision arithmetic.
    Fp16,
    /// Double-precision arithmetic.
    Fp64,
    /// The device is a GPU.
    Gpu,
    /// A host debugger can step through kernels.
    HostDebuggable,
    /// Images.
    Image,
    /// Part of a composite device.
    IsComponent,
    /// Made of component devices.
    IsComposite,
    /// Kernels can be compiled at run time.
    OnlineCompiler,
    /// Kernels can be linked at run time.
    OnlineLinker,
    /// Queues can record times.
    QueueProfiling,
    /// Atomic operations on host allocations.
    UsmAtomicHostAllocations,
    /// Atomic operations on shared allocations.
    UsmAtomicSharedAllocations,
    /// Device allocations.
    UsmDeviceAllocations,
    /// Host allocations.
    UsmHostAllocations,
    /// Shared allocations.
    UsmSharedAllocations,
    /// Memory from the system allocator can be used as is.
    UsmSystemAllocations,
}

impl Aspect {
    /// Every aspect, in alphabetical order.
    pub const ALL: [Aspect; 21] = [
        Aspect::Accelerator,
        Aspect::Atomic64,
        Aspect::Cpu,
        Aspect::Custom,
        Aspect::Emulated,
        Aspect::Fp16,
        Aspect::Fp64,
        Aspect::Gpu,
        Aspect::HostDebuggable,
        Aspect::Image,
        Aspect::IsComponent,
        Aspect::IsComposite,
        Aspect::OnlineCompiler,
        Aspect::OnlineLinker,
        Aspect::QueueProfiling,
        Aspect::UsmAtomicHostAllocations,
        Aspect::UsmAtomicSharedAllocations,
        Aspect::UsmDeviceAllocations,
        Aspect::UsmHostAllocations,
        Aspect::UsmSharedAllocations,
        Aspect::UsmSystemAllocations,
    ];

    /// The name users write.
    pub const fn name(self) -> &'static str {
        match self {
            Aspect::Accelerator => "accelerator",
            Aspect::Atomic64 => "atomic64",
            Aspect::Cpu => "cpu",
            Aspect::Custom => "custom",
            Aspect::Emulated => "emulated",
            Aspect::Fp16 => "fp16",
            Aspect::Fp64 => "fp64",
            Aspect::Gpu => "gpu",
            Aspect::HostDebuggable => "host_debuggable",
            Aspect::Image => "image",
            Aspect::IsComponent => "is_component",
            Aspect::IsComposite => "is_composite",
            Aspect::OnlineCompiler => "online_compiler",
            Aspect::OnlineLinker => "online_linker",
            Aspect::QueueProfiling => "queue_profiling",
            Aspect::UsmAtomicHostAllocations => "usm_atomic_host_allocations",
            Aspect::UsmAtomicSharedAllocations => "usm_atomic_shared_allocations",
            Aspect::UsmDeviceAllocations => "usm_device_allocations",
            Aspect::UsmHostAllocations => "usm_host_allocations",
            Aspect::UsmSharedAllocations => "usm_shared_allocations",
            Aspect::UsmSystemAllocations => "usm_system_allocations",
        }
    }

    /// The aspect with that name, if there is one.
    pub fn from_name(name: &str) -> Option<Aspect> {
        Self::ALL.into_iter().find(|a| a.name() == name)
    }
}

/// What a device's global-memory cache can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheKind {
    /// No cache.
    None,
    /// Reads only.
    ReadOnly,
    /// Reads and writes.
    ReadWrite,
}

impl CacheKind {
    /// The name users see.
    pub const fn name(self) -> &'static str {
        match self {
            CacheKind::None => "none",
            CacheKind::ReadOnly => "read_only",
            CacheKind::ReadWrite => "read_write",
        }
    }
}

/// Elements per vector register, by scalar type; 0 where the type is unsupported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorWidths {
    /// 8-bit integers.
    pub char: u32,
    /// 16-bit integers.
    pub short: u32,
    /// 32-bit integers.
    pub int: u32,
    /// 64-bit integers.
    pub long: u32,
    /// Single-precision floats.
    pub float: u32,
    /// Double-precision floats.
    pub double: u32,
    /// Half-precision floats.
    pub half: u32,
}

/// A platform: one driver and the devices it reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformInfo {
    /// The family of driver.
    pub backend: BackendKind,
    /// Name shown to users.
    pub name: String,
    /// Vendor of the driver.
    pub vendor: String,
    /// Version of the driver.
    pub version: String,
}

/// Everything a device says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The family of driver it is reached through.
    pub backend: BackendKind,
    /// What sort of processor it is.
    pub device_type: DeviceType,
    /// Name shown to users.
    pub name: String,
    /// Vendor of the hardware.
    pub vendor: String,
    /// Version of the driver.
    pub driver_version: String,
    /// Rank for default selection; the highest wins, negative means never.
    pub default_score: i32,
    /// The yes-or-no properties that hold.
    pub aspects: Vec<Aspect>,
    /// Number of cores or multiprocessors.
    pub max_compute_units: u32,
    /// Dimensions of an nd-range.
    pub max_work_item_dims: u32,
    /// Work-items per group along each of three dimensions.
    pub max_work_item_sizes: [u64; 3],
    /// Work-items per group.
    pub max_work_group_size: u64,
    /// Sub-groups per group.
    pub max_num_sub_groups: u32,
    /// Supported sub-group sizes.
    pub sub_group_sizes: Vec<u32>,
    /// Whether sub-groups of one group make progress independently.
    pub sub_group_independent_forward_progress: bool,
    /// Clock in MHz, 0 when unknown.
    pub max_clock_frequency: u32,
    /// Resolution of profiling times in nanoseconds.
    pub profiling_timer_resolution: u64,
    /// Bytes of global memory.
    pub global_mem_size: u64,
    /// Bytes of work-group local memory.
    pub local_mem_size: u64,
    /// Largest single allocation in bytes.
    pub max_mem_alloc_size: u64,
    /// What the global-memory cache can do.
    pub global_mem_cache_kind: CacheKind,
    /// Bytes of global-memory cache.
    pub global_mem_cache_size: u64,
    /// Bytes per cache line.
    pub global_mem_cache_line_size: u32,
    /// Vector widths that run best.
    pub preferred_vector_widths: VectorWidths,
    /// Vector widths of the instruction set.
    pub native_vector_widths: VectorWidths,
    /// Largest number of sub-devices; 0 when it cannot be partitioned.
    pub partition_max_sub_devices: u32,
}

impl DeviceInfo {
    /// Whether the aspect holds.
    pub fn has(&self, aspect: Aspect) -> bool {
        self.aspects.contains(&aspect)
    }
}

/// How a queue behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct QueueProperties {
    /// Commands run strictly in the order of submission.
    pub in_order: bool,
    /// Events record when their command was submitted, started and ended.
    pub profiling: bool,
}
