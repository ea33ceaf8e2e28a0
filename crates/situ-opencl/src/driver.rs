//! The OpenCL loader: its functions, its errors, and how to find it.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::OnceLock;

use situ_hal::HalError;

use crate::library::{Unusable, functions};

/// A handle of a driver.
pub(crate) type Handle = *mut c_void;

functions! {
    /// The loader's functions that situ uses. Those after OpenCL 1.2 must not be called for platforms that lack them.
    Api {
        clGetPlatformIDs(room: u32, platforms: *mut Handle, count: *mut u32);
        clGetPlatformInfo(platform: Handle, what: u32, room: usize, value: *mut c_void, size: *mut usize);
        clGetExtensionFunctionAddressForPlatform(platform: Handle, name: *const c_char) -> *const c_void;
        clGetDeviceIDs(platform: Handle, types: u64, room: u32, devices: *mut Handle, count: *mut u32);
        clGetDeviceInfo(device: Handle, what: u32, room: usize, value: *mut c_void, size: *mut usize);
        clCreateSubDevices(device: Handle, how: *const isize, room: u32, devices: *mut Handle, count: *mut u32);
        clReleaseDevice(device: Handle);
        clCreateContext(
            properties: *const isize, count: u32, devices: *const Handle, notify: *const c_void, data: *mut c_void,
            code: *mut i32,
        ) -> Handle;
        clReleaseContext(context: Handle);
        clCreateCommandQueue(context: Handle, device: Handle, properties: u64, code: *mut i32) -> Handle;
        clReleaseCommandQueue(queue: Handle);
        clFlush(queue: Handle);
        clFinish(queue: Handle);
        clEnqueueMarkerWithWaitList(queue: Handle, count: u32, after: *const Handle, event: *mut Handle);
        clWaitForEvents(count: u32, events: *const Handle);
        clGetEventInfo(event: Handle, what: u32, room: usize, value: *mut c_void, size: *mut usize);
        clGetEventProfilingInfo(event: Handle, what: u32, room: usize, value: *mut c_void, size: *mut usize);
        clReleaseEvent(event: Handle);
        clSVMAlloc(context: Handle, flags: u64, bytes: usize, alignment: u32) -> *mut c_void;
        clSVMFree(context: Handle, address: *mut c_void) -> ();
        clEnqueueSVMMemcpy(
            queue: Handle, blocking: u32, dst: *mut c_void, src: *const c_void, bytes: usize,
            count: u32, after: *const Handle, event: *mut Handle,
        );
        clEnqueueSVMMemFill(
            queue: Handle, dst: *mut c_void, pattern: *const c_void, width: usize, bytes: usize,
            count: u32, after: *const Handle, event: *mut Handle,
        );
        clCreateProgramWithSource(
            context: Handle, count: u32, texts: *const *const c_char, lengths: *const usize, code: *mut i32,
        ) -> Handle;
        clCreateProgramWithBinary(
            context: Handle, count: u32, devices: *const Handle, lengths: *const usize, images: *const *const u8,
            codes: *mut i32, code: *mut i32,
        ) -> Handle;
        clBuildProgram(
            program: Handle, count: u32, devices: *const Handle, options: *const c_char,
            notify: *const c_void, data: *mut c_void,
        );
        clGetProgramInfo(program: Handle, what: u32, room: usize, value: *mut c_void, size: *mut usize);
        clGetProgramBuildInfo(
            program: Handle, device: Handle, what: u32, room: usize, value: *mut c_void, size: *mut usize,
        );
        clReleaseProgram(program: Handle);
        clCreateKernel(program: Handle, name: *const c_char, code: *mut i32) -> Handle;
        clGetKernelInfo(kernel: Handle, what: u32, room: usize, value: *mut c_void, size: *mut usize);
        clGetKernelWorkGroupInfo(
            kernel: Handle, device: Handle, what: u32, room: usize, value: *mut c_void, size: *mut usize,
        );
        clReleaseKernel(kernel: Handle);
        clSetKernelArg(kernel: Handle, position: u32, size: usize, value: *const c_void);
        clSetKernelArgSVMPointer(kernel: Handle, position: u32, address: *const c_void);
        clSetKernelExecInfo(kernel: Handle, what: u32, size: usize, value: *const c_void);
        clEnqueueNDRangeKernel(
            queue: Handle, kernel: Handle, axes: u32, offset: *const usize, global: *const usize, local: *const usize,
            count: u32, after: *const Handle, event: *mut Handle,
        );
    }
}

/// Declares codes that are asked about by name, and what each is called.
macro_rules! codes {
    ($($name:ident = $value:literal),* $(,)?) => {
        /// Codes of the interface.
        pub(crate) mod code {
            $(#[allow(dead_code, reason = "most are only described")] pub(crate) const $name: i32 = $value;)*
        }

        fn name_of(code: i32) -> Option<&'static str> {
            match code {
                $($value => Some(concat!("CL_", stringify!($name))),)*
                _ => None,
            }
        }
    };
}

codes! {
    SUCCESS = 0,
    DEVICE_NOT_FOUND = -1,
    DEVICE_NOT_AVAILABLE = -2,
    COMPILER_NOT_AVAILABLE = -3,
    MEM_OBJECT_ALLOCATION_FAILURE = -4,
    OUT_OF_RESOURCES = -5,
    OUT_OF_HOST_MEMORY = -6,
    PROFILING_INFO_NOT_AVAILABLE = -7,
    BUILD_PROGRAM_FAILURE = -11,
    EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST = -14,
    COMPILE_PROGRAM_FAILURE = -15,
    LINKER_NOT_AVAILABLE = -16,
    LINK_PROGRAM_FAILURE = -17,
    DEVICE_PARTITION_FAILED = -18,
    INVALID_VALUE = -30,
    INVALID_PLATFORM = -32,
    INVALID_DEVICE = -33,
    INVALID_CONTEXT = -34,
    INVALID_QUEUE_PROPERTIES = -35,
    INVALID_COMMAND_QUEUE = -36,
    INVALID_BINARY = -42,
    INVALID_BUILD_OPTIONS = -43,
    INVALID_PROGRAM = -44,
    INVALID_PROGRAM_EXECUTABLE = -45,
    INVALID_KERNEL_NAME = -46,
    INVALID_KERNEL_DEFINITION = -47,
    INVALID_KERNEL = -48,
    INVALID_ARG_INDEX = -49,
    INVALID_ARG_VALUE = -50,
    INVALID_ARG_SIZE = -51,
    INVALID_KERNEL_ARGS = -52,
    INVALID_WORK_DIMENSION = -53,
    INVALID_WORK_GROUP_SIZE = -54,
    INVALID_WORK_ITEM_SIZE = -55,
    INVALID_EVENT_WAIT_LIST = -57,
    INVALID_EVENT = -58,
    INVALID_OPERATION = -59,
    INVALID_BUFFER_SIZE = -61,
    INVALID_GLOBAL_WORK_SIZE = -63,
    INVALID_PROPERTY = -64,
    INVALID_DEVICE_PARTITION_COUNT = -68,
    PLATFORM_NOT_FOUND = -1001,
}

/// A program from SPIR-V.
pub(crate) type FromSpirv =
    unsafe extern "C" fn(context: Handle, module: *const c_void, bytes: usize, code: *mut i32) -> Handle;

/// The loader, in the process that loaded it.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) api: Api,
    /// Makes a program from SPIR-V. Loaders before OpenCL 2.1 do not have it.
    pub(crate) from_spirv: Option<FromSpirv>,
    /// The process that first asked for platforms. Drivers do not survive a fork.
    process: u32,
    /// The functions are its.
    _library: libloading::Library,
}

impl Driver {
    /// The loader of this machine, looked for once.
    pub(crate) fn get() -> Result<&'static Driver, &'static Unusable> {
        static DRIVER: OnceLock<Result<Driver, Unusable>> = OnceLock::new();
        DRIVER.get_or_init(Driver::load).as_ref()
    }

    fn load() -> Result<Driver, Unusable> {
        let names = if cfg!(windows) { &["OpenCL.dll"][..] } else { &["libOpenCL.so.1", "libOpenCL.so"][..] };
        // SAFETY: these names are the loader's own, whose initialisation runs no code of others.
        let found = names.iter().find_map(|name| unsafe { libloading::Library::new(*name) }.ok());
        let Some(library) = found else {
            return Err(Unusable(format!(
                "no OpenCL loader is installed ({} was not found); your system's package is called ocl-icd-libopencl1 or \
                 similar, and a driver is needed, too",
                names[0]
            )));
        };
        let find = |name: &'static CStr| {
            // SAFETY: the symbol is only looked up; what it is taken for is said below.
            let symbol = unsafe { library.get::<*const c_void>(name.to_bytes_with_nul()) };
            symbol.map_or(ptr::null(), |symbol| *symbol)
        };
        // SAFETY: the signatures are those of the interface, which keeps names and signatures for good; the library is
        // kept with the table.
        let api = unsafe { Api::of(find) }.map_err(|name| {
            Unusable(format!("the OpenCL loader is too old: it has no {name}; install one for OpenCL 2.0 or newer"))
        })?;
        // SAFETY: as above.
        let from_spirv = unsafe { library.get::<FromSpirv>(b"clCreateProgramWithIL\0") }.ok().map(|found| *found);
        Ok(Driver { api, from_spirv, process: std::process::id(), _library: library })
    }

    /// An error in a process that was forked from the one that asked for platforms.
    pub(crate) fn check_process(&self, operation: &'static str) -> Result<(), HalError> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(HalError::Failed {
            operation: operation.into(),
            detail:
                "OpenCL was initialised before this process was forked, and does not survive that; start processes \
                     with multiprocessing's \"spawn\", or look for devices in the child only"
                    .into(),
        })
    }

    /// An error for every code but success.
    #[inline]
    pub(crate) fn check(&self, code: i32, operation: &'static str) -> Result<(), HalError> {
        if code == code::SUCCESS { Ok(()) } else { Err(error(code, operation)) }
    }

    /// What a call that creates something has made, unless it failed.
    pub(crate) fn made(
        &self,
        operation: &'static str,
        call: impl FnOnce(*mut i32) -> Handle,
    ) -> Result<Handle, HalError> {
        let mut code = code::SUCCESS;
        let handle = call(&raw mut code);
        self.check(code, operation)?;
        let nothing = || HalError::Failed { operation: operation.into(), detail: "the driver made nothing".into() };
        if handle.is_null() { Err(nothing()) } else { Ok(handle) }
    }
}

/// What a code is called.
pub(crate) fn describe(code: i32) -> String {
    name_of(code).map_or_else(|| format!("error {code}"), |name| format!("{name} ({code})"))
}

/// The failure that a code stands for.
#[cold]
pub(crate) fn error(code: i32, operation: &'static str) -> HalError {
    let mut detail = describe(code);
    if is_fatal(code) {
        detail.push_str("; the device's memory is lost to this process, which has to be started anew");
    }
    match code {
        code::MEM_OBJECT_ALLOCATION_FAILURE | code::OUT_OF_HOST_MEMORY | code::INVALID_BUFFER_SIZE => {
            HalError::OutOfMemory { operation: operation.into(), bytes: 0, detail }
        }
        code::OUT_OF_RESOURCES => {
            detail.push_str(
                "; the device has not enough registers, local memory or memory for this: ask for less at once",
            );
            HalError::Failed { operation: operation.into(), detail }
        }
        _ => HalError::Failed { operation: operation.into(), detail },
    }
}

/// Whether nothing works any more in this process after this code. Queues and contexts become invalid only with their
/// device, because nobody else destroys them.
pub(crate) fn is_fatal(code: i32) -> bool {
    matches!(code, code::DEVICE_NOT_AVAILABLE | code::INVALID_CONTEXT | code::INVALID_COMMAND_QUEUE)
}

/// Reads a value of any size, for the functions that tell something: `ask(room, to, size)`.
pub(crate) fn read(ask: impl Fn(usize, *mut c_void, *mut usize) -> i32) -> Option<Vec<u8>> {
    let mut size = 0;
    if ask(0, ptr::null_mut(), &raw mut size) != code::SUCCESS {
        return None;
    }
    let mut bytes = vec![0u8; size];
    let told = size == 0 || ask(size, bytes.as_mut_ptr().cast(), ptr::null_mut()) == code::SUCCESS;
    told.then_some(bytes)
}

/// A text as drivers write it: up to a 0, without spaces around it.
pub(crate) fn text(bytes: &[u8]) -> String {
    let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).trim().to_owned()
}
