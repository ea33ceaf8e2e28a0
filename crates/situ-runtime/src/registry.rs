//! Everything that was found, once per process.

use std::sync::{LazyLock, OnceLock};

use parking_lot::Mutex;
use situ_types::BackendKind;

use crate::queue::WeakQueue;
use crate::visibility::Visibility;
use crate::{Context, Device, Error, Platform, Queue, Result};

/// The environment variable that limits what is visible.
const SELECTOR: &str = "SITU_DEVICE_SELECTOR";

#[derive(Debug)]
struct Registry {
    platforms: Vec<Platform>,
    devices: Vec<Device>,
    /// The processor, be it visible or not.
    host: Device,
    /// Why backends found nothing, or not more.
    absences: Vec<(BackendKind, String)>,
}

/// Why no device of a backend can exist in this build.
fn unsupported(backend: BackendKind) -> Option<&'static str> {
    match backend {
        BackendKind::LevelZero => {
            Some("situ has no Level-Zero backend; Intel GPUs are reached through `opencl` instead")
        }
        BackendKind::Hip => Some("situ has no HIP backend; AMD GPUs are reached through `opencl` instead"),
        BackendKind::Cuda | BackendKind::OpenCl | BackendKind::Native | BackendKind::Null => None,
    }
}

fn discover() -> Result<Registry> {
    let checks = [situ_cpu::check_environment, situ_cuda::check_environment, situ_opencl::check_environment];
    checks.into_iter().try_for_each(|check| check()).map_err(Error::Value)?;
    let text = std::env::var_os(SELECTOR).unwrap_or_default().to_string_lossy().into_owned();
    let visibility = Visibility::parse(&text).map_err(|reason| Error::NoDevice {
        wanted: format!("{SELECTOR}={text:?}"),
        reason: format!(
            "{reason}; write terms like \"cpu\", \"native:cpu:0\", \"cuda:0,1\" or \"!opencl:*\" joined by ';'"
        ),
    })?;
    let mut absences = Vec::new();
    // Looking for GPUs takes a while, so that nobody looks who has said that there are to be none.
    let cuda = if visibility.may_show(BackendKind::Cuda) {
        situ_cuda::platform().map_err(|reason| absences.push((BackendKind::Cuda, reason))).ok()
    } else {
        None
    };
    let opencl = if visibility.may_show(BackendKind::OpenCl) {
        let found = situ_opencl::platforms();
        absences.extend(found.absences.iter().map(|reason| (BackendKind::OpenCl, reason.clone())));
        &found.platforms[..]
    } else {
        &[]
    };
    // The null platform comes last and is never hidden: nothing but its own name finds it.
    let null = situ_hal::null::platform(situ_hal::null::NullConfig::default());
    let native = Platform::new(situ_cpu::platform());
    let Some(processor) = native.0.hal.devices().into_iter().next() else {
        return Err(Error::NoDevice { wanted: "the processor".into(), reason: "it has no core to run on".into() });
    };
    let host = Device::root(processor, native.clone(), 0);
    let mut registry = Registry { platforms: Vec::new(), devices: Vec::new(), host, absences };
    let others = cuda.into_iter().chain(opencl.iter().cloned()).chain([null]).map(Platform::new);
    // Several platforms of a backend count their devices together.
    let mut counts = [0; BackendKind::ALL.len()];
    for platform in [native].into_iter().chain(others) {
        let is_null = platform.backend() == BackendKind::Null;
        for (number, device) in platform.0.hal.devices().into_iter().enumerate() {
            let count = &mut counts[platform.backend() as usize];
            let position = *count;
            *count += 1;
            if is_null || visibility.shows(device.info(), position) {
                let is_host = platform.backend() == BackendKind::Native;
                let host = is_host.then(|| registry.host.clone());
                registry.devices.push(host.unwrap_or_else(|| Device::root(device, platform.clone(), number)));
            }
        }
        registry.platforms.push(platform);
    }
    let is_visible = |device: &Device| device.backend() != BackendKind::Null;
    if !registry.devices.iter().any(is_visible) {
        let missing = BackendKind::ALL.into_iter().filter(|&backend| visibility.names(backend));
        let mut reasons: Vec<String> = missing.filter_map(unsupported).map(str::to_owned).collect();
        reasons.extend(registry.absences.into_iter().map(|(_, reason)| reason));
        reasons.push("it hides every device; the native CPU is \"native:cpu\"".into());
        return Err(Error::NoDevice { wanted: format!("{SELECTOR}={text:?}"), reason: reasons.join("; ") });
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

/// A queue of the processor that this program runs on, even where it is not to be seen: somebody has to work on the
/// host's own memory.
pub fn host_queue() -> Result<Queue> {
    let host = &registry()?.host;
    if all()?.contains(host) {
        return Queue::cached(host);
    }
    static HIDDEN: OnceLock<Queue> = OnceLock::new();
    if let Some(queue) = HIDDEN.get() {
        return Ok(queue.clone());
    }
    let context = Context::new(std::slice::from_ref(host))?;
    let queue = Queue::new(&context, host, Default::default())?;
    Ok(HIDDEN.get_or_init(|| queue).clone())
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
            (backend, Some(absence(backend).unwrap_or_else(|| format!("hidden by {SELECTOR}"))))
        })
        .collect())
}

/// Why a backend has no device on this machine, unless its devices are only hidden.
pub(crate) fn absence(backend: BackendKind) -> Option<String> {
    unsupported(backend).map(Into::into).or_else(|| {
        let reasons = left_out(backend).ok()?;
        (!reasons.is_empty()).then(|| reasons.join("; "))
    })
}

/// What a backend found and does not offer, with the reasons; or why it found nothing.
pub fn left_out(backend: BackendKind) -> Result<Vec<String>> {
    let absences = registry()?.absences.iter();
    Ok(absences.filter(|(absent, _)| *absent == backend).map(|(_, reason)| reason.clone()).collect())
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
        queue.finish();
    }
    crate::deferred_drop::finish();
}
