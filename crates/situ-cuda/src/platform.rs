//! The CUDA platform: every NVIDIA GPU that the driver shows.

use std::sync::{Arc, OnceLock};

use situ_hal::{Context, Device, HalError, Platform, Result};
use situ_types::{BackendKind, PlatformInfo};

use crate::context::CudaContext;
use crate::device::CudaDevice;
use crate::driver::{Driver, code};

#[derive(Debug)]
struct CudaPlatform {
    info: PlatformInfo,
    devices: Vec<Arc<CudaDevice>>,
}

/// The platform of the NVIDIA GPUs of this machine, or why there is none: no driver, an old one, or no GPU.
pub fn platform() -> std::result::Result<Arc<dyn Platform>, String> {
    static PLATFORM: OnceLock<std::result::Result<Arc<CudaPlatform>, String>> = OnceLock::new();
    let found = PLATFORM.get_or_init(discover).clone();
    found.map(|platform| platform as Arc<dyn Platform>)
}

fn discover() -> std::result::Result<Arc<CudaPlatform>, String> {
    let driver = Driver::get().map_err(ToString::to_string)?;
    let mut count = 0;
    // SAFETY: writes one integer.
    let counted = unsafe { (driver.api.cuDeviceGetCount)(&raw mut count) };
    if counted != code::SUCCESS {
        return Err(format!("the NVIDIA driver could not count its GPUs: {}", driver.describe(counted)));
    }
    let devices: Vec<_> = (0..count)
        .filter_map(|number| {
            let mut ordinal = 0;
            // SAFETY: writes one integer.
            let found = unsafe { (driver.api.cuDeviceGet)(&raw mut ordinal, number) } == code::SUCCESS;
            found.then(|| CudaDevice::new(driver, ordinal))
        })
        .collect();
    if devices.is_empty() {
        return Err("the NVIDIA driver is installed, but shows no GPU (is CUDA_VISIBLE_DEVICES set?)".into());
    }
    let (major, minor) = driver.version();
    let info = PlatformInfo {
        backend: BackendKind::Cuda,
        name: "NVIDIA CUDA".into(),
        vendor: "NVIDIA Corporation".into(),
        version: format!("CUDA {major}.{minor}"),
    };
    Ok(Arc::new(CudaPlatform { info, devices }))
}

impl Platform for CudaPlatform {
    fn info(&self) -> &PlatformInfo {
        &self.info
    }

    fn devices(&self) -> Vec<Arc<dyn Device>> {
        self.devices.iter().map(|device| device.clone() as Arc<dyn Device>).collect()
    }

    fn create_context(&self, devices: &[Arc<dyn Device>]) -> Result<Arc<dyn Context>> {
        let own: Option<Vec<_>> = devices.iter().map(CudaDevice::shared).collect();
        match own {
            Some(devices) => Ok(Arc::new(CudaContext::new(devices))),
            None => Err(HalError::Unsupported {
                operation: "create context".into(),
                detail: "a CUDA context holds CUDA devices only".into(),
            }),
        }
    }
}
