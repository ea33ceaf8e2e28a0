//! Where helpers sleep when there has been nothing to do for a while.

use super::gate::{Gate, Generation};
use super::sync::{Condvar, Mutex, lock};

/// Sleeping places with a counter of permits to wake.
///
/// Permits make waking exact: a helper that was promised to wake is no longer counted asleep, so the next leader does
/// not pay for waking it again, and a spurious wake-up of the condition variable changes nothing.
#[derive(Debug)]
pub(super) struct Parking {
    permits: Mutex<usize>,
    bell: Condvar,
}

impl Parking {
    pub(super) fn new() -> Self {
        Self { permits: Mutex::new(0), bell: Condvar::new() }
    }

    /// Sleeps until woken; not at all if the gate has something to do for one that has seen generation `seen`.
    pub(super) fn sleep(&self, gate: &Gate, seen: Generation) {
        let mut permits = lock(&self.permits);
        if !gate.fall_asleep(seen) {
            return;
        }
        while *permits == 0 {
            permits = self.bell.wait(permits).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        *permits -= 1;
    }

    /// Wakes up to `wanted` sleepers.
    pub(super) fn wake(&self, gate: &Gate, wanted: usize) {
        if wanted == 0 {
            return;
        }
        let woken = {
            let mut permits = lock(&self.permits);
            let woken = gate.rouse(wanted);
            *permits += woken;
            woken
        };
        // With the lock released, or who wakes would run into it.
        for _ in 0..woken {
            self.bell.notify_one();
        }
    }
}
