//! Regions of the driver, kept and reused.

use super::*;

#[test]
fn a_freed_region_serves_the_same_size_again_without_the_driver() {
    with_pool(PoolLimit::Unlimited, |f| {
        let first = f.block(80_000_000);
        f.free(first);
        let live = null::live_allocations();
        let second = f.block(80_000_000);
        assert_eq!(null::live_allocations(), live);
        let stats = f.pool.stats();
        assert_eq!((stats.total.hits, stats.total.misses), (1, 1));
        assert_eq!(stats.total.in_use_bytes, live.1);
        f.free(second);
        assert_eq!(f.pool.stats().total.cached_bytes, live.1);
    });
}

#[test]
fn of_several_that_fit_as_well_the_warmest_is_reused() {
    with_pool(PoolLimit::Unlimited, |f| {
        let blocks = [(); 3].map(|()| f.block(MIB));
        f.free_all([blocks[0], blocks[2], blocks[1]]);
        let reused = [(); 2].map(|()| f.block(MIB));
        let page = |block: Block| block.address().value() & !4095;
        assert_eq!(reused.map(page), [page(blocks[1]), page(blocks[2])], "the last freed comes first");
        f.free_all(reused);
    });
}

#[test]
fn the_best_fit_is_reused_and_nothing_that_wastes_more_than_an_eighth() {
    with_pool(PoolLimit::Unlimited, |f| {
        let sizes = [20 * MIB, 21 * MIB, 22 * MIB];
        let blocks = sizes.map(|bytes| f.block(bytes));
        let footprints = blocks.map(|b| b.footprint());
        f.free_all(blocks);
        let block = f.block(20 * MIB + MIB / 2);
        assert_eq!(block.footprint(), footprints[1], "neither too small nor larger than need be");
        let other = f.block(17 * MIB);
        assert!(other.footprint() < 18 * MIB, "20 MiB for 17 would waste more than an eighth");
        assert_eq!(f.pool.stats().total.misses, 4);
        f.free_all([block, other]);
    });
}

#[test]
fn kinds_do_not_share_regions() {
    with_pool(PoolLimit::Unlimited, |f| {
        let device = f.block(MIB);
        f.free(device);
        let host = f.pool.allocate(UsmKind::Host, MIB, 64).expect("memory");
        assert_eq!(f.pool.stats().kind(UsmKind::Host).misses, 1);
        f.free(host);
    });
}

#[test]
fn successive_blocks_begin_far_apart_modulo_4096() {
    with_pool(PoolLimit::Unlimited, |f| {
        for bytes in [40_000, 100_000, MIB, 2 * MIB] {
            // The second round reuses the regions of the first, in whatever order.
            for _ in 0..2 {
                let blocks: Vec<_> = (0..16).map(|_| f.block(bytes)).collect();
                for eight in blocks.windows(8) {
                    for (n, a) in eight.iter().enumerate() {
                        for b in &eight[..n] {
                            let apart = a.address().value().wrapping_sub(b.address().value()) % 4096;
                            assert!(apart.min(4096 - apart) >= 256, "{bytes}: {apart} apart");
                        }
                    }
                }
                for two in blocks.windows(2) {
                    let apart = two[1].address().value().wrapping_sub(two[0].address().value()) % 4096;
                    assert!(apart.min(4096 - apart) >= 1024, "neighbours {apart} apart");
                }
                f.free_all(blocks);
            }
        }
    });
}

#[test]
fn the_limit_is_kept_by_giving_back_the_oldest() {
    with_pool(PoolLimit::Bytes(25 * MIB), |f| {
        let blocks = [(); 4].map(|()| f.block(8 * MIB));
        let bases = blocks.map(|b| b.address().value() & !4095);
        f.free_all(blocks);
        let stats = f.pool.stats();
        assert!(stats.total.cached_bytes <= 25 * MIB && stats.total.cached_bytes > 16 * MIB);
        assert_eq!(stats.total.cached_bytes, f.live_bytes());
        let reused = [(); 3].map(|()| f.block(8 * MIB)).map(|b| (b, b.address().value() & !4095));
        assert_eq!(f.pool.stats().total.misses, 4, "three of the four were kept");
        assert!(reused.iter().all(|(_, base)| *base != bases[0]), "the oldest was given back");
        f.free_all(reused.map(|(block, _)| block));

        f.pool.set_limit(PoolLimit::Bytes(9 * MIB));
        assert!(f.live_bytes() <= 9 * MIB && f.live_bytes() > 0);
        let huge = f.block(64 * MIB);
        let before = f.pool.stats().total.cached_bytes;
        f.free(huge);
        assert_eq!(f.pool.stats().total.cached_bytes, before, "what is over the limit by itself displaces nothing");
        f.pool.set_limit(PoolLimit::Bytes(0));
        assert_eq!(f.live_bytes(), 0);
    });
}

#[test]
fn trim_gives_back_every_unused_region() {
    with_pool(PoolLimit::Unlimited, |f| {
        let (kept, freed) = (f.block(3 * MIB), f.block(5 * MIB));
        f.free(freed);
        assert_eq!(f.pool.trim(), freed.footprint());
        assert_eq!(f.live_bytes(), kept.footprint());
        assert_eq!(f.pool.trim(), 0);
        assert_eq!(f.pool.stats().trims, 2);
        f.free(kept);
    });
}
