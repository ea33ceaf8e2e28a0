//! Every interleaving of two and three submitting threads over two buffers, each command executed by a thread of
//! its own that waits for exactly the events it was given. `UnsafeCell` accesses are checked by loom: an access
//! not ordered after a conflicting one is a data race, and the model fails.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;

use super::*;

#[derive(Clone)]
struct Done(Arc<AtomicBool>);
impl Fate for Done {
    fn is_complete(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
    fn is_failed(&self) -> bool {
        false
    }
    fn supersedes(&self, _earlier: &Self) -> bool {
        false
    }
}

struct Buffer {
    tracker: Tracker<Done>,
    content: UnsafeCell<u32>,
}

fn buffer() -> Arc<Buffer> {
    Arc::new(Buffer { tracker: Tracker::new(), content: UnsafeCell::new(0) })
}

/// Submits `target += source + 1`, or `target += 1`, and executes it asynchronously.
fn add(target: &Arc<Buffer>, source: Option<&Arc<Buffer>>) -> thread::JoinHandle<()> {
    let mut accesses = vec![(&target.tracker, Access::Write)];
    accesses.extend(source.map(|source| (&source.tracker, Access::Read)));
    let (event, mut waits) = (Done(Arc::new(AtomicBool::new(false))), Vec::new());
    in_order(accesses.into_iter(), |given| {
        waits = given.to_vec();
        Ok::<_, ()>(Some(event.clone()))
    })
    .unwrap();
    let (target, source) = (target.clone(), source.cloned());
    thread::spawn(move || {
        for wait in &waits {
            while !wait.is_complete() {
                thread::yield_now();
            }
        }
        let amount = source.map_or(0, |source| source.content.with(|p| unsafe { *p }));
        target.content.with_mut(|p| unsafe { *p += amount + 1 });
        event.0.store(true, Ordering::Release);
    })
}

fn content(buffer: &Buffer) -> u32 {
    buffer.content.with(|p| unsafe { *p })
}

fn explore(preemptions: usize, scenario: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(scenario);
}

#[test]
fn loom_two_submitters_in_opposite_directions_never_race_or_deadlock() {
    explore(3, || {
        let (a, b) = (buffer(), buffer());
        let (a2, b2) = (a.clone(), b.clone());
        let other = thread::spawn(move || add(&a2, Some(&b2)).join().unwrap());
        add(&b, Some(&a)).join().unwrap();
        other.join().unwrap();
        // Whichever came first added 1, the second 1 + 1.
        assert_eq!(content(&a) + content(&b), 3);
    });
}

#[test]
fn loom_commands_in_flight_from_one_thread_run_in_program_order() {
    explore(3, || {
        let (a, b) = (buffer(), buffer());
        let running = [add(&a, Some(&b)), add(&b, Some(&a))];
        running.into_iter().for_each(|command| command.join().unwrap());
        assert_eq!((content(&a), content(&b)), (1, 2));
    });
}

#[test]
fn loom_a_write_waits_for_the_reads_before_it() {
    explore(3, || {
        let (a, b) = (buffer(), buffer());
        let running = [add(&a, Some(&b)), add(&b, None)];
        running.into_iter().for_each(|command| command.join().unwrap());
        assert_eq!((content(&a), content(&b)), (1, 1));
    });
}

#[test]
fn loom_three_buffers_in_any_order_never_race_or_deadlock() {
    explore(2, || {
        let (a, b, c) = (buffer(), buffer(), buffer());
        let locked = |accesses: Vec<(&Tracker<Done>, Access)>, target: &Buffer| {
            in_order(accesses.into_iter(), |waits| {
                assert!(waits.is_empty());
                // Done inline, under the locks.
                target.content.with_mut(|p| unsafe { *p += 1 });
                Ok::<_, ()>(None)
            })
            .unwrap();
        };
        let (a2, b2, c2) = (a.clone(), b.clone(), c.clone());
        let other = thread::spawn(move || {
            locked(vec![(&c2.tracker, Access::Read), (&b2.tracker, Access::Read), (&a2.tracker, Access::Write)], &a2);
        });
        locked(vec![(&a.tracker, Access::Read), (&b.tracker, Access::Read), (&a.tracker, Access::Update)], &a);
        other.join().unwrap();
        assert_eq!(content(&a), 2);
    });
}

#[test]
fn loom_reading_at_once_never_races_with_writers() {
    explore(3, || {
        let (a, b) = (buffer(), buffer());
        let (a2, b2) = (a.clone(), b.clone());
        let other = thread::spawn(move || {
            // Refused while a write is in flight, and else done under the locks: `a` is written first.
            reading(&b2.tracker, [Some(&a2.tracker), None], || {
                assert!(content(&a2) >= content(&b2));
                true
            })
        });
        let writes = [add(&a, None), add(&b, None)];
        writes.into_iter().for_each(|write| write.join().unwrap());
        other.join().unwrap();
        assert!(reading(&a.tracker, [Some(&a.tracker), None], || content(&a) == 1));
        let (a, b) = (&a.tracker, &b.tracker);
        for others in [[b, a], [a, b], [b, b], [a, a]] {
            assert!(reading(a, others.map(Some), || true));
        }
    });
}

#[test]
fn loom_reading_three_buffers_in_any_order_never_races_or_deadlocks() {
    explore(2, || {
        let (a, b, c) = (buffer(), buffer(), buffer());
        let (a2, b2, c2) = (a.clone(), b.clone(), c.clone());
        let other = thread::spawn(move || {
            let writes = [&c2, &b2, &a2].map(|buffer| (&buffer.tracker, Access::Write));
            in_order(writes.into_iter(), |waits| {
                assert!(waits.is_empty());
                for written in [&a2, &b2, &c2] {
                    written.content.with_mut(|p| unsafe { *p += 1 });
                }
                Ok::<_, ()>(None)
            })
            .unwrap();
        });
        let is_whole = || content(&a) == content(&b) && content(&b) == content(&c);
        assert!(reading(&b.tracker, [Some(&c.tracker), Some(&a.tracker)], is_whole));
        other.join().unwrap();
    });
}

#[test]
fn loom_reading_three_buffers_keeps_writers_from_each() {
    for target in 0..3 {
        explore(2, move || {
            let buffers = [buffer(), buffer(), buffer()];
            let written = buffers[target].clone();
            let other = thread::spawn(move || {
                in_order([(&written.tracker, Access::Write)].into_iter(), |_| {
                    written.content.with_mut(|p| unsafe { *p += 1 });
                    Ok::<_, ()>(None)
                })
                .unwrap();
            });
            let [a, b, c] = &buffers;
            let reads = || buffers.iter().all(|buffer| content(buffer) <= 1);
            assert!(reading(&a.tracker, [&b.tracker, &c.tracker].map(Some), reads));
            other.join().unwrap();
        });
    }
}
