//! QR factorisations and singular values.

use situ_hal::{Problem, SingularVectors};
use situ_types::{C128, DType};

use super::{Answer, DTYPES, Matrix, assert_small, bytes_of, room, sizes, solve};
use crate::Source;
use crate::bench::Bench;

/// `A = Q R` of wide, square and tall matrices, with as many columns of `Q` as can be asked for, or without `Q`.
pub(crate) fn linalg_qr(bench: &Bench) {
    let mut source = Source(104);
    for dtype in DTYPES.into_iter().filter(|&dtype| bench.knows(dtype)) {
        for (n, (order, count)) in sizes().enumerate() {
            let other = 1 + source.below(order + 10);
            let (rows, columns) = [(order, other), (other, order), (order, order)][n % 3];
            for q_columns in [None, Some(rows.min(columns)), Some(rows)] {
                let matrices: Vec<Matrix> =
                    (0..count).map(|_| Matrix::random(&mut source, dtype, rows, columns)).collect();
                let operands = vec![bytes_of(dtype, &matrices), room(count * rows * q_columns.unwrap_or(1), dtype)];
                let problem = |at: &[_]| {
                    let q = q_columns.map(|q_columns| (q_columns, at[1]));
                    Problem::Qr { rows, columns, matrix: at[0], q }
                };
                let Some(answer) = solve(bench, dtype, count, operands, problem) else { return };
                check_qr(&answer, &matrices, q_columns);
            }
        }
    }
}

fn check_qr(answer: &Answer, matrices: &[Matrix], q_columns: Option<usize>) {
    let (rows, columns, dtype) = (matrices[0].rows, matrices[0].columns(), answer.dtype);
    let order = rows.max(columns);
    let factors = answer.of(0, rows, columns);
    let uppers = factors.iter().map(|factors| factors.only(|i, j| i <= j));
    match q_columns {
        Some(q_columns) => {
            for ((matrix, upper), q) in matrices.iter().zip(uppers).zip(answer.of(1, rows, q_columns)) {
                assert_small(q.skewness(), 1.0, order, dtype, "Q^H Q - 1");
                let upper = Matrix::new(q_columns, columns, |i, j| upper.at(i, j));
                assert_small(q.times(&upper).distance(matrix), matrix.norm(), order, dtype, "A - Q R");
            }
        }
        None => {
            for (matrix, upper) in matrices.iter().zip(uppers) {
                let [wanted, found] = [matrix, &upper].map(|matrix| matrix.adjoint().times(matrix));
                assert_small(found.distance(&wanted), wanted.norm(), order, dtype, "A^H A - R^H R");
            }
        }
    }
}

/// `A = U S V^H` of square and tall matrices, some of them of less than full rank, with as many columns of `U` as can be asked
/// for, or values alone.
pub(crate) fn linalg_svd(bench: &Bench) {
    let mut source = Source(105);
    for dtype in DTYPES.into_iter().filter(|&dtype| bench.knows(dtype)) {
        let many = (dtype == DType::F32).then_some((2, 20_000));
        for (n, (columns, count)) in sizes().chain(many).enumerate() {
            let rows = if n % 2 == 0 { columns } else { columns + source.below(8) };
            let matrices: Vec<Matrix> = (0..count).map(|n| singular(&mut source, dtype, rows, columns, n)).collect();
            let mut with_vectors: Option<Vec<Vec<f64>>> = None;
            for left_columns in [Some(columns), Some(rows), None] {
                let operands = vec![
                    bytes_of(dtype, &matrices),
                    room(count * columns, dtype.real_part()),
                    room(count * rows * left_columns.unwrap_or(1), dtype),
                    room(count * columns * columns, dtype),
                ];
                let problem = |at: &[_]| Problem::Svd {
                    rows,
                    columns,
                    matrix: at[0],
                    values: at[1],
                    vectors: left_columns.map(|left_columns| SingularVectors {
                        left_columns,
                        left: at[2],
                        right: at[3],
                    }),
                };
                let Some(answer) = solve(bench, dtype, count, operands, problem) else { return };
                assert_eq!(answer.status, vec![0; count], "{count} of {rows} by {columns}, {dtype}");
                let values = answer.reals(1, columns);
                for values in &values {
                    assert!(values.is_sorted_by(|a, b| a >= b) && values[columns - 1] >= 0.0, "{values:?}");
                }
                match left_columns {
                    Some(left_columns) => check_svd(&answer, &matrices, left_columns, &values),
                    None => compare_values(&matrices, with_vectors.as_ref().unwrap(), &values, dtype),
                }
                with_vectors = Some(values);
            }
        }
    }
}

/// A matrix: random, or with two equal columns, or zero.
fn singular(source: &mut Source, dtype: DType, rows: usize, columns: usize, n: usize) -> Matrix {
    let mut matrix = Matrix::random(source, dtype, rows, columns);
    match n % 5 {
        1 => (0..rows).for_each(|i| matrix.set(i, columns - 1, matrix.at(i, 0))),
        3 => matrix.elements.fill(C128::default()),
        _ => {}
    }
    matrix
}

fn check_svd(answer: &Answer, matrices: &[Matrix], left_columns: usize, values: &[Vec<f64>]) {
    let (rows, columns, dtype) = (matrices[0].rows, matrices[0].columns(), answer.dtype);
    let (lefts, rights) = (answer.of(2, rows, left_columns), answer.of(3, columns, columns));
    for (((matrix, left), right), values) in matrices.iter().zip(&lefts).zip(&rights).zip(values) {
        assert_small(left.skewness(), 1.0, rows, dtype, "U^H U - 1");
        assert_small(right.adjoint().skewness(), 1.0, rows, dtype, "V^H V - 1");
        let product = left.first_columns(columns).times(&Matrix::diagonal(values)).times(right);
        assert_small(product.distance(matrix), matrix.norm(), rows, dtype, "A - U S V^H");
    }
}

fn compare_values(matrices: &[Matrix], wanted: &[Vec<f64>], found: &[Vec<f64>], dtype: DType) {
    for ((matrix, wanted), found) in matrices.iter().zip(wanted).zip(found) {
        let distance = Matrix::diagonal(wanted).distance(&Matrix::diagonal(found));
        assert_small(distance, matrix.norm(), matrix.rows, dtype, "singular values alone");
    }
}
