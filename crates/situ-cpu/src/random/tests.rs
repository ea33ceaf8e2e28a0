use super::*;
use crate::isa::Isa;

/// Elements made by so many parts, or past the caches.
fn made(distribution: Distribution, stream: Stream, count: usize, isa: Isa, threads: usize, cache: usize) -> Vec<u8> {
    let width = distribution.dtype().size();
    let mut memory = vec![0u64; (count * width).div_ceil(8) + 1];
    let command = Random { out: Address(memory.as_mut_ptr().cast()), count, stream, distribution };
    let machine = Machine { isa, threads, last_level_cache: cache };
    // SAFETY: there is room for the elements, and the instruction set is available.
    unsafe { random(&command, 1_000_000, &machine, &|parts, body| (0..parts).rev().for_each(body)) };
    let bytes: Vec<u8> = memory.iter().flat_map(|word| word.to_ne_bytes()).collect();
    assert!(bytes[count * width..].iter().all(|&byte| byte == 0), "{distribution:?} wrote past {count} elements");
    bytes[..count * width].to_vec()
}

#[test]
fn every_instruction_set_and_division_gives_the_same() {
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
        Below32 { low: 7, count: 1000 },
        Below32 { low: u32::MAX, count: (1 << 31) + 1 },
        Below64 { low: 1 << 63, count: 10 },
        Below64 { low: 0, count: (1 << 63) + 1 },
    ];
    let stream = Stream { key: 0xFEDC_BA98_7654_3210, counter: u128::from(u64::MAX) - 100 };
    for distribution in distributions {
        let dtype = distribution.dtype();
        for count in [0, 1, 2, 3, 127, 128, 255, 257, 5000] {
            let bits = |i: usize| distribution.element(stream, i as u64).to_bytes()[..dtype.size()].to_vec();
            let expected: Vec<u8> = (0..count).flat_map(bits).collect();
            for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
                for (threads, cache) in [(1, 1 << 30), (3, 1 << 30), (2, 0)] {
                    let found = made(distribution, stream, count, isa, threads, cache);
                    assert!(found == expected, "{distribution:?} {count} {isa:?} {threads} {cache}");
                }
            }
        }
    }
}
