//! Matrices to be tested with.

use super::Tested;

/// Numbers that look random, between -1 and 1.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51afd7ed558ccd);
        (mixed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A matrix of which each element follows from its row and column.
pub(super) fn matrix<T: Tested>(rows: usize, columns: usize, mut at: impl FnMut(usize, usize) -> (f64, f64)) -> Vec<T> {
    let elements = (0..rows * columns).map(|n| at(n % rows, n / rows));
    elements.map(|(re, im)| T::from_f64(re, im)).collect()
}

/// Any matrix.
pub(super) fn random<T: Tested>(rows: usize, columns: usize, scale: f64) -> Vec<T> {
    let mut random = Random((rows * 1000 + columns) as u64);
    matrix(rows, columns, |_, _| (scale * random.next(), scale * random.next()))
}

/// Square matrices that are hard, each with a name.
pub(super) fn hard<T: Tested>(n: usize) -> Vec<(String, Vec<T>)> {
    let real = |f: &dyn Fn(usize, usize) -> f64| matrix(n, n, |i, j| (f(i, j), 0.0));
    let range = if T::precision() > 1e-10 { 30 } else { 280 };
    let mut found: Vec<(String, Vec<T>)> = vec![
        ("zeros".into(), real(&|_, _| 0.0)),
        ("identity".into(), real(&|i, j| f64::from(i == j))),
        ("ones".into(), real(&|_, _| 1.0)),
        ("Jordan block".into(), real(&|i, j| if i == j { 0.5 } else { f64::from(j == i + 1) })),
        ("nilpotent".into(), real(&|i, j| f64::from(j == i + 1))),
        ("differences".into(), real(&|i, j| f64::from(i == j) - f64::from(i == j + 1))),
        ("Laplace".into(), real(&|i, j| 2.0 * f64::from(i == j) - f64::from(i.abs_diff(j) == 1))),
        ("companion".into(), real(&|i, j| if j == n - 1 { -1.0 / (i + 1) as f64 } else { f64::from(i == j + 1) })),
        ("cycle".into(), real(&|i, j| f64::from(i == (j + 1) % n))),
        ("Hilbert".into(), real(&|i, j| 1.0 / (i + j + 1) as f64)),
        ("graded".into(), real(&|i, j| 10f64.powf(-(((i + j) % 25) as f64)))),
        ("graded down".into(), real(&|i, j| 10f64.powi(-((i.min(j) % 12) as i32)) * (1.0 + (i * j % 7) as f64))),
        ("clusters".into(), real(&|i, j| f64::from(i == j) * (1.0 + 1e-9 * (i % 3) as f64))),
        ("upper".into(), real(&|i, j| if j >= i { 1.0 + ((i + 2 * j) % 5) as f64 } else { 0.0 })),
        ("empty column".into(), real(&|i, j| if j == n / 2 { 0.0 } else { ((i * 7 + j * 3) % 11) as f64 - 5.0 })),
        ("equal columns".into(), real(&|i, j| ((i * 5 + (j / 2) * 3) % 13) as f64 - 6.0)),
        ("random".into(), random(n, n, 1.0)),
    ];
    let plain = random::<T>(n, n, 1.0);
    let scaled = |by: &dyn Fn(usize, usize) -> f64| {
        matrix(n, n, |i, j| {
            let (x, by) = (plain[j * n + i].wide(), by(i, j));
            (x.re * by, x.im * by)
        })
    };
    // Down to numbers that are not normal any more.
    let least = if range == 30 { 1e-44 } else { 1e-322 };
    found.extend([
        ("graded up".into(), scaled(&|i, j| 0.1f64.powi((2 * n - 2 - i - j) as i32))),
        ("rows out of scale".into(), scaled(&|i, _| (3.0 * ((i * 7 % 11) as f64 - 5.0) / 5.0).exp())),
        ("specks".into(), scaled(&|i, j| if (i + 2 * j) % 3 == 0 { least } else { 1.0 })),
        (
            "specks on the diagonal".into(),
            real(&|i, j| if i == j { least * (i % 5) as f64 } else { f64::from(i > j) - 0.5 }),
        ),
        (
            "two turns".into(),
            real(&|i, j| {
                if i == j {
                    least * i as f64
                } else if i ^ 1 == j {
                    f64::from(i < j) - f64::from(j < i)
                } else {
                    0.0
                }
            }),
        ),
    ]);
    for exponent in [-range - 15, -range, -range / 2, -10, 3, 10, range / 2, range] {
        found.push((format!("random times 1e{exponent}"), random(n, n, 10f64.powi(exponent))));
    }
    found
}
