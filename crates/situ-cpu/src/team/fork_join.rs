//! What a leader and its helpers share, and the two sides of one fork-join.

use super::affinity::{self, Station};
use super::gate::{Gate, Generation, Word};
use super::job::Job;
use super::parking::Parking;
use super::spin_wait::SpinWait;
use super::sync::{AtomicUsize, Condvar, Mutex, Ordering, lock};

/// How many sleepers one thread wakes: each wakes as many again, so that a wide team is up in a logarithm of its width
/// and the leader soon gets to work itself.
const WAKES: usize = 2;

/// The gate and the places to wait before and behind it.
#[derive(Debug)]
pub(super) struct ForkJoin {
    gate: Gate,
    parking: Parking,
    /// Where a leader sleeps that has waited long for the last helper. Guards no data, only the moment between looking
    /// at the gate and sleeping.
    last_out: Mutex<()>,
    last_out_bell: Condvar,
    helpers: AtomicUsize,
    /// Where the leader was when it last woke or started somebody.
    leaders_core: AtomicUsize,
}

impl ForkJoin {
    pub(super) fn new() -> Self {
        Self {
            gate: Gate::new(),
            parking: Parking::new(),
            last_out: Mutex::new(()),
            last_out_bell: Condvar::new(),
            helpers: AtomicUsize::new(0),
            leaders_core: AtomicUsize::new(affinity::NOWHERE),
        }
    }

    /// How many helper threads there are.
    pub(super) fn helpers(&self) -> usize {
        self.helpers.load(Ordering::Relaxed)
    }

    pub(super) fn set_helpers(&self, helpers: usize) {
        self.helpers.store(helpers, Ordering::Relaxed);
    }

    /// How many of them sleep.
    pub(super) fn sleepers(&self) -> usize {
        self.gate.word().asleep()
    }

    /// Tells the helpers which core to keep off: the caller's.
    pub(super) fn note_leaders_core(&self) {
        self.leaders_core.store(affinity::current_core(), Ordering::Relaxed);
    }

    /// How many sleepers the open job could use beyond the helpers that are up and about to come.
    fn missing(&self, word: Word) -> usize {
        let coming = self.helpers().saturating_sub(word.asleep() + word.inside());
        // One chunk goes to the thread that asks.
        self.gate.unclaimed().saturating_sub(1 + coming).min(word.asleep())
    }

    /// Runs `job` on the calling thread and whichever helpers come, and returns when all of it is done.
    ///
    /// # Safety
    ///
    /// The caller is the only leader of this fork-join until the call returns.
    pub(super) unsafe fn lead(&self, job: &Job<'_>, chunks: usize) {
        /// Closes the gate and sees everybody out, also if something in between should unwind (invariant 4).
        struct Closing<'a>(&'a ForkJoin);
        impl Drop for Closing<'_> {
            fn drop(&mut self) {
                if !self.0.gate.close() {
                    self.0.see_out();
                }
            }
        }

        // SAFETY: the caller vouches for being the only leader. `job` is borrowed for the whole of this function, and
        // `closing` has closed the gate and seen everybody out when it ends, whichever way that is.
        let word = unsafe { self.gate.open(job, chunks) };
        let closing = Closing(self);
        if job.wake && word.asleep() > 0 {
            self.note_leaders_core();
            self.parking.wake(&self.gate, self.missing(word).min(WAKES));
        }
        job.work(&self.gate);
        drop(closing);
    }

    /// Waits until nobody is inside the closed gate.
    fn see_out(&self) {
        let mut spin_wait = SpinWait::new(true);
        while !self.gate.is_empty() {
            if spin_wait.pause() {
                continue;
            }
            if !self.gate.await_last() {
                let mut waiting = lock(&self.last_out);
                while !self.gate.is_empty() {
                    waiting = self.last_out_bell.wait(waiting).unwrap_or_else(std::sync::PoisonError::into_inner);
                }
            }
            self.gate.awaited();
            return;
        }
    }

    /// The life of a helper: joins job after job until the team is stopped.
    pub(super) fn serve(&self, station: &Station, spins: bool) {
        station.keep_off(self.leaders_core.load(Ordering::Relaxed));
        let mut seen = Generation::default();
        let mut spin_wait = SpinWait::new(spins);
        loop {
            let word = self.gate.word();
            if word.stopped() {
                return;
            }
            if word.admits(seen)
                && let Some(visit) = self.gate.enter(seen)
            {
                seen = visit.entered().generation();
                if visit.entered().asleep() > 0 && visit.job().wake {
                    self.parking.wake(&self.gate, self.missing(visit.entered()).min(WAKES));
                }
                visit.job().work(&self.gate);
                if visit.leave() {
                    // Locked once, so that the leader is either not yet looking or already asleep.
                    drop(lock(&self.last_out));
                    self.last_out_bell.notify_all();
                }
                spin_wait.renew();
            } else if !spin_wait.pause() {
                self.parking.sleep(&self.gate, seen);
                station.keep_off(self.leaders_core.load(Ordering::Relaxed));
                spin_wait.renew();
            }
        }
    }

    /// Ends the life of every helper.
    pub(super) fn stop(&self) {
        self.gate.stop();
        self.parking.wake(&self.gate, usize::MAX);
    }
}
