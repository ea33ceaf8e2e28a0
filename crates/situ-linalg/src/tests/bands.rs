//! Values of matrices with two or three diagonals, and what a probe sees.

use num_complex::Complex;

use super::matrices::Random;
use crate::bidiagonal::singular_values;
use crate::columns::phase;
use crate::probe;
use crate::tridiagonal::eigenvalues;

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    values
}

fn assert_near(found: &[f64], wanted: &[f64], size: f64, what: &str) {
    for (found, wanted) in sorted(found).iter().zip(sorted(wanted)) {
        assert!((found - wanted).abs() <= 100.0 * found.abs().max(size) * f64::EPSILON, "{what}: {found} {wanted}");
    }
}

#[test]
fn second_differences_have_known_eigenvalues() {
    for n in [1, 2, 3, 10, 100, 1000] {
        let (mut diagonal, mut beside) = (vec![2.0; n], vec![-1.0; n - 1]);
        eigenvalues(&mut diagonal, &mut beside).unwrap();
        let angle = |k: usize| (k + 1) as f64 * std::f64::consts::FRAC_PI_2 / (n + 1) as f64;
        let wanted: Vec<f64> = (0..n).map(|k| 4.0 * angle(k).sin().powi(2)).collect();
        assert_near(&diagonal, &wanted, 4.0, &format!("{n}"));
    }
}

/// Ones, and minus ones above them: the inverse is all ones there. Each value is exact to a few digits, the least too.
#[test]
fn differences_have_known_singular_values() {
    for n in [1, 2, 3, 10, 100, 1000] {
        let (mut diagonal, mut above) = (vec![1.0; n], vec![-1.0; n - 1]);
        let mut room = [vec![0.0; n], vec![0.0; n - 1]];
        let [next_q, next_e] = &mut room;
        singular_values(&mut diagonal, &mut above, [next_q, next_e]).unwrap();
        let angle = |k: usize| (2 * k + 1) as f64 * std::f64::consts::FRAC_PI_2 / (2 * n + 1) as f64;
        let wanted: Vec<f64> = (0..n).map(|k| 2.0 * angle(k).sin()).collect();
        assert_near(&diagonal, &wanted, 0.0, &format!("{n}"));
    }
}

#[test]
fn values_are_those_of_the_product() {
    let mut random = Random(5);
    for n in [1, 2, 3, 4, 7, 20, 60] {
        for kind in 0..5 {
            let element = |random: &mut Random, at: usize| match kind {
                0 => random.next(),
                1 => 10f64.powi(-(at as i32)),
                2 => 10f64.powi(at as i32 - n as i32),
                3 if at % 3 == 1 => 0.0,
                4 => f64::from(at.is_multiple_of(2)),
                _ => 1.0,
            };
            let diagonal: Vec<f64> = (0..n).map(|at| element(&mut random, at)).collect();
            let above: Vec<f64> = (1..n).map(|at| element(&mut random, at)).collect();
            // B B^T has three diagonals.
            let mut squares: Vec<f64> =
                (0..n).map(|at| diagonal[at].powi(2) + above.get(at).map_or(0.0, |x| x * x)).collect();
            let mut beside: Vec<f64> = (1..n).map(|at| above[at - 1] * diagonal[at]).collect();
            eigenvalues(&mut squares, &mut beside).unwrap();
            let (mut values, mut room) = (diagonal, [vec![0.0; n], vec![0.0; n - 1]]);
            let [next_q, next_e] = &mut room;
            singular_values(&mut values, &mut above.clone(), [next_q, next_e]).unwrap();
            let found: Vec<f64> = values.iter().map(|x| x * x).collect();
            let size = found.iter().copied().fold(0.0, f64::max) * n as f64;
            assert_near(&found, &squares, size, &format!("{n} {kind}"));
        }
    }
}

#[test]
fn a_probe_sees_what_is_wrong() {
    let n: usize = 50;
    let mut columns: Vec<f64> = (0..n * n).map(|at| f64::from(at.is_multiple_of(n + 1))).collect();
    let mut room = vec![0.0; 3 * n];
    let mut are_orthonormal = |columns: &[f64]| {
        let (x, rest) = room.split_at_mut(n);
        let (y, z) = rest.split_at_mut(n);
        probe::are_orthonormal(columns, n, [x, y, z])
    };
    assert!(are_orthonormal(&columns));
    columns[3 * n + 7] = 1e-10;
    assert!(!are_orthonormal(&columns));
    columns[3 * n + 7] = f64::NAN;
    assert!(!are_orthonormal(&columns));
}

#[test]
fn directions_of_subnormal_numbers_have_length_1() {
    for (re, im) in (0..20).flat_map(|re| (1..20).map(move |im| (re, im))) {
        let (direction, size) = phase(Complex::new(f32::from_bits(re), f32::from_bits(im)));
        assert!((direction.norm() - 1.0).abs() < 4.0 * f32::EPSILON, "{re} {im}: {direction}");
        assert!(size > 0.0 && size.to_bits() <= re + im);
    }
}
