//! Platforms: one driver and the devices it reaches.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::Mutex;
use situ_types::{BackendKind, PlatformInfo};

use crate::{Context, Device, Result, registry};

#[derive(Debug)]
pub(crate) struct PlatformInner {
    pub(crate) hal: Arc<dyn situ_hal::Platform>,
    default_context: Mutex<Option<Context>>,
}

/// One driver and the devices it reaches.
#[derive(Clone, Debug)]
pub struct Platform(pub(crate) Arc<PlatformInner>);

impl PartialEq for Platform {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for Platform {}
impl Hash for Platform {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl Platform {
    pub(crate) fn new(hal: Arc<dyn situ_hal::Platform>) -> Platform {
        Platform(Arc::new(PlatformInner { hal, default_context: Mutex::new(None) }))
    }

    /// The platform of the device a selector string names.
    pub fn select(selector: &str) -> Result<Platform> {
        Ok(Device::select(selector)?.platform().clone())
    }

    /// What it says about itself.
    pub fn info(&self) -> &PlatformInfo {
        self.0.hal.info()
    }

    /// The family of driver.
    pub fn backend(&self) -> BackendKind {
        self.info().backend
    }

    /// Its visible, unpartitioned devices.
    pub fn devices(&self) -> Result<Vec<Device>> {
        Ok(registry::all()?.iter().filter(|device| device.platform() == self).cloned().collect())
    }

    /// The context over all its devices that is used where none is given.
    pub fn default_context(&self) -> Result<Context> {
        let mut slot = self.0.default_context.lock();
        if let Some(context) = &*slot {
            return Ok(context.clone());
        }
        let context = Context::new(&self.devices()?)?;
        Ok(slot.insert(context).clone())
    }

    /// Whether this is the context that is used where none is given.
    pub(crate) fn has_default(&self, context: &Context) -> bool {
        self.0.default_context.lock().as_ref() == Some(context)
    }
}
