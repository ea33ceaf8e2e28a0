//! The team on real threads. What depends on the order of events is checked in `model.rs`.

use std::cell::Cell;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::Team;

fn team(width: usize) -> Team {
    // Core 0 exists everywhere; a core that does not leaves the helpers where they are.
    Team::new("test", (0..width as u32).collect())
}

/// Runs `chunks` chunks and checks that each ran once.
fn run_and_count(team: &Team, chunks: usize, wake: bool) {
    let counts: Vec<AtomicUsize> = (0..chunks).map(|_| AtomicUsize::new(0)).collect();
    team.run(chunks, wake, &|i| {
        counts[i].fetch_add(1, Ordering::Relaxed);
    });
    for (i, count) in counts.iter().enumerate() {
        assert_eq!(count.load(Ordering::Relaxed), 1, "chunk {i} of {chunks}");
    }
}

/// A run in which every thread of the team takes part, or the test hangs: all of them have to meet.
fn run_with_all(team: &Team, each: &(dyn Fn() + Sync)) {
    let meeting = Barrier::new(team.width());
    team.run(team.width(), true, &|_| {
        meeting.wait();
        each();
    });
}

fn wait_until_helpers_sleep(team: &Team) {
    while team.fork_join.sleepers() < team.fork_join.helpers() {
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn every_chunk_runs_once() {
    for width in [1, 2, 3, 5] {
        let team = team(width);
        for chunks in (0..70).chain([255, 256, 1000, 4097]) {
            for wake in [false, true] {
                run_and_count(&team, chunks, wake);
            }
        }
    }
}

#[test]
fn all_threads_take_part_and_carry_the_name() {
    let team = team(3);
    let names = Mutex::new(HashSet::new());
    run_with_all(&team, &|| {
        names.lock().unwrap().insert(thread::current().name().map(str::to_owned));
    });
    let names = names.into_inner().unwrap();
    assert_eq!(names.len(), 3);
    assert!(names.contains(&Some("situ-test-1".into())) && names.contains(&Some("situ-test-2".into())), "{names:?}");
}

#[test]
fn sleepers_are_woken_only_on_request() {
    let team = team(4);
    run_with_all(&team, &|| ());
    wait_until_helpers_sleep(&team);
    let leader = thread::current().id();
    team.run(64, false, &|_| assert_eq!(thread::current().id(), leader));
    run_with_all(&team, &|| ());
}

#[test]
fn threads_start_only_when_worth_waking() {
    let team = team(2);
    team.run(8, false, &|_| ());
    team.run(1, true, &|_| ());
    assert_eq!(team.fork_join.helpers(), 0);
    team.run(2, true, &|_| ());
    assert_eq!(team.fork_join.helpers(), 1);
}

#[test]
fn one_core_needs_no_threads() {
    for cores in [vec![], vec![0]] {
        let team = Team::new("one", cores);
        assert_eq!(team.width(), 1);
        run_and_count(&team, 100, true);
        assert_eq!(team.fork_join.helpers(), 0);
    }
}

#[test]
fn nested_runs_finish() {
    let team = team(2);
    let inner = AtomicUsize::new(0);
    run_with_all(&team, &|| {
        team.run(10, true, &|_| team.run(10, true, &|_| _ = inner.fetch_add(1, Ordering::Relaxed)));
    });
    assert_eq!(inner.into_inner(), 200);
}

#[test]
fn a_second_leader_does_not_wait() {
    let team = team(2);
    let second_is_done = AtomicBool::new(false);
    let leading = Barrier::new(2);
    thread::scope(|scope| {
        let (team, leading, second_is_done) = (&team, &leading, &second_is_done);
        scope.spawn(move || {
            let met = AtomicBool::new(false);
            team.run(4, true, &|_| {
                if !met.swap(true, Ordering::Relaxed) {
                    leading.wait();
                    let start = Instant::now();
                    while !second_is_done.load(Ordering::Relaxed) {
                        assert!(start.elapsed() < Duration::from_secs(10), "the second leader waits for the first");
                        thread::yield_now();
                    }
                }
            });
        });
        leading.wait();
        run_and_count(team, 100, true);
        second_is_done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_panic_reaches_the_leader_and_the_team_goes_on() {
    let team = team(2);
    let leader = thread::current().id();
    for on_leader in [true, false, true, false] {
        let thrown = catch_unwind(AssertUnwindSafe(|| {
            run_with_all(&team, &|| {
                if (thread::current().id() == leader) == on_leader {
                    std::panic::panic_any(("thrown", on_leader));
                }
            });
        }));
        assert_eq!(*thrown.unwrap_err().downcast::<(&str, bool)>().unwrap(), ("thrown", on_leader));
        run_and_count(&team, 50, true);
    }
}

#[test]
fn a_panic_on_every_thread_is_one_panic() {
    struct PanicsWhenDropped;
    impl Drop for PanicsWhenDropped {
        fn drop(&mut self) {
            panic!("dropped by the team");
        }
    }
    let team = team(3);
    let thrown = catch_unwind(AssertUnwindSafe(|| {
        run_with_all(&team, &|| std::panic::panic_any(PanicsWhenDropped));
    }));
    std::mem::forget(thrown.unwrap_err().downcast::<PanicsWhenDropped>().unwrap());
    run_with_all(&team, &|| ());
}

#[test]
fn a_panic_skips_what_nobody_began() {
    let team = team(2);
    let both_begun = Barrier::new(2);
    let begun = AtomicUsize::new(0);
    let thrown = catch_unwind(AssertUnwindSafe(|| {
        team.run(1000, true, &|i| {
            begun.fetch_add(1, Ordering::Relaxed);
            if i < 2 {
                both_begun.wait();
            }
            assert_ne!(i, 0, "the panic of this test");
            thread::sleep(Duration::from_millis(1));
        });
    }));
    assert!(thrown.is_err());
    assert!(begun.into_inner() < 1000);
}

#[test]
fn drop_ends_spinning_and_sleeping_helpers() {
    thread_local!(static ENDS: Cell<Option<Ending>> = const { Cell::new(None) });
    static ENDED: AtomicUsize = AtomicUsize::new(0);
    struct Ending;
    impl Drop for Ending {
        fn drop(&mut self) {
            ENDED.fetch_add(1, Ordering::Relaxed);
        }
    }
    let leader = thread::current().id();
    for (turn, sleep) in [false, true, false, true].into_iter().enumerate() {
        let team = team(3);
        run_with_all(&team, &|| {
            if thread::current().id() != leader {
                ENDS.set(Some(Ending));
            }
        });
        if sleep {
            wait_until_helpers_sleep(&team);
        }
        drop(team);
        assert_eq!(ENDED.load(Ordering::Relaxed), 2 * (turn + 1), "drop returned before its threads ended");
    }
}

#[test]
fn a_team_can_be_dropped_by_anothers_helper() {
    let outer = team(2);
    let leader = thread::current().id();
    let inner = Mutex::new(Some(team(3)));
    run_with_all(inner.lock().unwrap().as_ref().unwrap(), &|| ());
    run_with_all(&outer, &|| {
        if thread::current().id() != leader {
            drop(inner.lock().unwrap().take());
        }
    });
    assert!(inner.into_inner().unwrap().is_none());
}

#[test]
fn leaders_and_helpers_under_stress() {
    let team = team(3);
    thread::scope(|scope| {
        for seed in 0..2_usize {
            let team = &team;
            scope.spawn(move || {
                for round in 0..3000_usize {
                    run_and_count(team, (seed + round * 7) % 23, round % 3 != 0);
                    if round % 500 == 0 {
                        thread::sleep(Duration::from_millis(3));
                    }
                }
            });
        }
    });
}

#[test]
fn a_leader_that_waited_long_is_woken() {
    let team = team(2);
    let leader = thread::current().id();
    run_with_all(&team, &|| {
        if thread::current().id() != leader {
            thread::sleep(Duration::from_millis(20));
        }
    });
    run_and_count(&team, 10, true);
}

#[cfg(target_os = "linux")]
mod linux {
    use super::super::affinity::{NOWHERE, Station, current_core};
    use super::*;

    fn affinity() -> Vec<usize> {
        // SAFETY: all zeros is an empty `cpu_set_t`, and the call writes at most its size.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            assert_eq!(libc::sched_getaffinity(0, size_of_val(&set), &mut set), 0);
            (0..libc::CPU_SETSIZE as usize).filter(|&cpu| libc::CPU_ISSET(cpu, &set)).collect()
        }
    }

    /// Runs `child` in a forked process and waits for its verdict, but not for ever.
    fn fork_and_check(child: impl FnOnce() -> bool) {
        // SAFETY: the child runs only `child` and leaves without returning into the test harness.
        let pid = unsafe { libc::fork() };
        assert!(pid >= 0);
        if pid == 0 {
            let fine = catch_unwind(AssertUnwindSafe(child)).unwrap_or(false);
            // SAFETY: ends the process at once; no destructor of the parent's runs.
            unsafe { libc::_exit(if fine { 0 } else { 1 }) };
        }
        let start = Instant::now();
        loop {
            let mut status = 0;
            // SAFETY: `pid` is our child, not yet waited for, and `status` outlives the call.
            let ended = unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) };
            if ended == pid {
                assert_eq!(status, 0, "the child failed");
                return;
            }
            let hangs = start.elapsed() > Duration::from_secs(20);
            if hangs {
                // SAFETY: `pid` is our child, not yet waited for.
                unsafe { libc::kill(pid, libc::SIGKILL) };
            }
            assert!(!hangs, "the child hangs");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn helpers_may_use_all_cores_of_the_device_and_no_others() {
        let all = affinity();
        if all.len() < 2 {
            return;
        }
        // The leader starts out on one core, which its threads would inherit.
        thread::spawn(move || {
            Station::take([all[0] as u32].into());
            assert_eq!(affinity(), &all[..1]);
            let leader = thread::current().id();
            let device = &all[..2];
            let team = Team::new("test", device.iter().map(|&core| core as u32).collect());
            run_with_all(&team, &|| {
                if thread::current().id() != leader {
                    let allowed = affinity();
                    // All of them, or all but the leader's.
                    assert!(allowed == device || allowed == device[1..], "{allowed:?} of {device:?}");
                }
            });
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_helper_leaves_its_leaders_core() {
        let all = affinity();
        if all.len() < 2 {
            return;
        }
        thread::spawn(move || {
            let station = Station::take(all.iter().map(|&core| core as u32).collect());
            station.keep_off(NOWHERE);
            assert_eq!(affinity(), all);
            Station::take([all[1] as u32].into());
            station.keep_off(all[0]);
            assert_eq!(affinity(), [all[1]], "not on that core, so nothing to leave");
            station.keep_off(all[1]);
            assert!(current_core() != all[1] && affinity().len() == all.len() - 1);
            let lonely = Station::take([all[0] as u32].into());
            lonely.keep_off(all[0]);
            assert_eq!(affinity(), [all[0]], "nowhere else to go");
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_forked_child_works_alone_and_can_drop_the_team() {
        for sleep in [false, true] {
            let team = team(3);
            run_with_all(&team, &|| ());
            if sleep {
                wait_until_helpers_sleep(&team);
            }
            let team = Mutex::new(Some(team));
            fork_and_check(|| {
                let team = team.lock().unwrap().take().unwrap();
                for chunks in 0..20 {
                    run_and_count(&team, chunks, true);
                }
                true
            });
            run_with_all(team.lock().unwrap().as_ref().unwrap(), &|| ());
        }
    }

    #[test]
    fn no_more_threads_means_fewer_helpers() {
        fork_and_check(|| {
            let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: plain system calls on the child alone. The limit does not bind a superuser, hence the second.
            unsafe {
                assert_eq!(libc::setrlimit(libc::RLIMIT_NPROC, &none), 0);
                if libc::geteuid() == 0 {
                    assert_eq!(libc::setresuid(65534, 65534, 65534), 0);
                }
            }
            let team = team(4);
            run_and_count(&team, 100, true);
            run_and_count(&team, 100, true);
            team.width() == 4 && team.fork_join.helpers() == 0
        });
    }
}
