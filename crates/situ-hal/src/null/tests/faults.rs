//! Failures on request, and what they spoil.

use situ_types::Partition;

use super::*;
use crate::EventStatus::{Complete, Failed, Submitted};
use crate::null::{Call, Fault, Faults, live_allocations};
use crate::{HalError, Platform};

/// Makes the call once and leaves nothing behind.
fn make(call: Call, bench: &Bench, platform: &Arc<dyn Platform>, queue: &Arc<dyn Queue>) -> Result<(), HalError> {
    match call {
        Call::CreateContext => platform.create_context(&[]).map(|_| ()),
        Call::Partition => bench.device.partition(&Partition::Equally(1)).map(|_| ()),
        Call::CreateQueue => bench.context.create_queue(&bench.device, IN_ORDER, bench.scratch()).map(|_| ()),
        Call::Allocate => bench.context.allocate(&bench.device, UsmKind::Host, 8).map(|address| {
            // SAFETY: allocated so on the line above.
            unsafe { bench.context.release(UsmKind::Host, address, 8) };
        }),
        Call::Submit => try_submit(queue, &Command::Barrier, &[]).map(|_| assert!(queue.wait(None))),
        Call::Execute => match try_submit(queue, &Command::Barrier, &[])? {
            Completion::Done => Ok(()),
            Completion::Event(event) => {
                assert!(event.wait(None));
                event.error().map_or(Ok(()), Err)
            }
        },
    }
}

#[test]
fn every_call_can_fail_in_every_way_at_any_time() {
    for latency in [Latency::Immediate, Latency::OnWait] {
        let bench = Bench::new(latency);
        let platform = platform(NullConfig::default());
        let queue = bench.queue(OUT_OF_ORDER);
        let operations = ["create context", "partition", "create queue", "allocate", "barrier", "barrier"];
        for (call, operation) in Call::ALL.into_iter().zip(operations) {
            for (fault, nth) in [(Fault::OutOfMemory, 1), (Fault::DeviceLost, 3)] {
                Faults::reset();
                make(call, &bench, &platform, &queue).unwrap();
                assert_eq!(Faults::count(call), 1);
                Faults::fail(call, nth, fault);
                for n in 1..=5 {
                    let result = make(call, &bench, &platform, &queue);
                    match (n == nth, fault, result) {
                        (false, _, Ok(())) => {}
                        (true, Fault::OutOfMemory, Err(HalError::OutOfMemory { operation: name, bytes, detail })) => {
                            assert_eq!((&*name, bytes), (operation, if call == Call::Allocate { 8 } else { 0 }));
                            assert!(!detail.is_empty());
                        }
                        (true, Fault::DeviceLost, Err(HalError::Failed { operation: name, detail })) => {
                            assert_eq!(name, operation);
                            assert!(detail.contains("DEVICE_LOST"));
                        }
                        (_, _, result) => panic!("{call:?} {fault:?} {nth} at {n}: {result:?}"),
                    }
                    assert_eq!(Faults::count(call), n + 1);
                }
                assert_eq!(Faults::reset(), 0);
                assert_eq!(Faults::count(call), 0);
            }
        }
        assert_eq!(live_allocations(), (0, 0));
    }
}

#[test]
fn reset_counts_what_never_fired() {
    let bench = Bench::new(Latency::Immediate);
    Faults::fail(Call::Allocate, 0, Fault::OutOfMemory);
    Faults::fail(Call::Allocate, u64::MAX, Fault::OutOfMemory);
    Faults::fail(Call::Allocate, 1, Fault::DeviceLost);
    Faults::fail(Call::Submit, 1, Fault::DeviceLost);
    let error = bench.context.allocate(&bench.device, UsmKind::Host, 8).unwrap_err();
    assert_eq!(error, Fault::DeviceLost.error("allocate", 8));
    assert_eq!(Faults::reset(), 3);
    assert_eq!(Faults::reset(), 0);
    let queue = bench.queue(OUT_OF_ORDER);
    assert!(try_submit(&queue, &Command::Marker, &[]).is_ok());
}

#[test]
fn exclusive_use_begins_with_a_clean_slate() {
    let bench = Bench::new(Latency::OnWait);
    Faults::fail(Call::Submit, 1, Fault::DeviceLost);
    drop(bench);
    let _alone = exclusive();
    assert!(Call::ALL.into_iter().all(|call| Faults::count(call) == 0));
    let platform = platform(NullConfig::default());
    let (context, device) = (platform.create_context(&[]).unwrap(), platform.devices().remove(0));
    let scratch = Arc::new(UnpooledScratch::new(context.clone(), device.clone()));
    let queue = context.create_queue(&device, OUT_OF_ORDER, scratch).unwrap();
    assert!(matches!(try_submit(&queue, &Command::Marker, &[]), Ok(Completion::Done)));
}

#[test]
fn a_refused_command_leaves_no_trace() {
    let bench = Bench::new(Latency::OnWait);
    let queue = bench.queue(IN_ORDER);
    let block = bench.bytes::<16>();
    Faults::fail(Call::Submit, 2, Fault::DeviceLost);
    submit(&queue, &block.set(1), &[]);
    assert!(try_submit(&queue, &block.set(2), &[]).is_err());
    queue.wait(None);
    assert_eq!((block.read(), Faults::count(Call::Execute), queue.take_error()), ([1; 16], 1, None));
}

#[test]
fn a_failed_command_fails_its_event_and_does_nothing() {
    for latency in [Latency::Immediate, Latency::OnWait] {
        let bench = Bench::new(latency);
        let queue = bench.queue(OUT_OF_ORDER);
        let block = bench.bytes::<16>();
        let source = bench.bytes();
        for (command, name) in [(block.set(1), "fill"), (block.set_from(&source), "copy"), (add(&block), "add")] {
            Faults::fail(Call::Execute, 1, Fault::DeviceLost);
            let event = submit(&queue, &command, &[]);
            assert_eq!(event.status(), if latency == Latency::Immediate { Failed } else { Submitted });
            assert!(event.wait(None));
            assert_eq!((event.status(), block.read()), (Failed, [0; 16]));
            assert_eq!(
                event.error().unwrap().to_string(),
                format!("{name} failed: NULL_ERROR_DEVICE_LOST, on request")
            );
        }
    }
}

#[test]
fn a_failure_spoils_what_depends_on_it_and_only_that() {
    for latency in [Latency::Immediate, Latency::OnWait] {
        for properties in [PROFILING, QueueProperties { in_order: true, profiling: true }] {
            let bench = Bench::new(latency);
            let (queue, other) = (bench.queue(properties), bench.queue(properties));
            let (a, b) = (bench.bytes::<16>(), bench.bytes::<16>());
            Faults::fail(Call::Execute, 1, Fault::OutOfMemory);
            let culprit = submit(&queue, &add(&a), &[]);
            let fine = submit(&queue, &Command::Marker, &[]);
            let victim = submit(&other, &a.set(1), &[culprit.clone(), fine.clone()]);
            let victims_victim = submit(&other, &a.set(2), &[fine.clone(), victim.clone()]);
            let barrier = submit(&queue, &Command::Barrier, &[]);
            let bystander = submit(&queue, &b.set(3), &[]);
            // The culprit has to be the first to run.
            assert!(culprit.wait(None));
            queue.wait(None);
            other.wait(None);
            for event in [&culprit, &victim, &victims_victim] {
                assert_eq!((event.status(), event.error()), (Failed, culprit.error()));
                assert!(event.profile().is_some());
            }
            for event in [fine, barrier, bystander] {
                assert_eq!((event.status(), event.error()), (Complete, None));
            }
            assert!(matches!(culprit.error(), Some(HalError::OutOfMemory { operation, .. }) if operation == "add"));
            assert_eq!((queue.take_error(), other.take_error()), (culprit.error(), culprit.error()));
            assert_eq!((queue.take_error(), other.take_error()), (None, None));
            assert_eq!((a.read(), b.read()), ([0; 16], [3; 16]));
            assert_eq!(Faults::count(Call::Execute), 4);
        }
    }
}

#[test]
fn a_queue_remembers_the_first_failure_until_asked() {
    for latency in [Latency::Immediate, Latency::OnWait] {
        let bench = Bench::new(latency);
        let queue = bench.queue(IN_ORDER);
        for [first, second] in [[Command::Marker, Command::Barrier], [Command::Barrier, Command::Marker]] {
            Faults::fail(Call::Execute, 2, Fault::DeviceLost);
            Faults::fail(Call::Execute, 3, Fault::DeviceLost);
            for command in [&Command::Marker, &first, &second] {
                try_submit(&queue, command, &[]).unwrap();
            }
            queue.wait(None);
            assert_eq!(queue.take_error(), Some(Fault::DeviceLost.error(first.name(), 0)));
            assert_eq!(queue.take_error(), None);
        }
    }
}

#[test]
fn names_lead_back_to_what_they_name() {
    for (n, call) in Call::ALL.into_iter().enumerate() {
        assert_eq!((call as usize, Call::from_name(call.name())), (n, Some(call)));
    }
    for fault in Fault::ALL {
        assert_eq!(Fault::from_name(fault.name()), Some(fault));
    }
    assert_eq!((Call::from_name("nothing"), Fault::from_name("")), (None, None));
}
