//! Products of several arrays, and of vectors.

use situ_types::layout::fmt_dims;

use super::equations::named_inv;
use super::stack::{Stack, identities};
use crate::reduce::axis_of;
use crate::{Error, Item, Result, Tensor, matmul};

/// Each matrix multiplied by itself so many times; its inverse, where that is negative.
///
/// ```
/// use situ_tensor::{Tensor, linalg};
///
/// let x = Tensor::from_slice(&[1i64, 1, 0, 1])?.reshape(&[2, 2])?;
/// assert_eq!(linalg::matrix_power(&x, 10)?.to_vec::<i64>()?, [1, 10, 0, 1]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn matrix_power(x: &Tensor, n: i64) -> Result<Tensor> {
    const NAME: &str = "matrix_power";
    let stack = Stack::square(NAME, "x", x)?;
    if n == 0 {
        return identities(NAME, x, &stack, stack.rows, x.dtype());
    }
    let mut square = if n < 0 { named_inv(NAME, x)? } else { x.clone() };
    let mut rest = n.unsigned_abs();
    let mut power: Option<Tensor> = None;
    loop {
        if rest % 2 == 1 {
            power = Some(power.map_or(Ok(square.clone()), |power| matmul(&power, &square, &Default::default()))?);
        }
        rest /= 2;
        match power {
            Some(power) if rest == 0 => {
                return if n == 1 { power.copy(situ_types::Order::K) } else { Ok(power) };
            }
            _ => square = matmul(&square, &square, &Default::default())?,
        }
    }
}

/// The product of several matrices, in the order of multiplying that takes the fewest operations. The first and the last may
/// be vectors.
pub fn multi_dot(arrays: &[&Tensor]) -> Result<Tensor> {
    const NAME: &str = "multi_dot";
    let [first, .., last] = arrays else {
        return Err(Error::Value(format!("{NAME}: at least two arrays are needed, there are {}", arrays.len())));
    };
    let (is_row, is_column) = (first.layout().ndim() == 1, last.layout().ndim() == 1);
    let mut factors = Vec::with_capacity(arrays.len());
    for (n, x) in arrays.iter().enumerate() {
        factors.push(match (x.layout().ndim(), n) {
            (2, _) => (*x).clone(),
            (1, 0) => x.expand_dims(&[0])?,
            (1, n) if n + 1 == arrays.len() => x.expand_dims(&[1])?,
            (ndim, n) => {
                return Err(Error::LinAlg(format!(
                    "{NAME}: array {n} has {ndim} dimensions; all must have 2, but for the first and the last, which may have 1"
                )));
            }
        });
    }
    for (n, pair) in factors.windows(2).enumerate() {
        if pair[0].shape()[1] != pair[1].shape()[0] {
            return Err(Error::Value(format!(
                "{NAME}: array {n} has shape {} and array {} shape {}; the columns of one must be as many as the rows of the next",
                fmt_dims(arrays[n].shape()),
                n + 1,
                fmt_dims(arrays[n + 1].shape())
            )));
        }
    }
    while factors.len() > 1 {
        factors = factors.chunks(AT_ONCE).map(in_best_order).collect::<Result<_>>()?;
    }
    let product = factors.remove(0);
    let product = if is_column { product.squeeze(-1isize)? } else { product };
    if is_row { product.squeeze(0isize) } else { Ok(product) }
}

/// So many factors are multiplied in the best order. What finding it takes grows with the cube of their number.
const AT_ONCE: usize = 256;

fn in_best_order(factors: &[Tensor]) -> Result<Tensor> {
    let lengths: Vec<f64> =
        factors.iter().map(|x| x.shape()[0]).chain(factors.last().map(|x| x.shape()[1])).map(|n| n as f64).collect();
    multiply(factors, 0, factors.len(), &cuts(&lengths))
}

/// Where each run of factors is best divided, by the lengths between them: the classical table of all runs.
fn cuts(lengths: &[f64]) -> Vec<Vec<usize>> {
    let count = lengths.len() - 1;
    let mut costs = vec![vec![0.0; count + 1]; count + 1];
    let mut cuts = vec![vec![0; count + 1]; count + 1];
    for size in 2..=count {
        for start in 0..=count - size {
            let end = start + size;
            let cost = |cut: usize| costs[start][cut] + costs[cut][end] + lengths[start] * lengths[cut] * lengths[end];
            let best = (start + 1..end).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(start + 1);
            (costs[start][end], cuts[start][end]) = (cost(best), best);
        }
    }
    cuts
}

fn multiply(factors: &[Tensor], start: usize, end: usize, cuts: &[Vec<usize>]) -> Result<Tensor> {
    if end - start == 1 {
        return Ok(factors[start].clone());
    }
    let cut = cuts[start][end];
    let (left, right) = (multiply(factors, start, cut, cuts)?, multiply(factors, cut, end, cuts)?);
    matmul(&left, &right, &Default::default())
}

/// All products of an element of one vector with an element of another.
pub fn outer(x1: &Tensor, x2: &Tensor) -> Result<Tensor> {
    for (name, x) in [("x1", x1), ("x2", x2)] {
        if x.layout().ndim() != 1 {
            return Err(Error::Value(format!(
                "outer: {name} must have 1 dimension, but it has {}; tensordot with axes=0 multiplies any arrays",
                x.layout().ndim()
            )));
        }
    }
    x1.expand_dims(&[1])?.multiply(&x2.expand_dims(&[0])?)
}

/// Cross products of vectors of three elements along an axis; the other axes are broadcast.
pub fn cross(x1: &Tensor, x2: &Tensor, axis: isize) -> Result<Tensor> {
    const NAME: &str = "cross";
    let mut last = Vec::with_capacity(2);
    for (name, x) in [("x1", x1), ("x2", x2)] {
        let at = axis_of(NAME, axis, x.layout().ndim())?;
        if x.shape()[at] != 3 {
            return Err(Error::Value(format!(
                "{NAME}: along axis {axis}, {name} of shape {} must have 3 elements",
                fmt_dims(x.shape())
            )));
        }
        last.push(x.moveaxis(&[at as isize], &[-1])?);
    }
    let part = |x: &Tensor, n: usize| x.index(&[Item::Ellipsis, Item::Int((n % 3) as isize)]);
    let parts = (0..3).map(|n| {
        let minuend = part(&last[0], n + 1)?.multiply(&part(&last[1], n + 2)?)?;
        minuend.subtract(&part(&last[0], n + 2)?.multiply(&part(&last[1], n + 1)?)?)
    });
    let parts = parts.collect::<Result<Vec<_>>>()?;
    let stacked = Tensor::stack(&parts.iter().collect::<Vec<_>>(), -1)?;
    let to = if axis < 0 { axis } else { axis_of(NAME, axis, stacked.layout().ndim())? as isize };
    stacked.moveaxis(&[-1], &[to])
}
