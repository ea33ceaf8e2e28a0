//! Random numbers.

use situ_hal::{Address, Command, Random};
use situ_ir::random::{Distribution, Stream};

/// Every distribution, at places that are aligned and others.
pub(super) fn commands() -> Vec<Command> {
    use Distribution::*;
    let distributions = [
        Bits32,
        Bits64,
        Uniform32,
        Uniform64,
        Normal32,
        Normal64,
        Exponential32,
        Exponential64,
        Below32 { low: 0, count: 6 },
        Below64 { low: 0, count: 6 },
    ];
    distributions
        .into_iter()
        .flat_map(|distribution| {
            [64, 72].map(|address| {
                let (out, stream) = (Address(address as *mut u8), Stream { key: 0, counter: 0 });
                Command::Random(Box::new(Random { out, count: 1000, stream, distribution }))
            })
        })
        .collect()
}
