//! Blocks freed while commands still use them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use parking_lot::Mutex;
use situ_hal::{EventStatus, HalError, Lane, Profile, ScratchSource};

use super::*;

#[test]
fn a_block_is_not_reused_before_its_events_are_over() {
    with_pool(PoolLimit::Unlimited, |f| {
        for bytes in [100, MIB] {
            let block = f.block(bytes);
            let (first, second) = (f.pending(), f.pending());
            // SAFETY: freed once; no command touches it.
            unsafe { f.pool.free_after(block, smallvec![first.clone(), second.clone()]) };
            let stats = f.pool.stats();
            assert_eq!((stats.total.in_use_blocks, stats.total.waiting_blocks), (0, 1));
            assert_eq!(stats.kind(UsmKind::Device).waiting_bytes, block.footprint());

            first.wait(None);
            let others: Vec<_> = (0..3).map(|_| f.block(bytes)).collect();
            let (start, end) = (block.address().value(), block.address().value() + block.bytes());
            let apart = |b: &Block| b.address().value() >= end || b.address().value() + b.bytes() <= start;
            assert!(others.iter().all(apart), "a block was handed out while a command could still use it");

            second.wait(None);
            let stats = f.pool.stats();
            assert_eq!((stats.total.waiting_blocks, stats.total.waiting_bytes), (0, 0));
            f.free_all(others);
        }
    });
}

#[test]
fn finished_events_free_at_once_and_failed_ones_count_as_finished() {
    with_pool(PoolLimit::Unlimited, |f| {
        let event = f.pending();
        null::Faults::fail(null::Call::Execute, 1, null::Fault::DeviceLost);
        event.wait(None);
        assert_eq!(event.status(), EventStatus::Failed);
        let block = f.block(MIB);
        f.free_after(block, &event);
        let again = f.block(MIB);
        assert_eq!(f.pool.stats().total.misses, 1);
        f.free(again);
        let small = f.block(64);
        // SAFETY: freed once; no command touches it.
        unsafe { f.pool.free_after(small, SmallVec::new()) };
        assert_eq!(f.pool.stats().total.waiting_blocks, 0);
    });
}

#[test]
fn scratch_memory_is_the_pools_until_its_command_is_over() {
    with_pool(PoolLimit::Unlimited, |f| {
        for bytes in [100, MIB] {
            let event = f.pending();
            let submitted = f.pool.with(None, bytes, &mut |_| {
                assert_eq!(f.pool.stats().total.in_use_blocks, 1);
                Ok(Completion::Event(event.clone()))
            });
            assert!(matches!(submitted, Ok(Completion::Event(_))));
            let stats = f.pool.stats();
            assert_eq!((stats.total.in_use_blocks, stats.total.waiting_blocks), (0, 1));
            assert!(stats.total.peak_bytes >= bytes);
            event.wait(None);
            assert_eq!(f.pool.stats().total.waiting_blocks, 0);

            let refused = HalError::Failed { operation: "launch".into(), detail: "no".into() };
            let failed = f.pool.with(None, bytes, &mut |_| Err(refused.clone()));
            assert_eq!(failed.err(), Some(refused));
            let done = f.pool.with(None, bytes, &mut |_| Ok(Completion::Done));
            assert!(matches!(done, Ok(Completion::Done)));
            let stats = f.pool.stats();
            assert_eq!((stats.total.in_use_blocks, stats.total.waiting_blocks), (0, 0));
        }
    });
}

#[test]
fn an_allocation_miss_collects_what_is_done() {
    with_pool(PoolLimit::Unlimited, |f| {
        let (done, pending) = (f.pending(), f.pending());
        let (a, b) = (f.block(MIB), f.block(MIB));
        f.free_after(a, &pending);
        f.free_after(b, &done);
        done.wait(None);
        let reused = f.block(MIB);
        assert_eq!(reused.address().value() & !4095, b.address().value() & !4095);
        pending.wait(None);
        assert_eq!(f.pool.trim(), a.footprint(), "a trim collects too");
        f.free(reused);
    });
}

#[test]
fn the_list_does_not_grow_while_only_small_blocks_come_and_go() {
    with_pool(PoolLimit::Unlimited, |f| {
        for _ in 0..1000 {
            let event = f.pending();
            f.free_after(f.block(64), &event);
            event.wait(None);
        }
        assert!(f.pool.waiting.len() <= 1, "{} blocks wait for nothing", f.pool.waiting.len());
    });
}

#[test]
fn dropping_the_pool_waits_for_the_events() {
    let event = Arc::new(Mutex::new(None));
    with_pool(PoolLimit::Unlimited, |f| {
        let pending = f.pending();
        f.free_after(f.block(MIB), &pending);
        f.free_after(f.block(64), &pending);
        *event.lock() = Some(pending);
    });
    assert!(event.lock().take().expect("set above").status().is_over());
}

/// An event that is over when told so, and frees a block when dropped, as one does that owns a command's operands.
#[derive(Debug)]
struct Owning {
    over: Arc<AtomicBool>,
    pool: Arc<Pool>,
    block: Block,
    drops: Arc<AtomicUsize>,
}

impl Event for Owning {
    fn status(&self) -> EventStatus {
        if self.over.load(SeqCst) { EventStatus::Complete } else { EventStatus::Running }
    }
    fn wait(&self, _limit: Option<Duration>) -> bool {
        self.over.load(SeqCst)
    }
    fn error(&self) -> Option<HalError> {
        None
    }
    fn profile(&self) -> Option<Profile> {
        None
    }
}

impl Drop for Owning {
    fn drop(&mut self) {
        self.drops.fetch_add(1, SeqCst);
        // SAFETY: the event is the block's only owner, and no command touches it.
        unsafe { self.pool.free(self.block) };
        let other = self.pool.allocate(UsmKind::Device, 50_000, 64).expect("memory");
        // SAFETY: just allocated.
        unsafe { self.pool.free_after(other, SmallVec::new()) };
        self.pool.stats();
        self.pool.trim();
    }
}

#[test]
fn an_event_may_use_the_pool_while_it_is_dropped_by_it() {
    with_pool(PoolLimit::Unlimited, |f| {
        let unrelated = f.pending();
        f.free_after(f.block(64), &unrelated);
        let (over, drops) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        for n in 0..2000 {
            let block = f.block(if n % 2 == 0 { 64 } else { 40_000 });
            let (over, drops) = (over.clone(), drops.clone());
            let event: Arc<dyn Event> = Arc::new(Owning { over, pool: f.pool.clone(), block, drops });
            f.free_after(f.block(if n % 3 == 0 { 64 } else { 40_000 }), &event);
        }
        over.store(true, SeqCst);
        f.pool.stats();
        assert_eq!(drops.load(SeqCst), 2000);
    });
}

/// An event of a lane that is over when it is told so.
#[derive(Debug)]
struct InLane(Option<Lane>, AtomicBool);

impl Event for InLane {
    fn lane(&self) -> Option<Lane> {
        self.0
    }
    fn status(&self) -> EventStatus {
        if self.1.load(SeqCst) { EventStatus::Complete } else { EventStatus::Running }
    }
    fn wait(&self, _limit: Option<Duration>) -> bool {
        self.1.store(true, SeqCst);
        true
    }
    fn error(&self) -> Option<HalError> {
        None
    }
    fn profile(&self) -> Option<Profile> {
        None
    }
}

#[test]
fn a_lane_inherits_what_only_its_own_commands_still_use() {
    let [here, there] = [1, 2].map(|n| Lane(std::num::NonZeroU64::new(n).expect("not 0")));
    let event = |lane| Arc::new(InLane(lane, AtomicBool::new(false))) as Arc<dyn Event>;
    with_pool(PoolLimit::Unlimited, |f| {
        for bytes in [20_000, MIB] {
            let inherits = |users: &[Option<Lane>]| {
                let block = f.block(bytes);
                let start = block.address().value() & !4095;
                // SAFETY: freed once; no command touches it.
                unsafe { f.pool.free_after(block, users.iter().map(|lane| event(*lane)).collect()) };
                // What this thread has in store is taken first.
                let next = || f.pool.allocate_in(Some(here), UsmKind::Device, bytes, 64).expect("memory");
                let others: Vec<_> = (0..16).map(|_| next()).collect();
                let found = others.iter().any(|block| block.address().value() & !4095 == start);
                f.free_all(others);
                f.pool.waiting.wait_for_oldest();
                f.pool.stats();
                found
            };
            assert!(inherits(&[Some(here)]));
            assert!(inherits(&[Some(here), Some(here)]));
            assert!(!inherits(&[Some(there)]));
            assert!(!inherits(&[Some(here), Some(there)]));
            assert!(!inherits(&[None]));
        }
    });
}
