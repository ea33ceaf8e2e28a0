//! Measurements of the backend itself, for the benchmark.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::platform::root_device;

/// What a fork-join of empty chunks, one per core, costs on the native device's hot team.
#[derive(Clone, Copy, Debug)]
pub struct ForkJoin {
    /// As it is: chunks go to whoever comes first, and empty ones mostly to the leader.
    pub dealt: Duration,
    /// With every chunk waiting until all have been taken, so that each core takes exactly one: the way to the helpers
    /// and back, which no hardware does faster than two cores can exchange a cache line.
    pub shared: Duration,
}

/// How long a chunk waits for the others before a round counts as failed.
const PATIENCE: Duration = Duration::from_millis(20);

/// Rounds before measuring begins.
const WARM_UP: usize = 1000;

/// Measures both kinds of fork-join; medians. `None` on a single core, where there is nothing to join.
pub fn fork_join(rounds: usize) -> Option<ForkJoin> {
    if root_device().machine().threads < 2 {
        return None;
    }
    let median = |round: fn() -> Option<Duration>| {
        let mut times: Vec<Duration> = (0..WARM_UP + rounds).map(|_| round()).skip(WARM_UP).flatten().collect();
        times.sort_unstable();
        times.get(times.len() / 2).copied()
    };
    Some(ForkJoin { dealt: median(dealt_round)?, shared: median(shared_round)? })
}

fn dealt_round() -> Option<Duration> {
    let device = root_device();
    let start = Instant::now();
    device.team().run(device.machine().threads, true, &|_| {});
    Some(start.elapsed())
}

fn shared_round() -> Option<Duration> {
    let device = root_device();
    let width = device.machine().threads;
    let (taken, missed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let start = Instant::now();
    device.team().run(width, true, &|_| {
        taken.fetch_add(1, Ordering::Relaxed);
        let mut spins = 0u32;
        while taken.load(Ordering::Relaxed) < width && !missed.load(Ordering::Relaxed) {
            std::hint::spin_loop();
            spins += 1;
            // The clock is slow next to what is measured, so it is asked rarely.
            if spins.is_multiple_of(1024) && start.elapsed() > PATIENCE {
                missed.store(true, Ordering::Relaxed);
            }
        }
    });
    (!missed.into_inner()).then(|| start.elapsed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_helpers_come() {
        let measured = fork_join(100);
        assert_eq!(measured.is_some(), root_device().machine().threads >= 2);
        assert!(measured.is_none_or(|m| m.dealt > Duration::ZERO && m.shared < PATIENCE));
    }
}
