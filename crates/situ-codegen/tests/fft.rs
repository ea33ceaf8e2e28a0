//! What is brought to a library of Fourier transforms, and from it: the commands on the null device.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use situ_codegen::fft::{Elements, conjugates, scaled_copy, zeros};
use situ_hal::null::{self, NullConfig};
use situ_hal::{Address, Command, Elementwise, UnpooledScratch};
use situ_types::{C128, DType, QueueProperties};

/// Runs a command over host memory, which the null device reaches.
fn run(command: Elementwise) {
    let platform = null::platform(NullConfig::default());
    let device = platform.devices()[0].clone();
    let context = platform.create_context(std::slice::from_ref(&device)).unwrap();
    let scratch = Arc::new(UnpooledScratch::new(context.clone(), device.clone()));
    let queue = context.create_queue(&device, QueueProperties { in_order: true, profiling: false }, scratch).unwrap();
    // SAFETY: the command's memory is the caller's until the queue has been waited for.
    drop(unsafe { queue.submit(&Command::Elementwise(command), &[]) }.unwrap());
    assert!(queue.wait(None));
}

fn at(memory: &mut [C128], first: usize, steps: &'static [isize]) -> Elements<'static> {
    Elements { address: Address(memory[first..].as_mut_ptr().cast()), steps }
}

fn numbers(count: usize) -> Vec<C128> {
    (0..count).map(|n| C128::new(n as f64, -0.5 * n as f64)).collect()
}

#[test]
fn elements_are_copied_and_multiplied() {
    let (mut from, mut to) = (numbers(24), vec![C128::new(9.0, 9.0); 24]);
    // Columns of three rows of eight, backwards, become rows.
    let places = (at(&mut from, 7, &[-1, 8]), at(&mut to, 0, &[3, 1]));
    run(scaled_copy(DType::C128, &[8, 3], places.0, places.1, 1.0));
    assert!((0..24).all(|n| to[n] == from[7 - n / 3 + 8 * (n % 3)]));
    let same = at(&mut to, 0, &[3, 1]);
    let before = to.clone();
    run(scaled_copy(DType::C128, &[8, 2], same, same, 0.25));
    let wanted = |n: usize| if n % 3 < 2 { before[n] * 0.25 } else { before[n] };
    assert!((0..24).all(|n| to[n] == wanted(n)));
}

#[test]
fn an_infinite_part_leaves_the_other_alone() {
    let mut to = vec![C128::new(f64::INFINITY, 2.0); 2];
    let same = at(&mut to, 0, &[1]);
    run(scaled_copy(DType::C128, &[2], same, same, 0.5));
    assert_eq!(to, [C128::new(f64::INFINITY, 1.0); 2]);
}

#[test]
fn the_second_half_is_the_mirrored_first() {
    // Two sequences of seven, of which the first four are known.
    let mut to = numbers(14);
    let (from, ends) = (at(&mut to, 1, &[7, 1]), at(&mut to, 6, &[7, -1]));
    let before = to.clone();
    run(conjugates(DType::C128, &[2, 3], from, ends));
    for start in [0, 7] {
        assert!((0..4).all(|n| to[start + n] == before[start + n]));
        assert!((1..4).all(|n| to[start + 7 - n] == before[start + n].conj()));
    }
}

#[test]
fn parts_become_zeros() {
    let mut to = numbers(10);
    let before = to.clone();
    // The imaginary parts of the first and the last of five, twice.
    let address = Address(to.as_mut_ptr().cast()).offset(8);
    run(zeros(DType::F64, &[2, 2], Elements { address, steps: &[10, 8] }));
    let wanted = |n: usize| if (n % 5).is_multiple_of(4) { C128::new(before[n].re, 0.0) } else { before[n] };
    assert!((0..10).all(|n| to[n] == wanted(n)));
}
