//! Singular values, eigenvalues and their vectors.

use num_complex::Complex;

use super::matrices::{hard, matrix, random};
use super::residual::{Wide, adjoint, difference, hold, norm, orthogonality, product, ratio, wide};
use super::{Tested, for_all_elements, with_room};
use crate::eig::{schur, schur_needs};
use crate::scale::Scale;
use crate::{Failure, SingularVectors, Threads};

for_all_elements! {
    u_s_v_is_the_matrix hermitian_vectors_are_right any_vectors_are_right what_is_not_finite_is_refused
    scaled_rows_cost_no_digits triangles_in_disguise_keep_their_diagonals the_slow_way_is_sure
    values_alone_are_those_with_vectors
}

/// The columns of a matrix with so many rows, each times a number.
fn scaled(x: &[Complex<f64>], rows: usize, by: &[Complex<f64>]) -> Wide {
    x.chunks_exact(rows).zip(by).flat_map(|(column, by)| column.iter().map(move |x| x * by)).collect()
}

fn u_s_v_is_the_matrix<T: Tested>() {
    let mut cases: Vec<(String, [usize; 2], Vec<T>)> = Vec::new();
    for [m, n] in [[1, 1], [5, 3], [40, 1], [70, 33], [200, 20]] {
        cases.push(("random".into(), [m, n], random(m, n, 1.0)));
        cases.push(("rank 1".into(), [m, n], matrix(m, n, |i, j| ((1 + i) as f64 * (1 + j) as f64, 0.0))));
    }
    for n in [1, 2, 3, 8, 33, 70, 140] {
        cases.extend(hard(n).into_iter().map(|(name, a)| (name, [n, n], a)));
    }
    for (name, [m, n], a) in cases {
        let zero = T::Part::default();
        let mut alone = vec![zero; n];
        let found = with_room(T::svd_room([m, n], None, Threads::One), |room| {
            T::svd(&mut a.clone(), [m, n], &mut alone, None, room, Threads::One)
        });
        assert_eq!(found, Ok(()), "{name} {m} {n}");
        for left_columns in [n, m] {
            let what = format!("{name} {m} {n} {left_columns}");
            let nan = T::from_f64(f64::NAN, f64::NAN);
            let (mut left, mut right) = (vec![nan; m * left_columns], vec![nan; n * n]);
            let mut values = vec![zero; n];
            let vectors = SingularVectors { left_columns, left: &mut left, right: &mut right };
            let found = with_room(T::svd_room([m, n], Some(left_columns), Threads::One), |room| {
                T::svd(&mut a.clone(), [m, n], &mut values, Some(vectors), room, Threads::One)
            });
            assert_eq!(found, Ok(()), "{what}");
            assert!(values.windows(2).all(|pair| pair[0] >= pair[1]) && values[n - 1] >= zero, "{what}");
            let values: Wide = values.iter().map(|&x| T::from_part(x).into()).collect();
            let (a, left, right) = (wide(&a), wide(&left), wide(&right));
            hold(&what, orthogonality::<T>(&left, m));
            hold(&what, orthogonality::<T>(&right, n));
            let again = product(&scaled(&left[..m * n], m, &values), m, &right, n);
            hold(&what, ratio::<T>(&difference(&again, &a), m, norm(&a, m)));
            let alone: Wide = alone.iter().map(|&x| T::from_part(x).into()).collect();
            hold(&what, ratio::<T>(&difference(&alone, &values), n, norm(&a, m)));
        }
    }
}

fn hermitian_vectors_are_right<T: Tested>() {
    for n in [1, 2, 3, 8, 33, 127, 128, 150] {
        for (name, a) in hard::<T>(n) {
            let what = format!("{name} {n}");
            let is_real = |at: usize| at.is_multiple_of(n + 1);
            let lower = |at: usize| if at % n >= at / n { at } else { (at % n) * n + at / n };
            let half = wide(&a);
            let element = |at: usize| match (is_real(at), lower(at) == at) {
                (true, _) => half[at].re.into(),
                (false, true) => half[at],
                (false, false) => half[lower(at)].conj(),
            };
            let a: Vec<T> = (0..n * n).map(element).map(|x| T::from_f64(x.re, x.im)).collect();
            // What is above the diagonal is not looked at.
            let mut given = a.clone();
            (0..n).for_each(|j| given[j * n..][..j].fill(T::from_f64(f64::NAN, f64::NAN)));
            let mut values = vec![T::Part::default(); n];
            let mut alone = values.clone();
            let room = T::eigh_room(n, false, Threads::One);
            let found = with_room(room, |room| T::eigh(&mut given.clone(), n, &mut alone, false, room, Threads::One));
            assert_eq!(found, Ok(()), "{what}");
            let mut vectors = given;
            let room = T::eigh_room(n, true, Threads::One);
            let found = with_room(room, |room| T::eigh(&mut vectors, n, &mut values, true, room, Threads::One));
            assert_eq!(found, Ok(()), "{what}");
            assert!(values.windows(2).all(|pair| pair[0] <= pair[1]), "{what}");
            let values: Wide = values.iter().map(|&x| T::from_part(x).into()).collect();
            let (a, vectors) = (wide(&a), wide(&vectors));
            hold(&what, orthogonality::<T>(&vectors, n));
            let again = product(&scaled(&vectors, n, &values), n, &adjoint(&vectors, n), n);
            hold(&what, ratio::<T>(&difference(&again, &a), n, norm(&a, n)));
            let alone: Wide = alone.iter().map(|&x| T::from_part(x).into()).collect();
            hold(&what, ratio::<T>(&difference(&alone, &values), n, norm(&a, n)));
        }
    }
}

fn any_vectors_are_right<T: Tested>()
where
    T::Complex: Tested,
{
    for n in [1, 2, 3, 8, 33, 70, 130] {
        for (name, a) in hard::<T>(n) {
            let what = format!("{name} {n}");
            let mut values = vec![T::Complex::default(); n];
            let mut vectors = vec![T::Complex::default(); n * n];
            let room = T::eig_room(n, true, Threads::One);
            let found =
                with_room(room, |room| T::eig(&mut a.clone(), n, &mut values, Some(&mut vectors), room, Threads::One));
            assert_eq!(found, Ok(()), "{what}");
            let (a, values, vectors) = (wide(&a), wide(&values), wide(&vectors));
            for column in vectors.chunks_exact(n) {
                let length = column.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
                assert!((length - 1.0).abs() < (30 + n) as f64 * T::precision(), "{what} {length}");
            }
            let off = difference(&product(&a, n, &vectors, n), &scaled(&vectors, n, &values));
            hold(&what, ratio::<T>(&off, n, norm(&a, n)));
            let mut alone = vec![T::Complex::default(); n];
            let room = T::eig_room(n, false, Threads::One);
            let found = with_room(room, |room| T::eig(&mut a_of::<T>(&a), n, &mut alone, None, room, Threads::One));
            assert_eq!(found, Ok(()), "{what}");
        }
    }
}

/// What comes where quicker ways fail, which few matrices need.
fn the_slow_way_is_sure<T: Tested>()
where
    T::Complex: Tested,
{
    for n in [1, 2, 3, 8, 33, 48] {
        for (name, mut a) in hard::<T>(n) {
            let what = format!("{name} {n}");
            let scale = Scale::normalise(&mut a).unwrap();
            let (mut values, mut vectors) = (vec![T::Complex::default(); n], vec![T::Complex::default(); n * n]);
            let room = crate::bytes(&[schur_needs::<T::Complex>(n)]);
            let found = with_room(room, |room| schur(&a, n, &mut values, Some(&mut vectors), crate::stack(room)));
            assert_eq!(found, Ok(()), "{what} {scale:?}");
            let (a, values, vectors) = (wide(&a), wide(&values), wide(&vectors));
            let off = difference(&product(&a, n, &vectors, n), &scaled(&vectors, n, &values));
            hold(&what, ratio::<T>(&off, n, norm(&a, n)));
        }
    }
}

/// Values far below the precision, too, of matrices with nothing but a diagonal.
fn values_alone_are_those_with_vectors<T: Tested>() {
    let far = if T::precision() > 1e-10 { 12.0 } else { 100.0 };
    for n in [1, 2, 5, 40, 100] {
        let wanted: Vec<f64> = (0..n).map(|at| 10f64.powf(-3.0 * far * at as f64 / n as f64)).collect();
        let a = matrix::<T>(n, n, |i, j| (if i == j { wanted[i] } else { 0.0 }, 0.0));
        let mut values = vec![T::Part::default(); n];
        let room = T::svd_room([n, n], None, Threads::One);
        let found = with_room(room, |room| T::svd(&mut a.clone(), [n, n], &mut values, None, room, Threads::One));
        assert_eq!(found, Ok(()));
        for (&found, wanted) in values.iter().zip(wanted) {
            let found = T::from_part(found);
            assert!((found - wanted).abs() <= 100.0 * T::precision() * wanted, "{n}: {found:e} {wanted:e}");
        }
    }
}

fn a_of<T: Tested>(a: &[Complex<f64>]) -> Vec<T> {
    a.iter().map(|x| T::from_f64(x.re, x.im)).collect()
}

/// The elements of a complex matrix with exponents from -24 to 24 for rows, and the opposite for columns.
fn out_of_scale<T: Tested>(a: &[T], n: usize) -> (Wide, Vec<f64>) {
    let powers: Vec<f64> = (0..n).map(|at| 2f64.powi((at * 37 % 49) as i32 - 24)).collect();
    let scaled = wide(a).iter().enumerate().map(|(at, x)| x * powers[at % n] / powers[at / n]).collect();
    (scaled, powers)
}

fn scaled_rows_cost_no_digits<T: Tested>()
where
    T::Complex: Tested,
{
    for n in [2, 5, 33, 70] {
        // Eigenvalues a long way from each other.
        let mut a = random::<T>(n, n, 0.25);
        (0..n).for_each(|at| a[at * (n + 1)] = T::from_f64((at + 1) as f64, 0.0));
        let (scaled_up, powers) = out_of_scale(&a, n);
        let (mut values, mut vectors) = (vec![T::Complex::default(); n], vec![T::Complex::default(); n * n]);
        let room = T::eig_room(n, true, Threads::One);
        let mut given = a_of::<T>(&scaled_up);
        let found = with_room(room, |room| T::eig(&mut given, n, &mut values, Some(&mut vectors), room, Threads::One));
        assert_eq!(found, Ok(()));
        let (a, values) = (wide(&a), wide(&values));
        // The vectors of the matrix before it was scaled, which are as good.
        let mut vectors: Wide = wide(&vectors).iter().enumerate().map(|(at, x)| x / powers[at % n]).collect();
        for column in vectors.chunks_exact_mut(n) {
            let length = column.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
            column.iter_mut().for_each(|x| *x /= length);
        }
        let off = difference(&product(&a, n, &vectors, n), &scaled(&vectors, n, &values));
        // The powers that are found are not quite those that were taken, which is as it is in LAPACK.
        hold(&format!("vectors {n}"), ratio::<T>(&off, n, norm(&a, n)) / 10.0);
        let mut plain = vec![T::Complex::default(); n];
        let room = T::eig_room(n, false, Threads::One);
        let found = with_room(room, |room| T::eig(&mut a_of::<T>(&a), n, &mut plain, None, room, Threads::One));
        assert_eq!(found, Ok(()));
        let ascending = |mut values: Wide| {
            values.sort_by(|x, y| x.re.total_cmp(&y.re));
            values
        };
        let off = difference(&ascending(values), &ascending(wide(&plain)));
        hold(&format!("values {n}"), ratio::<T>(&off, n, norm(&a, n)));
    }
}

fn triangles_in_disguise_keep_their_diagonals<T: Tested>()
where
    T::Complex: Tested,
{
    for n in [1, 2, 7, 40] {
        let upper = random::<T>(n, n, 1.0);
        for (name, shuffle) in [("upper", 1), ("lower", n.max(2) - 1), ("shuffled", 3)] {
            let place = |at: usize| at * shuffle % (n + 1).max(2);
            // Numbers without a common divisor shuffle; where there is one, the case is left out.
            let places: Vec<usize> = (1..=n).map(|at| place(at).wrapping_sub(1)).collect();
            let mut sorted = places.clone();
            sorted.sort_unstable();
            if sorted.iter().enumerate().any(|(at, &place)| at != place) {
                continue;
            }
            let mut a = vec![T::default(); n * n];
            for column in 0..n {
                for row in 0..=column {
                    a[places[column] * n + places[row]] = upper[column * n + row];
                }
            }
            let mut values = vec![T::Complex::default(); n];
            let room = T::eig_room(n, false, Threads::One);
            let found = with_room(room, |room| T::eig(&mut a.clone(), n, &mut values, None, room, Threads::One));
            assert_eq!(found, Ok(()));
            let sorted = |mut values: Wide| {
                values.sort_by(|x, y| x.re.total_cmp(&y.re));
                values
            };
            let diagonal = (0..n).map(|at| wide(&a[at * (n + 1)..][..1])[0]).collect();
            assert_eq!(sorted(wide(&values)), sorted(diagonal), "{name} {n}");
        }
    }
}

fn what_is_not_finite_is_refused<T: Tested>() {
    for bad in [f64::NAN, f64::INFINITY] {
        for n in [1, 5, 40] {
            let a = matrix::<T>(n, n, |i, j| (if i == n - 1 && j == 0 { bad } else { 1.0 }, 0.0));
            let mut values = vec![T::Part::default(); n];
            let room = T::svd_room([n, n], None, Threads::One);
            let found = with_room(room, |room| T::svd(&mut a.clone(), [n, n], &mut values, None, room, Threads::One));
            assert_eq!(found, Err(Failure::NotConverged));
            let room = T::eigh_room(n, false, Threads::One);
            let found = with_room(room, |room| T::eigh(&mut a.clone(), n, &mut values, false, room, Threads::One));
            assert_eq!(found, Err(Failure::NotConverged));
            let mut values = vec![T::Complex::default(); n];
            let room = T::eig_room(n, false, Threads::One);
            let found = with_room(room, |room| T::eig(&mut a.clone(), n, &mut values, None, room, Threads::One));
            assert_eq!(found, Err(Failure::NotConverged));
        }
    }
}
