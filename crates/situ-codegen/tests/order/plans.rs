//! What sorts come to: launches, and scratch memory.

use situ_codegen::{Argument, Work};
use situ_hal::{Command, Sort};
use situ_types::DType;

use crate::host::runner::{gpu_work, strided};

fn sort(dtype: DType, shape: &[usize], strides: [&[isize]; 2], count: usize, indices: bool) -> Work {
    let [input, out] = strides;
    gpu_work(&Command::Sort(Box::new(Sort {
        shape: shape.into(),
        dtype,
        input: strided(64, input),
        descending: false,
        count,
        values: Some(strided(1 << 40, out)),
        indices: indices.then(|| strided(1 << 41, out)),
    })))
}

/// Elements go to and fro between one scratch buffer and the result; words of tiles and counts of digits take little.
#[test]
fn scratch_memory_is_that_of_one_more_array() {
    let size = 1 << 26;
    for (dtype, indices) in [(DType::F32, false), (DType::F32, true), (DType::F64, false), (DType::U16, true)] {
        let work = sort(dtype, &[size], [&[1], &[1]], size, indices);
        let needed = size * (dtype.size() + if indices { 4 } else { 0 });
        assert!(work.scratch >= needed && work.scratch < needed * 6 / 5, "{dtype}: {} of {needed}", work.scratch);
        assert!(work.zeroed < needed / 10, "{dtype}: {}", work.zeroed);
        assert_eq!(work.launches.len(), dtype.size() + 2);
    }
}

/// A result with gaps, or of less, has no room for what comes before it.
#[test]
fn results_that_are_not_dense_take_a_second_buffer() {
    let size = 1 << 24;
    let dense = sort(DType::F32, &[size], [&[1], &[1]], size, false).scratch;
    assert!(sort(DType::F32, &[size], [&[1], &[2]], size, false).scratch >= dense + 4 * size);
    assert!(sort(DType::F32, &[size], [&[1], &[1]], 10, false).scratch >= dense + 4 * size);
    assert_eq!(sort(DType::F32, &[size], [&[-3], &[1]], size, false).scratch, dense);
}

/// What tiles say to later ones lies apart from what is cleared for the next pass, also if there is none.
#[test]
fn passes_write_to_different_places() {
    for dtype in [DType::U8, DType::I16, DType::F32] {
        for launch in sort(dtype, &[1 << 20], [&[1], &[1]], 1 << 20, false).launches {
            let places: Vec<_> = launch.arguments.iter().filter(|at| matches!(at, Argument::Scratch(_))).collect();
            assert!((1..places.len()).all(|n| !places[..n].contains(&places[n])), "{dtype}: {places:?}");
        }
    }
}

/// Passes of dense arrays are one kernel, compiled once.
#[test]
fn passes_share_a_kernel() {
    let work = sort(DType::F64, &[1 << 20], [&[1], &[1]], 1 << 20, true);
    let kernels: std::collections::HashSet<_> = work.launches.iter().map(|launch| &launch.kernel).collect();
    assert_eq!(kernels.len(), 3);
}

#[test]
fn rows_choose_their_way() {
    let launches = |rows: usize, length: usize, dtype| {
        sort(dtype, &[rows, length], [&[length as isize, 1], &[length as isize, 1]], length, false).launches
    };
    // One block for several short rows, one for each longer one, tiles for the longest.
    assert_eq!(launches(1000, 10, DType::F32)[0].grid[0], 40);
    assert_eq!(launches(1000, 8192, DType::F32)[0].grid[0], 1000);
    assert_eq!(launches(1000, 8193, DType::F32)[2].grid[0], 2000);
    assert_eq!(launches(8192, 8192, DType::F64)[2].grid[0], 8192 * 2);
}
