//! How far answers are off, computed in double precision after everything was brought near 1.

use num_complex::Complex;

use super::Tested;

pub(super) type Wide = Vec<Complex<f64>>;

/// Elements as double precision.
pub(super) fn wide<T: Tested>(elements: &[T]) -> Wide {
    elements.iter().map(|x| x.wide()).collect()
}

/// The product of two matrices, the first with so many rows.
pub(super) fn product(left: &[Complex<f64>], rows: usize, right: &[Complex<f64>], depth: usize) -> Wide {
    let mut out = vec![Complex::default(); rows * (right.len() / depth.max(1))];
    for (column, right) in out.chunks_exact_mut(rows).zip(right.chunks_exact(depth)) {
        for (left, &factor) in left.chunks_exact(rows).zip(right) {
            column.iter_mut().zip(left).for_each(|(x, &y)| *x += y * factor);
        }
    }
    out
}

/// Conjugate transpose of a matrix with so many rows.
pub(super) fn adjoint(x: &[Complex<f64>], rows: usize) -> Wide {
    let columns = x.len() / rows;
    (0..x.len()).map(|n| x[(n % columns) * rows + n / columns].conj()).collect()
}

/// The greatest sum of a column's magnitudes, which squares nothing and so does not overflow.
pub(super) fn norm(x: &[Complex<f64>], rows: usize) -> f64 {
    let sum = |column: &[Complex<f64>]| column.iter().map(|x| x.re.abs().max(x.im.abs())).sum::<f64>();
    x.chunks(rows).map(sum).fold(0.0, f64::max)
}

/// A difference in units of size, order and precision. A NaN is infinitely far off.
pub(super) fn ratio<T: Tested>(difference: &[Complex<f64>], rows: usize, size: f64) -> f64 {
    let off = norm(difference, rows);
    let unit = size * rows as f64 * T::precision();
    match off {
        0.0 => 0.0,
        off if off.is_nan() => f64::INFINITY,
        // What is smaller than every normal number has lost digits before anything was computed.
        off if off < 1e4 * if T::precision() > 1e-10 { 1e-44 } else { 5e-324 } => 0.0,
        off => off / unit,
    }
}

/// How far columns are from orthonormal.
pub(super) fn orthogonality<T: Tested>(q: &[Complex<f64>], rows: usize) -> f64 {
    let columns = q.len() / rows;
    let mut square = product(&adjoint(q, rows), columns, q, rows);
    (0..columns).for_each(|n| square[n * (columns + 1)] -= 1.0);
    norm(&square, columns) / (rows as f64 * T::precision())
}

pub(super) fn difference(a: &[Complex<f64>], b: &[Complex<f64>]) -> Wide {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

/// Fails if a residual is not below LAPACK's limit.
pub(super) fn hold(what: &str, ratio: f64) {
    assert!(ratio < 30.0, "{what}: {ratio}");
}
