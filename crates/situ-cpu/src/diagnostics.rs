//! Measurements of the backend itself, for the benchmark.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::platform::root_device;

/// What an empty fork-join costs on the native device's team.
#[derive(Clone, Copy, Debug)]
pub struct ForkJoin {
    /// Median time of the rounds in which a helper took part.
    pub joined: Duration,
    /// Median time of all rounds.
    pub overall: Duration,
    /// Share of the rounds in which a helper took part.
    pub share: f64,
}

/// Measures empty fork-joins of one chunk per core on a hot team; `None` on a single core, where there is nothing to join.
pub fn fork_join(rounds: usize) -> Option<ForkJoin> {
    let device = root_device();
    let width = device.machine().threads;
    if width < 2 || rounds == 0 {
        return None;
    }
    let leader = thread::current().id();
    let helped = AtomicUsize::new(0);
    let body = |_: usize| {
        if thread::current().id() != leader {
            helped.fetch_add(1, Ordering::Relaxed);
        }
    };
    for _ in 0..1000 {
        device.team().run(width, true, &body);
    }
    let (mut all, mut joined) = (Vec::with_capacity(rounds), Vec::with_capacity(rounds));
    for _ in 0..rounds {
        helped.store(0, Ordering::Relaxed);
        let start = Instant::now();
        device.team().run(width, true, &body);
        let time = start.elapsed();
        all.push(time);
        if helped.load(Ordering::Relaxed) > 0 {
            joined.push(time);
        }
    }
    let share = joined.len() as f64 / rounds as f64;
    Some(ForkJoin { joined: median(joined).unwrap_or_default(), overall: median(all).unwrap_or_default(), share })
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_take_part_in_some_rounds() {
        let Some(measured) = fork_join(2000) else { return };
        assert!(measured.share > 0.0 && measured.share <= 1.0);
        assert!(measured.overall > Duration::ZERO);
    }
}
