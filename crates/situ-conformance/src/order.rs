//! Order: what waits for what, and what events say.

use std::sync::Arc;
use std::time::Duration;

use situ_hal::{Command, Elementwise, Event, EventStatus, ProgramRef, Queue};
use situ_ir::{Op, Program};
use situ_types::{DType, QueueProperties, Scalar, UsmKind};

use crate::bench::{Bench, Block, IN_ORDER, OUT_OF_ORDER, finish, submit};

/// So many elements that a command over them need not be over when it has been submitted.
const LONG: usize = 100_000;

/// Work that takes a while, on a queue of its own: what waits for it is left behind by whatever does not.
struct Delay<'a> {
    queue: Arc<dyn Queue>,
    block: Block<'a>,
}

impl<'a> Delay<'a> {
    fn new(bench: &'a Bench) -> Delay<'a> {
        Delay { queue: bench.queue(IN_ORDER), block: bench.upload(UsmKind::Device, &vec![1; LONG * 4]) }
    }

    fn submit(&self) -> Vec<Arc<dyn Event>> {
        let mut builder = Program::builder();
        let mut value = builder.input(DType::F32);
        for op in [Op::Sin, Op::Exp].repeat(6) {
            value = builder.apply(op, &[value]).unwrap();
        }
        let program = ProgramRef::Shared(Arc::new(builder.finish(&[value]).unwrap()));
        let mut command = Elementwise::new(program, [LONG].as_slice().into());
        (0..2).for_each(|_| command.push_memory(self.block.address, &[1]));
        submit(&self.queue, &Command::Elementwise(command), &[]).into_iter().collect()
    }
}

/// Adds 1 to each int32 of a block.
fn add_one(block: &Block<'_>) -> Command {
    let program = Program::single(Op::Add, &[DType::I32; 2], DType::I32).unwrap();
    let mut command = Elementwise::new(ProgramRef::Shared(Arc::new(program)), [block.bytes / 4].as_slice().into());
    command.push_memory(block.address, &[1]);
    command.push_immediate(Scalar::I32(1).to_bytes());
    command.push_memory(block.address, &[1]);
    Command::Elementwise(command)
}

fn is_all(block: &Block<'_>, wanted: i32) -> bool {
    block.read().chunks_exact(4).all(|bytes| bytes == wanted.to_ne_bytes())
}

/// On an in-order queue a command runs after all before it, without being told.
pub(crate) fn in_order_queues(bench: &Bench) {
    let (queue, delay) = (bench.queue(IN_ORDER), Delay::new(bench));
    for elements in [1, 1000, LONG] {
        let blocks = UsmKind::ALL.map(|kind| bench.upload(kind, &vec![0; elements * 4]));
        for round in 0..20 {
            let after = if round % 7 == 0 { delay.submit() } else { vec![] };
            submit(&queue, &add_one(&blocks[round % 3]), &after);
            submit(&queue, &blocks[(round + 1) % 3].copy_from(&blocks[round % 3]), &[]);
        }
        assert!(queue.wait(None));
        assert!(is_all(&blocks[2], 20), "{elements} elements");
        assert_eq!(queue.take_error(), None);
    }
}

/// A command runs after every event of its wait list, of whichever queue.
pub(crate) fn wait_lists(bench: &Bench) {
    let delay = Delay::new(bench);
    for properties in [OUT_OF_ORDER, IN_ORDER] {
        let queues = [bench.queue(properties), bench.queue(properties), bench.queue(OUT_OF_ORDER)];
        for elements in [10, LONG] {
            let (a, b) =
                (bench.upload(UsmKind::Device, &vec![0; elements * 4]), bench.allocate(UsmKind::Shared, elements * 4));
            let mut after = delay.submit();
            for round in 0..30 {
                let command = match round % 3 {
                    0 => add_one(&a),
                    1 => b.copy_from(&a),
                    _ => a.copy_from(&b),
                };
                after = submit(&queues[round % 3], &command, &after).into_iter().collect();
            }
            after.into_iter().for_each(|event| finish(Some(event)));
            assert!(is_all(&a, 10), "{elements} elements on {properties:?}");
        }
    }
}

/// A barrier lies between what was submitted before and what is submitted after it.
pub(crate) fn barriers(bench: &Bench) {
    let (queue, delay) = (bench.queue(OUT_OF_ORDER), Delay::new(bench));
    let blocks: Vec<Block<'_>> = (0..6).map(|_| bench.upload(UsmKind::Device, &vec![0; LONG * 4])).collect();
    for round in 1..5 {
        let after = delay.submit();
        blocks.iter().for_each(|block| drop(submit(&queue, &add_one(block), &after)));
        submit(&queue, &Command::Barrier, &[]);
        if round % 2 == 0 {
            continue;
        }
        let results: Vec<Block<'_>> = blocks.iter().map(|_| bench.allocate(UsmKind::Host, LONG * 4)).collect();
        results.iter().zip(&blocks).for_each(|(to, from)| drop(submit(&queue, &to.copy_from(from), &[])));
        finish(submit(&queue, &Command::Barrier, &[]));
        results.iter().for_each(|block| assert!(is_all(block, round), "round {round}"));
    }
    assert!(queue.wait(None));
    assert_eq!(queue.take_error(), None);
}

/// A marker is over after its wait list, and then all of that is.
pub(crate) fn markers(bench: &Bench) {
    let (queue, other) = (bench.queue(OUT_OF_ORDER), bench.queue(OUT_OF_ORDER));
    let blocks: Vec<Block<'_>> = (0..4).map(|_| bench.upload(UsmKind::Device, &vec![0; LONG * 4])).collect();
    let delay = Delay::new(bench);
    let after = delay.submit();
    let listed: Vec<_> = blocks.iter().filter_map(|block| submit(&queue, &add_one(block), &after)).collect();
    finish(submit(&other, &Command::Marker, &listed));
    assert!(listed.iter().all(|event| event.status() == EventStatus::Complete && event.error().is_none()));
    finish(submit(&queue, &Command::Barrier, &[]));
    blocks.iter().for_each(|block| assert!(is_all(block, 1)));
}

/// Waiting ends when the work does, or when the time has passed.
pub(crate) fn waiting(bench: &Bench) {
    let queue = bench.queue(IN_ORDER);
    let block = bench.upload(UsmKind::Device, &vec![0; LONG * 4]);
    for round in 1..=10 {
        let event = submit(&queue, &add_one(&block), &[]);
        if let Some(event) = event {
            let is_over = event.wait(Some(Duration::ZERO));
            assert!(!is_over || event.status().is_over());
            assert!(event.wait(Some(Duration::from_secs(60))), "round {round}");
            assert_eq!(event.status(), EventStatus::Complete);
        }
        assert!(queue.wait(Some(Duration::from_secs(60))) && queue.wait(None), "round {round}");
    }
    assert!(is_all(&block, 10));
}

/// A queue that records times gives every command three in order, and commands of an in-order queue follow each other.
pub(crate) fn profiles(bench: &Bench) {
    let queue = bench.queue(QueueProperties { in_order: true, profiling: true });
    let block = bench.upload(UsmKind::Device, &vec![0; LONG * 4]);
    let mut last = 0;
    for command in [add_one(&block), block.fill(3), Command::Marker, add_one(&block), Command::Barrier] {
        let event = submit(&queue, &command, &[]).expect("a queue that records times leaves events");
        finish(Some(event.clone()));
        let times = event.profile().expect("times are known once a command is over");
        assert!(
            last <= times.start && times.submit <= times.start && times.start <= times.end,
            "{times:?} after {last}"
        );
        last = times.end;
    }
}

/// A command that fails takes with it what was to wait for it, and nothing else.
pub(crate) fn failures(bench: &Bench, fail_next: &dyn Fn()) {
    for properties in [IN_ORDER, OUT_OF_ORDER] {
        let (queue, block) = (bench.queue(properties), bench.upload(UsmKind::Device, &[1; 40]));
        fail_next();
        let failed = submit(&queue, &block.fill(2), &[]).expect("a command that fails leaves an event");
        assert!(failed.wait(None));
        let error = failed.error().expect("it says why");
        assert_eq!((failed.status(), block.read()), (EventStatus::Failed, vec![1; 40]));
        let dependent = submit(&queue, &block.fill(3), &[failed]).expect("so does one that waits for it");
        assert!(dependent.wait(None));
        assert_eq!((dependent.error(), block.read()), (Some(error.clone()), vec![1; 40]));
        finish(submit(&queue, &Command::Barrier, &[]));
        finish(submit(&queue, &block.fill(4), &[]));
        assert_eq!(block.read(), [4; 40]);
        assert_eq!((queue.take_error(), queue.take_error()), (Some(error), None));
    }
}
