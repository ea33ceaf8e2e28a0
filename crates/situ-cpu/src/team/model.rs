//! The team under loom, which runs every order of events: `RUSTFLAGS="--cfg loom" cargo test --release team::model`.
//!
//! Every model ends with dropping the team, so each also checks that shutdown ends; a lost wake-up is a deadlock, which
//! loom reports. What a run may touch lies in loom cells that the leader takes back for itself afterwards: an access
//! that is not over by then is a reported race.

use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::sync::Arc;
use loom::thread;

use super::Team;

/// Explores all orders with at most `preemptions` involuntary switches.
fn check(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    builder.check(model);
}

fn team(width: u32) -> Team {
    Team::new("model", (0..width).collect())
}

/// One counter per chunk, unprotected on purpose.
struct Chunks(Vec<UnsafeCell<usize>>);

// SAFETY: false in general; finding out whether the team makes it true is what the models are for.
unsafe impl Sync for Chunks {}

impl Chunks {
    fn new(chunks: usize) -> Self {
        Self((0..chunks).map(|_| UnsafeCell::new(0)).collect())
    }

    fn run(&self, team: &Team, wake: bool) {
        team.run(self.0.len(), wake, &|i| {
            // SAFETY: loom checks the exclusive access.
            self.0[i].with_mut(|count| unsafe { *count += 1 });
        });
    }

    fn assert_all(&self, times: usize) {
        for count in &self.0 {
            // SAFETY: loom checks the exclusive access.
            count.with_mut(|count| assert_eq!(unsafe { *count }, times));
        }
    }
}

#[test]
fn loom_one_run() {
    check(4, || {
        let team = team(2);
        let chunks = Chunks::new(2);
        chunks.run(&team, true);
        chunks.assert_all(1);
    });
}

#[test]
fn loom_runs_that_follow_each_other() {
    check(3, || {
        let team = team(2);
        let first = Chunks::new(2);
        first.run(&team, true);
        first.assert_all(1);
        drop(first);
        let second = Chunks::new(3);
        second.run(&team, true);
        second.assert_all(1);
        drop(second);
        let third = Chunks::new(2);
        third.run(&team, false);
        third.assert_all(1);
    });
}

#[test]
fn loom_two_helpers() {
    check(2, || {
        let team = team(3);
        let chunks = Chunks::new(3);
        chunks.run(&team, true);
        chunks.assert_all(1);
    });
}

#[test]
fn loom_a_wake_up_is_never_lost() {
    check(3, || {
        let team = team(2);
        // Chunks that wait for each other: without the helper the leader would wait for ever.
        let meeting = Meeting::new(2);
        team.run(2, true, &|_| meeting.wait());
        let meeting = Meeting::new(2);
        team.run(2, true, &|_| meeting.wait());
    });
}

#[test]
fn loom_both_sleepers_are_woken() {
    // Three threads that meet have too many orders for more.
    check(1, || {
        let team = team(3);
        let meeting = Meeting::new(3);
        team.run(3, true, &|_| meeting.wait());
    });
}

#[test]
fn loom_two_leaders() {
    check(2, || {
        let team = Arc::new(team(2));
        let other = {
            let team = Arc::clone(&team);
            thread::spawn(move || {
                let chunks = Chunks::new(2);
                chunks.run(&team, true);
                chunks.assert_all(1);
            })
        };
        let chunks = Chunks::new(2);
        chunks.run(&team, true);
        chunks.assert_all(1);
        other.join().unwrap();
    });
}

#[test]
fn loom_a_panic_on_any_thread() {
    std::panic::set_hook(Box::new(|_| ()));
    check(3, || {
        let team = team(2);
        let thrown = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            team.run(2, true, &|i| {
                if i == 1 {
                    std::panic::panic_any(i);
                }
            });
        }));
        assert_eq!(*thrown.unwrap_err().downcast::<usize>().unwrap(), 1);
        let chunks = Chunks::new(2);
        chunks.run(&team, true);
        chunks.assert_all(1);
    });
}

/// A barrier for one use, made of loom's parts.
struct Meeting {
    missing: loom::sync::Mutex<usize>,
    complete: loom::sync::Condvar,
}

impl Meeting {
    fn new(size: usize) -> Self {
        Self { missing: loom::sync::Mutex::new(size), complete: loom::sync::Condvar::new() }
    }

    fn wait(&self) {
        let mut missing = self.missing.lock().unwrap();
        *missing -= 1;
        if *missing == 0 {
            self.complete.notify_all();
        }
        while *missing > 0 {
            missing = self.complete.wait(missing).unwrap();
        }
    }
}
