//! How long to spin before sleeping.

/// The spinning of one thread that waits for another.
///
/// Spinning answers in a tenth of a microsecond where sleeping takes seven or more, but only while the awaited thread
/// has a core of its own. So a spinner offers its core now and then, and gives up at once when somebody took it.
#[derive(Debug)]
pub(super) struct SpinWait {
    spins: bool,
    #[cfg(not(loom))]
    polls: u32,
    #[cfg(not(loom))]
    since: Option<std::time::Instant>,
}

impl SpinWait {
    /// Fresh spin_wait; none at all unless `spins`.
    pub(super) fn new(spins: bool) -> Self {
        Self {
            spins,
            #[cfg(not(loom))]
            polls: 0,
            #[cfg(not(loom))]
            since: None,
        }
    }

    /// Starts over.
    pub(super) fn renew(&mut self) {
        *self = Self::new(self.spins);
    }

    /// Waits a moment; `false` once sleeping is the better way to wait.
    #[cfg(not(loom))]
    pub(super) fn pause(&mut self) -> bool {
        use std::time::{Duration, Instant};

        /// Long enough to bridge the gap between the operations of one expression.
        const SPIN: Duration = Duration::from_micros(50);
        /// A system call that finds nobody waiting takes a tenth of this.
        const TAKEN: Duration = Duration::from_micros(5);
        /// Every poll takes the cache line away from the one who is about to write it, but a hint alone takes some 50
        /// ns on many processors: four of them made a fork-join three times as long.
        const HINTS_PER_POLL: u32 = 1;
        /// A few microseconds' worth: the clock and the offer cost as much as several polls.
        const POLLS_PER_OFFER: u32 = 128;

        if !self.spins {
            return false;
        }
        for _ in 0..HINTS_PER_POLL {
            std::hint::spin_loop();
        }
        self.polls = self.polls.wrapping_add(1);
        if !self.polls.is_multiple_of(POLLS_PER_OFFER) {
            return true;
        }
        let now = Instant::now();
        if now.duration_since(*self.since.get_or_insert(now)) > SPIN {
            return false;
        }
        std::thread::yield_now();
        now.elapsed() < TAKEN
    }

    /// Never waits: the model has no clock, and whoever spins in it only hides the orders in which it would sleep.
    #[cfg(loom)]
    pub(super) fn pause(&mut self) -> bool {
        false
    }
}
