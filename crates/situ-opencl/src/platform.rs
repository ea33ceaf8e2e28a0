//! OpenCL platforms: every driver that the loader shows, with the devices that can be used.

use std::ptr;
use std::sync::{Arc, OnceLock};

use situ_hal::{Context, Device, HalError, Platform, Result};
use situ_types::{BackendKind, DeviceType, PlatformInfo};

use crate::context::OpenClContext;
use crate::device::OpenClDevice;
use crate::driver::{Driver, Handle, code, describe, read, text};
use crate::memory::Memory;

/// The interface's numbers of what platforms can be asked.
mod ask {
    pub(super) const VERSION: u32 = 0x0901;
    pub(super) const NAME: u32 = 0x0902;
    pub(super) const VENDOR: u32 = 0x0903;
}

const EVERY_TYPE: u64 = 0xFFFF_FFFF;

/// The platforms on whose processors all of situ's tests pass: their names, and a part of their versions. PoCL 5 got kernels with
/// barriers wrong, which users may still write.
const PROVEN: [(&str, &str); 2] = [("Intel(R) OpenCL", ""), ("Portable Computing Language", "PoCL 3.")];

/// The environment variable that has other devices offered, if it is not empty. Compilers differ so much that results cannot
/// be trusted before they have been tested.
const OFFER: &str = "SITU_OPENCL_UNPROVEN";

#[derive(Debug)]
struct OpenClPlatform {
    info: PlatformInfo,
    devices: Vec<Arc<OpenClDevice>>,
}

/// What there is, and why there is not more.
#[derive(Clone, Debug, Default)]
pub struct Discovered {
    /// The platforms with a device that can be used.
    pub platforms: Vec<Arc<dyn Platform>>,
    /// Why there is no loader, or no platform, or why a platform or a device is left out.
    pub absences: Vec<String>,
}

/// The OpenCL platforms of this machine, looked for once.
pub fn platforms() -> &'static Discovered {
    static FOUND: OnceLock<Discovered> = OnceLock::new();
    FOUND.get_or_init(|| match Driver::get() {
        Ok(driver) => discover(driver),
        Err(reason) => Discovered { absences: vec![reason.to_string()], ..Discovered::default() },
    })
}

/// What a loader shows.
pub(crate) fn discover(driver: &'static Driver) -> Discovered {
    let mut found = Discovered::default();
    let handles = list(|room, to, count| {
        // SAFETY: writes at most as many handles as there is room for, and one number.
        unsafe { (driver.api.clGetPlatformIDs)(room, to, count) }
    });
    let handles = match handles {
        Ok(handles) if !handles.is_empty() => handles,
        Ok(_) | Err(code::PLATFORM_NOT_FOUND) => {
            found.absences.push(
                "the OpenCL loader is installed, but shows no platform; install a driver, such as your GPU's, \
                 pocl-opencl-icd, or the Python package intel-opencl-rt"
                    .into(),
            );
            return found;
        }
        Err(code) => {
            found.absences.push(format!("the OpenCL loader could not list its platforms: {}", describe(code)));
            return found;
        }
    };
    for handle in handles {
        match platform(driver, handle, &mut found.absences) {
            Ok(platform) => found.platforms.push(Arc::new(platform)),
            Err(reason) => found.absences.push(reason),
        }
    }
    found
}

/// Handles, by a function that counts them or writes them.
pub(crate) fn list(call: impl Fn(u32, *mut Handle, *mut u32) -> i32) -> std::result::Result<Vec<Handle>, i32> {
    let mut count = 0;
    match call(0, ptr::null_mut(), &raw mut count) {
        code::SUCCESS => {}
        code => return Err(code),
    }
    let mut handles = vec![ptr::null_mut(); count as usize];
    match if count == 0 { code::SUCCESS } else { call(count, handles.as_mut_ptr(), ptr::null_mut()) } {
        code::SUCCESS => Ok(handles),
        code => Err(code),
    }
}

/// A platform, or why it is left out; why devices are goes to the list.
fn platform(
    driver: &'static Driver,
    handle: Handle,
    absences: &mut Vec<String>,
) -> std::result::Result<OpenClPlatform, String> {
    let get = |what| {
        // SAFETY: the platform exists, and at most as many bytes are written as there is room for.
        let ask = |room, to, size| unsafe { (driver.api.clGetPlatformInfo)(handle, what, room, to, size) };
        read(ask).map(|bytes| text(&bytes)).unwrap_or_default()
    };
    let (backend, name, vendor, version) = (BackendKind::OpenCl, get(ask::NAME), get(ask::VENDOR), get(ask::VERSION));
    if ["OpenCL 1.0", "OpenCL 1.1"].iter().any(|old| version.starts_with(old)) {
        return Err(format!("platform {name}: it is too old ({version}); install a driver for OpenCL 1.2 or newer"));
    }
    let listed = list(|room, to, count| {
        // SAFETY: writes at most as many handles as there is room for, and one number.
        unsafe { (driver.api.clGetDeviceIDs)(handle, EVERY_TYPE, room, to, count) }
    });
    let handles = match listed {
        Ok(handles) => handles,
        Err(code::DEVICE_NOT_FOUND) => Vec::new(),
        Err(code) => return Err(format!("platform {name}: it could not list its devices: {}", describe(code))),
    };
    if handles.is_empty() {
        return Err(format!("platform {name}: it has no device"));
    }
    let usm = Memory::usm(driver, handle);
    let is_asked_for = std::env::var_os(OFFER).is_some_and(|told| !told.is_empty());
    let is_known = PROVEN.iter().any(|&(proven, part)| name == proven && version.contains(part));
    let is_proven = |device: &OpenClDevice| is_known && device.facts.info.device_type == DeviceType::Cpu;
    let mut devices = Vec::new();
    for device in handles {
        match OpenClDevice::new(driver, device, usm) {
            Ok(device) if is_asked_for || is_proven(&device) => devices.push(device),
            Ok(device) => absences.push(format!(
                "device {} of {name}: situ has not been tested on it, so that results could be wrong; {OFFER}=1 offers it \
                 nevertheless",
                device.facts.info.name
            )),
            Err(reason) => absences.push(format!("device {reason}")),
        }
    }
    if devices.is_empty() {
        return Err(format!("platform {name}: none of its devices can be used"));
    }
    Ok(OpenClPlatform { info: PlatformInfo { backend, name, vendor, version }, devices })
}

impl Platform for OpenClPlatform {
    fn info(&self) -> &PlatformInfo {
        &self.info
    }

    fn devices(&self) -> Vec<Arc<dyn Device>> {
        self.devices.iter().map(|device| device.clone() as Arc<dyn Device>).collect()
    }

    fn create_context(&self, devices: &[Arc<dyn Device>]) -> Result<Arc<dyn Context>> {
        let own: Option<Vec<_>> = devices.iter().map(OpenClDevice::shared).collect();
        match own {
            Some(devices) => Ok(Arc::new(OpenClContext::new(devices)?)),
            None => Err(HalError::Unsupported {
                operation: "create context".into(),
                detail: "an OpenCL context holds OpenCL devices only".into(),
            }),
        }
    }
}
