//! OpenCL platforms, found at run time: compiles texts and runs launches on their first device.
//!
//! Only devices that reach the host's memory are used, so that operands may lie anywhere in it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::rc::Rc;
use std::sync::{Mutex, OnceLock};

use situ_codegen::{Argument, Dialect, Kernel, Launch, Rules, Source};

type Object = *mut c_void;

macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions of the loader.
        #[allow(non_snake_case, reason = "the names are the loader's")]
        #[derive(Debug)]
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl Functions {
            fn load() -> Result<Functions, String> {
                let loaded = ["libOpenCL.so.1", "libOpenCL.so"].iter().find_map(|name| {
                    // SAFETY: loading the loader runs nothing that reaches beyond it.
                    unsafe { libloading::Library::new(*name) }.ok()
                });
                let loaded = Box::leak(Box::new(loaded.ok_or("there is no libOpenCL")?));
                Ok(Functions {
                    // SAFETY: the types are those of the specification.
                    $($name: *unsafe { loaded.get(stringify!($name).as_bytes()) }.map_err(|error| error.to_string())?,)*
                })
            }
        }
    };
}

functions! {
    clGetPlatformIDs: fn(u32, *mut Object, *mut u32) -> i32;
    clGetPlatformInfo: fn(Object, u32, usize, *mut c_char, *mut usize) -> i32;
    clGetDeviceIDs: fn(Object, u64, u32, *mut Object, *mut u32) -> i32;
    clGetDeviceInfo: fn(Object, u32, usize, *mut c_char, *mut usize) -> i32;
    clCreateContext: fn(*const isize, u32, *const Object, *const c_void, *const c_void, *mut i32) -> Object;
    clCreateCommandQueue: fn(Object, Object, u64, *mut i32) -> Object;
    clCreateProgramWithSource: fn(Object, u32, *const *const c_char, *const usize, *mut i32) -> Object;
    clBuildProgram: fn(Object, u32, *const Object, *const c_char, *const c_void, *const c_void) -> i32;
    clGetProgramBuildInfo: fn(Object, Object, u32, usize, *mut c_char, *mut usize) -> i32;
    clReleaseProgram: fn(Object) -> i32;
    clCreateKernel: fn(Object, *const c_char, *mut i32) -> Object;
    clSetKernelArg: fn(Object, u32, usize, *const c_void) -> i32;
    clSetKernelArgSVMPointer: fn(Object, u32, *const c_void) -> i32;
    clEnqueueNDRangeKernel: fn(Object, Object, u32, *const usize, *const usize, *const usize, u32, *const c_void, *mut Object) -> i32;
    clFinish: fn(Object) -> i32;
}

const PLATFORM_NAME: u32 = 0x0902;
const DEVICE_TYPE_ALL: u64 = 0xFFFF_FFFF;
const DEVICE_SINGLE_FP_CONFIG: u32 = 0x101B;
const CORRECTLY_ROUNDED: u64 = 1 << 7;
const DEVICE_OPENCL_C_VERSION: u32 = 0x103D;
const PROGRAM_BUILD_LOG: u32 = 0x1183;

/// What kernels are run in. Devices that reach all of the host's memory are processors; with `SITU_TEST_OPENCL_THREADS` set, they run
/// texts for GPUs all the same, whose threads wait for each other at barriers. Not every driver's compiler gets those right.
fn dialect() -> Dialect {
    if std::env::var_os("SITU_TEST_OPENCL_THREADS").is_some() { Dialect::OpenCl } else { Dialect::Processor }
}

/// A platform's first device.
#[derive(Debug)]
pub struct Device {
    functions: &'static Functions,
    pub name: String,
    device: Object,
    context: Object,
    queue: Object,
    options: String,
}

/// What a function of the specification tells about something, as a string of bytes.
fn text(ask: impl Fn(usize, *mut c_char, *mut usize) -> i32) -> Vec<u8> {
    let mut size = 0;
    ask(0, null_mut(), &mut size);
    let mut bytes = vec![0u8; size];
    ask(size, bytes.as_mut_ptr().cast(), null_mut());
    bytes
}

fn words(bytes: &[u8]) -> String {
    CStr::from_bytes_until_nul(bytes).map_or(String::new(), |text| text.to_string_lossy().into_owned())
}

impl Device {
    /// The first device of every platform; the reason where there is no loader.
    pub fn all() -> Result<Vec<Device>, String> {
        // Not every loader can be asked for the first time by two threads.
        static ASKED: Mutex<()> = Mutex::new(());
        let _alone = ASKED.lock();
        static FUNCTIONS: OnceLock<Result<Functions, String>> = OnceLock::new();
        let functions = FUNCTIONS.get_or_init(Functions::load).as_ref().map_err(Clone::clone)?;
        let mut count = 0;
        // SAFETY: the loader writes the number of platforms, then so many of them.
        let platforms = unsafe {
            (functions.clGetPlatformIDs)(0, null_mut(), &mut count);
            let mut platforms = vec![null_mut(); count as usize];
            (functions.clGetPlatformIDs)(count, platforms.as_mut_ptr(), null_mut());
            platforms
        };
        let found: Vec<Device> =
            platforms.into_iter().filter_map(|platform| Device::first(functions, platform)).collect();
        if found.is_empty() { Err("no OpenCL platform has a device".into()) } else { Ok(found) }
    }

    fn first(functions: &'static Functions, platform: Object) -> Option<Device> {
        let mut device = null_mut();
        // SAFETY: the arguments are as the specification wants them; what is made lives as long as the process.
        unsafe {
            if (functions.clGetDeviceIDs)(platform, DEVICE_TYPE_ALL, 1, &mut device, null_mut()) != 0 {
                return None;
            }
            let name = words(&text(|n, to, size| (functions.clGetPlatformInfo)(platform, PLATFORM_NAME, n, to, size)));
            let of_device = |what| text(|n, to, size| (functions.clGetDeviceInfo)(device, what, n, to, size));
            let version = words(&of_device(DEVICE_OPENCL_C_VERSION));
            let version = version.trim_start_matches("OpenCL C ").split(' ').next().unwrap_or("1.2").to_owned();
            let config = u64::from_ne_bytes(of_device(DEVICE_SINGLE_FP_CONFIG).try_into().unwrap());
            let rounded = if config & CORRECTLY_ROUNDED == 0 { "" } else { " -cl-fp32-correctly-rounded-divide-sqrt" };
            let mut status = 0;
            let context = (functions.clCreateContext)(null(), 1, &device, null(), null(), &mut status);
            let queue = (functions.clCreateCommandQueue)(context, device, 0, &mut status);
            assert_eq!(status, 0, "{name} makes no queue");
            Some(Device { functions, name, device, context, queue, options: format!("-cl-std=CL{version}{rounded}") })
        }
    }

    /// The device that tests run their kernels on instead of the host, if they do: that of the platform whose name
    /// contains what `SITU_TEST_OPENCL` says.
    pub fn chosen() -> Option<Rc<Device>> {
        thread_local! {
            static CHOSEN: OnceLock<Option<Rc<Device>>> = const { OnceLock::new() };
        }
        CHOSEN.with(|chosen| {
            let find = || {
                let part = std::env::var("SITU_TEST_OPENCL").ok()?;
                let all = Device::all().unwrap_or_else(|reason| panic!("{reason}"));
                let found = all.into_iter().find(|device| device.name.contains(&part));
                Some(Rc::new(found.unwrap_or_else(|| panic!("no OpenCL platform is called {part}"))))
            };
            chosen.get_or_init(find).clone()
        })
    }

    /// Compiles a text; what the compiler says, where it refuses.
    pub fn compile(&self, source: &Source) -> Result<Object, String> {
        let (functions, text_of) = (self.functions, CString::new(source.text.as_str()).unwrap());
        let options = match &source.rules {
            Rules::Given(options) => options.join(" "),
            Rules::Exact | Rules::Contracted => self.options.clone(),
        };
        let options = CString::new(options).unwrap();
        let mut status = 0;
        // SAFETY: text and options end with a zero and live until the program is built.
        unsafe {
            let program =
                (functions.clCreateProgramWithSource)(self.context, 1, &text_of.as_ptr(), null(), &mut status);
            if (functions.clBuildProgram)(program, 1, &self.device, options.as_ptr(), null(), null()) != 0 {
                let log = words(&text(|n, to, size| {
                    (functions.clGetProgramBuildInfo)(program, self.device, PROGRAM_BUILD_LOG, n, to, size)
                }));
                (functions.clReleaseProgram)(program);
                return Err(log);
            }
            Ok(program)
        }
    }

    /// Compiles a text to see whether it can be.
    pub fn try_compile(&self, source: &Source) -> Result<(), String> {
        let program = self.compile(source)?;
        // SAFETY: nobody else has the program.
        unsafe { (self.functions.clReleaseProgram)(program) };
        Ok(())
    }

    fn kernel(&self, kernel: &Kernel) -> Object {
        thread_local! {
            static COMPILED: RefCell<HashMap<Kernel, Object>> = RefCell::default();
        }
        COMPILED.with_borrow_mut(|compiled| {
            *compiled.entry(kernel.clone()).or_insert_with(|| {
                let source = kernel.emit(dialect());
                let program = self.compile(&source).unwrap_or_else(|log| panic!("{log}\n{}", source.text));
                let (name, mut status) = (CString::new(source.kernel).unwrap(), 0);
                // SAFETY: the program is built.
                let made = unsafe { (self.functions.clCreateKernel)(program, name.as_ptr(), &mut status) };
                assert_eq!(status, 0, "there is no kernel {name:?}");
                made
            })
        })
    }

    /// Runs a launch and waits for it.
    ///
    /// # Safety
    ///
    /// The arguments must be what the kernel takes, and memory it reaches through them must be there.
    pub unsafe fn launch(&self, launch: &Launch, scratch: usize) {
        let (functions, kernel) = (self.functions, self.kernel(&launch.kernel));
        // SAFETY: the sizes are those of the parameters' types, and values live until the kernel has been enqueued.
        unsafe {
            let mut count = 0;
            for argument in &launch.arguments {
                let value =
                    |bytes: &[u8]| (functions.clSetKernelArg)(kernel, count, bytes.len(), bytes.as_ptr().cast());
                let pointer = |at: usize| (functions.clSetKernelArgSVMPointer)(kernel, count, at as *const c_void);
                let status = match argument {
                    Argument::Address(address) => pointer(address.value()),
                    Argument::Scratch(at) => pointer(scratch + *at as usize),
                    Argument::Value(bytes, size) => value(&bytes[..usize::from(*size)]),
                    Argument::U32(number) => value(&number.to_ne_bytes()),
                    Argument::I32(number) => value(&number.to_ne_bytes()),
                    Argument::U64(number) => value(&number.to_ne_bytes()),
                    Argument::I64(number) => value(&number.to_ne_bytes()),
                };
                assert_eq!(status, 0, "argument {count} is refused: {argument:?}");
                count += 1;
            }
            if launch.local > 0 {
                assert_eq!((functions.clSetKernelArg)(kernel, count, launch.local as usize, null()), 0);
            }
            let block = launch.kernel.group(dialect(), launch.block).map(|size| size as usize);
            let all: [usize; 3] = std::array::from_fn(|axis| block[axis] * launch.grid[axis] as usize);
            let status = (functions.clEnqueueNDRangeKernel)(
                self.queue,
                kernel,
                3,
                null(),
                all.as_ptr(),
                block.as_ptr(),
                0,
                null(),
                null_mut(),
            );
            assert_eq!(status, 0, "{:?} is not launched", launch.kernel);
            assert_eq!((functions.clFinish)(self.queue), 0);
        }
    }
}
