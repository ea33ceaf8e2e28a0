//! The one word that decides who may touch the leader's job. Its invariants are numbered in the team's header.

use std::marker::PhantomData;
use std::ptr;

use super::job::Job;
use super::sync::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

const ONE_INSIDE: u64 = 1;
const INSIDE: u64 = 0xffff;
const ONE_ASLEEP: u64 = 1 << 16;
const ASLEEP: u64 = 0xffff << 16;
const OPEN: u64 = 1 << 32;
const STOPPED: u64 = 1 << 33;
/// The leader sleeps until the last helper is out.
const AWAITED: u64 = 1 << 34;
/// Counts openings in the highest bits, where its overflow falls off the word.
const ONE_GENERATION: u64 = 1 << 35;

/// The most helpers the counts have room for.
pub(super) const MAX_HELPERS: usize = 0xffff;

/// A value of the gate word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word(u64);

impl Word {
    pub(super) fn inside(self) -> usize {
        (self.0 & INSIDE) as usize
    }

    /// How many helpers sleep without a permit to wake.
    pub(super) fn asleep(self) -> usize {
        ((self.0 & ASLEEP) / ONE_ASLEEP) as usize
    }

    pub(super) fn stopped(self) -> bool {
        self.0 & STOPPED != 0
    }

    pub(super) fn generation(self) -> Generation {
        Generation(self.0 / ONE_GENERATION)
    }

    /// Whether a helper that was last inside in generation `seen` may enter.
    pub(super) fn admits(self, seen: Generation) -> bool {
        self.0 & OPEN != 0 && self.generation() != seen
    }
}

/// The number of an opening.
///
/// It keeps a helper that has found a job exhausted from entering the same job again. It may wrap: a helper that meets
/// its number a second time merely sits out that one job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Generation(u64);

/// The gate word, and behind it the job and its chunks.
#[derive(Debug)]
pub(super) struct Gate {
    word: Apart<AtomicU64>,
    behind: Apart<Behind>,
}

/// A cache line (and its prefetched neighbour) of its own: spinning helpers look at the gate word all the time, which
/// must not slow down those who claim chunks.
#[derive(Debug)]
#[repr(align(128))]
struct Apart<T>(T);

impl<T> std::ops::Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

#[derive(Debug)]
struct Behind {
    /// The first chunk nobody has claimed; at least `chunks` once there are none.
    next: AtomicUsize,
    chunks: AtomicUsize,
    job: AtomicPtr<Job<'static>>,
}

impl Gate {
    pub(super) fn new() -> Self {
        Self {
            word: Apart(AtomicU64::new(0)),
            behind: Apart(Behind {
                next: AtomicUsize::new(0),
                chunks: AtomicUsize::new(0),
                job: AtomicPtr::new(ptr::null_mut()),
            }),
        }
    }

    /// A look from outside; it orders nothing.
    pub(super) fn word(&self) -> Word {
        Word(self.word.load(Ordering::Relaxed))
    }

    /// Lets helpers in to the `chunks` chunks of `job`, and returns the word as it was before.
    ///
    /// # Safety
    ///
    /// The caller is the only leader, and keeps `job` alive and unmoved until it has called [`close`](Self::close) and
    /// then seen [`is_empty`](Self::is_empty).
    pub(super) unsafe fn open(&self, job: &Job<'_>, chunks: usize) -> Word {
        self.behind.next.store(0, Ordering::Relaxed);
        self.behind.chunks.store(chunks, Ordering::Relaxed);
        self.behind.job.store(ptr::from_ref(job).cast_mut().cast(), Ordering::Relaxed);
        // Release: who enters sees these three, the job, and all that the leader did before.
        Word(self.word.fetch_add(OPEN + ONE_GENERATION, Ordering::Release))
    }

    /// Takes a chunk to run. Only for the leader and those inside.
    pub(super) fn claim(&self) -> Option<usize> {
        // Relaxed: the counter only hands out numbers. Data travels through the gate word.
        let chunk = self.behind.next.fetch_add(1, Ordering::Relaxed);
        (chunk < self.behind.chunks.load(Ordering::Relaxed)).then_some(chunk)
    }

    /// How many chunks were still to be claimed a moment ago.
    pub(super) fn unclaimed(&self) -> usize {
        self.behind.chunks.load(Ordering::Relaxed).saturating_sub(self.behind.next.load(Ordering::Relaxed))
    }

    /// Leaves nothing to claim. Only for the leader and those inside.
    pub(super) fn skip_unclaimed(&self) {
        self.behind.next.store(self.behind.chunks.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Lets nobody in any more; whether everybody is out already.
    pub(super) fn close(&self) -> bool {
        // Acquire here and in the next two: the leader sees what those who left have done.
        Word(self.word.fetch_and(!OPEN, Ordering::Acquire)).inside() == 0
    }

    /// Whether everybody is out. Lasting once the gate is closed.
    pub(super) fn is_empty(&self) -> bool {
        Word(self.word.load(Ordering::Acquire)).inside() == 0
    }

    /// Asks the last helper inside to ring; whether nobody is left to do so.
    pub(super) fn await_last(&self) -> bool {
        Word(self.word.fetch_or(AWAITED, Ordering::Acquire)).inside() == 0
    }

    /// Takes [`await_last`](Self::await_last) back.
    pub(super) fn awaited(&self) {
        self.word.fetch_and(!AWAITED, Ordering::Relaxed);
    }

    /// Enters if the gate is open for a generation other than `seen`.
    pub(super) fn enter(&self, seen: Generation) -> Option<Visit<'_>> {
        let mut word = self.word();
        while word.admits(seen) {
            let inside = word.0 + ONE_INSIDE;
            // Acquire pairs with the release of `open`, through whatever read-modify-writes came between.
            match self.word.compare_exchange_weak(word.0, inside, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => {
                    let job = self.behind.job.load(Ordering::Relaxed);
                    return Some(Visit { gate: self, job, entered: Word(inside), lifetime: PhantomData });
                }
                Err(now) => word = Word(now),
            }
        }
        None
    }

    /// Counts one more helper asleep, unless there is something to do for one that has seen generation `seen`.
    ///
    /// Call with the parking locked: a waker that reads the count must not get ahead of the sleeper.
    pub(super) fn fall_asleep(&self, seen: Generation) -> bool {
        let mut word = self.word();
        while !word.admits(seen) && !word.stopped() {
            let asleep = word.0 + ONE_ASLEEP;
            match self.word.compare_exchange_weak(word.0, asleep, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => word = Word(now),
            }
        }
        false
    }

    /// Counts up to `wanted` sleepers as awake and tells how many. Call with the parking locked.
    pub(super) fn rouse(&self, wanted: usize) -> usize {
        let woken = wanted.min(self.word().asleep());
        self.word.fetch_sub(woken as u64 * ONE_ASLEEP, Ordering::Relaxed);
        woken
    }

    /// Sends every helper home as soon as it looks.
    pub(super) fn stop(&self) {
        self.word.fetch_or(STOPPED, Ordering::Relaxed);
    }
}

/// A helper's stay inside the gate; the job can be reached only through it.
pub(super) struct Visit<'a> {
    gate: &'a Gate,
    job: *const Job<'static>,
    entered: Word,
    /// The job's real lifetime is that of the visit.
    lifetime: PhantomData<&'a Job<'a>>,
}

impl Visit<'_> {
    /// The gate as it was upon entering, this helper included.
    pub(super) fn entered(&self) -> Word {
        self.entered
    }

    pub(super) fn job(&self) -> &Job<'_> {
        // SAFETY: this visit is counted inside since an opening and until `leave` takes the visit away, and the leader
        // that called `open` keeps the job alive until it has seen the count at zero (invariants 2 to 4).
        unsafe { &*self.job }
    }

    /// Leaves; whether the leader sleeps and this was the last helper inside.
    pub(super) fn leave(self) -> bool {
        // Release: the leader, once it sees the count at zero, sees the chunks done.
        let before = self.gate.word.fetch_sub(ONE_INSIDE, Ordering::Release);
        before & (INSIDE | AWAITED) == ONE_INSIDE | AWAITED
    }
}
