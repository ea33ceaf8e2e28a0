//! Linear algebra of small matrices, run on the host block after block, judged by what is left over.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod host;

use host::Threads;
use host::runner::{Memory, at, run, run_through, work};
use host::snapshots::compare;
use num_complex::Complex;
use situ_codegen::{Dialect, work_for};
use situ_hal::{Address, Command, HalError, Linalg, Problem, SingularVectors};
use situ_types::DType;

type C = Complex<f64>;

const DTYPES: [DType; 4] = [DType::F32, DType::F64, DType::C64, DType::C128];
/// Bytes behind every operand, which nobody may write to.
const MARGIN: usize = 64;

/// Columns one after another.
#[derive(Clone, Debug)]
struct Matrix {
    rows: usize,
    elements: Vec<C>,
}

impl Matrix {
    fn new(rows: usize, columns: usize, mut element: impl FnMut(usize, usize) -> C) -> Matrix {
        let elements = (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j))).map(|(i, j)| element(i, j)).collect();
        Matrix { rows, elements }
    }

    fn columns(&self) -> usize {
        self.elements.len() / self.rows
    }

    fn at(&self, i: usize, j: usize) -> C {
        self.elements[i + j * self.rows]
    }

    fn times(&self, other: &Matrix) -> Matrix {
        let sum = |i, j| (0..other.rows).map(|k| self.at(i, k) * other.at(k, j)).sum();
        Matrix::new(self.rows, other.columns(), sum)
    }

    fn adjoint(&self) -> Matrix {
        Matrix::new(self.columns(), self.rows, |i, j| self.at(j, i).conj())
    }

    fn distance(&self, other: &Matrix) -> f64 {
        assert_eq!((self.rows, self.elements.len()), (other.rows, other.elements.len()));
        let largest = self.extent().max(other.extent()).max(f64::MIN_POSITIVE);
        let squares = self.elements.iter().zip(&other.elements).map(|(a, b)| ((a - b) / largest).norm_sqr());
        squares.sum::<f64>().sqrt() * largest
    }

    fn extent(&self) -> f64 {
        self.elements.iter().map(|element| element.norm()).fold(0.0, f64::max)
    }

    fn norm(&self) -> f64 {
        self.distance(&Matrix::new(self.rows, self.columns(), |_, _| C::default()))
    }

    fn diagonal(values: &[f64]) -> Matrix {
        Matrix::new(values.len(), values.len(), |i, j| C::from(if i == j { values[i] } else { 0.0 }))
    }

    fn skewness(&self) -> f64 {
        self.adjoint().times(self).distance(&Matrix::diagonal(&vec![1.0; self.columns()]))
    }

    fn first_columns(&self, columns: usize) -> Matrix {
        Matrix { rows: self.rows, elements: self.elements[..columns * self.rows].to_vec() }
    }
}

fn is_single(dtype: DType) -> bool {
    dtype.real_part() == DType::F32
}

fn write(dtype: DType, matrices: &[Matrix]) -> Memory {
    let mut bytes = Vec::new();
    for element in matrices.iter().flat_map(|matrix| &matrix.elements) {
        for part in [element.re, element.im].into_iter().take(if dtype.real_part() == dtype { 1 } else { 2 }) {
            if is_single(dtype) {
                bytes.extend((part as f32).to_ne_bytes());
            } else {
                bytes.extend(part.to_ne_bytes());
            }
        }
    }
    Memory::new(bytes.len() + MARGIN, |n| bytes.get(n).copied().unwrap_or(0xA5))
}

fn room(dtype: DType, elements: usize) -> Memory {
    let bytes = elements * dtype.size();
    Memory::new(bytes + MARGIN, |n| if n < bytes { 0xFF } else { 0xA5 })
}

fn numbers(dtype: DType, memory: &Memory, count: usize) -> Vec<f64> {
    let bytes = memory.bytes();
    let behind = &bytes[count * if is_single(dtype) { 4 } else { 8 }..];
    assert!(behind.iter().rev().take(MARGIN - 16).all(|&byte| byte == 0xA5), "written behind an operand");
    if is_single(dtype) {
        bytes.as_chunks().0[..count].iter().map(|&bytes| f64::from(f32::from_ne_bytes(bytes))).collect()
    } else {
        bytes.as_chunks().0[..count].iter().map(|&bytes| f64::from_ne_bytes(bytes)).collect()
    }
}

fn read(dtype: DType, memory: &Memory, rows: usize, columns: usize, count: usize) -> Vec<Matrix> {
    let parts = if dtype.real_part() == dtype { 1 } else { 2 };
    let all = numbers(dtype, memory, count * rows * columns * parts);
    let element = |parts: &[f64]| C::new(parts[0], parts.get(1).copied().unwrap_or(0.0));
    let elements: Vec<C> = all.chunks(parts).map(element).collect();
    elements.chunks(rows * columns).map(|elements| Matrix { rows, elements: elements.to_vec() }).collect()
}

fn epsilon(dtype: DType) -> f64 {
    if is_single(dtype) { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

#[track_caller]
fn assert_small(left_over: f64, scale: f64, order: usize, dtype: DType, what: &str) {
    let limit = 10.0 * epsilon(dtype) * order as f64 * scale;
    assert!(left_over <= limit, "{what} of order {order}, {dtype}: {left_over:e} is left over, and {limit:e} may be");
}

/// Numbers between -1 and 1.
struct Source(u64);

impl Source {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from((self.0 >> 33) as i32) / f64::from(1 << 30) - 1.0
    }
}

/// Matrices of all kinds: random, graded, with equal columns, of ones, zero, the identity, with huge and tiny numbers.
fn matrices(source: &mut Source, dtype: DType, rows: usize, columns: usize) -> Vec<Matrix> {
    let is_real = dtype.real_part() == dtype;
    let far = if is_single(dtype) { 1e30 } else { 1e290 };
    let mut random = |scale: f64| {
        Matrix::new(rows, columns, |_, _| C::new(source.number(), if is_real { 0.0 } else { source.number() }) * scale)
    };
    let (plain, other) = (random(1.0), random(1.0));
    let all = vec![
        plain.clone(),
        Matrix::new(rows, columns, |i, j| plain.at(i, j) * 0.25f64.powi(j as i32)),
        Matrix::new(rows, columns, |i, j| plain.at(i, j / 2)),
        Matrix::new(rows, columns, |_, _| C::from(1.0)),
        Matrix::new(rows, columns, |_, _| C::default()),
        Matrix::new(rows, columns, |i, j| C::from(f64::from(u8::from(i == j)))),
        random(far),
        random(1.0 / far),
        Matrix::new(rows, columns, |i, j| C::from(1.0 / (i + j + 1) as f64)),
        Matrix::new(rows, columns, |i, j| other.at(i, j % 3.min(columns))),
        Matrix::new(rows, columns, |i, j| C::from(f64::from(u8::from(i <= j)))),
    ];
    let memory = write(dtype, &all);
    read(dtype, &memory, rows, columns, all.len())
}

fn address(memory: &Memory) -> Address {
    at(memory.address())
}

fn solve(dtype: DType, count: usize, problem: Problem) -> Vec<i32> {
    let status = room(DType::I32, count);
    run(&work(&Command::Linalg(Box::new(Linalg { dtype, count, problem, status: address(&status) }))));
    status.bytes().as_chunks().0[..count].iter().map(|&bytes| i32::from_ne_bytes(bytes)).collect()
}

#[test]
fn cholesky_factors_are_those_of_the_matrix() {
    let mut source = Source(1);
    for dtype in DTYPES {
        for order in (1..=8).chain([15, 16, 17, 31, 32]) {
            let given: Vec<Matrix> = matrices(&mut source, dtype, order, order)
                .into_iter()
                .take(1)
                .map(|root| {
                    let square = root.times(&root.adjoint());
                    Matrix::new(order, order, |i, j| square.at(i, j) + C::from(f64::from(u8::from(i == j))))
                })
                .collect();
            let lower = |matrix: &Matrix| {
                Matrix::new(order, order, |i, j| if i < j { C::new(f64::NAN, f64::NAN) } else { matrix.at(i, j) })
            };
            let memory = write(dtype, &given.iter().map(lower).collect::<Vec<_>>());
            let status = solve(dtype, given.len(), Problem::Cholesky { order, matrix: address(&memory) });
            assert_eq!(status, vec![0; given.len()]);
            for (matrix, factor) in given.iter().zip(read(dtype, &memory, order, order, given.len())) {
                assert!((0..order).all(|j| (0..j).all(|i| factor.at(i, j) == C::default())));
                assert_small(
                    factor.times(&factor.adjoint()).distance(matrix),
                    matrix.norm(),
                    order,
                    dtype,
                    "A - L L^H",
                );
            }
        }
    }
}

#[test]
fn what_is_not_positive_definite_is_said_so() {
    for (failing, wanted) in [(0, 1), (3, 4), (4, 5)] {
        for bad in [0.0, -1.0, f64::NAN] {
            let given = Matrix::diagonal(&[1.0, 2.0, 3.0, 4.0, 5.0]);
            let given = Matrix::new(5, 5, |i, j| if i == j && i == failing { C::from(bad) } else { given.at(i, j) });
            let memory = write(DType::F64, &[Matrix::diagonal(&[1.0; 5]), given]);
            let problem = Problem::Cholesky { order: 5, matrix: address(&memory) };
            assert_eq!(solve(DType::F64, 2, problem), [0, wanted]);
        }
    }
}

fn eigenvalues_are_those_of_the_matrix(dtype: DType) {
    let mut source = Source(2);
    for order in [1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32] {
        let given: Vec<Matrix> = matrices(&mut source, dtype, order, order)
            .iter()
            .map(|any| {
                Matrix::new(order, order, |i, j| match i.cmp(&j) {
                    std::cmp::Ordering::Less => any.at(j, i).conj(),
                    std::cmp::Ordering::Equal => C::from(any.at(i, i).re),
                    std::cmp::Ordering::Greater => any.at(i, j),
                })
            })
            .collect();
        let lower = |matrix: &Matrix| {
            Matrix::new(order, order, |i, j| if i < j { C::new(f64::NAN, f64::NAN) } else { matrix.at(i, j) })
        };
        let (count, mut with_vectors) = (given.len(), Vec::new());
        for wants_vectors in [true, false] {
            let memory = write(dtype, &given.iter().map(lower).collect::<Vec<_>>());
            let values = room(dtype.real_part(), count * order);
            let (matrix, to) = (address(&memory), address(&values));
            let status = solve(dtype, count, Problem::Eigh { order, matrix, values: to, wants_vectors });
            assert_eq!(status, vec![0; count]);
            let values = numbers(dtype, &values, count * order);
            for (n, (matrix, values)) in given.iter().zip(values.chunks(order)).enumerate() {
                assert!(values.is_sorted(), "{values:?}");
                if wants_vectors {
                    let vectors = &read(dtype, &memory, order, order, count)[n];
                    assert_small(vectors.skewness(), 1.0, order, dtype, "V^H V - 1");
                    let (left, right) = (matrix.times(vectors), vectors.times(&Matrix::diagonal(values)));
                    assert_small(left.distance(&right), matrix.norm(), order, dtype, "A V - V W");
                    with_vectors.push(Matrix::diagonal(values));
                } else {
                    let distance = Matrix::diagonal(values).distance(&with_vectors[n]);
                    assert_small(distance, matrix.norm(), order, dtype, "values alone");
                }
            }
        }
    }
}

fn singular_values_are_those_of_the_matrix(dtype: DType) {
    let mut source = Source(3);
    let square = [1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 64, 100].map(|order| (order, order)).into_iter();
    for (n, (rows, columns)) in square.chain([(2, 1), (5, 3), (32, 7), (33, 8), (37, 5), (70, 65)]).enumerate() {
        let given = matrices(&mut source, dtype, rows, columns);
        let (count, mut with_vectors) = (given.len(), Vec::new());
        let full = [None, Some(rows)][n % 2].filter(|_| columns < 64);
        for left_columns in [Some(columns), full, None] {
            let memory = write(dtype, &given);
            let values = room(dtype.real_part(), count * columns);
            let left = room(dtype, count * rows * left_columns.unwrap_or(1));
            let right = room(dtype, count * columns * columns);
            let vectors = left_columns.map(|left_columns| SingularVectors {
                left_columns,
                left: address(&left),
                right: address(&right),
            });
            let (matrix, to) = (address(&memory), address(&values));
            let status = solve(dtype, count, Problem::Svd { rows, columns, matrix, values: to, vectors });
            assert_eq!(status, vec![0; count], "{rows} by {columns}, {dtype}");
            let values = numbers(dtype, &values, count * columns);
            for (n, (matrix, values)) in given.iter().zip(values.chunks(columns)).enumerate() {
                assert!(values.is_sorted_by(|a, b| a >= b) && values[columns - 1] >= 0.0, "{values:?}");
                let Some(left_columns) = left_columns else {
                    let distance = Matrix::diagonal(values).distance(&with_vectors[n]);
                    assert_small(distance, matrix.norm(), rows, dtype, "values alone");
                    continue;
                };
                let left = &read(dtype, &left, rows, left_columns, count)[n];
                let right = &read(dtype, &right, columns, columns, count)[n];
                assert_small(left.skewness(), 1.0, rows, dtype, "U^H U - 1");
                assert_small(right.adjoint().skewness(), 1.0, rows, dtype, "V^H V - 1");
                let product = left.first_columns(columns).times(&Matrix::diagonal(values)).times(right);
                assert_small(product.distance(matrix), matrix.norm(), rows, dtype, "A - U S V^H");
                with_vectors.push(Matrix::diagonal(values));
            }
        }
    }
}

/// A test for each dtype, so that they run side by side: most of the time is the compiler's.
macro_rules! of_each_dtype {
    ($($test:ident: $dtype:ident)*) => {$(
        mod $test {
            use super::*;

            #[test]
            fn eigenvalues() {
                eigenvalues_are_those_of_the_matrix(DType::$dtype);
            }

            #[test]
            fn singular_values() {
                singular_values_are_those_of_the_matrix(DType::$dtype);
            }
        }
    )*};
}

of_each_dtype! { float32: F32 float64: F64 complex64: C64 complex128: C128 }

#[test]
fn results_do_not_depend_on_the_order_of_threads() {
    let mut source = Source(4);
    for (dtype, order) in [(DType::F64, 5), (DType::C64, 32), (DType::F32, 40)] {
        // With a diagonal that makes it positive definite.
        let any = matrices(&mut source, dtype, order, order).remove(0);
        let element = |i, j| if i == j { C::from(2.0 * order as f64) } else { any.at(i, j) };
        let given = &[Matrix::new(order, order, element)];
        let results = |threads| {
            let mut results = Vec::new();
            let mut solve = |problem: &dyn Fn(Address, &[Memory; 3]) -> Problem| {
                let (matrix, others) = (write(dtype, given), std::array::from_fn(|_| room(dtype, order * order)));
                let problem = problem(address(&matrix), &others);
                let status = room(DType::I32, 1);
                let command = Linalg { dtype, count: 1, problem, status: address(&status) };
                run_through(&work(&Command::Linalg(Box::new(command))), threads);
                results.extend([matrix, status].into_iter().chain(others));
            };
            solve(&|matrix, [values, left, right]| Problem::Svd {
                rows: order,
                columns: order,
                matrix,
                values: address(values),
                vectors: Some(SingularVectors { left_columns: order, left: address(left), right: address(right) }),
            });
            if order <= 32 {
                solve(&|matrix, _| Problem::Cholesky { order, matrix });
                solve(&|matrix, [values, ..]| Problem::Eigh {
                    order,
                    matrix,
                    values: address(values),
                    wants_vectors: true,
                });
            }
            results
        };
        // Downward first: shared memory keeps what the other way has left there.
        assert!(results(Threads::Downward) == results(Threads::Upward), "{dtype}, order {order}");
    }
}

#[test]
fn what_is_not_finite_ends() {
    for bad in [f64::NAN, f64::INFINITY] {
        for order in [3, 32, 40] {
            let given = Matrix::new(order, order, |i, j| C::from(if i == 1 { bad } else { (i * j) as f64 }));
            let (values, vectors) = (room(DType::F64, order), room(DType::F64, order * order));
            let memory = write(DType::F64, std::slice::from_ref(&given));
            let right = room(DType::F64, order * order);
            let vectors =
                Some(SingularVectors { left_columns: order, left: address(&vectors), right: address(&right) });
            let (matrix, values) = (address(&memory), address(&values));
            solve(DType::F64, 1, Problem::Svd { rows: order, columns: order, matrix, values, vectors });
            if order <= 32 {
                let memory = write(DType::F64, std::slice::from_ref(&given));
                let matrix = address(&memory);
                solve(DType::F64, 1, Problem::Eigh { order, matrix, values, wants_vectors: true });
            }
        }
    }
}

#[test]
fn larger_matrices_need_a_library() {
    let nowhere = at(64);
    let full = |left_columns| Some(SingularVectors { left_columns, left: nowhere, right: nowhere });
    for problem in [
        Problem::Cholesky { order: 33, matrix: nowhere },
        Problem::Eigh { order: 33, matrix: nowhere, values: nowhere, wants_vectors: true },
        Problem::Svd { rows: 2000, columns: 3, matrix: nowhere, values: nowhere, vectors: None },
        Problem::Svd { rows: 200, columns: 129, matrix: nowhere, values: nowhere, vectors: None },
        Problem::Svd { rows: 300, columns: 3, matrix: nowhere, values: nowhere, vectors: None },
        Problem::Svd { rows: 100, columns: 3, matrix: nowhere, values: nowhere, vectors: full(100) },
        Problem::Inverse { order: 2, matrix: nowhere, inverse: nowhere },
    ] {
        let command = Command::Linalg(Box::new(Linalg { dtype: DType::F32, count: 1, problem, status: nowhere }));
        assert!(matches!(work_for(&command, &host::runner::LIMITS), Err(HalError::Unsupported { .. })), "{problem:?}");
    }
}

#[test]
fn texts_are_as_they_were() {
    let nowhere = at(64);
    let text = |dtype, problem| work(&Command::Linalg(Box::new(Linalg { dtype, count: 9, problem, status: nowhere })));
    let eigh = Problem::Eigh { order: 16, matrix: nowhere, values: nowhere, wants_vectors: true };
    compare(&text(DType::F64, eigh), 0, Dialect::Cuda, "eigh_f64.cu");
    let vectors = Some(SingularVectors { left_columns: 40, left: nowhere, right: nowhere });
    let svd = Problem::Svd { rows: 40, columns: 40, matrix: nowhere, values: nowhere, vectors };
    compare(&text(DType::C64, svd), 0, Dialect::OpenCl, "svd_c64.cl");
    let cholesky = Problem::Cholesky { order: 9, matrix: nowhere };
    compare(&text(DType::F32, cholesky), 0, Dialect::Cuda, "cholesky_f32.cu");
}
