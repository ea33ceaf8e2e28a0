use situ_hal::{Address, Fft, FftKind, Sequences};
use situ_types::DType;

use super::*;
use crate::isa::Isa;

/// A command over one axis of sequences, on vectors of double precision.
fn command(kind: FftKind, length: usize, count: usize, input: &mut [f64], out: &mut [f64], columns: bool) -> Fft {
    let sequences = |memory: &mut [f64], length: usize| {
        let (step, next) = if columns { (count, 1) } else { (1, length) };
        let (step, batch_steps) = (step as isize, [next as isize][..].into());
        Sequences { address: Address(memory.as_mut_ptr().cast()), step, batch_steps }
    };
    let (dtype, given) = (DType::F64, kind.reads(length));
    let (input, out) = (sequences(input, given), sequences(out, kind.writes(length)));
    Fft { kind, dtype, length, given, scale: 1.0, batch: [count][..].into(), input, out }
}

fn run(command: &Fft, isa: Isa, threads: usize) {
    let machine = Machine { isa, threads, last_level_cache: 1 << 25 };
    let mut room = vec![0u128; scratch(command, &machine).div_ceil(16)];
    // Backwards, because no part may rely on those before it.
    let fork = |parts: usize, body: &(dyn Fn(usize) + Sync)| (0..parts).rev().for_each(body);
    // SAFETY: the memory of a test's command is there, and so is the scratch memory.
    unsafe { fft(command, &machine, &fork, room.as_mut_ptr().cast()) };
}

const KINDS: [FftKind; 5] =
    [FftKind::Forward, FftKind::Inverse, FftKind::RealForward, FftKind::RealWhole, FftKind::RealInverse];

/// Numbers that look random.
fn numbers(count: usize) -> Vec<f64> {
    let mut state = 1u64;
    let number = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1 << 23) as f64 - 1.0
    };
    (0..count).map(number).collect()
}

fn available() -> impl Iterator<Item = Isa> {
    Isa::ALL.into_iter().filter(|isa| isa.is_available())
}

#[test]
fn a_wave_is_one_number() {
    // Lengths that are transformed whole and divided, by every kind of plan.
    for length in [1, 2, 3, 7, 64, 97, 1000, 4099, 1 << 15, 1 << 16, 3 << 15, 100_000, 1 << 18] {
        let frequency = length / 3;
        let angle = |n: usize| std::f64::consts::TAU * ((n * frequency) % length) as f64 / length as f64;
        let mut wave: Vec<f64> = (0..length).flat_map(|n| [angle(n).cos(), angle(n).sin()]).collect();
        for isa in available() {
            let mut found = vec![0.0; 2 * length];
            run(&command(FftKind::Forward, length, 1, &mut wave, &mut found, false), isa, 2);
            for (n, number) in found.chunks(2).enumerate() {
                let wanted = if n == frequency { length as f64 } else { 0.0 };
                let error = (number[0] - wanted).hypot(number[1]);
                assert!(error < 1e-15 * length as f64 * 8.0, "{length} {isa:?}: {number:?} at {n}");
            }
        }
    }
}

#[test]
fn real_numbers_and_back() {
    for length in [1, 2, 3, 4, 5, 6, 30, 97, 1024, 1 << 16, 1 << 18, 200_000, 65_537] {
        for columns in [false, true] {
            let count = if length < 2000 { 5 } else { 2 };
            let half = length / 2 + 1;
            let mut given = numbers(length * count);
            let (mut transformed, mut back) = (vec![0.0; 2 * half * count], vec![0.0; length * count]);
            for isa in available() {
                run(&command(FftKind::RealForward, length, count, &mut given, &mut transformed, columns), isa, 2);
                run(&command(FftKind::RealInverse, length, count, &mut transformed, &mut back, columns), isa, 2);
                let error = given.iter().zip(&back).map(|(a, b)| (a - b / length as f64).abs()).fold(0.0, f64::max);
                // A long prime is transformed by way of products of transforms.
                let limit = if length == 65_537 { 2e-14 } else { 2e-15 };
                assert!(error < limit, "{length} {columns} {isa:?}: {error}");
            }
        }
    }
}

#[test]
fn halves_agree_with_the_whole() {
    for length in [2, 8, 9, 100, 1 << 17, 3 << 16] {
        let mut given = numbers(length);
        let mut whole: Vec<f64> = given.iter().flat_map(|&x| [x, 0.0]).collect();
        let (mut half, mut all) = (vec![0.0; length / 2 * 2 + 2], vec![0.0; 2 * length]);
        for isa in available() {
            run(&command(FftKind::RealForward, length, 1, &mut given, &mut half, false), isa, 2);
            run(&command(FftKind::RealWhole, length, 1, &mut given, &mut all, false), isa, 2);
            assert!(half[..] == all[..half.len()], "{length} {isa:?}");
            let mirrored: Vec<f64> = all.chunks(2).flat_map(|x| [x[0], -x[1]]).collect();
            let is_mirrored = (1..length).all(|n| all[2 * n..2 * n + 2] == mirrored[2 * (length - n)..][..2]);
            assert!(is_mirrored || length % 2 == 1, "{length} {isa:?}");
            run(&command(FftKind::Forward, length, 1, &mut whole, &mut all, false), isa, 2);
            let error = half.iter().zip(&all).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-14 * (length as f64).sqrt(), "{length} {isa:?}: {error}");
        }
    }
}

#[test]
fn threads_change_no_bit() {
    for kind in KINDS {
        for (length, count) in [(100, 300), (1 << 17, 2), (1 << 16, 5), (1 << 18, 1), (1 << 20, 4)] {
            for columns in [false, true] {
                let mut given = numbers(2 * length * count);
                let results = [1, 2, 5].map(|threads| {
                    let mut out = vec![0.0f64; 2 * length * count];
                    run(&command(kind, length, count, &mut given, &mut out, columns), Isa::detected(), threads);
                    out
                });
                assert!(results[0] == results[1] && results[0] == results[2], "{kind:?} {length} {columns}");
            }
        }
    }
}

#[test]
fn plans_are_kept_and_bounded() {
    let mut memory = (numbers(2000), vec![0.0; 2000]);
    let plan = |length: usize, memory: &mut (Vec<f64>, Vec<f64>)| {
        let command = command(FftKind::Forward, length, 1, &mut memory.0, &mut memory.1, false);
        Plan::<f64>::of(&command, Isa::Baseline)
    };
    let first = plan(401, &mut memory);
    assert!(Arc::ptr_eq(&first, &plan(401, &mut memory)));
    (500..700).for_each(|length| drop(plan(length, &mut memory)));
    assert!(f64::plans().lock().len() <= 64);
    assert!(!Arc::ptr_eq(&first, &plan(401, &mut memory)));
}
