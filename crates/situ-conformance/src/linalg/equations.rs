//! LU and Cholesky factorisations, and equations.

use situ_hal::Problem;
use situ_types::{C128, DType};

use super::{Answer, DTYPES, Matrix, assert_small, bytes_of, sizes, solve};
use crate::Source;
use crate::bench::Bench;

/// Random matrices, of which every third has a column of zeros, and which column that is, counted from 1.
fn partly_singular(source: &mut Source, dtype: DType, order: usize, count: usize) -> Vec<(Matrix, i32)> {
    let one = |n: usize| {
        let mut matrix = Matrix::random(source, dtype, order, order);
        if n % 3 != 1 {
            return (matrix, 0);
        }
        let zero = source.below(order);
        (0..order).for_each(|i| matrix.set(i, zero, C128::default()));
        (matrix, zero as i32 + 1)
    };
    (0..count).map(one).collect()
}

fn unzip(cases: Vec<(Matrix, i32)>) -> (Vec<Matrix>, Vec<i32>) {
    cases.into_iter().unzip()
}

/// `P A = L U`, of singular matrices too.
pub(crate) fn linalg_lu(bench: &Bench) {
    let mut source = Source(101);
    for dtype in DTYPES.into_iter().filter(|&dtype| bench.knows(dtype)) {
        for (order, count) in sizes() {
            let (matrices, wanted) = unzip(partly_singular(&mut source, dtype, order, count));
            let operands = vec![bytes_of(dtype, &matrices), vec![0xFF; count * order * 4]];
            let Some(answer) =
                solve(bench, dtype, count, operands, |at| Problem::Lu { order, matrix: at[0], pivots: at[1] })
            else {
                return;
            };
            // Singular matrices have factors, so that a device need not look for zeros.
            for (found, wanted) in answer.status.iter().zip(wanted) {
                assert!(*found == 0 || *found == wanted, "{found}, not {wanted}, of order {order}, {dtype}");
            }
            let pivots = answer.operands[1].chunks(4 * order);
            for ((matrix, factors), pivots) in matrices.iter().zip(answer.of(0, order, order)).zip(pivots) {
                let exchanged = exchange_rows(matrix, pivots);
                let lower = Matrix::new(order, order, |i, j| match i.cmp(&j) {
                    std::cmp::Ordering::Less => C128::default(),
                    std::cmp::Ordering::Equal => C128::from(1.0),
                    std::cmp::Ordering::Greater => factors.at(i, j),
                });
                // A pivot is the largest of its column.
                assert!(lower.elements.iter().all(|element| element.norm() <= 1.5));
                let product = lower.times(&factors.only(|i, j| i <= j));
                assert_small(product.distance(&exchanged), matrix.norm(), order, dtype, "P A - L U");
            }
        }
    }
}

fn exchange_rows(matrix: &Matrix, pivots: &[u8]) -> Matrix {
    let mut exchanged = matrix.clone();
    for (i, &bytes) in pivots.as_chunks().0.iter().enumerate() {
        let other = i32::from_ne_bytes(bytes) as usize - 1;
        assert!((i..matrix.rows).contains(&other), "row {i} is exchanged with row {other} of {}", matrix.rows);
        for j in 0..matrix.columns() {
            let held = exchanged.at(i, j);
            exchanged.set(i, j, exchanged.at(other, j));
            exchanged.set(other, j, held);
        }
    }
    exchanged
}

/// `A X = B`, with one right side and several.
pub(crate) fn linalg_equations(bench: &Bench) {
    let mut source = Source(102);
    for dtype in DTYPES.into_iter().filter(|&dtype| bench.knows(dtype)) {
        // More than one call of a library takes.
        let many = (dtype == DType::F32).then_some((2, 20_000));
        for (order, count) in sizes().chain(many) {
            let columns = source.pick(&[1, 2, order]);
            let (matrices, wanted) = unzip(partly_singular(&mut source, dtype, order, count));
            let rights: Vec<Matrix> = (0..count).map(|_| Matrix::random(&mut source, dtype, order, columns)).collect();
            let operands = vec![bytes_of(dtype, &matrices), bytes_of(dtype, &rights)];
            let problem = |at: &[_]| Problem::Solve { order, columns, matrix: at[0], right: at[1] };
            let Some(answer) = solve(bench, dtype, count, operands, problem) else { return };
            assert_eq!(answer.status, wanted, "{count} of order {order}, {dtype}");
            let solved = answer.of(1, order, columns).into_iter().zip(&wanted).zip(matrices.iter().zip(&rights));
            for ((solution, _), (matrix, right)) in solved.filter(|((_, status), _)| **status == 0) {
                let scale = matrix.norm() * solution.norm() + right.norm();
                assert_small(matrix.times(&solution).distance(right), scale, order, dtype, "A X - B");
            }
        }
    }
}

/// `A = L L^H`, of matrices that are positive definite and of others.
pub(crate) fn linalg_cholesky(bench: &Bench) {
    let mut source = Source(103);
    for dtype in DTYPES.into_iter().filter(|&dtype| bench.knows(dtype)) {
        let many = (dtype == DType::F64).then_some((3, 20_000));
        for (order, count) in sizes().chain(many) {
            let one = |n: usize| {
                let root = Matrix::random(&mut source, dtype, order, order);
                let mut matrix = root.times(&root.adjoint());
                (0..order).for_each(|i| matrix.set(i, i, C128::from(matrix.at(i, i).re + 1.0)));
                let wanted = if n % 3 == 1 { source.below(order) as i32 + 1 } else { 0 };
                if wanted > 0 {
                    let i = wanted as usize - 1;
                    matrix.set(i, i, C128::from(-1.0));
                }
                (matrix.rounded(dtype), wanted)
            };
            let (matrices, wanted) = unzip((0..count).map(one).collect());
            let given: Vec<Matrix> = matrices.iter().map(Matrix::lower_only).collect();
            let operands = vec![bytes_of(dtype, &given)];
            let problem = |at: &[_]| Problem::Cholesky { order, matrix: at[0] };
            let Some(answer) = solve(bench, dtype, count, operands, problem) else { return };
            check_cholesky(&answer, &matrices, &wanted, order, dtype);
        }
    }
}

/// Zeros above the diagonal of `L`, where there was something.
pub(crate) fn linalg_cholesky_leaves_zeros(bench: &Bench) {
    for dtype in DTYPES.into_iter().filter(|&dtype| bench.knows(dtype)) {
        for (order, count) in sizes() {
            let given = Matrix::new(order, order, |i, j| C128::from(if i == j { order as f64 } else { 0.5 }));
            let operands = vec![bytes_of(dtype, &vec![given; count])];
            let problem = |at: &[_]| Problem::Cholesky { order, matrix: at[0] };
            let Some(answer) = solve(bench, dtype, count, operands, problem) else { return };
            for factor in answer.of(0, order, order) {
                assert!(factor.elements == factor.only(|i, j| i >= j).elements, "{count} of order {order}, {dtype}");
            }
        }
    }
}

fn check_cholesky(answer: &Answer, matrices: &[Matrix], wanted: &[i32], order: usize, dtype: DType) {
    assert_eq!(answer.status, wanted, "{} of order {order}, {dtype}", matrices.len());
    for ((matrix, factor), status) in matrices.iter().zip(answer.of(0, order, order)).zip(wanted) {
        if *status == 0 {
            let lower = factor.only(|i, j| i >= j);
            assert!((0..order).all(|i| lower.at(i, i).re > 0.0));
            let product = lower.times(&lower.adjoint());
            assert_small(product.distance(&matrix.hermitian()), matrix.norm(), order, dtype, "A - L L^H");
        }
    }
}
