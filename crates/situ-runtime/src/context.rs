//! Contexts: devices that share allocations.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::pool::{Pin, Pool, PoolLimit, PoolStats};
use crate::queue::WeakQueue;
use crate::transfer::Traffic;
use crate::{Device, Error, Platform, Queue, Result};

#[derive(Debug)]
pub(crate) struct ContextInner {
    pub(crate) hal: Arc<dyn situ_hal::Context>,
    platform: Platform,
    devices: Vec<Device>,
    pools: Vec<Arc<Pool>>,
    cached_queues: Mutex<Vec<(Device, WeakQueue)>>,
    pub(crate) traffic: Traffic,
}

/// A set of devices that share allocations. Two handles are equal if they name the same set object.
#[derive(Clone, Debug)]
pub struct Context(pub(crate) Arc<ContextInner>);

impl PartialEq for Context {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for Context {}
impl Hash for Context {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl Context {
    /// A new context over devices of one platform.
    pub fn new(devices: &[Device]) -> Result<Context> {
        crate::fork::check()?;
        let Some(first) = devices.first() else {
            return Err(Error::ContextCreation("it needs at least one device".into()));
        };
        let platform = first.platform().clone();
        if let Some(other) = devices.iter().find(|d| *d.platform() != platform) {
            return Err(Error::ContextCreation(format!(
                "{} and {} belong to different platforms; make one context for each",
                first.label(),
                other.label()
            )));
        }
        let hal_devices: Vec<_> = devices.iter().map(|d| d.0.hal.clone()).collect();
        let hal = platform.0.hal.create_context(&hal_devices)?;
        let limit = PoolLimit::from_env()?;
        let pools = hal_devices.into_iter().map(|d| Pool::new(hal.clone(), d, limit)).collect();
        let (devices, cached_queues, traffic) = (devices.to_vec(), Mutex::default(), Traffic::default());
        Ok(Context(Arc::new(ContextInner { hal, platform, devices, pools, cached_queues, traffic })))
    }

    /// The context used for a device where none is given: its platform's, or a new one for a sub-device.
    pub fn for_device(device: &Device) -> Result<Context> {
        match device.parent() {
            None => device.platform().default_context(),
            Some(_) => Context::new(std::slice::from_ref(device)),
        }
    }

    /// The platform of its devices.
    pub fn platform(&self) -> &Platform {
        &self.0.platform
    }

    /// Its devices.
    pub fn devices(&self) -> &[Device] {
        &self.0.devices
    }

    /// The pool for allocations on one of its devices; a sub-device of one of them shares that one's pool.
    pub(crate) fn pool(&self, device: &Device) -> Option<&Arc<Pool>> {
        let mut device = Some(device);
        while let Some(candidate) = device {
            if let Some(at) = self.0.devices.iter().position(|d| d == candidate) {
                return Some(&self.0.pools[at]);
            }
            device = candidate.parent();
        }
        None
    }

    /// Keeps the memory of a [published](crate::Buffer::publish) buffer of this context from being freed; also its kind.
    /// `None` if no such buffer is alive, or if it does not hold all of the range.
    pub fn pin(&self, address: crate::Address, bytes: usize) -> Option<(situ_types::UsmKind, Pin)> {
        self.0.pools.iter().find_map(|pool| pool.pin(address, bytes))
    }

    /// The device, by its [number](Device::number), and the kind of memory that another user of the same driver has
    /// allocated at an address; `None` where the driver knows of none.
    pub fn locate(&self, address: crate::Address) -> Option<(usize, situ_types::UsmKind)> {
        self.0.hal.locate(address)
    }

    /// Whether the host can read and write memory of this kind where it lies, once the commands that touch it are over.
    pub fn host_reaches(&self, kind: situ_types::UsmKind) -> bool {
        self.0.hal.host_reaches(kind)
    }

    /// Whether commands can read and write any memory of the host where it lies.
    pub fn reaches_host(&self) -> bool {
        self.0.hal.reaches_host()
    }

    /// What its pools hold together.
    pub fn pool_stats(&self) -> Result<PoolStats> {
        crate::fork::check()?;
        Ok(self.0.pools.iter().map(|pool| pool.stats()).reduce(PoolStats::plus).unwrap_or_default())
    }

    /// Gives everything its pools hold unused back to the driver; the number of bytes.
    pub fn trim_pools(&self) -> Result<usize> {
        crate::fork::check()?;
        Ok(self.0.pools.iter().map(|pool| pool.trim()).sum())
    }

    /// Limits what each of its pools keeps unused.
    pub fn set_pool_limit(&self, limit: PoolLimit) -> Result<()> {
        crate::fork::check()?;
        self.0.pools.iter().for_each(|pool| pool.set_limit(limit));
        Ok(())
    }

    /// The pools of its devices.
    pub fn pools(&self) -> &[Arc<Pool>] {
        &self.0.pools
    }

    /// *The* queue on a device of this context that everything uses where none is given.
    ///
    /// The context does not keep it alive, or neither would ever go; that of a platform's default context lives for
    /// ever.
    pub fn cached_queue(&self, device: &Device) -> Result<Queue> {
        let mut cached = self.0.cached_queues.lock();
        cached.retain(|(_, queue)| queue.upgrade().is_some());
        if let Some(queue) = cached.iter().find(|(d, _)| d == device).and_then(|(_, q)| q.upgrade()) {
            return Ok(queue);
        }
        let queue = if self.0.platform.has_default(self) {
            Queue::for_ever(self, device)?
        } else {
            Queue::new(self, device, Default::default())?
        };
        cached.push((device.clone(), queue.downgrade()));
        Ok(queue)
    }
}
