//! Blocks that were freed while commands still used them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use parking_lot::{Mutex, ReentrantMutex};
use situ_hal::Event;
use smallvec::SmallVec;

use super::Block;

/// The events that must be over before a block is free.
pub(super) type Events = SmallVec<[Arc<dyn Event>; 2]>;

#[derive(Debug)]
struct Entry {
    block: Block,
    events: Events,
}

/// The blocks of a pool that wait for events, oldest first.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    entries: Mutex<VecDeque<Entry>>,
    /// Held while entries are out of the list being looked at, so that nobody concludes there are none. Dropping an
    /// event can run anything, a free on the same pool included: hence reentrant, and `entries` is never locked then.
    reaping: ReentrantMutex<()>,
    count: AtomicUsize,
    bytes: [AtomicUsize; 3],
    blocks: [AtomicUsize; 3],
}

impl Waiting {
    /// Adds a block.
    pub(super) fn push(&self, block: Block, events: Events) {
        let k = block.kind as usize;
        self.count.fetch_add(1, Relaxed);
        self.blocks[k].fetch_add(1, Relaxed);
        self.bytes[k].fetch_add(block.footprint(), Relaxed);
        self.entries.lock().push_back(Entry { block, events });
    }

    /// Number of blocks of all kinds.
    pub(super) fn len(&self) -> usize {
        self.count.load(Relaxed)
    }

    /// Blocks and bytes of the kind with this number.
    pub(super) fn usage(&self, k: usize) -> (usize, usize) {
        (self.blocks[k].load(Relaxed), self.bytes[k].load(Relaxed))
    }

    /// Looks through the list from the oldest on, until so many entries were found unfinished, and passes the blocks
    /// that are done to `recycle`. Does nothing if somebody is doing so already.
    pub(super) fn reap_some(&self, patience: usize, recycle: impl Fn(Block)) {
        if self.len() == 0 || self.reaping.is_owned_by_current_thread() {
            return;
        }
        if let Some(_held) = self.reaping.try_lock() {
            self.reap(patience, recycle);
        }
    }

    /// Looks through the whole list.
    pub(super) fn reap_all(&self, recycle: impl Fn(Block)) {
        if self.len() > 0 {
            let _held = self.reaping.lock();
            self.reap(usize::MAX, recycle);
        }
    }

    fn reap(&self, patience: usize, recycle: impl Fn(Block)) {
        let mut unfinished = Vec::new();
        while unfinished.len() < patience {
            let Some(mut entry) = self.entries.lock().pop_front() else { break };
            entry.events.retain(|event| !event.status().is_over());
            if entry.events.is_empty() {
                self.leave(&entry.block);
                recycle(entry.block);
            } else {
                unfinished.push(entry);
            }
        }
        let mut entries = self.entries.lock();
        for entry in unfinished.into_iter().rev() {
            entries.push_front(entry);
        }
    }

    fn leave(&self, block: &Block) {
        let k = block.kind as usize;
        self.count.fetch_sub(1, Relaxed);
        self.blocks[k].fetch_sub(1, Relaxed);
        self.bytes[k].fetch_sub(block.footprint(), Relaxed);
    }

    /// Waits for the events of the oldest block; `false` if there is none.
    pub(super) fn wait_for_oldest(&self) -> bool {
        let events = {
            let _held = self.reaping.lock();
            self.entries.lock().front().map(|entry| entry.events.clone())
        };
        for event in events.iter().flatten() {
            event.wait(None);
        }
        events.is_some()
    }

    /// Waits for everything and empties the list.
    pub(super) fn drain(&mut self) -> Vec<Block> {
        let mut blocks = Vec::new();
        while let Some(entry) = self.entries.get_mut().pop_front() {
            for event in &entry.events {
                event.wait(None);
            }
            self.leave(&entry.block);
            blocks.push(entry.block);
        }
        blocks
    }
}
