//! Matrices with elements that are not finite: they have no answer, and an end.

use situ_hal::{Address, Problem, SingularVectors};
use situ_types::{C128, DType};

use super::{DTYPES, Matrix, bytes_of, room, solve};
use crate::bench::Bench;

/// Singular values and eigenvalues of such matrices have a positive status, or are not finite either.
pub(crate) fn linalg_of_what_is_not_finite(bench: &Bench) {
    for dtype in DTYPES.into_iter().filter(|&dtype| bench.knows(dtype)) {
        let real = dtype.real_part();
        let complex = if real == DType::F32 { DType::C64 } else { DType::C128 };
        for (order, count) in [(5, 1), (5, 3), (40, 1), (40, 2)] {
            for number in [f64::NAN, f64::INFINITY] {
                let is_left = |problem: fn(usize, &[Address]) -> Problem, values| {
                    is_unanswered(bench, dtype, order, count, number, values, problem)
                };
                let is_solved = is_left(svd, real)
                    && is_left(singular_values, real)
                    && is_left(|order, at| eigh(order, at, true), real)
                    && is_left(|order, at| eigh(order, at, false), real)
                    && is_left(|order, at| eig(order, at, Some(at[2])), complex)
                    && is_left(|order, at| eig(order, at, None), complex);
                if !is_solved {
                    return;
                }
            }
        }
    }
}

fn svd(order: usize, at: &[Address]) -> Problem {
    let vectors = Some(SingularVectors { left_columns: order, left: at[2], right: at[3] });
    Problem::Svd { rows: order, columns: order, matrix: at[0], values: at[1], vectors }
}

fn singular_values(order: usize, at: &[Address]) -> Problem {
    Problem::Svd { rows: order, columns: order, matrix: at[0], values: at[1], vectors: None }
}

fn eigh(order: usize, at: &[Address], wants_vectors: bool) -> Problem {
    Problem::Eigh { order, matrix: at[0], values: at[1], wants_vectors }
}

fn eig(order: usize, at: &[Address], vectors: Option<Address>) -> Problem {
    Problem::Eig { order, matrix: at[0], values: at[1], vectors }
}

/// Fails if there are values where there can be none; false where the device refuses.
fn is_unanswered(
    bench: &Bench,
    dtype: DType,
    order: usize,
    count: usize,
    number: f64,
    values_dtype: DType,
    problem: fn(usize, &[Address]) -> Problem,
) -> bool {
    // One element, in the lower part, which is what is looked at of Hermitian matrices.
    let matrices: Vec<Matrix> = (0..count)
        .map(|n| Matrix::new(order, order, |i, j| C128::from(if (i, j) == (n + 1, n) { number } else { 1.0 })))
        .collect();
    let operands = vec![
        bytes_of(dtype, &matrices),
        vec![0; count * order * values_dtype.size()],
        room(count * order * order, DType::C128),
        room(count * order * order, DType::C128),
    ];
    let Some(answer) = solve(bench, dtype, count, operands, |at| problem(order, at)) else { return false };
    for (status, values) in answer.status.iter().zip(answer.matrices(1, values_dtype, order, 1)) {
        let is_finite = values.elements.iter().all(|value| value.is_finite());
        assert!(
            *status > 0 || !is_finite,
            "{number} gives {values:?}, {dtype}, after {:?}",
            problem(order, &[Address(std::ptr::null_mut()); 4])
        );
    }
    true
}
