//! The fork-join team of one CPU device: helper threads that join whoever has something to compute.
//!
//! The leader (the thread that calls [`Team::run`]) opens a gate, works through the chunks together with the helpers
//! that came in, closes the gate when no chunk is left unclaimed, and waits for those inside. A helper that is late,
//! asleep or descheduled outside the gate holds up nobody. The job lies on the leader's stack; what makes that sound
//! are these invariants, which comments cite and the loom tests check:
//!
//! 1. There is at most one leader: who leads holds the lock on the crew. Nobody ever waits for that lock; who does not
//!    get it runs the chunks alone.
//! 2. A helper enters only by a compare-and-swap of the gate word from a value that says *open* to the same value with
//!    one more *inside*, and only the leader opens, after the job is written. The word is changed by read-modify-writes
//!    alone, so whoever enters sees all that came before the opening.
//! 3. A helper touches the job only while it is counted inside: after entering and before the decrement with which it
//!    leaves. It runs all the chunks it has claimed before that. After it, it touches only the `ForkJoin`, which every helper
//!    owns a share of.
//! 4. The leader does not let go of the job, not even by unwinding, before it has closed the gate and then seen nobody
//!    inside. A closed gate admits nobody, so the count cannot rise again, and with 3 nobody can reach the job.
//! 5. A chunk is claimed by adding one to a counter that only grows, so no chunk runs twice; the leader works until the
//!    counter is past the last chunk, and with 4 every chunk has run when it returns (unless a body panicked).
//! 6. A helper falls asleep by adding one to the *asleep* count of the same word, and only from a value that is not open
//!    for it and not stopped, with the parking locked. An opening or a stop therefore comes either before, and the
//!    helper does not sleep, or after, and the count is seen. No wake-up is lost.
//! 7. A leader that sleeps has first set *awaited* in the word, and looks at the count with the lock that the last helper
//!    takes between its decrement and the bell. So it either sees the zero or hears the bell.
//!
//! # Forked processes
//!
//! A forked child has the team but not its threads. `run` works there, on the caller alone, and dropping the team does
//! not wait for threads that do not exist. Forking from inside a body is the one thing that does not work: the child
//! would wait for helpers that stayed behind.

mod affinity;
mod crew;
mod fork_join;
mod gate;
mod job;
mod parking;
mod spin_wait;
mod sync;

#[cfg(all(test, loom))]
mod model;
#[cfg(all(test, not(loom)))]
mod tests;

use std::fmt;
use std::panic::resume_unwind;
use std::sync::{PoisonError, TryLockError};

use crew::Crew;
use fork_join::ForkJoin;
use job::Job;
use sync::{Arc, Mutex};

/// The helper threads of one device or sub-device; whoever calls [`run`](Self::run) leads and works too.
///
/// No helper is tied to one core: it may run on any of the device's. The leader is a foreign thread that may sit on any
/// of them, and a helper tied to the very core the leader is on would stall both. Free within the set, it can go where
/// there is room, and a helper that is woken on its leader's core goes (see `affinity.rs`).
pub struct Team {
    name: Box<str>,
    cores: std::sync::Arc<[u32]>,
    helpers: usize,
    fork_join: Arc<ForkJoin>,
    /// Held by the leader for as long as it leads.
    crew: Mutex<Crew>,
}

impl Team {
    /// A team as wide as there are `cores` (logical processor numbers), to which its helpers are limited.
    ///
    /// The threads, one less than there are cores, start when they are first worth waking. They are named
    /// `situ-<name>-<i>`.
    pub fn new(name: &str, cores: Vec<u32>) -> Self {
        Self::with_width(name, cores.len(), cores)
    }

    /// A team of that many threads, the leader included, which the system may run anywhere.
    ///
    /// For a share of the machine that is an amount of time and not a place, as under a container's quota.
    pub fn unbound(name: &str, width: usize) -> Self {
        Self::with_width(name, width, Vec::new())
    }

    fn with_width(name: &str, width: usize, cores: Vec<u32>) -> Self {
        Self {
            // A thread's name cannot hold a NUL.
            name: name.replace('\0', "").into(),
            helpers: width.saturating_sub(1).min(gate::MAX_HELPERS),
            cores: cores.into(),
            fork_join: Arc::new(ForkJoin::new()),
            crew: Mutex::new(Crew::default()),
        }
    }

    /// How many threads can work at once, the leader included.
    pub fn width(&self) -> usize {
        self.helpers + 1
    }

    /// Calls `body(i)` once for every `i` in `0..chunks`, on the caller and whichever helpers are free, and returns
    /// when all have returned.
    ///
    /// Helpers that are up join in any case; `wake` says whether the work is worth waking sleeping ones (and starting
    /// them, the first time), which costs the caller some microseconds. While another thread leads, or a body of this
    /// team calls in turn, the caller runs all the chunks itself: `run` never waits for another leader.
    ///
    /// # Panics
    ///
    /// If a body panics, on whichever thread, chunks not yet begun are skipped and the first panic goes on here, after
    /// the others have ended. The team can be used again.
    pub fn run(&self, chunks: usize, wake: bool, body: &(dyn Fn(usize) + Sync)) {
        match self.run_together(chunks, wake, body) {
            Some(None) => {}
            Some(Some(panic)) => resume_unwind(panic),
            None => (0..chunks).for_each(body),
        }
    }

    /// Leads the chunks if there is somebody to lead: `None` if not, else the panic of a body if there was one.
    fn run_together(&self, chunks: usize, wake: bool, body: &(dyn Fn(usize) + Sync)) -> Option<Option<job::Payload>> {
        if chunks < 2 || self.helpers == 0 {
            return None;
        }
        let mut crew = match self.crew.try_lock() {
            Ok(crew) => crew,
            Err(TryLockError::Poisoned(crew)) => crew.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        if wake {
            crew.muster(&self.fork_join, &self.name, &self.cores, self.helpers);
            // Asked only ahead of a wake-up, next to which the system call is cheap and which could hang on a lock that
            // was held during the fork. Helpers that are up are not missed.
            if self.fork_join.sleepers() > 0 {
                crew.forget_if_forked(&self.fork_join);
            }
        }
        if self.fork_join.helpers() == 0 {
            return None;
        }
        let job = Job::new(body, wake);
        // SAFETY: who holds the lock on the crew is the only leader (invariant 1).
        unsafe { self.fork_join.lead(&job, chunks) };
        drop(crew);
        Some(job.finish())
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        // This is never one of the helpers it waits for: they run nothing but the bodies of a leader, which borrows the
        // team.
        self.crew.get_mut().unwrap_or_else(PoisonError::into_inner).dismiss(&self.fork_join);
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("name", &self.name).field("cores", &self.cores).finish_non_exhaustive()
    }
}
