//! Kernels on a device: compiled once, kept as long as the process lives.

use std::ffi::CString;
use std::ptr;

use parking_lot::{Mutex, RwLock};
use situ_codegen::{Dialect, Kernel, KernelMap, Rules, Source};
use situ_hal::{HalError, Result};

use crate::compile;
use crate::device::CudaDevice;
use crate::driver::Handle;
use crate::driver::code::NOT_FOUND;

/// A kernel, loaded on a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function(pub(crate) Handle);

// SAFETY: a function may be launched from any thread, and is never unloaded.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

/// The kernels of one device.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    functions: RwLock<KernelMap<Function>>,
    /// Held while something is compiled, so that nothing is compiled twice.
    compiling: Mutex<()>,
}

impl Modules {
    /// A kernel as the device knows it, compiled if it is new. The device has been entered.
    pub(crate) fn function(&self, device: &CudaDevice, kernel: &Kernel) -> Result<Function> {
        if let Some(function) = self.functions.read().get(kernel) {
            return Ok(*function);
        }
        let _alone = self.compiling.lock();
        if let Some(function) = self.functions.read().get(kernel) {
            return Ok(*function);
        }
        let source = kernel.emit(Dialect::Cuda);
        let function = load(device, &compile::compile(&source, device.facts.capability)?, &source)?;
        self.functions.write().insert(kernel.clone(), function);
        Ok(function)
    }
}

fn load(device: &CudaDevice, image: &[u8], source: &Source) -> Result<Function> {
    let api = &device.driver.api;
    let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the image is what the compiler or its cache gave; PTX among them ends with 0. Writes one handle.
    let code = unsafe { (api.cuModuleLoadData)(&raw mut module, image.as_ptr().cast()) };
    device.check(code, "load a kernel")?;
    let nowhere = || {
        let detail = format!("there is no function {0} in the text; declare it extern \"C\" __global__", source.kernel);
        HalError::Compile { operation: format!("kernel {}", source.kernel).into(), detail }
    };
    let name = CString::new(&source.kernel[..]).map_err(|_| nowhere())?;
    // SAFETY: writes one handle; the name ends with 0.
    let code = unsafe { (api.cuModuleGetFunction)(&raw mut function, module, name.as_ptr()) };
    if code == NOT_FOUND && matches!(source.rules, Rules::Given(_)) {
        return Err(nowhere());
    }
    device.check(code, "load a kernel")?;
    Ok(Function(function))
}
