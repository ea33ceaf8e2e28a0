//! What an allocation costs; `cargo test --release -- --ignored --nocapture pool_speed`.

use std::hint::black_box;
use std::thread;
use std::time::Instant;

use super::*;

/// Nanoseconds for one round: the best of many short tries, so that a busy machine spoils few of them.
fn nanoseconds(rounds: u32, mut round: impl FnMut()) -> f64 {
    let tries = (0..200).map(|_| {
        let start = Instant::now();
        for _ in 0..rounds {
            round();
        }
        start.elapsed().as_nanos() as f64 / f64::from(rounds)
    });
    tries.fold(f64::INFINITY, f64::min)
}

#[test]
#[ignore = "a measurement"]
fn pool_speed() {
    with_pool(PoolLimit::Unlimited, |f| {
        let pair = |bytes: usize| f.free(black_box(f.block(black_box(bytes))));
        for bytes in [64, 1000, 32 * 1024] {
            println!("{bytes:>9} bytes, allocate + free: {:8.1} ns", nanoseconds(10_000, || pair(bytes)));
        }
        for bytes in [100_000, MIB, 80_000_000] {
            println!("{bytes:>9} bytes, allocate + free: {:8.1} ns", nanoseconds(2_000, || pair(bytes)));
        }
        let burst = nanoseconds(10, || f.free_all((0..1000).map(|_| f.block(64)).collect::<Vec<_>>()));
        println!("       64 bytes, bursts of 1000:  {:8.1} ns per pair", burst / 1000.0);
        let both = thread::scope(|scope| {
            let runs = [(); 2].map(|()| scope.spawn(|| nanoseconds(10_000, || pair(64))));
            runs.map(|run| run.join().expect("no panic"))
        });
        println!("       64 bytes, two threads:     {:8.1} and {:.1} ns", both[0], both[1]);
        let waiting = nanoseconds(300, || {
            let event = f.pending();
            f.free_after(f.block(64), &event);
            event.wait(None);
        });
        let events_alone = nanoseconds(300, || assert!(f.pending().wait(None)));
        println!("       64 bytes, free_after:      {:8.1} ns", waiting - events_alone);
        let system = nanoseconds(10_000, || drop(black_box(vec![0u8; black_box(64)])));
        println!("       64 bytes, vec![0; 64]:     {system:8.1} ns");
    });
}
