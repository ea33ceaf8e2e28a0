//! Equations and the factorisations that solve them.

use super::matrices::{hard, matrix, random};
use super::residual::{adjoint, difference, hold, norm, orthogonality, product, ratio, wide};
use super::{Tested, for_all_elements, with_room};
use crate::{Failure, SingularVectors, Threads};

for_all_elements! {
    factors_multiply_to_the_matrix solutions_solve inverses_invert triangles_square_to_the_matrix q_times_r_is_the_matrix
    columns_that_are_nearly_sums_of_others_count
}

const ORDERS: [usize; 8] = [1, 2, 3, 5, 16, 17, 33, 70];

fn factors_multiply_to_the_matrix<T: Tested>() {
    for n in ORDERS {
        for (name, a) in hard::<T>(n) {
            let (mut factors, mut pivots) = (a.clone(), vec![0; n]);
            let singular = T::lu(&mut factors, n, &mut pivots, Threads::One);
            let zero = (0..n).find(|&at| factors[at * (n + 1)] == T::default());
            assert_eq!(singular, zero, "{name} {n}");
            let factors = wide(&factors);
            let part = |is_lower: bool| {
                let element = |at: usize| match (at % n, at / n) {
                    (i, j) if i == j && is_lower => 1.0.into(),
                    (i, j) if (i > j) == is_lower && (i != j || !is_lower) => factors[at],
                    _ => 0.0.into(),
                };
                (0..n * n).map(element).collect::<Vec<_>>()
            };
            let mut product = product(&part(true), n, &part(false), n);
            for (at, &pivot) in pivots.iter().enumerate().rev() {
                product.chunks_exact_mut(n).for_each(|column| column.swap(at, pivot as usize - 1));
            }
            let a = wide(&a);
            hold(&format!("{name} {n}"), ratio::<T>(&difference(&product, &a), n, norm(&a, n)));
        }
    }
}

fn solutions_solve<T: Tested>() {
    for (n, columns) in [(1, 1), (2, 3), (7, 1), (16, 16), (20, 2), (64, 5), (100, 100)] {
        for scale in [1e-30, 1.0, 1e25] {
            let (a, b) = (random::<T>(n, n, scale), random::<T>(n, columns, 1.0));
            let (mut factors, mut x) = (a.clone(), b.clone());
            let solved = with_room(T::solve_room([n, columns]), |room| {
                T::solve(&mut factors, &mut x, [n, columns], room, Threads::One)
            });
            assert_eq!(solved, Ok(()));
            let (a, b, x) = (wide(&a), wide(&b), wide(&x));
            let size = norm(&a, n) * norm(&x, n);
            hold(&format!("{n} {scale}"), ratio::<T>(&difference(&product(&a, n, &x, n), &b), n, size));
        }
        let mut singular = matrix::<T>(n, n, |_, j| if j + 1 == n { (0.0, 0.0) } else { (1.0, 0.0) });
        let mut right = vec![T::from_f64(1.0, 0.0); n];
        let solved =
            with_room(T::solve_room([n, 1]), |room| T::solve(&mut singular, &mut right, [n, 1], room, Threads::One));
        assert_eq!(solved, Err(Failure::Singular(n.min(2) - 1)));
    }
}

fn inverses_invert<T: Tested>() {
    // The last one is large enough to be divided.
    let divided = [(540, Threads::Pool(3))];
    for (n, threads) in
        [1, 2, 3, 7, 8, 9, 16, 17, 22, 23, 64, 65, 200].map(|n| (n, Threads::One)).into_iter().chain(divided)
    {
        let a = random::<T>(n, n, 1.0);
        let (mut factors, mut x) = (a.clone(), vec![T::from_f64(f64::NAN, 0.0); n * n]);
        let inverted = with_room(T::solve_room([n, 0]), |room| T::invert(&mut factors, &mut x, n, room, threads));
        assert_eq!(inverted, Ok(()));
        let (a, x, one) = (wide(&a), wide(&x), wide(&matrix::<T>(n, n, |i, j| (f64::from(i == j), 0.0))));
        let size = norm(&a, n) * norm(&x, n);
        // On either side.
        for product in [product(&a, n, &x, n), product(&x, n, &a, n)] {
            hold(&format!("{n}"), ratio::<T>(&difference(&product, &one), n, size));
        }
    }
    let mut singular = matrix::<T>(2, 2, |_, _| (1.0, 0.0));
    let inverted = with_room(T::solve_room([2, 0]), |room| {
        T::invert(&mut singular, &mut [T::default(); 4], 2, room, Threads::One)
    });
    assert_eq!(inverted, Err(Failure::Singular(1)));
}

fn triangles_square_to_the_matrix<T: Tested>() {
    for n in ORDERS {
        for exponent in [-15, 0, 15] {
            // A matrix times its adjoint, and a bit, is positive definite.
            let root = wide(&random::<T>(n, n, 10f64.powi(exponent)));
            let mut square = product(&root, n, &adjoint(&root, n), n);
            (0..n).for_each(|at| square[at * (n + 1)] += 10f64.powi(2 * exponent));
            let mut l = matrix::<T>(n, n, |i, j| (square[j * n + i].re, square[j * n + i].im));
            let a = wide(&l);
            // What is above the diagonal is not looked at.
            (0..n).for_each(|j| l[j * n..][..j].fill(T::from_f64(f64::NAN, f64::NAN)));
            let factored =
                with_room(T::cholesky_room(n, Threads::One), |room| T::cholesky(&mut l, n, room, Threads::One));
            assert_eq!(factored, Ok(()));
            (0..n).for_each(|j| l[j * n..][..j].fill(T::default()));
            let l = wide(&l);
            let squared = product(&l, n, &adjoint(&l, n), n);
            hold(&format!("{n} 1e{exponent}"), ratio::<T>(&difference(&squared, &a), n, norm(&a, n)));
        }
        for at in [0, n / 2, n - 1] {
            for value in [0.0, -1.0, f64::NAN] {
                let mut a = matrix::<T>(n, n, |i, j| {
                    (
                        if i != j {
                            0.0
                        } else if i == at {
                            value
                        } else {
                            2.0
                        },
                        0.0,
                    )
                });
                let room = T::cholesky_room(n, Threads::One);
                let factored = with_room(room, |room| T::cholesky(&mut a, n, room, Threads::One));
                assert_eq!(factored, Err(Failure::NotPositive(at)), "{n} {value}");
            }
        }
    }
}

fn q_times_r_is_the_matrix<T: Tested>() {
    let shapes = [[1, 1], [5, 3], [3, 5], [16, 16], [70, 33], [33, 70], [40, 1], [1, 40]];
    let mut cases: Vec<(String, [usize; 2], Vec<T>)> = Vec::new();
    for [m, n] in shapes {
        cases.extend([1e-30, 1.0, 1e25].map(|scale| (format!("random {scale}"), [m, n], random(m, n, scale))));
        cases.push(("rank 1".into(), [m, n], matrix(m, n, |i, j| ((1 + i) as f64 * (1 + j) as f64, 0.0))));
    }
    for n in [1, 2, 7, 33, 70] {
        cases.extend(hard(n).into_iter().map(|(name, a)| (name, [n, n], a)));
    }
    for (name, [m, n], a) in cases {
        for q_columns in [m.min(n), m] {
            let (mut r, mut q) = (a.clone(), vec![T::from_f64(f64::NAN, 0.0); m * q_columns]);
            with_room(T::qr_room([m, n], q_columns, Threads::One), |room| {
                T::qr(&mut r, [m, n], Some((q_columns, &mut q)), room, Threads::One);
            });
            let rows: Vec<T> = (0..q_columns * n)
                .map(|at| (at % q_columns, at / q_columns))
                .map(|(i, j)| if i <= j { r[j * m + i] } else { T::default() })
                .collect();
            let (a, q, r) = (wide(&a), wide(&q), wide(&rows));
            let what = format!("{name} {m} {n} {q_columns}");
            hold(&what, orthogonality::<T>(&q, m));
            hold(&what, ratio::<T>(&difference(&product(&q, m, &r, q_columns), &a), m, norm(&a, m)));
        }
    }
}

fn columns_that_are_nearly_sums_of_others_count<T: Tested>() {
    // Powers of numbers between 0 and 1: the more rows, the less is rounding an excuse.
    let (m, n) = (5000, 10);
    let a = matrix::<T>(m, n, |i, j| ((i as f64 / m as f64).powi(j as i32), 0.0));
    let (mut r, mut q) = (a.clone(), vec![T::default(); m * n]);
    with_room(T::qr_room([m, n], n, Threads::One), |room| {
        T::qr(&mut r, [m, n], Some((n, &mut q)), room, Threads::One);
    });
    let rows: Vec<T> =
        (0..n * n).map(|at| if at % n <= at / n { r[at / n * m + at % n] } else { T::default() }).collect();
    let (mut left, mut right) = (vec![T::default(); m * n], vec![T::default(); n * n]);
    let mut values = vec![T::Part::default(); n];
    let vectors = SingularVectors { left_columns: n, left: &mut left, right: &mut right };
    let found = with_room(T::svd_room([m, n], Some(n), Threads::One), |room| {
        T::svd(&mut a.clone(), [m, n], &mut values, Some(vectors), room, Threads::One)
    });
    assert_eq!(found, Ok(()));
    let (a, left) = (wide(&a), wide(&left));
    let left: Vec<_> =
        left.chunks_exact(m).zip(&values).flat_map(|(u, &s)| u.iter().map(move |x| x * T::from_part(s))).collect();
    for (what, again) in
        [("q r", product(&wide(&q), m, &wide(&rows), n)), ("u s v", product(&left, m, &wide(&right), n))]
    {
        for (again, a) in again.chunks_exact(m).zip(a.chunks_exact(m)) {
            let off = norm(&difference(again, a), m) / norm(a, m) / T::precision();
            assert!(off < 300.0, "{what} {off}");
        }
    }
}
