//! Allocation, release, and the commands that move bytes.

use super::*;
use crate::HalError;
use crate::null::context::MEMORY_BYTES;
use crate::null::{live_allocations, misuse};

#[test]
fn blocks_are_zeroed_aligned_and_counted() {
    let bench = Bench::new(Latency::Immediate);
    let large = bench.context.large_block();
    assert_eq!(large, 64 << 10);
    let sizes = [0, 1, 63, 4096, large - 1, large, large + 1];
    let mut blocks = Vec::new();
    for (kind, bytes) in UsmKind::ALL.into_iter().flat_map(|kind| sizes.map(|bytes| (kind, bytes))) {
        let address = bench.context.allocate(&bench.device, kind, bytes).unwrap();
        assert_eq!(address.value() % if bytes < large { 64 } else { large }, 0);
        // SAFETY: the block is alive and has that many bytes, which nothing else touches.
        let content = unsafe { std::slice::from_raw_parts_mut(address.0, bytes) };
        assert!(content.iter().all(|&byte| byte == 0));
        // So that a later block in the same place would show it, were it not zeroed.
        content.fill(0xff);
        if blocks.len() % 2 == 0 {
            blocks.push((kind, address, bytes));
        } else {
            // SAFETY: allocated so a few lines above.
            unsafe { bench.context.release(kind, address, bytes) };
            blocks.push((kind, bench.context.allocate(&bench.device, kind, bytes).unwrap(), bytes));
        }
    }
    assert_eq!(live_allocations(), (blocks.len(), 3 * sizes.iter().sum::<usize>()));
    for (kind, address, bytes) in blocks {
        // SAFETY: allocated so above, and released once.
        unsafe { bench.context.release(kind, address, bytes) };
    }
    assert_eq!(live_allocations(), (0, 0));
    assert_eq!(misuse(), [""; 0]);
}

#[test]
fn a_leak_is_counted_until_the_next_test_begins() {
    let leaked = {
        let bench = Bench::new(Latency::Immediate);
        let block = bench.bytes::<100>();
        assert_eq!(live_allocations(), (1, 100));
        block
    };
    let _bench = Bench::new(Latency::Immediate);
    assert_eq!(live_allocations(), (0, 0));
    drop(leaked);
    assert_eq!((live_allocations(), misuse().len()), ((0, 0), 0));
}

#[test]
fn wrong_releases_are_remembered() {
    let bench = Bench::new(Latency::Immediate);
    let own = &bench.context;
    let other = platform(NullConfig::default()).create_context(&[]).unwrap();
    let allocate = || own.allocate(&bench.device, UsmKind::Device, 8).unwrap();

    let stranger = Address(std::ptr::without_provenance_mut(0x1000));
    let (twice, size, kind, context) = (allocate(), allocate(), allocate(), allocate());
    // SAFETY: against the contract on purpose, but this backend looks every address up before it frees anything.
    unsafe {
        own.release(UsmKind::Device, stranger, 8);
        own.release(UsmKind::Device, twice, 8);
        own.release(UsmKind::Device, twice, 8);
        own.release(UsmKind::Device, size, 9);
        own.release(UsmKind::Host, kind, 8);
        other.release(UsmKind::Device, context, 8);
    }
    let found = misuse();
    assert_eq!(found.len(), 5, "{found:#?}");
    assert!(found[..2].iter().all(|m| m.ends_with("never allocated or has been released before")), "{found:#?}");
    assert!(found[2..].iter().all(|m| m.contains("it was allocated as")), "{found:#?}");
    assert_eq!(live_allocations(), (0, 0));
    drop(bench);
    let _alone = exclusive();
    assert_eq!(misuse(), [""; 0]);
}

#[test]
fn memory_is_finite() {
    let bench = Bench::new(Latency::Immediate);
    let free = || bench.context.memory_available(&bench.device, UsmKind::Device).unwrap() as usize;
    let before = free();
    let block = bench.bytes::<5000>();
    assert_eq!(free(), before - 5000);
    for bytes in [before, MEMORY_BYTES + 1, usize::MAX] {
        let error = bench.context.allocate(&bench.device, UsmKind::Host, bytes).unwrap_err();
        assert!(matches!(&error, HalError::OutOfMemory { bytes: asked, .. } if *asked == bytes), "{error}");
    }
    assert_eq!(live_allocations(), (1, 5000));
    drop(block);
    assert_eq!(free(), before);
}

#[test]
fn copies_and_fills_move_bytes_and_hints_do_not() {
    for latency in [Latency::Immediate, Latency::OnWait] {
        let bench = Bench::new(latency);
        let queue = bench.queue(IN_ORDER);
        let run = |command: Command| {
            try_submit(&queue, &command, &[]).unwrap();
            queue.wait(None);
        };
        let (a, b) = (bench.bytes::<16>(), bench.bytes::<16>());
        let pattern: [u8; 16] = std::array::from_fn(|n| n as u8 + 1);
        for width in [1, 2, 4, 8, 16] {
            run(a.set(0xee));
            run(Command::Fill { dst: a.address, pattern, width, count: 16 / width });
            assert_eq!(a.read(), std::array::from_fn(|n| (n % width) as u8 + 1), "width {width}");
        }
        run(b.set(9));
        run(Command::Copy { dst: b.address.offset(4), src: a.address.offset(1), bytes: 3 });
        assert_eq!(b.read(), [9, 9, 9, 9, 2, 3, 4, 9, 9, 9, 9, 9, 9, 9, 9, 9]);
        let before = (a.read(), b.read());
        run(Command::Prefetch { address: a.address, bytes: 16 });
        run(Command::Advise { address: a.address, bytes: 16, advice: 1 });
        run(Command::Barrier);
        run(Command::Marker);
        assert_eq!((a.read(), b.read()), before);

        let mut host = [0u8; 16];
        run(Command::Copy { dst: Address(host.as_mut_ptr()), src: b.address, bytes: 16 });
        assert_eq!(host, b.read());
    }
}
