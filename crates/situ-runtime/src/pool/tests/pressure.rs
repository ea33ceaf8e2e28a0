//! Running out of memory.

use situ_hal::HalError;
use situ_hal::null::{Call, Fault, Faults};

use super::*;
use crate::pool::class::SLAB_BYTES;

/// What the device has.
const ALL: usize = 64 * MIB;

fn detail(error: HalError) -> (usize, String) {
    match error {
        HalError::OutOfMemory { bytes, detail, .. } => (bytes, detail),
        other => panic!("not out of memory: {other}"),
    }
}

#[test]
fn absurd_sizes_are_out_of_memory_and_cost_the_cache_nothing() {
    with_memory(ALL, PoolLimit::Unlimited, |f| {
        let cached = f.block(MIB);
        f.free(cached);
        for bytes in [usize::MAX, usize::MAX - 63, usize::MAX - 4096, isize::MAX as usize, 1 << 62, 2 * ALL] {
            for align in [1, 64, 1 << 20, 1 << 63] {
                let error = f.pool.allocate(UsmKind::Device, bytes, align).expect_err("absurd");
                assert_eq!(detail(error).0, bytes);
            }
        }
        assert!(f.pool.allocate(UsmKind::Device, 1, 1 << 63).is_err());
        assert_eq!(f.live_bytes(), cached.footprint());
        assert_eq!(Faults::count(Call::Allocate), 1, "hopeless requests do not reach the driver");
    });
}

#[test]
fn the_cache_is_given_back_before_the_driver_runs_short() {
    with_memory(ALL, PoolLimit::Unlimited, |f| {
        let large = f.block(38 * MIB);
        f.free(large);
        let other = f.block(50 * MIB);
        assert_eq!(f.pool.stats().trims, 1);
        assert_eq!(f.live_bytes(), other.footprint());
        f.free(other);
    });
}

#[test]
fn what_other_pools_keep_unused_is_given_back_too() {
    with_memory(ALL, PoolLimit::Unlimited, |f| {
        let other = Pool::new(f.context.clone(), f.device.clone(), PoolLimit::Unlimited);
        let cached = other.allocate(UsmKind::Device, 38 * MIB, 64).expect("memory");
        // SAFETY: the block was just allocated by that pool, and nothing uses it.
        unsafe { other.free(cached) };
        let large = f.block(50 * MIB);
        assert_eq!(f.live_bytes(), large.footprint());
        assert_eq!(other.stats().trims, 1);
        f.free(large);
    });
}

#[test]
fn headroom_is_left_and_the_error_names_the_sizes() {
    with_memory(ALL, PoolLimit::Unlimited, |f| {
        let large = f.block(31 * MIB);
        let (bytes, text) = detail(f.pool.allocate(UsmKind::Host, 32 * MIB, 64).expect_err("too much"));
        assert_eq!(bytes, 32 * MIB);
        for expected in [
            format!("requested {} bytes", 32 * MIB),
            format!("available {} bytes", ALL - large.footprint()),
            format!("in use by this pool {} bytes in 1 blocks", large.footprint()),
            "host memory".to_owned(),
        ] {
            assert!(text.contains(&expected), "{expected:?} is not in {text:?}");
        }
        let fits = f.block(30 * MIB);
        f.free_all([large, fits]);
    });
}

#[test]
fn a_refusal_by_the_driver_is_retried_once_after_a_trim() {
    with_memory(ALL, PoolLimit::Unlimited, |f| {
        let cached = f.block(3 * MIB);
        f.free(cached);
        Faults::fail(Call::Allocate, 1, Fault::OutOfMemory);
        let block = f.block(9 * MIB);
        assert_eq!(f.live_bytes(), block.footprint(), "the cache was given back in between");
        f.free(block);

        Faults::fail(Call::Allocate, 1, Fault::OutOfMemory);
        Faults::fail(Call::Allocate, 2, Fault::OutOfMemory);
        let (_, text) = detail(f.pool.allocate(UsmKind::Device, 20 * MIB, 64).expect_err("refused twice"));
        assert!(text.contains("NULL_ERROR_OUT_OF_MEMORY"), "the driver's own words are kept: {text}");
        assert_eq!(Faults::reset(), 0);
    });
}

#[test]
fn another_failure_of_the_driver_is_passed_on_as_it_is() {
    with_memory(ALL, PoolLimit::Unlimited, |f| {
        Faults::fail(Call::Allocate, 1, Fault::DeviceLost);
        assert!(matches!(f.pool.allocate(UsmKind::Device, MIB, 64), Err(HalError::Failed { .. })));
        assert_eq!(f.pool.stats().trims, 0);
    });
}

#[test]
fn any_failure_leaves_the_pool_as_it_was() {
    with_memory(ALL, PoolLimit::Bytes(2 * MIB), |f| {
        let scenario = || -> Result<(), HalError> {
            let mut blocks = Vec::new();
            for n in 0..60usize {
                match f.pool.allocate(UsmKind::ALL[n % 3], 1 << (n % 20), 64) {
                    Ok(block) => blocks.push(block),
                    Err(error) => {
                        f.free_all(blocks);
                        return Err(error);
                    }
                }
            }
            f.free_all(blocks);
            Ok(())
        };
        Faults::reset();
        f.pool.trim();
        scenario().expect("nothing fails");
        let calls = Faults::count(Call::Allocate);
        assert!(calls > 10);
        let mut failed = 0;
        for nth in 1..=calls {
            for fault in Fault::ALL {
                f.pool.trim();
                Faults::reset();
                Faults::fail(Call::Allocate, nth, fault);
                failed += u32::from(scenario().is_err());
                let stats = f.pool.stats();
                assert_eq!((stats.total.in_use_blocks, stats.total.in_use_bytes), (0, 0));
                assert_eq!(stats.total.reserved_bytes, f.live_bytes());
                assert!(stats.total.cached_bytes <= 2 * MIB);
            }
        }
        assert!(u64::from(failed) >= calls, "a lost device is never retried");
        Faults::reset();
        f.pool.trim();
        assert_eq!(f.live_bytes(), 0);
    });
}

#[test]
fn an_allocation_that_would_fail_waits_for_blocks_in_use_by_commands() {
    with_memory(ALL, PoolLimit::Unlimited, |f| {
        // Too large to leave room for another of the size: the very same region has to be waited for.
        let large = f.block(44 * MIB);
        let event = f.pending();
        f.free_after(large, &event);
        let again = f.block(44 * MIB);
        assert!(event.status().is_over());
        assert_eq!(f.pool.stats().total.misses, 1, "it was reused as it is");

        // Of another size, so it has to go through the driver.
        f.free_after(again, &f.pending());
        let smaller = f.block(31 * MIB);
        assert_eq!(f.live_bytes(), smaller.footprint());

        // Small blocks too: no room for a slab until the large block is done.
        let rest = f.block(24 * MIB);
        let filler: Vec<_> = std::iter::from_fn(|| f.pool.allocate(UsmKind::Device, MIB / 2, 64).ok()).collect();
        f.free_after(smaller, &f.pending());
        let small: Vec<_> = (0..100).map(|_| f.block(32 * 1024)).collect();
        assert!(f.live_bytes() >= 3 * SLAB_BYTES);
        f.free_all(small);
        f.free_all(filler);
        f.free(rest);
    });
}
