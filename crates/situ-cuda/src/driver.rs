//! The CUDA driver: its functions, its errors, and how to find it.

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use situ_hal::HalError;

use crate::library::{Unusable, functions};

/// An address on a device, or one that host and device share.
pub(crate) type DevicePointer = u64;
/// A number of a device, as the driver counts.
pub(crate) type Ordinal = i32;
/// A handle of the driver.
pub(crate) type Handle = *mut c_void;

functions! {
    /// The driver's functions that situ uses.
    Api {
        cuInit(flags: c_uint);
        cuDriverGetVersion(version: *mut i32);
        cuGetErrorName(code: i32, name: *mut *const c_char);
        cuGetErrorString(code: i32, text: *mut *const c_char);
        cuDeviceGetCount(count: *mut i32);
        cuDeviceGet(device: *mut Ordinal, ordinal: i32);
        cuDeviceGetName(name: *mut c_char, length: i32, device: Ordinal);
        cuDeviceGetAttribute(value: *mut i32, attribute: i32, device: Ordinal);
        cuDeviceTotalMem_v2(bytes: *mut usize, device: Ordinal);
        cuDevicePrimaryCtxRetain(context: *mut Handle, device: Ordinal);
        cuCtxGetCurrent(context: *mut Handle);
        cuCtxPushCurrent_v2(context: Handle);
        cuCtxPopCurrent_v2(context: *mut Handle);
        cuCtxSynchronize();
        cuMemAlloc_v2(address: *mut DevicePointer, bytes: usize);
        cuMemFree_v2(address: DevicePointer);
        cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: c_uint);
        cuMemFreeHost(address: *mut c_void);
        cuMemAllocManaged(address: *mut DevicePointer, bytes: usize, flags: c_uint);
        cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
        cuPointerGetAttributes(count: c_uint, which: *mut i32, values: *mut *mut c_void, address: DevicePointer);
        cuMemcpyAsync(dst: DevicePointer, src: DevicePointer, bytes: usize, stream: Handle);
        cuMemcpyHtoDAsync_v2(dst: DevicePointer, src: *const c_void, bytes: usize, stream: Handle);
        cuMemcpyDtoHAsync_v2(dst: *mut c_void, src: DevicePointer, bytes: usize, stream: Handle);
        cuMemsetD8Async(dst: DevicePointer, value: u8, count: usize, stream: Handle);
        cuMemsetD16Async(dst: DevicePointer, value: u16, count: usize, stream: Handle);
        cuMemsetD32Async(dst: DevicePointer, value: u32, count: usize, stream: Handle);
        cuMemPrefetchAsync(address: DevicePointer, bytes: usize, device: Ordinal, stream: Handle);
        cuMemAdvise(address: DevicePointer, bytes: usize, advice: i32, device: Ordinal);
        cuStreamCreate(stream: *mut Handle, flags: c_uint);
        cuStreamDestroy_v2(stream: Handle);
        cuStreamQuery(stream: Handle);
        cuStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint);
        cuEventCreate(event: *mut Handle, flags: c_uint);
        cuEventRecord(event: Handle, stream: Handle);
        cuEventQuery(event: Handle);
        cuEventSynchronize(event: Handle);
        cuEventDestroy_v2(event: Handle);
        cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle);
        cuModuleLoadData(module: *mut Handle, image: *const c_void);
        cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char);
        cuFuncSetAttribute(function: Handle, attribute: i32, value: i32);
        cuLaunchKernel(
            function: Handle,
            grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
            block_x: c_uint, block_y: c_uint, block_z: c_uint,
            shared_bytes: c_uint,
            stream: Handle,
            arguments: *mut *mut c_void,
            extra: *mut *mut c_void,
        );
    }
}

/// The oldest driver that is used: that of CUDA 12.0.
const OLDEST: i32 = 12_000;

/// Codes that are asked about by name; the driver can describe all of them.
pub(crate) mod code {
    pub(crate) const SUCCESS: i32 = 0;
    pub(crate) const OUT_OF_MEMORY: i32 = 2;
    pub(crate) const NO_DEVICE: i32 = 100;
    pub(crate) const NOT_FOUND: i32 = 500;
    pub(crate) const NOT_READY: i32 = 600;
}

/// The driver, initialised.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) api: Api,
    /// Puts an event behind everything in a context, whatever stream it is in. Drivers before CUDA 12.5 do not have it.
    pub(crate) record_context: Option<unsafe extern "C" fn(context: Handle, event: Handle) -> i32>,
    /// As the driver counts: 13020 is CUDA 13.2.
    pub(crate) version: i32,
    /// The process that initialised it. It does not survive a fork.
    process: u32,
}

impl Driver {
    /// The driver of this machine, looked for once.
    pub(crate) fn get() -> Result<&'static Driver, &'static Unusable> {
        static DRIVER: OnceLock<Result<Driver, Unusable>> = OnceLock::new();
        DRIVER.get_or_init(Driver::load).as_ref()
    }

    fn load() -> Result<Driver, Unusable> {
        let names = if cfg!(windows) { &["nvcuda.dll"][..] } else { &["libcuda.so.1", "libcuda.so"][..] };
        // SAFETY: these names are the CUDA driver's own, whose initialisation runs no code of others.
        let found = names.iter().find_map(|name| unsafe { libloading::Library::new(*name) }.ok());
        let Some(library) = found else {
            return Err(Unusable(format!("no NVIDIA driver is installed ({} was not found)", names[0])));
        };
        // SAFETY: the signature is the driver's. The pointer lives as long as the library, which is kept below.
        let record_context = unsafe { library.get(b"cuCtxRecordEvent\0") }.ok().map(|function| *function);
        // SAFETY: the signatures are those of the driver's interface, which keeps names and signatures for good.
        let api = unsafe { Api::of(library) }.map_err(|Unusable(what)| {
            Unusable(format!("the NVIDIA driver is too old: {what}; install one for CUDA 12"))
        })?;
        let mut driver = Driver { api, record_context, version: 0, process: std::process::id() };
        // SAFETY: takes a plain number, which has to be 0.
        let initialised = unsafe { (driver.api.cuInit)(0) };
        if initialised != code::SUCCESS {
            let said = driver.describe(initialised);
            return Err(Unusable(match initialised {
                code::NO_DEVICE => "the NVIDIA driver is installed, but there is no GPU that it can use".into(),
                _ => format!("the NVIDIA driver could not be initialised: {said}"),
            }));
        }
        // SAFETY: writes one integer.
        unsafe { (driver.api.cuDriverGetVersion)(&raw mut driver.version) };
        if driver.version < OLDEST {
            let (major, minor) = driver.version();
            return Err(Unusable(format!(
                "the NVIDIA driver is too old: it is for CUDA {major}.{minor}; install one for CUDA 12 or newer"
            )));
        }
        Ok(driver)
    }

    /// Major and minor version of CUDA that the driver is for.
    pub(crate) fn version(&self) -> (i32, i32) {
        (self.version / 1000, self.version % 1000 / 10)
    }

    /// An error in a process that was forked from the one that initialised the driver.
    pub(crate) fn check_process(&self, operation: &'static str) -> Result<(), HalError> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(HalError::Failed {
            operation: operation.into(),
            detail: "CUDA was initialised before this process was forked, and does not survive that; start processes \
                     with multiprocessing's \"spawn\", or look for devices in the child only"
                .into(),
        })
    }

    /// What the driver says about a code.
    pub(crate) fn describe(&self, code: i32) -> String {
        let text = |function: unsafe extern "C" fn(i32, *mut *const c_char) -> i32| {
            let mut text = ptr::null();
            // SAFETY: writes a pointer to a text that lives as long as the driver.
            if unsafe { function(code, &raw mut text) } != code::SUCCESS || text.is_null() {
                return None;
            }
            // SAFETY: as above; texts of the driver end with 0.
            Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        };
        match (text(self.api.cuGetErrorName), text(self.api.cuGetErrorString)) {
            (Some(name), Some(text)) => format!("{text} ({name})"),
            _ => format!("error {code}"),
        }
    }

    /// An error for every code but success.
    #[inline]
    pub(crate) fn check(&self, code: i32, operation: &'static str) -> Result<(), HalError> {
        if code == code::SUCCESS { Ok(()) } else { Err(self.error(code, operation)) }
    }

    #[cold]
    fn error(&self, code: i32, operation: &'static str) -> HalError {
        let mut detail = self.describe(code);
        if is_fatal(code) {
            detail.push_str("; the device's memory is lost to this process, which has to be started anew");
        }
        match code {
            code::OUT_OF_MEMORY => HalError::OutOfMemory { operation: operation.into(), bytes: 0, detail },
            _ => HalError::Failed { operation: operation.into(), detail },
        }
    }
}

/// Whether nothing works any more in this process after this code: a kernel went wrong, or the device did.
pub(crate) fn is_fatal(code: i32) -> bool {
    matches!(code, 214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721)
}
