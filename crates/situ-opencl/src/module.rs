//! Kernels on a device in a context: compiled once, kept as long as the context.

use std::ffi::CString;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use situ_codegen::{Dialect, Kernel, KernelMap, Rules, Source, Work};
use situ_hal::{HalError, RawFacts, Result};
use smallvec::SmallVec;

use crate::compile::{Program, build, build_spirv};
use crate::context::Place;
use crate::driver::{Driver, Handle, code};

const PARAMETER_COUNT: u32 = 0x1191;
const GROUP_SIZE: u32 = 0x11B0;
const GROUP_MULTIPLE: u32 = 0x11B3;
const PRIVATE_BYTES: u32 = 0x11B4;

/// A kernel of the driver.
#[derive(Debug)]
pub(crate) struct DriverKernel(pub(crate) Handle);

// SAFETY: it is used under a lock only.
unsafe impl Send for DriverKernel {}

/// A kernel on a device in a context.
#[derive(Debug)]
pub(crate) struct Function {
    /// Its arguments are set one by one, so that only one thread may use it at a time.
    pub(crate) kernel: Mutex<DriverKernel>,
    /// How many parameters it has.
    pub(crate) parameters: u32,
    driver: &'static Driver,
}

impl Function {
    /// What the compiler says about it.
    pub(crate) fn facts(&self, place: &Place) -> RawFacts {
        let kernel = self.kernel.lock();
        let get = |what: u32| {
            let mut value = 0u64;
            // SAFETY: kernel and device exist, and one number is written.
            unsafe {
                let (to, none) = ((&raw mut value).cast(), std::ptr::null_mut());
                let ask = self.driver.api.clGetKernelWorkGroupInfo;
                ask(kernel.0, place.device.handle, what, size_of::<u64>(), to, none);
            }
            value
        };
        RawFacts {
            parameters: self.parameters,
            group_size: get(GROUP_SIZE) as usize,
            group_multiple: get(GROUP_MULTIPLE) as usize,
            private_bytes: get(PRIVATE_BYTES),
        }
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        // SAFETY: nobody else has the handle. The driver keeps what is still enqueued.
        unsafe { (self.driver.api.clReleaseKernel)(self.kernel.get_mut().0) };
    }
}

/// The kernels of a device in a context.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    functions: RwLock<KernelMap<Arc<Function>>>,
    /// Held while something is compiled, so that nothing is compiled twice.
    compiling: Mutex<()>,
}

impl Place {
    /// The kernels of some work, one for each launch, compiled where they are new.
    pub(crate) fn functions(&self, work: &Work) -> Result<SmallVec<[Arc<Function>; 2]>> {
        work.launches.iter().map(|launch| self.function(&launch.kernel)).collect()
    }

    /// What kernels are written in here.
    pub(crate) fn dialect(&self) -> Dialect {
        if self.device.facts.limits.is_processor { Dialect::Processor } else { Dialect::OpenCl }
    }

    /// A kernel, compiled if it is new.
    pub(crate) fn function(&self, kernel: &Kernel) -> Result<Arc<Function>> {
        let modules = &self.modules;
        if let Some(function) = modules.functions.read().get(kernel) {
            return Ok(function.clone());
        }
        let _alone = modules.compiling.lock();
        if let Some(function) = modules.functions.read().get(kernel) {
            return Ok(function.clone());
        }
        let source = kernel.emit(self.dialect());
        let program = match kernel {
            Kernel::Raw(raw) if raw.spirv().is_some() => build_spirv(self, raw.spirv().unwrap_or_default(), &source)?,
            _ => build(self, &source)?,
        };
        let function = Arc::new(load(self, &program, &source)?);
        modules.functions.write().insert(kernel.clone(), function.clone());
        Ok(function)
    }
}

fn load(place: &Place, program: &Program, source: &Source) -> Result<Function> {
    let (driver, device) = (place.device.driver, &place.device);
    let nowhere = || {
        let detail = format!("there is no function {0} in the text; declare it __kernel void", source.kernel);
        HalError::Compile { operation: format!("kernel {}", source.kernel).into(), detail }
    };
    let name = CString::new(&source.kernel[..]).map_err(|_| nowhere())?;
    let mut code = code::SUCCESS;
    // SAFETY: the program is built, the name ends with 0, and one code is written.
    let kernel = unsafe { (driver.api.clCreateKernel)(program.handle, name.as_ptr(), &raw mut code) };
    if code == code::INVALID_KERNEL_NAME && matches!(source.rules, Rules::Given(_)) {
        return Err(nowhere());
    }
    device.check(code, "load a kernel")?;
    let mut function = Function { kernel: Mutex::new(DriverKernel(kernel)), parameters: 0, driver };
    // SAFETY: the kernel exists, and one number is written.
    let code = unsafe {
        let to = (&raw mut function.parameters).cast();
        (driver.api.clGetKernelInfo)(kernel, PARAMETER_COUNT, size_of::<u32>(), to, std::ptr::null_mut())
    };
    device.check(code, "load a kernel")?;
    device.facts.memory.allow_indirect_access(driver, kernel);
    Ok(function)
}
