//! Copies and fills: bytes to where they belong, and nowhere else.

use situ_hal::{Address, Command};
use situ_types::UsmKind;

use crate::Source;
use crate::bench::Bench;

/// Copies of any length from any byte to any byte, between all kinds of memory and the host's own.
pub(crate) fn copies(bench: &Bench) {
    let mut source = Source(1);
    for length in [1, 2, 3, 15, 16, 17, 64, 255, 4097, 70_001, (1 << 20) + 3] {
        for (from, to) in UsmKind::ALL.into_iter().flat_map(|from| UsmKind::ALL.map(|to| (from, to))) {
            let room = length + 40;
            let contents: Vec<u8> = (0..room).map(|_| source.number() as u8).collect();
            let (a, b) = (bench.upload(from, &contents), bench.upload(to, &vec![0xEE; room]));
            let (at, target) = (source.below(40), source.below(40));
            let (dst, src) = (b.address.offset(target as isize), a.address.offset(at as isize));
            bench.run(&Command::Copy { dst, src, bytes: length });
            let mut wanted = vec![0xEE; room];
            wanted[target..target + length].copy_from_slice(&contents[at..at + length]);
            assert!(b.read() == wanted, "{length} bytes from {at} of {from:?} to {target} of {to:?}");
            assert!(a.read() == contents, "a copy changed what it reads");
        }
    }
}

/// Neighbours do not overlap, and host memory need not have been allocated here.
pub(crate) fn copies_within_a_block_and_to_the_host(bench: &Bench) {
    for kind in UsmKind::ALL {
        let contents: Vec<u8> = (0..300).map(|i| i as u8).collect();
        let block = bench.upload(kind, &contents);
        bench.run(&Command::Copy { dst: block.address.offset(150), src: block.address, bytes: 150 });
        let mut host = vec![9u8; 302];
        bench.run(&Command::Copy { dst: Address(host[1..].as_mut_ptr()), src: block.address, bytes: 300 });
        let wanted = [&[9][..], &contents[..150], &contents[..150], &[9]].concat();
        assert!(host == wanted, "{kind:?}");
    }
}

/// Patterns of every width, as often as asked.
pub(crate) fn fills(bench: &Bench) {
    let pattern: [u8; 16] = std::array::from_fn(|n| n as u8 * 3 + 1);
    for kind in UsmKind::ALL {
        for width in [1, 2, 4, 8, 16] {
            for count in [1, 2, 7, 64, 1000, 100_003] {
                let room = width * (count + 4);
                let block = bench.upload(kind, &vec![0xEE; room]);
                let dst = block.address.offset(2 * width as isize);
                bench.run(&Command::Fill { dst, pattern, width, count });
                let mut wanted = vec![0xEE; room];
                wanted[2 * width..room - 2 * width]
                    .chunks_mut(width)
                    .for_each(|c| c.copy_from_slice(&pattern[..width]));
                assert!(block.read() == wanted, "{count} times {width} bytes of {kind:?}");
            }
        }
    }
}

/// Hints change no contents.
pub(crate) fn hints(bench: &Bench) {
    for kind in UsmKind::ALL {
        let contents: Vec<u8> = (0..100_000).map(|i| (i % 251) as u8).collect();
        let block = bench.upload(kind, &contents);
        bench.run(&Command::Prefetch { address: block.address, bytes: contents.len() });
        bench.run(&Command::Advise { address: block.address, bytes: contents.len(), advice: 0 });
        assert!(block.read() == contents, "{kind:?}");
    }
}
