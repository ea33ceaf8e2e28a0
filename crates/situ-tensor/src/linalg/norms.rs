//! Sizes of vectors and matrices.

use situ_ir::Statistic;
use situ_types::Order;
use situ_types::layout::fmt_dims;

use super::decompose::singular_values;
use super::equations::inverted;
use super::stack::{Stack, filled, inexact};
use crate::reduce::axis_of;
use crate::{Arg, Axes, Error, Reducing, Result, Tensor, reduce, select};

/// How matrices are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MatrixNorm {
    /// The root of the sum of squares.
    Frobenius,
    /// The sum of the singular values.
    Nuclear,
    /// 1 or -1: the greatest or the least sum of a column's magnitudes; infinity or minus infinity: of a row's; 2 or -2: the
    /// greatest or the least singular value.
    Order(f64),
}

/// The size of vectors along axes: the `order`-th root of the sum of magnitudes to that power; their greatest for infinity,
/// the least for minus infinity, and for 0 how many differ from zero.
///
/// ```
/// use situ_tensor::{Axes, Tensor, linalg};
///
/// let x = Tensor::from_slice(&[3.0, -4.0])?;
/// assert_eq!(linalg::vector_norm(&x, Axes::All, false, 2.0)?.to_vec::<f64>()?, [5.0]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn vector_norm(x: &Tensor, axes: impl Into<Axes>, keepdims: bool, order: f64) -> Result<Tensor> {
    length("vector_norm", x, axes.into(), keepdims, order)
}

/// The same under another function's name.
fn length(name: &'static str, x: &Tensor, axes: Axes, keepdims: bool, order: f64) -> Result<Tensor> {
    let dtype = inexact(name, "x", x)?;
    let reduced = axes.among(name, x.layout().ndim())?;
    let has_empty = |wanted: bool| x.shape().iter().zip(&reduced).any(|(&n, &reduced)| n == 0 && reduced == wanted);
    if order.is_infinite() && has_empty(true) && !has_empty(false) {
        return Err(Error::Value(format!(
            "{name}: vectors of x, of shape {}, have no elements, and so no greatest or least one; give another ord",
            fmt_dims(x.shape())
        )));
    }
    let x = if x.dtype() == dtype { x.clone() } else { x.astype(dtype, situ_types::Order::K)? };
    let how = Reducing { axes, keepdims, ..Default::default() };
    let sizes = x.abs()?;
    if order == f64::INFINITY {
        return reduce(Statistic::Max, &sizes, &how);
    }
    if order == f64::NEG_INFINITY {
        return reduce(Statistic::Min, &sizes, &how);
    }
    let sum = |x: &Tensor| reduce(Statistic::Sum, x, &how);
    match order {
        0.0 => sum(&sizes.not_equal(0)?.astype(dtype.real_part(), situ_types::Order::K)?),
        1.0 => sum(&sizes),
        2.0 => sum(&sizes.square()?)?.sqrt(),
        order => sum(&sizes.pow(order)?)?.pow(1.0 / order),
    }
}

/// The size of each matrix; the last two axes go, or stay with length 1.
pub fn matrix_norm(x: &Tensor, keepdims: bool, norm: MatrixNorm) -> Result<Tensor> {
    named_norm("matrix_norm", x, keepdims, norm)
}

fn named_norm(name: &'static str, x: &Tensor, keepdims: bool, norm: MatrixNorm) -> Result<Tensor> {
    let stack = Stack::of(name, "x", x)?;
    let dtype = inexact(name, "x", x)?;
    let (m, n) = (stack.rows, stack.columns);
    let kept = |x: Tensor| if keepdims { x.expand_dims(&[-1, -2]) } else { Ok(x) };
    if norm == MatrixNorm::Frobenius {
        return length(name, x, [-2, -1].into(), keepdims, 2.0);
    }
    let refuse = |order: f64| {
        Error::Value(format!(
            "{name}: ord is {order}, but must be 1, -1, 2, -2, inf, -inf, 'fro' or 'nuc'; vector_norm has others"
        ))
    };
    // The greatest of nothing is no size, the sum of nothing is.
    let (axis, is_greatest) = match norm {
        MatrixNorm::Order(order) if order.abs() == 1.0 => (Some(-2isize), order > 0.0),
        MatrixNorm::Order(order) if order.is_infinite() => (Some(-1isize), order > 0.0),
        MatrixNorm::Order(order) if order.abs() == 2.0 => (None, order > 0.0),
        MatrixNorm::Order(order) => return Err(refuse(order)),
        MatrixNorm::Nuclear | MatrixNorm::Frobenius => (None, true),
    };
    if m == 0 || n == 0 {
        return kept(filled(name, x, &stack.batch, 0.0, dtype.real_part())?);
    }
    let sizes = match axis {
        Some(axis) => length(name, x, axis.into(), false, 1.0)?,
        None => singular_values(name, x)?,
    };
    kept(match (norm, is_greatest) {
        (MatrixNorm::Nuclear, _) => sizes.sum(-1isize)?,
        (_, true) => sizes.max(-1isize)?,
        (_, false) => sizes.min(-1isize)?,
    })
}

/// How much a relative change of a matrix, or of the right side of its equations, may grow in the solution: the quotient of the
/// greatest and the least singular value, its inverse for -2, or the product of another norm of the matrix and of its inverse. It is
/// infinite for singular matrices.
pub fn cond(x: &Tensor, norm: MatrixNorm) -> Result<Tensor> {
    const NAME: &str = "cond";
    let stack = Stack::of(NAME, "x", x)?;
    let dtype = inexact(NAME, "x", x)?;
    if stack.rows == 0 || stack.columns == 0 {
        return Err(Error::LinAlg(format!("{NAME}: a matrix without elements has no condition number")));
    }
    if let MatrixNorm::Order(order @ (2.0 | -2.0)) = norm {
        if stack.count() == 0 {
            return filled(NAME, x, &stack.batch, 0.0, dtype.real_part());
        }
        let values = singular_values(NAME, x)?;
        let (greatest, least) = (values.max(-1isize)?, values.min(-1isize)?);
        let (above, below) = if order > 0.0 { (greatest, least) } else { (least, greatest) };
        let is_infinite = below.equal(0)?;
        return select(&is_infinite, f64::INFINITY.into(), Arg::Array(&above.divide(&below)?), Order::K);
    }
    Stack::square(NAME, "x", x)?;
    let whole = named_norm(NAME, x, false, norm)?;
    if stack.count() == 0 {
        return Ok(whole);
    }
    let (status, inverse) = inverted(NAME, x)?;
    let found = whole.multiply(&named_norm(NAME, &inverse, false, norm)?)?;
    select(&status.is_without_answer(&stack)?, f64::INFINITY.into(), Arg::Array(&found), Order::K)
}

/// The size of vectors along one axis, or of matrices along two; of the whole array where none are named. The root of the sum
/// of squares, unless another norm is given, for which a whole array has one axis or two.
pub fn norm(x: &Tensor, order: Option<MatrixNorm>, axes: &Axes, keepdims: bool) -> Result<Tensor> {
    const NAME: &str = "norm";
    let ndim = x.layout().ndim();
    let axes = match (axes, order) {
        (Axes::All, None) => return length(NAME, x, Axes::All, keepdims, 2.0),
        (Axes::All, Some(_)) if ndim == 1 || ndim == 2 => (0..ndim as isize).collect(),
        (Axes::All, Some(_)) => {
            return Err(Error::Value(format!(
                "{NAME}: an array of {ndim} dimensions has no norm of this ord as a whole; name one axis or two"
            )));
        }
        (Axes::Some(axes), _) => axes.clone(),
    };
    match axes[..] {
        [axis] => {
            let order = match order {
                None => 2.0,
                Some(MatrixNorm::Order(order)) => order,
                Some(MatrixNorm::Frobenius | MatrixNorm::Nuclear) => {
                    return Err(Error::Value(format!("{NAME}: 'fro' and 'nuc' are norms of matrices; name two axes")));
                }
            };
            length(NAME, x, axis.into(), keepdims, order)
        }
        [row, column] => {
            let (rows, columns) = (axis_of(NAME, row, ndim)?, axis_of(NAME, column, ndim)?);
            if rows == columns {
                return Err(Error::Value(format!("{NAME}: axis {rows} is named twice; name two axes")));
            }
            let last = x.moveaxis(&[rows as isize, columns as isize], &[-2, -1])?;
            let found = named_norm(NAME, &last, false, order.unwrap_or(MatrixNorm::Frobenius))?;
            let [first, second] = if rows < columns { [rows, columns] } else { [columns, rows] };
            if keepdims { found.expand_dims(&[first as isize, second as isize]) } else { Ok(found) }
        }
        _ => Err(Error::Value(format!("{NAME}: axis must name one axis or two, not {}", axes.len()))),
    }
}
