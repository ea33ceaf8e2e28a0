//! Blocks that were freed while commands still used them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;
use situ_hal::{Event, Lane};
use smallvec::SmallVec;

use super::{Block, SEARCH};

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
    /// Held while entries are out of the list being looked at, so that nobody concludes there are none.
    reaping: Mutex<()>,
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

    /// Bytes of all kinds.
    pub(super) fn total_bytes(&self) -> usize {
        self.bytes.iter().map(|bytes| bytes.load(Relaxed)).sum()
    }

    /// Blocks and bytes of the kind with this number.
    pub(super) fn usage(&self, k: usize) -> (usize, usize) {
        (self.blocks[k].load(Relaxed), self.bytes[k].load(Relaxed))
    }

    /// Looks through the list from the oldest on, until so many entries were found unfinished, and passes the blocks
    /// that are done to `recycle`. Does nothing if somebody is doing so already.
    pub(super) fn reap_some(&self, patience: usize, recycle: impl Fn(Block)) {
        if self.len() > 0
            && let Some(held) = self.reaping.try_lock()
        {
            let over = self.reap(patience, recycle);
            drop(held);
            drop(over);
        }
    }

    /// Looks through the whole list.
    pub(super) fn reap_all(&self, recycle: impl Fn(Block)) {
        if self.len() > 0 {
            let held = self.reaping.lock();
            let over = self.reap(usize::MAX, recycle);
            drop(held);
            drop(over);
        }
    }

    /// Returns the events that are over. They have to be dropped when no lock is held: one that owns operands of its
    /// command frees them then, perhaps to this very pool.
    fn reap(&self, patience: usize, recycle: impl Fn(Block)) -> Vec<Arc<dyn Event>> {
        let (mut unfinished, mut over) = (Vec::new(), Vec::new());
        while unfinished.len() < patience {
            let Some(mut entry) = self.entries.lock().pop_front() else { break };
            for at in (0..entry.events.len()).rev() {
                if entry.events[at].status().is_over() {
                    over.push(entry.events.swap_remove(at));
                }
            }
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
        over
    }

    /// Takes a block that only commands of this lane still use, so that the lane's next command may have it at once.
    /// Looks at those freed last.
    pub(super) fn inherit(&self, lane: Option<Lane>, fits: impl Fn(&Block) -> bool) -> Option<Block> {
        let lane = lane.filter(|_| self.len() > 0)?;
        let entry = {
            let mut entries = self.entries.lock();
            let first = entries.len().saturating_sub(SEARCH);
            let suits = |entry: &Entry| fits(&entry.block) && entry.events.iter().all(|e| e.lane() == Some(lane));
            let at = (first..entries.len()).rev().find(|&at| suits(&entries[at]))?;
            entries.remove(at)?
        };
        self.leave(&entry.block);
        Some(entry.block)
    }

    fn leave(&self, block: &Block) {
        let k = block.kind as usize;
        self.count.fetch_sub(1, Relaxed);
        self.blocks[k].fetch_sub(1, Relaxed);
        self.bytes[k].fetch_sub(block.footprint(), Relaxed);
    }

    /// Waits for the events of the oldest block; `false` if there is none.
    pub(super) fn wait_for_oldest(&self) -> bool {
        let held = self.reaping.lock();
        let events = self.entries.lock().front().map(|entry| entry.events.clone());
        drop(held);
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
