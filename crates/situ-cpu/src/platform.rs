//! The native platform: one device, always there.

use std::sync::{Arc, OnceLock};

use situ_hal::{Context, Device, HalError, Platform, Result};
use situ_types::{BackendKind, PlatformInfo};

use crate::context::CpuContext;
use crate::device::CpuDevice;
use crate::topology::Topology;

#[derive(Debug)]
struct CpuPlatform {
    info: PlatformInfo,
    device: Arc<CpuDevice>,
}

/// The platform of the processor this program runs on. It always exists and has exactly one device.
pub fn platform() -> Arc<dyn Platform> {
    native().clone()
}

/// The device with every core this process may use.
pub(crate) fn root_device() -> &'static Arc<CpuDevice> {
    &native().device
}

fn native() -> &'static Arc<CpuPlatform> {
    static PLATFORM: OnceLock<Arc<CpuPlatform>> = OnceLock::new();
    PLATFORM.get_or_init(|| {
        let topology = Arc::new(Topology::detect());
        let info = PlatformInfo {
            backend: BackendKind::Native,
            name: "situ native".into(),
            vendor: "situ".into(),
            version: env!("CARGO_PKG_VERSION").into(),
        };
        Arc::new(CpuPlatform { info, device: CpuDevice::root(topology) })
    })
}

impl Platform for CpuPlatform {
    fn info(&self) -> &PlatformInfo {
        &self.info
    }

    fn devices(&self) -> Vec<Arc<dyn Device>> {
        vec![self.device.clone()]
    }

    fn create_context(&self, devices: &[Arc<dyn Device>]) -> Result<Arc<dyn Context>> {
        if devices.iter().any(|d| CpuDevice::shared(d).is_none()) {
            return Err(HalError::Unsupported {
                operation: "create context".into(),
                detail: "a native context holds native devices only".into(),
            });
        }
        Ok(Arc::new(CpuContext::new(self.device.topology().clone())))
    }
}
