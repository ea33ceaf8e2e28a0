//! Null contexts, and the register of their memory.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use situ_types::{QueueProperties, UsmKind};

use super::queue::NullQueue;
use super::{Call, STATE, faults};
use crate::ScratchSource;
use crate::{Address, Context, Device, HalError, Queue, Result};

/// What all null devices of the process may hold together. The blocks are real, so a mistaken request for a terabyte
/// must be refused before it takes the machine down.
pub(super) const MEMORY_BYTES: usize = 1 << 30;

const SMALL_ALIGNMENT: usize = 64;
const LARGE_BLOCK: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct NullContext {
    /// Tells the blocks of different contexts apart.
    number: u64,
}

impl NullContext {
    pub(super) fn new() -> NullContext {
        static CONTEXTS: AtomicU64 = AtomicU64::new(0);
        NullContext { number: CONTEXTS.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Context for NullContext {
    fn allocate(&self, _device: &Arc<dyn Device>, kind: UsmKind, bytes: usize) -> Result<Address> {
        faults::pass(Call::Allocate).map_err(|fault| fault.error("allocate", bytes))?;
        STATE.lock().memory.allocate(Claim { context: self.number, kind, bytes })
    }

    unsafe fn release(&self, kind: UsmKind, address: Address, bytes: usize) {
        STATE.lock().memory.release(address, Claim { context: self.number, kind, bytes });
    }

    fn large_block(&self) -> usize {
        LARGE_BLOCK
    }

    fn memory_available(&self, _device: &Arc<dyn Device>, _kind: UsmKind) -> Option<u64> {
        Some(STATE.lock().memory.available() as u64)
    }

    fn host_reaches(&self, _kind: UsmKind) -> bool {
        true
    }

    fn reaches_host(&self) -> bool {
        false
    }

    fn reaches(&self, _other: &dyn Context) -> bool {
        false
    }

    fn devices_share(&self) -> bool {
        true
    }

    fn create_queue(
        &self,
        _device: &Arc<dyn Device>,
        properties: QueueProperties,
        _scratch: Arc<dyn ScratchSource>,
    ) -> Result<Arc<dyn Queue>> {
        faults::pass(Call::CreateQueue).map_err(|fault| fault.error("create queue", 0))?;
        Ok(Arc::new(NullQueue::new(properties)))
    }
}

/// Every live block of the process, and what was done wrong with them.
#[derive(Debug)]
pub(super) struct Memory {
    blocks: BTreeMap<Address, Block>,
    /// Bytes of all blocks together.
    used: usize,
    /// Blocks of earlier eras are alive but not counted; a test answers only for its own.
    era: u64,
    pub(super) misuse: Vec<String>,
}

/// What a block was allocated as, which its release must repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Claim {
    context: u64,
    kind: UsmKind,
    bytes: usize,
}

#[derive(Debug)]
struct Block {
    claim: Claim,
    layout: Layout,
    era: u64,
}

impl Memory {
    pub(super) const fn new() -> Memory {
        Memory { blocks: BTreeMap::new(), used: 0, era: 0, misuse: Vec::new() }
    }

    pub(super) fn forget_history(&mut self) {
        self.era += 1;
        self.misuse.clear();
    }

    pub(super) fn live(&self) -> (usize, usize) {
        let current = self.blocks.values().filter(|block| block.era == self.era);
        current.fold((0, 0), |(count, bytes), block| (count + 1, bytes + block.claim.bytes))
    }

    fn available(&self) -> usize {
        MEMORY_BYTES.saturating_sub(self.used)
    }

    fn allocate(&mut self, claim: Claim) -> Result<Address> {
        let refuse =
            |detail: String| Err(HalError::OutOfMemory { operation: "allocate".into(), bytes: claim.bytes, detail });
        let available = self.available();
        if claim.bytes > available {
            return refuse(format!("{available} of the null backend's {MEMORY_BYTES} bytes are free"));
        }
        let alignment = if claim.bytes >= LARGE_BLOCK { LARGE_BLOCK } else { SMALL_ALIGNMENT };
        // Every block has an address of its own, so one of zero bytes takes one byte.
        let Ok(layout) = Layout::from_size_align(claim.bytes.max(1), alignment) else {
            return refuse("more than the address space".into());
        };
        // SAFETY: the layout's size is at least 1.
        let address = Address(unsafe { alloc_zeroed(layout) });
        if address.0.is_null() {
            return refuse("the system has no more".into());
        }
        self.used += layout.size();
        self.blocks.insert(address, Block { claim, layout, era: self.era });
        Ok(address)
    }

    fn release(&mut self, address: Address, claim: Claim) {
        let Some(block) = self.blocks.remove(&address) else {
            self.misuse.push(format!(
                "release of {address:?} ({claim:?}): no such block; it was never allocated or has been released before"
            ));
            return;
        };
        if block.claim != claim {
            self.misuse.push(format!("release of {address:?} as {claim:?}: it was allocated as {:?}", block.claim));
        }
        self.used -= block.layout.size();
        // SAFETY: the register holds exactly the addresses that `alloc_zeroed` returned for the layout beside them and
        // that have not been deallocated, and this one has just left it.
        unsafe { dealloc(address.0, block.layout) };
    }
}
