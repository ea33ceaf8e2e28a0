//! Devices and sub-devices.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use situ_types::{Aspect, BackendKind, DeviceInfo, DeviceType, FloatSupport, Partition};

use crate::{Error, Platform, Result, registry, selector};

#[derive(Debug)]
pub(crate) struct DeviceInner {
    pub(crate) hal: Arc<dyn situ_hal::Device>,
    platform: Platform,
    parent: Option<Device>,
    number: usize,
    floats: FloatSupport,
}

/// A processor, or a part of one. Two handles are equal if they name the same one.
///
/// ```
/// let device = situ_runtime::Device::select("cpu")?;
/// assert!(device.info().max_compute_units >= 1);
/// assert_eq!(device.filter_string()?, "native:cpu:0");
/// # Ok::<(), situ_runtime::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Device(pub(crate) Arc<DeviceInner>);

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for Device {}
impl Hash for Device {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl Device {
    pub(crate) fn root(hal: Arc<dyn situ_hal::Device>, platform: Platform, number: usize) -> Device {
        Self::new(hal, platform, None, number)
    }

    fn new(hal: Arc<dyn situ_hal::Device>, platform: Platform, parent: Option<Device>, number: usize) -> Device {
        let floats = FloatSupport { fp16: hal.info().has(Aspect::Fp16), fp64: hal.info().has(Aspect::Fp64) };
        Device(Arc::new(DeviceInner { hal, platform, parent, number, floats }))
    }

    /// The device with the highest default score.
    pub fn default_device() -> Result<Device> {
        Self::best(|_| true, "the default device")
    }

    /// The device a selector string names.
    pub fn select(selector: &str) -> Result<Device> {
        selector::select(selector)
    }

    /// The best device of a type.
    pub fn of_type(device_type: DeviceType) -> Result<Device> {
        Self::best(|device| device.info().device_type == device_type, &format!("device type {device_type}"))
    }

    /// The best device that has every required aspect and none of the excluded ones.
    pub fn with_aspects(required: &[Aspect], excluded: &[Aspect]) -> Result<Device> {
        let fits = |device: &Device| {
            required.iter().all(|a| device.info().has(*a)) && !excluded.iter().any(|a| device.info().has(*a))
        };
        let names = |aspects: &[Aspect]| aspects.iter().map(|a| a.name()).collect::<Vec<_>>().join(", ");
        Self::best(fits, &format!("aspects [{}] without [{}]", names(required), names(excluded)))
    }

    fn best(fits: impl Fn(&Device) -> bool, wanted: &str) -> Result<Device> {
        let all = registry::devices()?;
        let mut best: Option<&Device> = None;
        for device in all.iter().filter(|d| d.info().default_score >= 0 && fits(d)) {
            // The first of equals wins.
            if best.is_none_or(|b| device.info().default_score > b.info().default_score) {
                best = Some(device);
            }
        }
        best.cloned().ok_or_else(|| {
            let visible: Vec<String> = all.iter().filter_map(|d| d.filter_string().ok()).collect();
            Error::NoDevice { wanted: wanted.into(), reason: format!("visible devices: {}", visible.join(", ")) }
        })
    }

    /// What it says about itself.
    pub fn info(&self) -> &DeviceInfo {
        self.0.hal.info()
    }

    /// The family of driver.
    pub fn backend(&self) -> BackendKind {
        self.info().backend
    }

    /// The platform it belongs to.
    pub fn platform(&self) -> &Platform {
        &self.0.platform
    }

    /// The number by which its platform's driver, and thus other libraries, know its whole device. Devices that are not
    /// visible count, too.
    pub fn number(&self) -> usize {
        self.0.number
    }

    /// Which floating-point widths it computes with.
    pub fn float_support(&self) -> FloatSupport {
        self.0.floats
    }

    /// The device this one is a part of.
    pub fn parent(&self) -> Option<&Device> {
        self.0.parent.as_ref()
    }

    /// The whole device this one is a part of, or itself.
    pub fn unpartitioned(&self) -> &Device {
        let mut device = self;
        while let Some(parent) = device.parent() {
            device = parent;
        }
        device
    }

    /// Splits it into sub-devices.
    pub fn create_sub_devices(&self, how: &Partition) -> Result<Vec<Device>> {
        let impossible = |error: situ_hal::HalError| match error {
            situ_hal::HalError::Unsupported { detail, .. } => Error::SubDevices(detail),
            other => Error::Hal(other),
        };
        let parts = self.0.hal.partition(how).map_err(impossible)?;
        let device = |hal| Self::new(hal, self.0.platform.clone(), Some(self.clone()), self.number());
        Ok(parts.into_iter().map(device).collect())
    }

    /// The selector string that names exactly this device, such as `native:cpu:0`.
    pub fn filter_string(&self) -> Result<String> {
        self.partial_filter_string(true, true)
    }

    /// The selector string without some of its parts; the number counts among what the rest matches.
    pub fn partial_filter_string(&self, with_backend: bool, with_type: bool) -> Result<String> {
        let info = self.info();
        let filter = selector::Filter {
            backend: (with_backend || info.backend == BackendKind::Null).then_some(info.backend),
            device_type: with_type.then_some(info.device_type),
            number: None,
        };
        let all = registry::all()?;
        let number = all.iter().filter(|d| filter.matches(d.info())).position(|d| d == self).ok_or_else(|| {
            Error::Value(
                "a sub-device has no filter string: only whole devices can be named by one; pass the device or a \
                 queue on it instead"
                    .into(),
            )
        })?;
        let mut parts = Vec::new();
        if with_backend {
            parts.push(info.backend.name().to_owned());
        }
        if with_type {
            parts.push(info.device_type.name().to_owned());
        }
        parts.push(number.to_string());
        Ok(parts.join(":"))
    }

    /// The position of its unpartitioned device among [`devices`](crate::devices).
    pub fn id(&self) -> Result<usize> {
        let root = self.unpartitioned();
        registry::all()?
            .iter()
            .position(|d| d == root)
            .ok_or_else(|| Error::Value("the device is not registered".into()))
    }

    /// How messages call this device: its filter string, or that of its whole device with its share of it.
    pub fn label(&self) -> String {
        let root = self.unpartitioned();
        let name = root.filter_string().unwrap_or_else(|_| root.info().name.clone());
        if root == self {
            return name;
        }
        let units = self.info().max_compute_units;
        format!("{name} (sub-device of {units} of {} compute units)", root.info().max_compute_units)
    }
}
