//! A device of an OpenCL platform, or a part of one.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use situ_hal::{Device, HalError, Result};
use situ_types::{AffinityDomain, DeviceInfo, Partition};

use crate::driver::{Driver, Handle, code, is_fatal};
use crate::facts::Facts;
use crate::platform::list;

/// The interface's ways to divide a device.
const EQUALLY: isize = 0x1086;
const BY_COUNTS: isize = 0x1087;
const BY_AFFINITY: isize = 0x1088;
const END: isize = 0;

/// A part of a device is never the default.
const NEVER_DEFAULT: i32 = -1;

/// A device, or a part of one.
pub(crate) struct OpenClDevice {
    pub(crate) driver: &'static Driver,
    pub(crate) handle: Handle,
    pub(crate) facts: Facts,
    /// What this is a part of, which does not go before it.
    parent: Option<Arc<OpenClDevice>>,
    lost: OnceLock<HalError>,
    itself: std::sync::Weak<OpenClDevice>,
}

// SAFETY: every thread may use a device; a part of one is released once, when nobody has it any more.
unsafe impl Send for OpenClDevice {}
// SAFETY: as above.
unsafe impl Sync for OpenClDevice {}

impl fmt::Debug for OpenClDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpenClDevice({})", self.facts.info.name)
    }
}

impl OpenClDevice {
    /// A device of a platform, or why it cannot be used.
    pub(crate) fn new(
        driver: &'static Driver,
        handle: Handle,
        usm: Option<crate::memory::Memory>,
    ) -> std::result::Result<Arc<OpenClDevice>, String> {
        Facts::of(driver, handle, usm).map(|facts| Self::with(driver, handle, facts, None))
    }

    fn with(
        driver: &'static Driver,
        handle: Handle,
        facts: Facts,
        parent: Option<Arc<OpenClDevice>>,
    ) -> Arc<OpenClDevice> {
        let lost = OnceLock::new();
        Arc::new_cyclic(|itself| OpenClDevice { driver, handle, facts, parent, lost, itself: itself.clone() })
    }

    /// The OpenCL device behind a device of any backend, if it is one.
    pub(crate) fn shared(device: &Arc<dyn Device>) -> Option<Arc<OpenClDevice>> {
        let any: Arc<dyn Any + Send + Sync> = device.clone();
        any.downcast().ok()
    }

    /// What this is a part of.
    pub(crate) fn parent(&self) -> Option<&Arc<OpenClDevice>> {
        self.parent.as_ref()
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

    /// A way to divide it, as the interface writes it.
    fn properties(&self, how: &Partition) -> std::result::Result<Vec<isize>, String> {
        let units = self.facts.info.max_compute_units as usize;
        let positive = |count: usize| match count {
            0 => Err(String::from("a part needs a compute unit at least")),
            _ => Ok(()),
        };
        let fits = |total: usize| match total {
            0 => Err("at least one part is needed".into()),
            total if total > units => Err(format!("it has {units} compute units, and {total} are asked for")),
            _ => Ok(()),
        };
        let properties = match how {
            Partition::Equally(count) => {
                positive(*count)?;
                fits(*count)?;
                vec![EQUALLY, *count as isize, END]
            }
            Partition::ByCounts(counts) => {
                counts.iter().try_for_each(|&count| positive(count))?;
                fits(counts.iter().fold(0, |sum: usize, &count| sum.saturating_add(count)))?;
                let counts = counts.iter().map(|&count| count as isize);
                [BY_COUNTS].into_iter().chain(counts).chain([END, END]).collect()
            }
            Partition::ByAffinity(domain) => {
                let domain = match domain {
                    AffinityDomain::Numa => 1,
                    AffinityDomain::L4Cache => 2,
                    AffinityDomain::L3Cache => 4,
                    AffinityDomain::L2Cache => 8,
                    AffinityDomain::L1Cache => 16,
                    AffinityDomain::NextPartitionable => 32,
                    AffinityDomain::NotApplicable => return Err("no affinity domain is named".into()),
                };
                vec![BY_AFFINITY, domain, END]
            }
        };
        if !self.facts.partitions.contains(&(properties[0] as u64)) {
            return Err(format!("its driver cannot divide it by {how}"));
        }
        Ok(properties)
    }
}

impl Drop for OpenClDevice {
    fn drop(&mut self) {
        if self.parent.is_some() {
            // SAFETY: nobody else has the handle; whatever was made from it holds a reference of its own.
            unsafe { (self.driver.api.clReleaseDevice)(self.handle) };
        }
    }
}

impl Device for OpenClDevice {
    fn info(&self) -> &DeviceInfo {
        &self.facts.info
    }

    fn partition(&self, how: &Partition) -> Result<Vec<Arc<dyn Device>>> {
        let operation = "create sub-devices";
        let refuse = |detail| HalError::Unsupported { operation: operation.into(), detail };
        self.driver.check_process(operation)?;
        let properties = self.properties(how).map_err(refuse)?;
        let handles = list(|room, to, count| {
            // SAFETY: the properties end as the interface wants, and as many handles are written as there is room for.
            unsafe { (self.driver.api.clCreateSubDevices)(self.handle, properties.as_ptr(), room, to, count) }
        });
        let handles = match handles {
            Ok(handles) => handles,
            Err(code::DEVICE_PARTITION_FAILED | code::INVALID_DEVICE_PARTITION_COUNT | code::INVALID_VALUE) => {
                return Err(refuse(format!("its driver cannot divide it by {how}")));
            }
            Err(code) => return Err(crate::driver::error(code, operation)),
        };
        let usm = Some(self.facts.memory).filter(|memory| matches!(memory, crate::memory::Memory::Usm(_)));
        let part = |handle| {
            let mut facts = Facts::of(self.driver, handle, usm).map_err(refuse)?;
            facts.info.default_score = NEVER_DEFAULT;
            Ok(Self::with(self.driver, handle, facts, self.itself.upgrade()) as Arc<dyn Device>)
        };
        handles.into_iter().map(part).collect()
    }
}
