//! Runs of equal elements.

use situ_hal::{Command, RunCount, RunSelect};
use situ_ir::order;
use situ_types::{DType, Scalar};

use crate::host::layouts::cases;
use crate::host::points::Points;
use crate::host::runner::{Memory, at, run, work};
use crate::{any_dtype, bytes, element, elements};

/// Elements in order, with where they were before.
struct Sorted {
    dtype: DType,
    elements: Memory,
    positions: Memory,
    length: usize,
    /// Where runs begin, and the end.
    starts: Vec<usize>,
}

impl Sorted {
    fn new(points: &mut Points, dtype: DType, length: usize) -> Sorted {
        let unsorted = elements(points, dtype, length);
        let sequence: Vec<Scalar> = (0..length).map(|n| element(&unsorted, dtype, n)).collect();
        let in_order = order::sorted(&sequence, false);
        let (mut sorted, mut positions) = (unsorted.clone(), Memory::noise(8 * length + 8));
        for (n, &from) in in_order.iter().enumerate() {
            sorted.bytes_mut()[n * dtype.size()..][..dtype.size()].copy_from_slice(bytes(&unsorted, dtype, from));
            positions.bytes_mut()[8 * n..][..8].copy_from_slice(&(from as i64).to_ne_bytes());
        }
        let is_start = |&n: &usize| n == 0 || !order::equal(element(&sorted, dtype, n - 1), element(&sorted, dtype, n));
        let mut starts: Vec<usize> = (0..length).filter(is_start).collect();
        starts.push(length);
        Sorted { dtype, elements: sorted, positions, length, starts }
    }

    fn runs(&self) -> usize {
        self.starts.len() - 1
    }
}

fn length(points: &mut Points) -> usize {
    let most = [2, 100, 4097, 30_000][points.below(4)];
    points.below(most)
}

#[test]
fn runs_are_counted() {
    cases(|points| {
        let (dtype, length) = (any_dtype(points), length(points));
        let (sorted, answer) = (Sorted::new(points, dtype, length), Memory::noise(16));
        let command = RunCount { dtype, sorted: at(sorted.elements.address()), length, count: at(answer.address()) };
        run(&work(&Command::RunCount(Box::new(command))));
        assert_eq!(answer.bytes()[..8], sorted.runs().to_ne_bytes(), "{dtype} {length}");
    });
}

/// Selects, and compares every byte of what is wanted.
fn check(sorted: &Sorted, capacity: usize, wanted: [bool; 4]) {
    let Sorted { dtype, length, .. } = *sorted;
    let widths = [dtype.size(), 8, 8, 8];
    let found = widths.map(|width| Memory::noise((length.max(capacity) + 2) * width));
    let mut expected = found.clone();
    let position = |n: usize| u64::from_ne_bytes(std::array::from_fn(|i| sorted.positions.bytes()[8 * n + i]));
    let mut put = |which: usize, n: usize, value: &[u8]| {
        if wanted[which] {
            expected[which].bytes_mut()[n * widths[which]..][..widths[which]].copy_from_slice(value);
        }
    };
    for (run, ends) in sorted.starts.windows(2).enumerate().take(capacity) {
        put(0, run, bytes(&sorted.elements, dtype, ends[0]));
        put(1, run, &position(ends[0]).to_ne_bytes());
        put(2, run, &(ends[1] - ends[0]).to_ne_bytes());
        (ends[0]..ends[1]).for_each(|n| put(3, position(n) as usize, &run.to_ne_bytes()));
    }
    let given = |n: usize| wanted[n].then(|| at(found[n].address()));
    run(&work(&Command::RunSelect(Box::new(RunSelect {
        dtype,
        sorted: at(sorted.elements.address()),
        length,
        capacity,
        positions: (wanted[1] || wanted[3]).then(|| at(sorted.positions.address())),
        values: given(0),
        firsts: given(1),
        counts: given(2),
        inverse: given(3),
    }))));
    for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert!(found == expected, "{dtype} {length} {capacity} {wanted:?}: result {n}");
    }
}

#[test]
fn runs_are_selected() {
    cases(|points| {
        let (dtype, length) = (any_dtype(points), length(points));
        let sorted = Sorted::new(points, dtype, length);
        let capacity = match points.below(4) {
            0 => points.below(sorted.runs() + 1),
            1 => sorted.runs() + 2,
            _ => sorted.runs(),
        };
        check(&sorted, capacity, std::array::from_fn(|_| points.below(3) > 0));
    });
}

/// Runs that begin in one tile and end several later, at a border or beside it.
#[test]
fn runs_across_tiles() {
    let length = 4096 * 5 + 3;
    for ends in [vec![1, 4096 * 4], vec![4095, 4096, 4097], vec![4096, 4096 * 4 + 1], vec![], vec![length - 1]] {
        let mut elements = Memory::noise(4 * length);
        let mut positions = Memory::noise(8 * length);
        for n in 0..length {
            let value = ends.iter().filter(|&&end| end <= n).count() as i32;
            elements.bytes_mut()[4 * n..][..4].copy_from_slice(&value.to_ne_bytes());
            positions.bytes_mut()[8 * n..][..8].copy_from_slice(&(length - 1 - n).to_ne_bytes());
        }
        let starts = std::iter::once(0).chain(ends.iter().copied()).chain([length]).collect();
        let sorted = Sorted { dtype: DType::I32, elements, positions, length, starts };
        check(&sorted, sorted.runs(), [true; 4]);
    }
}
