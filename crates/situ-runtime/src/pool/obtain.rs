//! Asking the driver for memory, and what to do when it has none.

use std::sync::atomic::Ordering::Relaxed;

use situ_hal::{Address, HalError, Result};
use situ_types::UsmKind;

use super::Pool;
use super::regions::Region;

/// Where memory came from in the end.
pub(super) enum Obtained<T> {
    /// From the driver.
    Fresh(Address),
    /// From the pool itself, which got something back meanwhile.
    Reused(T),
}

impl Pool {
    /// `bytes` of new memory for a request of `requested` bytes.
    ///
    /// When there is too little, what commands have finished with is collected and everything unused is given back;
    /// when that does not do, the blocks still in use by commands are waited for. `reuse` is asked in between
    /// whether one of them serves the request as it is.
    pub(super) fn obtain<T>(
        &self,
        kind: UsmKind,
        bytes: usize,
        requested: usize,
        reuse: impl Fn() -> Option<T>,
    ) -> Result<Obtained<T>> {
        // Somebody who queues work faster than it is done must not fill the memory with blocks that wait for it.
        while self.waiting.total_bytes() > self.backlog && self.waiting.wait_for_oldest() {
            self.reap_all();
            if let Some(found) = reuse() {
                return Ok(Obtained::Reused(found));
            }
        }
        let shortage = match self.ask(kind, bytes) {
            Err(Refusal::Short(shortage)) => shortage,
            answer => return self.settle(answer, kind, requested),
        };
        self.reap_all();
        if let Some(found) = reuse() {
            return Ok(Obtained::Reused(found));
        }
        if self.is_hopeless(bytes, &shortage) {
            return self.settle(Err(Refusal::Short(shortage)), kind, requested);
        }
        self.trim();
        let mut answer = self.ask(kind, bytes);
        // What other contexts keep unused is memory too.
        if matches!(answer, Err(Refusal::Short(_)))
            && self.neighbours().iter().map(|pool| pool.trim()).sum::<usize>() > 0
        {
            answer = self.ask(kind, bytes);
        }
        if matches!(answer, Err(Refusal::Short(_))) && self.waiting.len() > 0 {
            for _ in 0..self.waiting.len() {
                if !self.waiting.wait_for_oldest() {
                    break;
                }
                self.reap_all();
                if let Some(found) = reuse() {
                    return Ok(Obtained::Reused(found));
                }
            }
            self.trim();
            answer = self.ask(kind, bytes);
        }
        self.settle(answer, kind, requested)
    }

    /// Asks once.
    fn ask(&self, kind: UsmKind, bytes: usize) -> std::result::Result<Address, Refusal> {
        if let Some(available) = self.context.memory_available(&self.device, kind) {
            let wanted = bytes.saturating_add(bytes / 20);
            if available < wanted as u64 {
                return Err(Refusal::Short(Shortage { available: Some(available), said: String::new() }));
            }
        }
        match self.context.allocate(&self.device, kind, bytes) {
            Ok(address) => {
                self.reserved[kind as usize].fetch_add(bytes, Relaxed);
                self.holdings.lock().insert(address, Region { kind, base: address, bytes });
                Ok(address)
            }
            Err(HalError::OutOfMemory { detail, .. }) => {
                let available = self.context.memory_available(&self.device, kind);
                Err(Refusal::Short(Shortage { available, said: detail }))
            }
            Err(other) => Err(Refusal::Broken(other)),
        }
    }

    /// Whether not even everything the pools could give back would be enough, so that giving it back would only make
    /// later allocations slow.
    fn is_hopeless(&self, bytes: usize, shortage: &Shortage) -> bool {
        let Some(available) = shortage.available else { return false };
        let spare: usize = self.neighbours().iter().map(|pool| pool.spare()).sum();
        available.saturating_add((spare + self.spare()) as u64) < bytes as u64
    }

    /// Bytes held from the driver that no block in use accounts for.
    fn spare(&self) -> usize {
        let reserved: usize = self.reserved.iter().map(|r| r.load(Relaxed)).sum();
        let in_use: usize = self.tallies.sums().bytes.iter().sum();
        reserved.saturating_sub(in_use)
    }

    fn settle<T>(
        &self,
        answer: std::result::Result<Address, Refusal>,
        kind: UsmKind,
        requested: usize,
    ) -> Result<Obtained<T>> {
        match answer {
            Ok(address) => {
                self.misses[kind as usize].fetch_add(1, Relaxed);
                Ok(Obtained::Fresh(address))
            }
            Err(Refusal::Broken(error)) => Err(error),
            Err(Refusal::Short(shortage)) => Err(self.out_of_memory(kind, requested, shortage)),
        }
    }

    /// The error for a request that cannot be served.
    pub(super) fn out_of_memory(&self, kind: UsmKind, requested: usize, shortage: Shortage) -> HalError {
        let Shortage { available, said } = shortage;
        let sums = self.tallies.sums();
        let (bytes, blocks) = (sums.bytes.iter().sum::<usize>(), sums.blocks.iter().sum::<usize>());
        let available = available.map_or("unknown".to_owned(), |bytes| format!("{bytes} bytes"));
        let driver = if said.is_empty() { String::new() } else { format!("{said}; ") };
        HalError::OutOfMemory {
            operation: "allocate".into(),
            bytes: requested,
            detail: format!(
                "{driver}{kind} memory on {}: requested {requested} bytes, available {available}, \
                 in use by this pool {bytes} bytes in {blocks} blocks",
                self.device.info().name
            ),
        }
    }
}

/// Why the driver did not give any.
enum Refusal {
    Short(Shortage),
    Broken(HalError),
}

/// Too little memory.
#[derive(Debug, Default)]
pub(super) struct Shortage {
    pub(super) available: Option<u64>,
    pub(super) said: String,
}
