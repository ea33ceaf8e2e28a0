//! A GPU, and the driver's context on it that everybody in the process shares.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use situ_hal::{Device, HalError, Result};
use situ_types::{DeviceInfo, Partition};

use crate::copy::Staging;
use crate::cublas::Cublas;
use crate::cufft::Cufft;
use crate::cusolver::Cusolver;
use crate::driver::{Driver, Handle, Ordinal, is_fatal};
use crate::facts::Facts;
use crate::module::Modules;

/// A GPU. The driver makes a context on it with its first work, which takes a while.
pub(crate) struct CudaDevice {
    pub(crate) driver: &'static Driver,
    pub(crate) ordinal: Ordinal,
    pub(crate) facts: Facts,
    /// Bytes allocated by this process and not released, of device memory and of managed memory.
    pub(crate) allocated: [AtomicUsize; 2],
    pub(crate) modules: Modules,
    pub(crate) staging: Staging,
    pub(crate) cublas: Cublas,
    pub(crate) cufft: Cufft,
    pub(crate) cusolver: Cusolver,
    primary: OnceLock<Primary>,
    retaining: Mutex<()>,
    lost: OnceLock<HalError>,
}

/// The context that the driver's other users in this process have on the device, too.
#[derive(Clone, Copy, Debug)]
struct Primary(Handle);

// SAFETY: a context may be made current on any thread, and is never released.
unsafe impl Send for Primary {}
// SAFETY: as above; the handle is only ever passed to the driver.
unsafe impl Sync for Primary {}

impl fmt::Debug for CudaDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CudaDevice({}: {})", self.ordinal, self.facts.info.name)
    }
}

impl CudaDevice {
    pub(crate) fn new(driver: &'static Driver, ordinal: Ordinal) -> Arc<CudaDevice> {
        Arc::new(CudaDevice {
            driver,
            ordinal,
            facts: Facts::of(driver, ordinal),
            allocated: Default::default(),
            modules: Modules::default(),
            staging: Staging::default(),
            cublas: Cublas::default(),
            cufft: Cufft::default(),
            cusolver: Cusolver::default(),
            primary: OnceLock::new(),
            retaining: Mutex::default(),
            lost: OnceLock::new(),
        })
    }

    /// The CUDA device behind a device of any backend, if it is one.
    pub(crate) fn shared(device: &Arc<dyn Device>) -> Option<Arc<CudaDevice>> {
        let any: Arc<dyn Any + Send + Sync> = device.clone();
        any.downcast().ok()
    }

    fn primary(&self) -> Result<Primary> {
        if let Some(primary) = self.primary.get() {
            return Ok(*primary);
        }
        self.driver.check_process("use the device")?;
        let _alone = self.retaining.lock();
        if let Some(primary) = self.primary.get() {
            return Ok(*primary);
        }
        let mut context = ptr::null_mut();
        // SAFETY: writes one handle.
        let code = unsafe { (self.driver.api.cuDevicePrimaryCtxRetain)(&raw mut context, self.ordinal) };
        self.driver.check(code, "use the device")?;
        Ok(*self.primary.get_or_init(|| Primary(context)))
    }

    /// Makes the device's context the calling thread's, until what is returned is dropped. A thread without any keeps
    /// it.
    pub(crate) fn enter(&self) -> Result<Entered<'_>> {
        let Primary(own) = self.primary()?;
        let mut current = ptr::null_mut();
        // SAFETY: writes one handle.
        self.check(unsafe { (self.driver.api.cuCtxGetCurrent)(&raw mut current) }, "use the device")?;
        if current != own {
            // SAFETY: the context was retained and is never released.
            self.check(unsafe { (self.driver.api.cuCtxPushCurrent_v2)(own) }, "use the device")?;
        }
        let restores = (current != own && !current.is_null()).then_some(self.driver);
        Ok(Entered { restores, device: PhantomData })
    }

    /// Waits until everything on the device is over, whoever has submitted it. The device has been entered.
    pub(crate) fn wait_for_all(&self) -> Result<()> {
        // SAFETY: takes nothing.
        self.check(unsafe { (self.driver.api.cuCtxSynchronize)() }, "wait")
    }

    /// An error for every code but success. A code that means the end of the device is remembered.
    #[inline]
    pub(crate) fn check(&self, code: i32, operation: &'static str) -> Result<()> {
        let result = self.driver.check(code, operation);
        if let Err(error) = &result
            && is_fatal(code)
        {
            self.lose(error.clone());
        }
        result
    }

    /// Takes note that nothing on the device can be relied on any more.
    pub(crate) fn lose(&self, error: HalError) {
        self.lost.get_or_init(|| error);
    }

    /// What ended the device for this process, if something did.
    #[inline]
    pub(crate) fn lost(&self) -> Option<&HalError> {
        self.lost.get()
    }
}

/// The device's context is the thread's as long as this lives.
#[derive(Debug)]
pub(crate) struct Entered<'d> {
    restores: Option<&'static Driver>,
    /// Belongs to the thread, and the device does not go before it.
    device: PhantomData<(&'d CudaDevice, *mut ())>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        if let Some(driver) = self.restores {
            let mut own = ptr::null_mut();
            // SAFETY: the context on top is the one that was pushed when this was made.
            unsafe { (driver.api.cuCtxPopCurrent_v2)(&raw mut own) };
        }
    }
}

impl Device for CudaDevice {
    fn info(&self) -> &DeviceInfo {
        &self.facts.info
    }

    fn partition(&self, _how: &Partition) -> Result<Vec<Arc<dyn Device>>> {
        Err(HalError::Unsupported {
            operation: "create sub-devices".into(),
            detail: "a CUDA device cannot be divided; use several queues on it instead".into(),
        })
    }
}
