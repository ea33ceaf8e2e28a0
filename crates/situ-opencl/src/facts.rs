//! What a driver says about a device.

use situ_codegen::DeviceLimits;
use situ_types::{Aspect, BackendKind, CacheKind, DeviceInfo, DeviceType, VectorWidths};

use crate::driver::{Driver, Handle, read, text};
use crate::memory::Memory;

/// The interface's numbers of what can be asked.
mod ask {
    pub(super) const TYPE: u32 = 0x1000;
    pub(super) const MAX_COMPUTE_UNITS: u32 = 0x1002;
    pub(super) const MAX_WORK_ITEM_DIMENSIONS: u32 = 0x1003;
    pub(super) const MAX_WORK_GROUP_SIZE: u32 = 0x1004;
    pub(super) const MAX_WORK_ITEM_SIZES: u32 = 0x1005;
    /// char, short, int, long, float, double, half.
    pub(super) const PREFERRED_WIDTHS: [u32; 7] = [0x1006, 0x1007, 0x1008, 0x1009, 0x100A, 0x100B, 0x1034];
    pub(super) const NATIVE_WIDTHS: [u32; 7] = [0x1036, 0x1037, 0x1038, 0x1039, 0x103A, 0x103B, 0x103C];
    pub(super) const MAX_CLOCK_FREQUENCY: u32 = 0x100C;
    pub(super) const ADDRESS_BITS: u32 = 0x100D;
    pub(super) const MAX_MEM_ALLOC_SIZE: u32 = 0x1010;
    pub(super) const IMAGE_SUPPORT: u32 = 0x1016;
    pub(super) const SINGLE_FP_CONFIG: u32 = 0x101B;
    pub(super) const GLOBAL_MEM_CACHE_TYPE: u32 = 0x101C;
    pub(super) const GLOBAL_MEM_CACHELINE_SIZE: u32 = 0x101D;
    pub(super) const GLOBAL_MEM_CACHE_SIZE: u32 = 0x101E;
    pub(super) const GLOBAL_MEM_SIZE: u32 = 0x101F;
    pub(super) const LOCAL_MEM_SIZE: u32 = 0x1023;
    pub(super) const PROFILING_TIMER_RESOLUTION: u32 = 0x1025;
    pub(super) const AVAILABLE: u32 = 0x1027;
    pub(super) const COMPILER_AVAILABLE: u32 = 0x1028;
    pub(super) const QUEUE_PROPERTIES: u32 = 0x102A;
    pub(super) const NAME: u32 = 0x102B;
    pub(super) const VENDOR: u32 = 0x102C;
    pub(super) const DRIVER_VERSION: u32 = 0x102D;
    pub(super) const VERSION: u32 = 0x102F;
    pub(super) const EXTENSIONS: u32 = 0x1030;
    pub(super) const LANGUAGE_VERSION: u32 = 0x103D;
    pub(super) const LINKER_AVAILABLE: u32 = 0x103E;
    pub(super) const PARTITION_MAX_SUB_DEVICES: u32 = 0x1043;
    pub(super) const PARTITION_PROPERTIES: u32 = 0x1044;
    pub(super) const SVM_CAPABILITIES: u32 = 0x1053;
    pub(super) const INTERMEDIATE_LANGUAGES: u32 = 0x105B;
    pub(super) const MAX_NUM_SUB_GROUPS: u32 = 0x105C;
    pub(super) const SUB_GROUP_PROGRESS: u32 = 0x105D;
    pub(super) const LANGUAGE_VERSIONS: u32 = 0x1066;
    pub(super) const SUB_GROUP_SIZES: u32 = 0x4108;
    pub(super) const USM_HOST: u32 = 0x4190;
    pub(super) const USM_DEVICE: u32 = 0x4191;
    pub(super) const USM_SHARED: u32 = 0x4192;
    pub(super) const USM_SYSTEM: u32 = 0x4194;
}

const CPU: u64 = 2;
const GPU: u64 = 4;
const ACCELERATOR: u64 = 8;

const FINE_GRAIN_BUFFER: u64 = 2;
const FINE_GRAIN_SYSTEM: u64 = 4;
const SVM_ATOMICS: u64 = 8;
const USM_ACCESS: u64 = 1;
const USM_ATOMICS: u64 = 2;
const PROFILING: u64 = 2;
const CORRECTLY_ROUNDED: u64 = 1 << 7;
const EMULATED: u64 = 1 << 6;

/// A GPU comes before the processor where no device is named, but behind one of a driver made for it; the processor by way
/// of OpenCL comes behind the processor itself.
const GPU_SCORE: i32 = 500;
const OTHER_SCORE: i32 = 0;

/// One device, to be asked.
struct Asked<'d> {
    driver: &'d Driver,
    device: Handle,
}

impl Asked<'_> {
    fn bytes(&self, what: u32) -> Vec<u8> {
        // SAFETY: the device exists, and at most as many bytes are written as there is room for.
        let ask = |room, to, size| unsafe { (self.driver.api.clGetDeviceInfo)(self.device, what, room, to, size) };
        read(ask).unwrap_or_default()
    }

    /// A number of up to 8 bytes; 0 where the device does not know.
    fn number(&self, what: u32) -> u64 {
        self.numbers(what, 8).first().copied().unwrap_or_default()
    }

    /// Numbers of so many bytes, or of fewer if there are no more.
    fn numbers(&self, what: u32, width: usize) -> Vec<u64> {
        let word = |chunk: &[u8]| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        };
        self.bytes(what).chunks(width).map(word).collect()
    }

    fn text(&self, what: u32) -> String {
        text(&self.bytes(what))
    }

    fn widths(&self, what: [u32; 7]) -> VectorWidths {
        let [char, short, int, long, float, double, half] = what.map(|what| self.number(what) as u32);
        VectorWidths { char, short, int, long, float, double, half }
    }

    /// Which OpenCL C kernels are written in, the newest version the device has, as compilers are told.
    fn language(&self) -> &'static str {
        const VERSION_BYTES: usize = 68;
        let listed = self.bytes(ask::LANGUAGE_VERSIONS);
        let major = |entry: &[u8]| entry.first_chunk().map_or(0, |word| u32::from_ne_bytes(*word) >> 22);
        let newest = listed.chunks(VERSION_BYTES).map(major).max().unwrap_or_default();
        let said = self.text(ask::LANGUAGE_VERSION);
        match newest {
            3.. => "CL3.0",
            2 => "CL2.0",
            _ if said.starts_with("OpenCL C 3") => "CL3.0",
            _ if said.starts_with("OpenCL C 2") => "CL2.0",
            _ => "CL1.2",
        }
    }
}

/// A device's facts, and what kernels are compiled for.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) info: DeviceInfo,
    /// What the choice of kernels depends on.
    pub(crate) limits: DeviceLimits,
    /// How its memory is had.
    pub(crate) memory: Memory,
    /// Whether its memory is the host's, so that each reaches all that the other does.
    pub(crate) is_host: bool,
    /// What every kernel is built with.
    pub(crate) options: Vec<String>,
    /// What a compiled kernel is good for.
    pub(crate) identity: String,
    /// Whether it takes SPIR-V.
    pub(crate) takes_spirv: bool,
    /// Which ways to divide it the driver has.
    pub(crate) partitions: Vec<u64>,
}

impl Facts {
    /// The facts of a device, or why it cannot be used. `usm` is Intel's extension of its platform.
    pub(crate) fn of(driver: &Driver, device: Handle, usm: Option<Memory>) -> Result<Facts, String> {
        let asked = Asked { driver, device };
        let get = |what| asked.number(what);
        let name = asked.text(ask::NAME);
        if get(ask::AVAILABLE) == 0 {
            return Err(format!("{name}: the driver says that it is not available"));
        }
        if get(ask::COMPILER_AVAILABLE) == 0 {
            return Err(format!("{name}: its driver has no compiler"));
        }
        if get(ask::ADDRESS_BITS) != usize::BITS.into() {
            return Err(format!("{name}: its addresses have another width than the processor's"));
        }
        let extensions = asked.text(ask::EXTENSIONS);
        let has = |extension: &str| extensions.split(' ').any(|found| found == extension);
        let has_wide_atomics = has("cl_khr_int64_base_atomics") && has("cl_khr_int64_extended_atomics");
        if !has_wide_atomics {
            return Err(format!(
                "{name}: its atomics have 32 bits only (it has no cl_khr_int64_base_atomics and \
                 cl_khr_int64_extended_atomics), and indices are checked with wider ones"
            ));
        }
        let usm = usm.filter(|_| {
            has("cl_intel_unified_shared_memory")
                && [ask::USM_HOST, ask::USM_DEVICE, ask::USM_SHARED].iter().all(|&what| get(what) & USM_ACCESS != 0)
        });
        let svm = get(ask::SVM_CAPABILITIES);
        let memory = match usm {
            Some(usm) => usm,
            None if svm & FINE_GRAIN_BUFFER != 0 => Memory::Svm,
            None => {
                return Err(format!(
                    "{name}: it has neither USM (cl_intel_unified_shared_memory) nor fine-grain SVM, so that arrays could \
                     not be shared with it"
                ));
            }
        };
        let (device_type, aspect, default_score) = match get(ask::TYPE) {
            kind if kind & GPU != 0 => (DeviceType::Gpu, Aspect::Gpu, GPU_SCORE),
            kind if kind & CPU != 0 => (DeviceType::Cpu, Aspect::Cpu, OTHER_SCORE),
            kind if kind & ACCELERATOR != 0 => (DeviceType::Accelerator, Aspect::Accelerator, OTHER_SCORE),
            _ => return Err(format!("{name}: it runs no kernels but its own")),
        };
        let is_svm = matches!(memory, Memory::Svm);
        let system = svm & FINE_GRAIN_SYSTEM != 0 || get(ask::USM_SYSTEM) & USM_ACCESS != 0;
        // A processor's memory is the process's, whatever its driver says about sharing.
        let is_host = device_type == DeviceType::Cpu;
        let atomics = |what| if is_svm { svm & SVM_ATOMICS != 0 } else { get(what) & USM_ATOMICS != 0 };
        let aspects = [
            (aspect, true),
            (Aspect::Atomic64, has_wide_atomics),
            (Aspect::Emulated, get(ask::SINGLE_FP_CONFIG) & EMULATED != 0),
            // Every device loads and stores halves, and kernels compute with them in single precision, as on the processor.
            (Aspect::Fp16, true),
            (Aspect::Fp64, has("cl_khr_fp64")),
            (Aspect::Image, get(ask::IMAGE_SUPPORT) != 0),
            (Aspect::OnlineCompiler, true),
            (Aspect::OnlineLinker, get(ask::LINKER_AVAILABLE) != 0),
            (Aspect::QueueProfiling, get(ask::QUEUE_PROPERTIES) & PROFILING != 0),
            (Aspect::UsmAtomicHostAllocations, atomics(ask::USM_HOST)),
            (Aspect::UsmAtomicSharedAllocations, atomics(ask::USM_SHARED)),
            (Aspect::UsmDeviceAllocations, true),
            (Aspect::UsmHostAllocations, true),
            (Aspect::UsmSharedAllocations, true),
            (Aspect::UsmSystemAllocations, system || is_host),
        ];
        let sizes = asked.numbers(ask::MAX_WORK_ITEM_SIZES, size_of::<usize>());
        let group = get(ask::MAX_WORK_GROUP_SIZE);
        let driver_version = asked.text(ask::DRIVER_VERSION);
        let info = DeviceInfo {
            backend: BackendKind::OpenCl,
            device_type,
            vendor: asked.text(ask::VENDOR),
            driver_version: driver_version.clone(),
            default_score,
            aspects: aspects.into_iter().filter_map(|(aspect, holds)| holds.then_some(aspect)).collect(),
            max_compute_units: get(ask::MAX_COMPUTE_UNITS) as u32,
            max_work_item_dims: get(ask::MAX_WORK_ITEM_DIMENSIONS) as u32,
            max_work_item_sizes: std::array::from_fn(|axis| sizes.get(axis).copied().unwrap_or(1)),
            max_work_group_size: group,
            max_num_sub_groups: get(ask::MAX_NUM_SUB_GROUPS) as u32,
            sub_group_sizes: asked
                .numbers(ask::SUB_GROUP_SIZES, size_of::<usize>())
                .iter()
                .map(|&n| n as u32)
                .collect(),
            sub_group_independent_forward_progress: get(ask::SUB_GROUP_PROGRESS) != 0,
            max_clock_frequency: get(ask::MAX_CLOCK_FREQUENCY) as u32,
            profiling_timer_resolution: get(ask::PROFILING_TIMER_RESOLUTION),
            global_mem_size: get(ask::GLOBAL_MEM_SIZE),
            local_mem_size: get(ask::LOCAL_MEM_SIZE),
            max_mem_alloc_size: get(ask::MAX_MEM_ALLOC_SIZE),
            global_mem_cache_kind: match get(ask::GLOBAL_MEM_CACHE_TYPE) {
                0 => CacheKind::None,
                1 => CacheKind::ReadOnly,
                _ => CacheKind::ReadWrite,
            },
            global_mem_cache_size: get(ask::GLOBAL_MEM_CACHE_SIZE),
            global_mem_cache_line_size: get(ask::GLOBAL_MEM_CACHELINE_SIZE) as u32,
            preferred_vector_widths: asked.widths(ask::PREFERRED_WIDTHS),
            native_vector_widths: asked.widths(ask::NATIVE_WIDTHS),
            partition_max_sub_devices: get(ask::PARTITION_MAX_SUB_DEVICES) as u32,
            name,
        };
        let mut options = vec![format!("-cl-std={}", asked.language())];
        if get(ask::SINGLE_FP_CONFIG) & CORRECTLY_ROUNDED != 0 {
            options.push("-cl-fp32-correctly-rounded-divide-sqrt".into());
        }
        let identity = format!("{}\n{}\n{driver_version}", info.name, asked.text(ask::VERSION));
        let partitions = asked.numbers(ask::PARTITION_PROPERTIES, size_of::<isize>());
        let takes_spirv = asked.text(ask::INTERMEDIATE_LANGUAGES).contains("SPIR-V");
        let limits = DeviceLimits::of(&info);
        Ok(Facts { info, limits, memory, is_host, options, identity, takes_spirv, partitions })
    }
}
