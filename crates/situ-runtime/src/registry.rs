//! Everything that was found, once per process.

use std::sync::{LazyLock, OnceLock};

use parking_lot::Mutex;
use situ_types::BackendKind;

use crate::queue::WeakQueue;
use crate::visibility::Visibility;
use crate::{Device, Error, Platform, Queue, Result};

/// The environment variable that limits what is visible.
const SELECTOR: &str = "SITU_DEVICE_SELECTOR";

#[derive(Debug)]
struct Registry {
    platforms: Vec<Platform>,
    devices: Vec<Device>,
}

fn discover() -> Result<Registry> {
    let text = std::env::var(SELECTOR).unwrap_or_default();
    let visibility = Visibility::parse(&text).map_err(|reason| Error::NoDevice {
        wanted: format!("{SELECTOR}={text:?}"),
        reason: format!("{reason}; write terms like \"native:cpu\", \"cuda:0,1\" or \"!opencl:*\" joined by ';'"),
    })?;
    // The null platform comes last and is never hidden: nothing but its own name finds it.
    let found = [situ_cpu::platform(), situ_hal::null::platform(situ_hal::null::NullConfig::default())];
    let mut registry = Registry { platforms: Vec::new(), devices: Vec::new() };
    for hal in found {
        let platform = Platform::new(hal);
        let is_null = platform.backend() == BackendKind::Null;
        for (number, device) in platform.0.hal.devices().into_iter().enumerate() {
            if is_null || visibility.shows(device.info(), number) {
                registry.devices.push(Device::root(device, platform.clone()));
            }
        }
        registry.platforms.push(platform);
    }
    let is_visible = |device: &Device| device.backend() != BackendKind::Null;
    if !registry.devices.iter().any(is_visible) {
        return Err(Error::NoDevice {
            wanted: format!("{SELECTOR}={text:?}"),
            reason: "it hides every device; the native CPU is \"native:cpu\"".into(),
        });
    }
    Ok(registry)
}

fn registry() -> Result<&'static Registry> {
    static REGISTRY: OnceLock<Result<Registry>> = OnceLock::new();
    REGISTRY.get_or_init(discover).as_ref().map_err(Clone::clone)
}

/// Every device, the null device included.
pub(crate) fn all() -> Result<&'static [Device]> {
    Ok(&registry()?.devices)
}

/// The visible, unpartitioned devices.
pub fn devices() -> Result<Vec<Device>> {
    Ok(all()?.iter().filter(|device| device.backend() != BackendKind::Null).cloned().collect())
}

/// The platforms with a visible device.
pub fn platforms() -> Result<Vec<Platform>> {
    let visible = devices()?;
    Ok(registry()?.platforms.iter().filter(|p| visible.iter().any(|d| d.platform() == *p)).cloned().collect())
}

/// Each backend users may name, with the reason why it has no device here, if it has none.
pub fn availability() -> Result<Vec<(BackendKind, Option<String>)>> {
    let visible = devices()?;
    let users = BackendKind::ALL.into_iter().filter(|backend| *backend != BackendKind::Null);
    Ok(users
        .map(|backend| {
            if visible.iter().any(|device| device.backend() == backend) {
                return (backend, None);
            }
            let hidden = format!("hidden by {SELECTOR}");
            (backend, Some(backend.why_unavailable().map_or(hidden, str::to_owned)))
        })
        .collect())
}

static QUEUES: LazyLock<Mutex<Vec<WeakQueue>>> = LazyLock::new(Mutex::default);

/// Remembers a queue for [`finish_all`].
pub(crate) fn remember(queue: Queue) -> Queue {
    let mut queues = QUEUES.lock();
    if queues.len() == queues.capacity() {
        queues.retain(|queue| queue.upgrade().is_some());
    }
    queues.push(queue.downgrade());
    queue
}

/// Waits until every queue of the process has nothing left to do, ignoring failures: for the end of the process.
pub fn finish_all() {
    if crate::fork::is_child() {
        return;
    }
    let queues: Vec<Queue> = QUEUES.lock().iter().filter_map(WeakQueue::upgrade).collect();
    for queue in queues {
        queue.settle();
    }
}
