//! A backend that does everything in the plainest way, and can be told to fail.
//!
//! It is what situ's own tests run on where the conduct matters: what is allocated and given back, what waits for what,
//! and what happens when any single call fails. It computes one element after another, by the interpreter of `situ-ir`:
//! other backends are compared with it. It is also the smallest complete backend, so a new one can start from its files:
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the platform, and the state all null devices of the process share |
//! | `device.rs` | what a device says about itself, and how it is split |
//! | `context.rs` | memory, and the register of what is alive |
//! | `queue.rs` | what a command waits for, and what it does |
//! | `compute.rs` | programs, reductions and scans |
//! | `fft.rs` | Fourier transforms |
//! | `indexing.rs` | the commands that move elements by index or mask |
//! | `sort.rs` | the commands that follow the order of elements |
//! | `event.rs` | the fate of one command |
//! | `faults.rs` | failures on request; only this backend has them |
//!
//! Memory is real, zeroed host memory. Hints do nothing.
//!
//! ```
//! use situ_hal::null::{self, Call, Fault, Faults, NullConfig};
//! use situ_types::UsmKind;
//!
//! let _alone = null::exclusive();
//! let platform = null::platform(NullConfig::default());
//! let devices = platform.devices();
//! let context = platform.create_context(&devices)?;
//!
//! Faults::fail(Call::Allocate, 2, Fault::OutOfMemory);
//! let block = context.allocate(&devices[0], UsmKind::Device, 100)?;
//! let error = context.allocate(&devices[0], UsmKind::Device, 200).unwrap_err();
//! assert!(error.to_string().starts_with("allocate: out of memory (200 bytes were asked for"));
//!
//! assert_eq!(null::live_allocations(), (1, 100));
//! // SAFETY: the block came from this context with this kind and size, and no command touches it.
//! unsafe { context.release(UsmKind::Device, block, 100) };
//! assert_eq!(null::live_allocations(), (0, 0));
//! # Ok::<(), situ_hal::HalError>(())
//! ```

mod compute;
mod context;
mod device;
mod event;
mod faults;
mod fft;
mod indexing;
mod launch;
mod queue;
mod random;
mod sort;
#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use parking_lot::{Mutex, MutexGuard};
use situ_types::{BackendKind, PlatformInfo};

pub use self::faults::{Call, Fault, Faults};

use self::context::{Memory, NullContext};
use self::device::NullDevice;
use self::faults::FaultPlan;
pub use self::launch::launch;
use crate::{Context, Device, Platform, Result};

/// What a null platform should look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NullConfig {
    /// Number of devices.
    pub devices: usize,
    /// Compute units of each device; 0 counts as 1.
    pub compute_units: u32,
    /// Whether the devices have half-precision arithmetic.
    pub fp16: bool,
    /// Whether the devices have double-precision arithmetic.
    pub fp64: bool,
}

impl Default for NullConfig {
    fn default() -> NullConfig {
        NullConfig { devices: 1, compute_units: 4, fp16: true, fp64: true }
    }
}

/// A new platform of null devices.
pub fn platform(config: NullConfig) -> Arc<dyn Platform> {
    let info = PlatformInfo {
        backend: BackendKind::Null,
        name: "situ null platform".into(),
        vendor: "situ".into(),
        version: env!("CARGO_PKG_VERSION").into(),
    };
    let devices = (0..config.devices).map(|n| Arc::new(NullDevice::root(n, config)) as Arc<dyn Device>).collect();
    Arc::new(NullPlatform { info, devices })
}

/// When a submitted command is executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Latency {
    /// Before `submit` returns.
    #[default]
    Immediate,
    /// When somebody waits for its event, its queue, or a command that depends on it; never otherwise.
    OnWait,
}

/// Decides when commands submitted from now on are executed, on every null queue of the process.
pub fn set_latency(latency: Latency) {
    STATE.lock().latency = latency;
}

/// Number and total size of the blocks that have been allocated since the last [`exclusive`] began or ended, and not
/// released.
pub fn live_allocations() -> (usize, usize) {
    STATE.lock().memory.live()
}

/// What callers did against the contract since the last [`exclusive`] began or ended, one sentence each.
///
/// Releases of blocks that are not alive, or with another kind, size or context than they were allocated with.
pub fn misuse() -> Vec<String> {
    STATE.lock().memory.misuse.clone()
}

/// Reserves the null backend for one test, with no faults armed, [`Latency::Immediate`] and every counter at zero.
///
/// Blocks until other holders are gone; a thread that already holds a guard must not ask for another. Blocks of
/// memory left over from before stay valid but are no longer counted.
#[must_use = "the null backend is reserved only while the guard is alive"]
pub fn exclusive() -> Exclusive {
    let guard = Exclusive { _held: EXCLUSIVE.lock() };
    STATE.lock().reset();
    guard
}

/// The null backend, reserved; see [`exclusive`].
#[derive(Debug)]
pub struct Exclusive {
    _held: MutexGuard<'static, ()>,
}

impl Drop for Exclusive {
    fn drop(&mut self) {
        STATE.lock().reset();
    }
}

static EXCLUSIVE: Mutex<()> = Mutex::new(());

/// What every null device of the process shares.
static STATE: Mutex<State> =
    Mutex::new(State { latency: Latency::Immediate, faults: FaultPlan::new(), memory: Memory::new(), last_tick: 0 });

static CLOCK_START: LazyLock<Instant> = LazyLock::new(Instant::now);

#[derive(Debug)]
struct State {
    latency: Latency,
    faults: FaultPlan,
    memory: Memory,
    last_tick: u64,
}

impl State {
    fn reset(&mut self) {
        self.latency = Latency::default();
        self.faults.reset();
        self.memory.forget_history();
    }

    /// The time in nanoseconds, later than every time given out before.
    fn tick(&mut self) -> u64 {
        let now = CLOCK_START.elapsed().as_nanos() as u64;
        self.last_tick = now.max(self.last_tick + 1);
        self.last_tick
    }
}

#[derive(Debug)]
struct NullPlatform {
    info: PlatformInfo,
    devices: Vec<Arc<dyn Device>>,
}

impl Platform for NullPlatform {
    fn info(&self) -> &PlatformInfo {
        &self.info
    }

    fn devices(&self) -> Vec<Arc<dyn Device>> {
        self.devices.clone()
    }

    fn create_context(&self, _devices: &[Arc<dyn Device>]) -> Result<Arc<dyn Context>> {
        faults::pass(Call::CreateContext).map_err(|fault| fault.error("create context", 0))?;
        Ok(Arc::new(NullContext::new()))
    }
}
