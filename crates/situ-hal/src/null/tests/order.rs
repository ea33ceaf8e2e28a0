//! When commands are executed, and in what order.

use std::time::Duration;

use super::*;
use crate::EventStatus::{Complete, Submitted};
use crate::null::event::Task;
use crate::null::{Call, Faults};
use crate::{EventStatus, HalError, Profile};

#[test]
fn immediate_commands_are_done_when_submit_returns() {
    let bench = Bench::new(Latency::Immediate);
    let block = bench.bytes::<4>();
    for properties in [OUT_OF_ORDER, IN_ORDER] {
        let queue = bench.queue(properties);
        assert!(matches!(try_submit(&queue, &block.set(7), &[]), Ok(Completion::Done)));
        assert_eq!(block.read(), [7; 4]);
        assert!(matches!(try_submit(&queue, &block.set(0), &[]), Ok(Completion::Done)));
    }
}

#[test]
fn times_never_stand_still() {
    for latency in [Latency::Immediate, Latency::OnWait] {
        let bench = Bench::new(latency);
        let queue = bench.queue(PROFILING);
        let mut last = 0;
        for _ in 0..100 {
            let event = submit(&queue, &Command::Marker, &[]);
            assert_eq!(event.profile().is_some(), latency == Latency::Immediate);
            assert!(event.wait(None));
            let times = event.profile().unwrap();
            assert!(last < times.submit && times.submit < times.start && times.start < times.end, "{times:?}");
            last = times.end;
        }
        let silent = bench.queue(OUT_OF_ORDER);
        if let Completion::Event(event) = try_submit(&silent, &Command::Marker, &[]).unwrap() {
            assert!(event.wait(None) && event.profile().is_none());
        }
    }
}

#[test]
fn looking_completes_nothing_and_waiting_does() {
    let bench = Bench::new(Latency::OnWait);
    let queue = bench.queue(OUT_OF_ORDER);
    let block = bench.bytes::<4>();
    let event = submit(&queue, &block.set(1), &[]);
    for _ in 0..3 {
        assert_eq!(event.status(), Submitted);
        assert!(!event.wait(Some(Duration::ZERO)));
        assert_eq!((event.error(), event.profile()), (None, None));
    }
    assert_eq!(block.read(), [0; 4]);
    assert!(event.wait(Some(Duration::from_nanos(1))));
    assert_eq!((event.status(), block.read()), (Complete, [1; 4]));
}

#[test]
fn dependencies_run_first_once_and_nothing_else_runs() {
    let bench = Bench::new(Latency::OnWait);
    let queue = bench.queue(OUT_OF_ORDER);
    let (a, b, c, d) = (bench.bytes::<4>(), bench.bytes::<4>(), bench.bytes::<4>(), bench.bytes::<4>());
    let unrelated = submit(&queue, &d.set(5), &[]);
    let fill = submit(&queue, &a.set(1), &[]);
    let left = submit(&queue, &b.set_from(&a), std::slice::from_ref(&fill));
    let right = submit(&queue, &c.set_from(&a), std::slice::from_ref(&fill));
    let join = submit(&queue, &d.set_from(&b), &[right.clone(), left.clone()]);
    assert!(join.wait(None));
    assert_eq!((a.read(), b.read(), c.read(), d.read()), ([1; 4], [1; 4], [1; 4], [1; 4]));
    assert_eq!(Faults::count(Call::Execute), 4);
    assert_eq!(unrelated.status(), Submitted);
    for event in [fill, left, right, join] {
        assert!(event.wait(None));
    }
    assert_eq!(Faults::count(Call::Execute), 4);
    queue.wait(None);
    assert_eq!((unrelated.status(), d.read()), (Complete, [5; 4]));
    assert_eq!(Faults::count(Call::Execute), 5);
}

#[test]
fn an_in_order_queue_keeps_the_order_of_submission() {
    let bench = Bench::new(Latency::OnWait);
    let queue = bench.queue(IN_ORDER);
    let (a, b) = (bench.bytes::<4>(), bench.bytes::<4>());
    submit(&queue, &a.set(1), &[]);
    submit(&queue, &b.set_from(&a), &[]);
    let last = submit(&queue, &a.set(2), &[]);
    let later = submit(&queue, &b.set(3), &[]);
    assert!(last.wait(None));
    assert_eq!((a.read(), b.read(), later.status()), ([2; 4], [1; 4], Submitted));
    queue.wait(None);
    assert_eq!(b.read(), [3; 4]);
}

#[test]
fn an_out_of_order_queue_runs_only_what_is_waited_for() {
    let bench = Bench::new(Latency::OnWait);
    let queue = bench.queue(OUT_OF_ORDER);
    let earlier = submit(&queue, &Command::Marker, &[]);
    let later = submit(&queue, &Command::Marker, &[]);
    assert!(later.wait(None));
    assert_eq!(earlier.status(), Submitted);
}

#[test]
fn a_barrier_is_between_what_is_before_and_what_is_after() {
    let bench = Bench::new(Latency::OnWait);
    let (queue, other) = (bench.queue(OUT_OF_ORDER), bench.queue(OUT_OF_ORDER));
    let block = bench.bytes::<1>();
    let before: Vec<_> = (0..100).map(|n| submit(&queue, &block.set(n), &[])).collect();
    assert!(before[50].wait(None));
    let listed = submit(&other, &Command::Marker, &[]);
    let barrier = submit(&queue, &Command::Barrier, std::slice::from_ref(&listed));
    let after = submit(&queue, &Command::Marker, &[]);
    let sibling = submit(&queue, &Command::Marker, &[]);
    assert!(after.wait(None));
    assert!(before.iter().chain([&listed, &barrier]).all(|event| event.status() == Complete));
    assert_eq!((block.read(), sibling.status()), ([99], Submitted));
    assert_eq!(Faults::count(Call::Execute), 103);
}

#[test]
fn waiting_for_a_queue_runs_forgotten_commands_in_order() {
    let bench = Bench::new(Latency::OnWait);
    let (queue, other) = (bench.queue(OUT_OF_ORDER), bench.queue(OUT_OF_ORDER));
    let block = bench.bytes::<1>();
    let elsewhere = submit(&other, &Command::Marker, &[]);
    for n in 0..200 {
        drop(submit(&queue, &block.set(n), &[]));
    }
    queue.wait(None);
    assert_eq!((Faults::count(Call::Execute), block.read()), (200, [199]));
    assert_eq!(elsewhere.status(), Submitted);
}

#[test]
fn an_immediate_command_first_runs_what_it_waits_for() {
    let bench = Bench::new(Latency::OnWait);
    let queue = bench.queue(IN_ORDER);
    let (a, b) = (bench.bytes::<4>(), bench.bytes::<4>());
    let fill = submit(&queue, &a.set(6), &[]);
    set_latency(Latency::Immediate);
    assert!(matches!(try_submit(&queue, &b.set_from(&a), &[]), Ok(Completion::Done)));
    assert_eq!((fill.status(), b.read()), (Complete, [6; 4]));
}

#[test]
fn many_threads_run_each_command_once() {
    let bench = Bench::new(Latency::OnWait);
    let queue = bench.queue(IN_ORDER);
    let (a, b) = (bench.bytes::<65536>(), bench.bytes::<65536>());
    let events: Vec<_> =
        (0..50).map(|n| submit(&queue, &(if n == 0 { a.set(1) } else { b.set_from(&a) }), &[])).collect();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let events = &events;
            scope.spawn(move || {
                for event in events.iter().skip(thread).step_by(4).rev() {
                    assert!(event.wait(None) && event.status() == Complete);
                }
            });
        }
    });
    assert_eq!((Faults::count(Call::Execute), b.read()), (50, [1; 65536]));
}

#[test]
fn chains_longer_than_the_stack_can_be_run_and_dropped() {
    let bench = Bench::new(Latency::OnWait);
    for wait in [true, false] {
        let queue = bench.queue(IN_ORDER);
        let mut last = submit(&queue, &Command::Marker, &[]);
        let first = Arc::downgrade(&Task::of(&last).unwrap());
        for _ in 0..200_000 {
            last = submit(&queue, &Command::Marker, std::slice::from_ref(&last));
        }
        if wait {
            assert!(last.wait(None));
        }
        drop(queue);
        drop(last);
        assert_eq!(first.strong_count(), 0);
    }
    assert_eq!(Faults::count(Call::Execute), 200_001);
}

/// An event no null queue has made.
#[derive(Debug)]
struct Foreign;

impl Event for Foreign {
    fn status(&self) -> EventStatus {
        Submitted
    }

    fn wait(&self, _limit: Option<Duration>) -> bool {
        false
    }

    fn error(&self) -> Option<HalError> {
        None
    }

    fn profile(&self) -> Option<Profile> {
        None
    }
}

#[test]
fn events_of_other_backends_are_refused() {
    let bench = Bench::new(Latency::OnWait);
    let queue = bench.queue(IN_ORDER);
    let error = try_submit(&queue, &Command::Marker, &[Arc::new(Foreign)]).unwrap_err();
    assert!(matches!(error, HalError::Unsupported { operation, .. } if operation == "marker"));
    queue.wait(None);
    assert_eq!(Faults::count(Call::Execute), 0);
}

#[test]
fn an_event_outlives_its_queue() {
    let bench = Bench::new(Latency::OnWait);
    let block = bench.bytes::<4>();
    let queue = bench.queue(OUT_OF_ORDER);
    let event = submit(&queue, &block.set(8), &[]);
    drop(queue);
    assert!(event.wait(None));
    assert_eq!(block.read(), [8; 4]);
}
