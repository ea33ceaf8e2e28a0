//! Random numbers: every kernel, run on the host block after block, against what `situ_ir::random` means.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod host;

use host::runner::{Memory, at, run, work};
use host::snapshots::compare;
use situ_codegen::Dialect;
use situ_hal::{Command, Random};
use situ_ir::random::{Distribution, Stream};

const DISTRIBUTIONS: [Distribution; 12] = [
    Distribution::Bits32,
    Distribution::Bits64,
    Distribution::Uniform32,
    Distribution::Uniform64,
    Distribution::Normal32,
    Distribution::Normal64,
    Distribution::Exponential32,
    Distribution::Exponential64,
    Distribution::Below32 { low: 7, count: 1000 },
    Distribution::Below32 { low: u32::MAX, count: (1 << 31) + 1 },
    Distribution::Below64 { low: 1 << 63, count: 10 },
    Distribution::Below64 { low: 0, count: (1 << 63) + 1 },
];

fn random(address: usize, count: usize, stream: Stream, distribution: Distribution) -> Command {
    Command::Random(Box::new(Random { out: at(address), count, stream, distribution }))
}

#[test]
fn elements_are_those_of_the_stream() {
    // The number of a block overflows 64 bits on the way.
    let stream = Stream { key: 0xFEDC_BA98_7654_3210, counter: u128::from(u64::MAX) - 100 };
    for distribution in DISTRIBUTIONS {
        let width = distribution.dtype().size();
        for (count, skipped) in [(0, 0), (1, 0), (3, 1), (1023, 0), (5000, 0), (5001, 1)] {
            let found = Memory::noise((count + skipped + 1) * width);
            let mut expected = found.clone();
            for i in 0..count {
                let bytes = distribution.element(stream, i as u64).to_bytes();
                expected.bytes_mut()[(skipped + i) * width..][..width].copy_from_slice(&bytes[..width]);
            }
            run(&work(&random(found.address() + skipped * width, count, stream, distribution)));
            assert!(found == expected, "{distribution:?} {count} {skipped}");
        }
    }
}

#[test]
fn texts_are_as_they_were() {
    let stream = Stream { key: 0, counter: 0 };
    compare(&work(&random(64, 1000, stream, Distribution::Normal64)), 0, Dialect::Cuda, "random_normal_f64.cu");
    let integers = Distribution::Below32 { low: 0, count: 6 };
    compare(&work(&random(68, 1000, stream, integers)), 0, Dialect::OpenCl, "random_below_u32.cl");
}
