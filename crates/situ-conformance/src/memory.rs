//! Memory: where it is, what it keeps, who can reach it.

use situ_hal::{Address, Command};
use situ_types::{ErrorKind, UsmKind};

use crate::bench::Bench;

/// Blocks of every kind and size are aligned, disjoint and keep their contents; they can be had again once released.
pub(crate) fn memory(bench: &Bench) {
    let large = bench.context.large_block();
    let sizes = [1, 63, 64, 65, 4097, large - 1, large, large + 1, 3 * large];
    for round in 0..2 {
        let contents = |n: usize, size: usize| -> Vec<u8> { (0..size).map(|i| (i * 7 + n + round) as u8).collect() };
        let kinds = UsmKind::ALL.into_iter().flat_map(|kind| sizes.map(|size| (kind, size)));
        let blocks: Vec<_> = kinds.clone().map(|(kind, size)| bench.allocate(kind, size)).collect();
        for (n, block) in blocks.iter().enumerate() {
            let alignment = if block.bytes >= large { large } else { 64 };
            assert_eq!(block.address.value() % alignment, 0, "{} bytes at {:?}", block.bytes, block.address);
            block.write(0, &contents(n, block.bytes));
        }
        let mut ends: Vec<_> = blocks.iter().map(|b| (b.address.value(), b.address.value() + b.bytes)).collect();
        ends.sort_unstable();
        assert!(ends.windows(2).all(|pair| pair[0].1 <= pair[1].0), "blocks overlap");
        for (n, block) in blocks.iter().enumerate() {
            assert!(block.read() == contents(n, block.bytes), "block {n} of {} bytes", block.bytes);
        }
    }
}

/// What cannot be had is refused as such, and refusing it changes nothing.
pub(crate) fn memory_that_is_not_there(bench: &Bench) {
    for kind in UsmKind::ALL {
        for bytes in [isize::MAX as usize, usize::MAX / 2 + 1, usize::MAX] {
            let error = bench.context.allocate(&bench.device, kind, bytes).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Memory, "{bytes} bytes of {kind:?}: {error}");
        }
        let block = bench.upload(kind, &[1, 2, 3]);
        assert_eq!(block.read(), [1, 2, 3]);
    }
    assert_eq!(bench.queue.take_error(), None);
}

/// The host reaches the kinds of memory that the context says it does, and commands the host's memory.
pub(crate) fn host_access(bench: &Bench) {
    for kind in UsmKind::ALL.into_iter().filter(|kind| bench.context.host_reaches(*kind)) {
        let block = bench.upload(kind, &[5; 100]);
        // SAFETY: the host reaches memory of this kind, and the copy that wrote it is over.
        let contents = unsafe { std::slice::from_raw_parts_mut(block.address.0, 100) };
        assert_eq!(contents, [5; 100], "{kind:?}");
        contents[99] = 6;
        assert_eq!(block.read()[98..], [5, 6], "{kind:?}");
    }
    if bench.context.reaches_host() {
        let mut host = [1u8; 40];
        bench.run(&Command::Fill { dst: Address(host.as_mut_ptr()), pattern: [2; 16], width: 2, count: 10 });
        assert_eq!((host[..20].to_vec(), host[20..].to_vec()), (vec![2; 20], vec![1; 20]));
    }
}

/// Copies go between contexts that say they reach each other.
pub(crate) fn two_contexts(here: &Bench) {
    let there = here.beside();
    if here.context.reaches(&*there.context) {
        for (from, to) in UsmKind::ALL.into_iter().flat_map(|from| UsmKind::ALL.map(|to| (from, to))) {
            let (source, target) = (here.upload(from, &[7; 999]), there.upload(to, &[8; 1001]));
            here.run(&target.copy_from(&source));
            assert_eq!(target.read()[997..], [7, 7, 8, 8], "{from:?} to {to:?}");
        }
    }
}
