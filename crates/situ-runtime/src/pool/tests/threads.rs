//! Several threads on one pool, threads that end, and pools that do.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Barrier;
use std::thread;

use parking_lot::Mutex;

use super::*;
use crate::pool::class::SLAB_BYTES;
use crate::pool::local;

/// A small generator, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below
    }
}

/// Waits until a thread is gone, thread-local storage and all; a scope alone waits only for the closure.
fn end<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().expect("no panic")
}

/// Blocks in use by first byte, which must never overlap.
#[derive(Default)]
struct Map(Mutex<BTreeMap<usize, usize>>);

impl Map {
    fn enter(&self, block: &Block) {
        let (start, end) = (block.address().value(), block.address().value() + block.bytes());
        let mut map = self.0.lock();
        if let Some((_, &before)) = map.range(..end).next_back() {
            assert!(before <= start, "two blocks overlap");
        }
        map.insert(start, end);
    }

    fn leave(&self, block: &Block) {
        self.0.lock().remove(&block.address().value()).expect("it was in use");
    }
}

#[test]
fn blocks_in_use_never_overlap() {
    with_pool(PoolLimit::Bytes(4 * MIB), |f| {
        let (map, passed_on) = (Map::default(), Mutex::new(Vec::<Block>::new()));
        let events: Vec<_> = (0..8).map(|_| f.pending()).collect();
        let rounds = if cfg!(debug_assertions) { 6_000 } else { 30_000 };
        thread::scope(|scope| {
            let threads = [1u64, 2, 3, 4].map(|seed| {
                let (map, passed_on, events, pool) = (&map, &passed_on, &events, &f.pool);
                scope.spawn(move || {
                    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                    let mut mine = Vec::new();
                    for round in 0..rounds {
                        if dice.roll(2) == 0 && mine.len() < 100 {
                            let magnitude = 1 + dice.roll(18);
                            let bytes = dice.roll(1 << magnitude);
                            let kind = UsmKind::ALL[dice.roll(3)];
                            let block = pool.allocate(kind, bytes, 1 << dice.roll(13)).expect("memory");
                            assert!(block.bytes() >= bytes && block.kind() == kind);
                            map.enter(&block);
                            mine.push(block);
                        } else if !mine.is_empty() {
                            let block = mine.swap_remove(dice.roll(mine.len()));
                            if dice.roll(3) == 0 {
                                passed_on.lock().push(block);
                                continue;
                            }
                            map.leave(&block);
                            match dice.roll(8) {
                                // SAFETY: it has left the lists of blocks in use, so it is freed once.
                                0 => unsafe { pool.free_after(block, smallvec![events[dice.roll(8)].clone()]) },
                                // SAFETY: as above.
                                _ => unsafe { pool.free(block) },
                            }
                        }
                        if let Some(block) = passed_on.lock().pop() {
                            map.leave(&block);
                            // SAFETY: as above.
                            unsafe { pool.free(block) };
                        }
                        match round % 1500 {
                            700 => assert!(pool.trim() < 1024 * MIB),
                            900 => assert!(pool.stats().total.in_use_blocks <= 500),
                            1100 => assert!(events[dice.roll(8)].wait(None)),
                            _ => {}
                        }
                    }
                    for block in mine {
                        map.leave(&block);
                        // SAFETY: as above.
                        unsafe { pool.free(block) };
                    }
                })
            });
            threads.into_iter().for_each(end);
        });
        for block in passed_on.into_inner() {
            map.leave(&block);
            f.free(block);
        }
        let stats = f.pool.stats();
        assert_eq!(stats.total.reserved_bytes, f.live_bytes());
        assert!(stats.total.cached_bytes <= 4 * MIB);
        assert!(stats.total.hits + stats.total.misses > rounds as u64);
    });
}

#[test]
fn a_thread_that_ends_leaves_its_blocks_and_counts_to_the_pool() {
    with_pool(PoolLimit::Unlimited, |f| {
        let left = thread::scope(|scope| {
            end(scope.spawn(|| {
                let blocks: Vec<_> = (0..50).map(|_| f.block(4096)).collect();
                let (left, freed) = blocks.split_at(10);
                f.free_all(freed.to_vec());
                left.to_vec()
            }))
        });
        let stats = f.pool.stats();
        assert_eq!((stats.total.in_use_blocks, stats.total.in_use_bytes), (10, 40960));
        assert_eq!(stats.total.peak_bytes, 50 * 4096);
        assert_eq!(f.pool.tallies.threads(), 0, "tallies do not pile up");
        f.free_all(left);
        assert_eq!(f.pool.stats().total.in_use_blocks, 0);
        assert_eq!(f.pool.trim(), SLAB_BYTES, "nothing stayed behind with the thread");
    });
}

#[test]
fn blocks_freed_by_another_thread_come_back_in_batches() {
    with_pool(PoolLimit::Unlimited, |f| {
        let (send, receive) = std::sync::mpsc::sync_channel::<Block>(16);
        thread::scope(|scope| {
            let consumer = scope.spawn(move || {
                for block in receive {
                    f.free(block);
                }
            });
            for _ in 0..100_000 {
                send.send(f.block(64)).expect("the other end is there");
            }
            drop(send);
            end(consumer);
        });
        assert_eq!(null::live_allocations().0, 1, "one slab is enough for both");
        assert_eq!(f.pool.stats().total.in_use_blocks, 0);
    });
}

#[test]
fn a_trim_reaches_other_threads_at_their_next_allocation() {
    with_pool(PoolLimit::Unlimited, |f| {
        let step = Barrier::new(2);
        // Asserted when both threads are through, because one that panics would leave the other waiting.
        let given_back = thread::scope(|scope| {
            let other = scope.spawn(|| {
                f.free_all([f.block(100), f.block(3000)]);
                step.wait();
                step.wait();
                f.free(f.block(100));
                step.wait();
                step.wait();
            });
            step.wait();
            let first = f.pool.trim();
            step.wait();
            step.wait();
            let second = f.pool.trim();
            step.wait();
            end(other);
            (first, second)
        });
        assert_eq!(given_back.0, 0, "the other thread has blocks of both slabs");
        assert_eq!(given_back.1, SLAB_BYTES, "and has given up the one it did not need since");
    });
}

#[test]
fn a_thread_outlives_the_pool_whose_blocks_it_keeps() {
    let step = Arc::new(Barrier::new(2));
    let handed_over = Arc::new(Mutex::new(None::<Arc<Pool>>));
    let survivor = thread::spawn({
        let (step, handed_over) = (step.clone(), handed_over.clone());
        move || {
            step.wait();
            let pool = handed_over.lock().take().expect("set before");
            let block = pool.allocate(UsmKind::Device, 64, 64).expect("memory");
            // SAFETY: just allocated.
            unsafe { pool.free(block) };
            drop(pool);
            step.wait();
            step.wait();
        }
    });
    with_pool(PoolLimit::Unlimited, |f| {
        *handed_over.lock() = Some(f.pool.clone());
        step.wait();
        step.wait();
    });
    // The pool is gone, memory and all; the thread ends with its list of blocks after that.
    step.wait();
    survivor.join().expect("no panic");
}

#[test]
fn stores_of_dead_pools_do_not_pile_up_or_mix() {
    with_pool(PoolLimit::Unlimited, |f| {
        for _ in 0..50 {
            let other = Pool::new(f.context.clone(), f.device.clone(), PoolLimit::Unlimited);
            let (a, b) = (other.allocate(UsmKind::Device, 64, 64).expect("memory"), f.block(64));
            assert_ne!(a.address(), b.address());
            // SAFETY: just allocated.
            unsafe { other.free(a) };
            f.free(b);
            let kept = f.block(64);
            assert_eq!(kept.address(), b.address(), "each pool has its own blocks");
            f.free(kept);
        }
        assert_eq!(f.live_bytes(), SLAB_BYTES);
    });
}

#[test]
fn stores_of_pools_that_died_elsewhere_are_cleared_away() {
    with_pool(PoolLimit::Unlimited, |f| {
        f.free(f.block(64));
        for _ in 0..20 {
            let other = Pool::new(f.context.clone(), f.device.clone(), PoolLimit::Unlimited);
            let block = other.allocate(UsmKind::Device, 64, 64).expect("memory");
            // SAFETY: just allocated.
            unsafe { other.free(block) };
            thread::spawn(move || drop(other)).join().expect("no panic");
        }
        assert!(local::pools() <= 2, "{} stores", local::pools());
    });
}

/// Frees and allocates while the thread's storage is taken down.
struct Late(Option<(Arc<Pool>, Block)>);

impl Drop for Late {
    fn drop(&mut self) {
        if let Some((pool, block)) = self.0.take() {
            // SAFETY: this is the block's only owner.
            unsafe { pool.free(block) };
            for bytes in [64, MIB] {
                let other = pool.allocate(UsmKind::Device, bytes, 64).expect("memory");
                // SAFETY: just allocated.
                unsafe { pool.free(other) };
            }
        }
    }
}

thread_local! {
    static FIRST: RefCell<Late> = const { RefCell::new(Late(None)) };
    static LAST: RefCell<Late> = const { RefCell::new(Late(None)) };
}

#[test]
fn the_pool_works_while_a_thread_is_being_torn_down() {
    with_pool(PoolLimit::Unlimited, |f| {
        let pool = f.pool.clone();
        thread::spawn(move || {
            // One destructor is registered before the pool's own and one after, so one of them runs without it.
            FIRST.with(|late| late.borrow_mut().0 = None);
            let blocks = [(); 2].map(|()| pool.allocate(UsmKind::Device, 64, 64).expect("memory"));
            LAST.with(|late| late.borrow_mut().0 = Some((pool.clone(), blocks[0])));
            FIRST.with(|late| late.borrow_mut().0 = Some((pool, blocks[1])));
        })
        .join()
        .expect("no panic");
        assert_eq!(f.pool.stats().total.in_use_blocks, 0);
        f.pool.trim();
        assert_eq!(f.live_bytes(), 0, "nothing stayed behind with the thread");
    });
}

#[test]
fn the_last_holder_of_a_pool_may_be_a_thread_that_ends() {
    let alone = null::exclusive();
    let platform = null::platform(NullConfig::default());
    let device = platform.devices().remove(0);
    let context = platform.create_context(std::slice::from_ref(&device)).expect("a null context");
    let pool = Pool::new(context, device, PoolLimit::Unlimited);
    thread::spawn(move || {
        FIRST.with(|late| late.borrow_mut().0 = None);
        let block = pool.allocate(UsmKind::Device, 64, 64).expect("memory");
        FIRST.with(|late| late.borrow_mut().0 = Some((pool, block)));
    })
    .join()
    .expect("no panic");
    assert_eq!((null::live_allocations(), null::misuse().len()), ((0, 0), 0));
    drop(alone);
}
