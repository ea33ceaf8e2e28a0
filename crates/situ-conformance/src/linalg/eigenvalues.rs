//! Eigenvalues of Hermitian matrices and of others.

use situ_hal::Problem;
use situ_types::{C128, DType};

use super::{Answer, DTYPES, Matrix, assert_small, bytes_of, epsilon, room, sizes, solve};
use crate::Source;
use crate::bench::Bench;

/// `A V = V W` of Hermitian matrices, with vectors and without.
pub(crate) fn linalg_eigh(bench: &Bench) {
    let mut source = Source(106);
    for dtype in DTYPES.into_iter().filter(|&dtype| bench.knows(dtype)) {
        let many = (dtype == DType::F64).then_some((2, 20_000));
        for (order, count) in sizes().chain(many) {
            let matrices: Vec<Matrix> =
                (0..count).map(|_| Matrix::random(&mut source, dtype, order, order).hermitian()).collect();
            let given: Vec<Matrix> = matrices.iter().map(Matrix::lower_only).collect();
            let mut with_vectors: Option<Vec<Vec<f64>>> = None;
            for wants_vectors in [true, false] {
                let Some(answer) = eigh(bench, dtype, order, &given, wants_vectors) else { return };
                assert_eq!(answer.status, vec![0; count], "{count} of order {order}, {dtype}");
                let values = answer.reals(1, order);
                assert!(values.iter().all(|values| values.is_sorted()), "{values:?}");
                let vectors = answer.of(0, order, order);
                for (n, (matrix, values)) in matrices.iter().zip(&values).enumerate() {
                    match &with_vectors {
                        None => check_eigh(matrix, &vectors[n], values, dtype),
                        Some(wanted) => {
                            let [wanted, found] = [&wanted[n], values].map(|values| Matrix::diagonal(values));
                            assert_small(found.distance(&wanted), matrix.norm(), order, dtype, "eigenvalues alone");
                        }
                    }
                }
                with_vectors = Some(values);
            }
        }
    }
}

fn eigh(bench: &Bench, dtype: DType, order: usize, given: &[Matrix], wants_vectors: bool) -> Option<Answer> {
    let operands = vec![bytes_of(dtype, given), vec![0; given.len() * order * dtype.real_part().size()]];
    let problem = |at: &[_]| Problem::Eigh { order, matrix: at[0], values: at[1], wants_vectors };
    solve(bench, dtype, given.len(), operands, problem)
}

fn check_eigh(matrix: &Matrix, vectors: &Matrix, values: &[f64], dtype: DType) {
    let order = matrix.rows;
    assert_small(vectors.skewness(), 1.0, order, dtype, "V^H V - 1");
    let (left, right) = (matrix.times(vectors), vectors.times(&Matrix::diagonal(values)));
    assert_small(left.distance(&right), matrix.norm(), order, dtype, "A V - V W");
}

/// `A V = V W` of any matrices, with vectors and without.
pub(crate) fn linalg_eig(bench: &Bench) {
    let mut source = Source(107);
    for dtype in DTYPES.into_iter().filter(|&dtype| bench.knows(dtype)) {
        let complex = if dtype.real_part() == DType::F32 { DType::C64 } else { DType::C128 };
        for (order, count) in sizes() {
            let matrices: Vec<Matrix> = (0..count).map(|n| any(&mut source, dtype, order, n)).collect();
            let mut with_vectors: Option<Vec<Matrix>> = None;
            for wants_vectors in [true, false] {
                let Some(answer) = eig(bench, dtype, order, &matrices, wants_vectors) else { return };
                assert_eq!(answer.status, vec![0; count], "{count} of order {order}, {dtype}");
                let (values, vectors) =
                    (answer.matrices(1, complex, order, 1), answer.matrices(2, complex, order, order));
                for (n, (matrix, values)) in matrices.iter().zip(&values).enumerate() {
                    match &with_vectors {
                        None => check_eig(matrix, &vectors[n], values, dtype),
                        Some(wanted) => compare_values(matrix, &wanted[n], values, dtype),
                    }
                }
                with_vectors = Some(values);
            }
        }
    }
}

/// A matrix: random, or one that turns by a right angle, whose eigenvalues are conjugate pairs.
fn any(source: &mut Source, dtype: DType, order: usize, n: usize) -> Matrix {
    match n % 3 {
        1 => Matrix::new(order, order, |i, j| match (i % 2, i, j) {
            (0, i, j) if j == i + 1 => C128::from(1.0 + i as f64),
            (1, i, j) if i == j + 1 => C128::from(-1.0 - j as f64),
            _ => C128::default(),
        }),
        _ => Matrix::random(source, dtype, order, order),
    }
}

fn eig(bench: &Bench, dtype: DType, order: usize, given: &[Matrix], wants_vectors: bool) -> Option<Answer> {
    let (count, complex) = (given.len(), if dtype.real_part() == DType::F32 { DType::C64 } else { DType::C128 });
    let vectors = room(count * order * order, complex);
    let operands = vec![bytes_of(dtype, given), vec![0; count * order * complex.size()], vectors];
    let problem =
        |at: &[_]| Problem::Eig { order, matrix: at[0], values: at[1], vectors: wants_vectors.then_some(at[2]) };
    solve(bench, dtype, count, operands, problem)
}

fn check_eig(matrix: &Matrix, vectors: &Matrix, values: &Matrix, dtype: DType) {
    let order = matrix.rows;
    let weights = Matrix::new(order, order, |i, j| if i == j { values.elements[i] } else { C128::default() });
    let (left, right) = (matrix.times(vectors), vectors.times(&weights));
    assert_small(left.distance(&right), matrix.norm() * vectors.norm(), order, dtype, "A V - V W");
    for j in 0..order {
        let length = vectors.column(j).iter().map(C128::norm_sqr).sum::<f64>().sqrt();
        assert_small((length - 1.0).abs(), 1.0, order, dtype, "lengths of vectors");
    }
}

/// The same values in any order. How well they are determined depends on the matrix, so that this is generous.
fn compare_values(matrix: &Matrix, wanted: &Matrix, found: &Matrix, dtype: DType) {
    let limit = 1e4 * epsilon(dtype) * (1.0 + matrix.norm()) * matrix.rows as f64;
    let mut left = wanted.elements.clone();
    for value in &found.elements {
        let distance = |other: &C128| (other - value).norm();
        let nearest = (0..left.len()).min_by(|&a, &b| distance(&left[a]).total_cmp(&distance(&left[b]))).unwrap();
        assert!(distance(&left[nearest]) <= limit, "{value} is none of {left:?}");
        left.swap_remove(nearest);
    }
}
