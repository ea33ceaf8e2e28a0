//! Blocks cut from slabs.

use std::collections::BTreeSet;

use super::*;
use crate::pool::class::{SLAB_BYTES, SMALL_MAX};

#[test]
fn a_freed_block_is_the_next_one_of_its_size() {
    with_pool(PoolLimit::default(), |f| {
        for kind in UsmKind::ALL {
            let first = f.pool.allocate(kind, 100, 64).expect("memory");
            assert_eq!((first.kind(), first.bytes()), (kind, 128));
            f.free(first);
            let second = f.pool.allocate(kind, 120, 64).expect("memory");
            assert_eq!(first.address(), second.address());
            f.free(second);
        }
        let stats = f.pool.stats();
        assert_eq!((stats.total.hits, stats.total.misses), (3, 3), "one slab of each kind");
    });
}

#[test]
fn many_blocks_need_few_calls_to_the_driver() {
    with_pool(PoolLimit::default(), |f| {
        let blocks: Vec<_> = (0..20_000).map(|_| f.block(64)).collect();
        assert_eq!(null::live_allocations().0, 2, "16384 blocks of 64 bytes fit a slab");
        let distinct: BTreeSet<_> = blocks.iter().map(|b| b.address()).collect();
        assert_eq!(distinct.len(), blocks.len());
        f.free_all(blocks);
    });
}

#[test]
fn zero_bytes_are_a_block_of_its_own() {
    with_pool(PoolLimit::default(), |f| {
        let (a, b) = (f.block(0), f.block(0));
        assert!(a.bytes() >= 1 && a.address() != b.address());
        f.free_all([a, b]);
    });
}

#[test]
fn every_size_and_alignment_is_honoured() {
    with_pool(PoolLimit::default(), |f| {
        for bytes in (1..=SMALL_MAX).step_by(61).chain((SMALL_MAX..MIB).step_by(7919)) {
            let mut blocks = Vec::new();
            for shift in [0, 3, 6, 7, 8, 10, 12, 14, 16] {
                let align = 1usize << shift;
                let block = f.pool.allocate(UsmKind::Shared, bytes, align).expect("memory");
                assert!(block.bytes() >= bytes);
                assert_eq!(block.address().value() % align.max(64), 0, "{bytes} bytes at {align}");
                if align <= 64 {
                    let waste = block.footprint() - bytes;
                    let bound = if bytes <= SMALL_MAX { (bytes / 4).max(63) } else { bytes / 7 + 4096 + 4096 / 7 };
                    assert!(waste <= bound, "{bytes} bytes waste {waste}");
                }
                blocks.push(block);
            }
            f.free_all(blocks);
        }
    });
}

#[test]
fn trim_gives_back_slabs_without_blocks_and_keeps_the_others() {
    with_pool(PoolLimit::default(), |f| {
        let (kept, freed) = (f.block(1000), f.block(2000));
        assert_eq!(f.live_bytes(), 2 * SLAB_BYTES);
        f.free(freed);
        assert_eq!(f.pool.trim(), SLAB_BYTES);
        assert_eq!(f.live_bytes(), SLAB_BYTES);
        // SAFETY: the block is alive and at least 1000 bytes long; null memory is host memory.
        unsafe { kept.address().0.write_bytes(1, 1000) };
        f.free(kept);
        assert_eq!(f.pool.trim(), SLAB_BYTES);
        assert_eq!(f.pool.stats().total.reserved_bytes, 0);
        let again = f.block(1000);
        f.free(again);
    });
}

#[test]
fn a_limit_of_nothing_keeps_no_slab_that_a_thread_does_not() {
    with_pool(PoolLimit::Bytes(0), |f| {
        let blocks: Vec<_> = (0..200).map(|_| f.block(32 * 1024)).collect();
        assert!(f.live_bytes() >= 200 * 32 * 1024);
        f.free_all(blocks);
        assert_eq!(f.pool.stats().total.cached_bytes, 0);
        assert!(f.live_bytes() <= 4 * SLAB_BYTES, "four blocks stay with the thread, in at most as many slabs");
    });
}

#[test]
fn the_peak_is_exact_on_one_thread() {
    with_pool(PoolLimit::default(), |f| {
        let blocks: Vec<_> = (0..999).map(|_| f.block(256)).collect();
        f.free_all(blocks);
        let host = f.pool.allocate(UsmKind::Host, 512, 64).expect("memory");
        f.free(host);
        let stats = f.pool.stats();
        assert_eq!(stats.kind(UsmKind::Device).peak_bytes, 999 * 256);
        assert_eq!(stats.kind(UsmKind::Host).peak_bytes, 512);
        assert_eq!(stats.total.peak_bytes, 999 * 256);
    });
}
