//! Whether sleeping helpers are worth waking.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::event::now;

/// Work above this many nanoseconds is worth waking helpers for: they arrive some 50 µs later.
const WORTH_WAKING: u64 = 150_000;

/// Pieces of work no further apart than this many nanoseconds count as one: about as long as a helper that has nothing
/// to do stays up.
const GAP: u64 = 50_000;

/// Work that came in pieces, one soon after another.
///
/// A piece may be too short to wake anybody for, but where one has just followed another, more are likely to come, and
/// a helper that is up by then takes its half of them.
#[derive(Debug, Default)]
pub(crate) struct Momentum {
    /// Nanoseconds of one thread's work in the pieces so far.
    gathered: AtomicU64,
    /// When the last piece ended.
    ended: AtomicU64,
}

impl Momentum {
    /// Whether to wake helpers for a piece of work of that many nanoseconds, which is about to begin.
    ///
    /// Two threads that ask at once may count a piece twice or not at all, which wakes helpers a little early or late.
    pub(crate) fn is_worth_waking(&self, nanoseconds: u64) -> bool {
        if nanoseconds > WORTH_WAKING {
            return true;
        }
        self.adds_up(nanoseconds, now())
    }

    fn adds_up(&self, nanoseconds: u64, now: u64) -> bool {
        let goes_on = now.saturating_sub(self.ended.load(Ordering::Relaxed)) <= GAP;
        let before = if goes_on { self.gathered.load(Ordering::Relaxed) } else { 0 };
        let gathered = before.saturating_add(nanoseconds);
        self.gathered.store(gathered, Ordering::Relaxed);
        gathered > WORTH_WAKING
    }

    /// Notes that a piece of work has ended.
    pub(crate) fn piece_ended(&self) {
        self.ended.store(now(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks at these times about pieces of that length, each of which ends at once.
    fn answers(nanoseconds: u64, times: &[u64]) -> Vec<bool> {
        let momentum = Momentum::default();
        let ask = |&time: &u64| {
            let answer = momentum.adds_up(nanoseconds, time);
            momentum.ended.store(time, Ordering::Relaxed);
            answer
        };
        times.iter().map(ask).collect()
    }

    #[test]
    fn pieces_that_follow_each_other_add_up() {
        assert_eq!(answers(60_000, &[1_000_000, 1_040_000, 1_080_000, 1_120_000]), [false, false, true, true]);
    }

    #[test]
    fn pieces_far_apart_do_not() {
        assert_eq!(answers(100_000, &[1_000_000, 2_000_000, 3_000_000]), [false; 3]);
    }

    #[test]
    fn a_pause_begins_anew() {
        assert_eq!(answers(100_000, &[1_000_000, 1_040_000, 2_000_000, 2_040_000]), [false, true, false, true]);
    }

    #[test]
    fn long_work_needs_no_past() {
        assert!(Momentum::default().is_worth_waking(WORTH_WAKING + 1));
    }
}
