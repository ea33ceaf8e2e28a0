//! Random numbers, against those of the null device.

use situ_hal::{Command, Random};
use situ_ir::random::{Distribution, Stream};

use crate::Source;
use crate::bench::{Bench, compare};
use crate::layout::Layout;

/// Numbers of every distribution, few and many, at any place.
pub(crate) fn random_numbers(bench: &Bench) {
    use Distribution::*;
    let mut source = Source(51);
    for round in 0..48 {
        let distribution = match round % 12 {
            0 => Bits32,
            1 => Bits64,
            2 => Uniform32,
            3 => Uniform64,
            4 => Normal32,
            5 => Normal64,
            6 => Exponential32,
            7 => Exponential64,
            8 => Below32 { low: source.below(100) as u32, count: 1 + source.below(1000) as u32 },
            9 => Below32 { low: u32::MAX, count: (1 << 31) + 1 },
            10 => Below64 { low: 1 << 63, count: 1 + source.below(1000) as u64 },
            _ => Below64 { low: 0, count: (1 << 63) + 1 },
        };
        let dtype = distribution.dtype();
        if !bench.knows(dtype) {
            continue;
        }
        let count = source.pick(&[1, 2, 3, 64, 255, 1000, 4097, 100_003]);
        let line = Layout::dense(&[count]);
        let stream = Stream { key: source.below(1 << 40) as u64, counter: (1 << 64) - source.below(500) as u128 };
        compare(bench, &[line.operand(&mut source, dtype)], |addresses| {
            let out = addresses[0].offset(line.start(dtype.size()));
            Command::Random(Box::new(Random { out, count, stream, distribution }))
        });
    }
}
