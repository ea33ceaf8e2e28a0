//! Equations, and the factorisations that solve them.

use std::sync::{Arc, OnceLock};

use situ_ir::{Op, Program};
use situ_runtime::Problem;
use situ_runtime::placement::{self, Placed, Rule};
use situ_types::layout::{broadcast_shapes, fmt_dims};
use situ_types::{DType, Dims, Order, Scalar, promote};

use super::diagonals::diagonal;
use super::problem::{Asked, Status, only};
use super::stack::{Stack, columns, filled, inexact, rows};
use crate::{Arg, Error, Result, Tensor, evaluate, select};

fn singular(_: i32) -> String {
    "is singular; lstsq and pinv solve equations that have no single answer".into()
}

/// Solves `A X = B` for each matrix `A` of a stack. An array `B` of one axis is a column for every matrix; otherwise its last
/// two axes are matrices too, and the others are broadcast.
///
/// ```
/// use situ_tensor::{Tensor, linalg};
///
/// let a = Tensor::from_slice(&[2.0, 0.0, 0.0, 4.0])?.reshape(&[2, 2])?;
/// let x = linalg::solve(&a, &Tensor::from_slice(&[2.0, 8.0])?)?;
/// assert_eq!(x.to_vec::<f64>()?, [1.0, 2.0]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn solve(x1: &Tensor, x2: &Tensor) -> Result<Tensor> {
    named_solve("solve", x1, x2)
}

fn named_solve(name: &'static str, x1: &Tensor, x2: &Tensor) -> Result<Tensor> {
    let placed = [("x1", x1), ("x2", x2)].map(|(name, x)| Placed { name, queue: x.queue(), kind: x.kind() });
    let (queue, kind) = placement::resolve(name, placed.into_iter(), Rule::SameQueue)?;
    let left = Stack::square(name, "x1", x1)?;
    let dtype = promote(inexact(name, "x1", x1)?, inexact(name, "x2", x2)?);
    let is_vector = x2.layout().ndim() == 1;
    let right = if is_vector { x2.expand_dims(&[1])? } else { x2.clone() };
    let right_stack = Stack::of(name, "x2", &right)?;
    if right_stack.rows != left.rows {
        return Err(Error::Value(format!(
            "{name}: the matrices of x1, of shape {}, have {} rows, but x2, of shape {}, has {}; the two must be equal",
            fmt_dims(x1.shape()),
            left.rows,
            fmt_dims(x2.shape()),
            right_stack.rows
        )));
    }
    let batch = broadcast_shapes(&left.batch, &right_stack.batch).map_err(Error::layout(name))?;
    let stack = Stack { batch, ..left };
    let count = right_stack.columns;
    let shape = stack.with([stack.rows, count]);
    if shape.contains(&0) {
        if count == 0 && x1.size() > 0 {
            // No equations, but matrices that may have no answer to any.
            lu(name, &left, &columns(x1, dtype)?)?.0.check(singular)?;
        }
        let empty = Tensor::empty(&shape, dtype, Order::C, kind, queue)?;
        return if is_vector { empty.squeeze(-1isize) } else { Ok(empty) };
    }
    let stretched = |x: &Tensor, shape: &[usize]| -> Result<Tensor> {
        let layout = x.layout().broadcast_to(shape).map_err(Error::layout(name))?;
        Ok(x.under(layout))
    };
    let matrix = columns(&stretched(x1, &stack.with([stack.rows, stack.rows]))?, dtype)?;
    let right = columns(&stretched(&right, &shape)?, dtype)?;
    let right = if right.kind() == kind { right } else { right.converted(dtype, Order::C, kind, queue)? };
    let mut asked = Asked::on(queue, name, &stack, dtype, kind)?;
    let problem =
        Problem::Solve { order: stack.rows, columns: count, matrix: asked.uses(&matrix)?, right: asked.uses(&right)? };
    asked.solve(problem)?.0.check(singular)?;
    let solution = right.matrix_transposed()?;
    if is_vector { solution.squeeze(-1isize) } else { Ok(solution) }
}

/// The inverse of each matrix.
pub fn inv(x: &Tensor) -> Result<Tensor> {
    named_inv("inv", x)
}

/// The same under another function's name.
pub(super) fn named_inv(name: &'static str, x: &Tensor) -> Result<Tensor> {
    if x.size() == 0 {
        Stack::square(name, "x", x)?;
        return rows(x, inexact(name, "x", x)?);
    }
    let (status, inverse) = inverted(name, x)?;
    status.check(|_| "is singular; pinv gives a matrix that serves as an inverse".into())?;
    Ok(inverse)
}

/// The inverse of each matrix that has one, and anything of others, of an array with elements.
pub(super) fn inverted(name: &'static str, x: &Tensor) -> Result<(Status, Tensor)> {
    let stack = Stack::square(name, "x", x)?;
    let dtype = inexact(name, "x", x)?;
    // The inverse of a transpose is the transpose of the inverse.
    let matrix = rows(x, dtype)?;
    let mut asked = Asked::on(x.queue(), name, &stack, dtype, x.kind())?;
    let order = stack.rows;
    let (matrix, inverse) = (asked.uses(&matrix)?, asked.makes(&[order, order], dtype)?);
    let (status, made) = asked.solve(Problem::Inverse { order, matrix, inverse })?;
    Ok((status, only(name, made)?))
}

/// Factorises dense copies of matrices in place: what became of them, and the pivots.
fn lu(name: &'static str, stack: &Stack, matrix: &Tensor) -> Result<(Status, Tensor)> {
    let order = stack.rows;
    let mut asked = Asked::on(matrix.queue(), name, stack, matrix.dtype(), matrix.kind())?;
    let problem = Problem::Lu { order, matrix: asked.uses(matrix)?, pivots: asked.makes(&[order], DType::I32)? };
    let (status, made) = asked.solve(problem)?;
    Ok((status, only(name, made)?))
}

/// What determinants follow from, for each matrix.
struct Factored {
    /// The product of the diagonal of `U`, with the sign of the exchanges of rows.
    product: Tensor,
    /// The product of its elements' signs or phases, likewise.
    phase: Tensor,
    /// The sum of the logarithms of their magnitudes.
    logarithm: Tensor,
    /// The sum of the magnitudes of these logarithms: no product of some of the elements is farther from 1 than this one's power.
    extent: Tensor,
    /// Whether the matrix is singular, so that the others may be anything.
    is_singular: Tensor,
}

fn factored(name: &'static str, x: &Tensor) -> Result<Option<Factored>> {
    let stack = Stack::square(name, "x", x)?;
    let dtype = inexact(name, "x", x)?;
    if x.size() == 0 {
        return Ok(None);
    }
    // A matrix and its transpose have one determinant.
    let matrix = rows(x, dtype)?;
    let (status, pivots) = lu(name, &stack, &matrix)?;
    let unmoved = Tensor::sequence(Scalar::I32(1), Scalar::I32(1), stack.rows, DType::I32, x.kind(), x.queue())?;
    let factors = evaluate(&determinants(dtype)?.factors, &[&diagonal(&matrix, 0)?, &pivots, &unmoved])?;
    let [product, phase, logarithm, extent] =
        <[Tensor; 4]>::try_from(factors).map_err(|_| Error::LinAlg(format!("{name}: not all results were made")))?;
    Ok(Some(Factored {
        product: product.prod(-1isize)?,
        phase: phase.prod(-1isize)?,
        logarithm: logarithm.sum(-1isize)?,
        extent: extent.sum(-1isize)?,
        is_singular: status.is_without_answer(&stack)?,
    }))
}

/// The programs that determinants are made by.
///
/// A product of the diagonal has all digits, but may leave the range of its dtype on the way, or come near its lower end, where digits are
/// lost; a sum of logarithms does not.
#[derive(Clone)]
struct Determinants {
    /// Of an element of the diagonal, the row that its own was exchanged with, and its own: what is multiplied, and added up.
    factors: Arc<Program>,
    /// Of what they come to, the determinant.
    together: Arc<Program>,
}

fn determinants(dtype: DType) -> Result<Determinants> {
    static KEPT: [OnceLock<Determinants>; 4] = [const { OnceLock::new() }; 4];
    let kept = &KEPT[match dtype {
        DType::F32 => 0,
        DType::C64 => 1,
        DType::C128 => 2,
        _ => 3,
    }];
    if let Some(programs) = kept.get() {
        return Ok(programs.clone());
    }
    let programs = Determinants { factors: Arc::new(factors(dtype)?), together: Arc::new(together(dtype)?) };
    Ok(kept.get_or_init(|| programs).clone())
}

fn factors(dtype: DType) -> Result<Program> {
    let mut p = Program::builder();
    let element = p.input(dtype);
    let [exchanged, own] = [0; 2].map(|_| p.input(DType::I32));
    let is_moved = p.apply(Op::NotEqual, &[exchanged, own])?;
    let opposite = p.apply(Op::Negative, &[element])?;
    let factor = p.select(is_moved, opposite, element)?;
    let phase = p.apply(Op::Sign, &[factor])?;
    let size = p.apply(Op::Abs, &[element])?;
    let logarithm = p.apply(Op::Log, &[size])?;
    let extent = p.apply(Op::Abs, &[logarithm])?;
    Ok(p.finish(&[factor, phase, logarithm, extent])?)
}

fn together(dtype: DType) -> Result<Program> {
    let mut p = Program::builder();
    let [product, phase] = [0; 2].map(|_| p.input(dtype));
    let real = dtype.real_part();
    let ([logarithm, extent], is_singular) = ([0; 2].map(|_| p.input(real)), p.input(DType::Bool));
    // e^87 and e^-87 are float32, e^708 and e^-708 float64; and rounding makes sums a little larger.
    let [zero, far] =
        [0.0, if real == DType::F32 { 86.0 } else { 706.0 }].map(|number| p.constant(Scalar::F32(number)));
    let (zero, far) = (p.cast(zero, dtype)?, p.cast(far, real)?);
    let is_in_range = p.apply(Op::Less, &[extent, far])?;
    let size = p.apply(Op::Exp, &[logarithm])?;
    let size = p.cast(size, dtype)?;
    let otherwise = p.apply(Op::Multiply, &[phase, size])?;
    let determinant = p.select(is_in_range, product, otherwise)?;
    let determinant = p.select(is_singular, zero, determinant)?;
    Ok(p.finish(&[determinant])?)
}

/// The determinant of each matrix.
pub fn det(x: &Tensor) -> Result<Tensor> {
    const NAME: &str = "det";
    match factored(NAME, x)? {
        Some(Factored { product, phase, logarithm, extent, is_singular }) => {
            let together = determinants(product.dtype())?.together;
            only(NAME, evaluate(&together, &[&product, &phase, &logarithm, &extent, &is_singular])?)
        }
        None => filled(NAME, x, &Stack::square(NAME, "x", x)?.batch, 1.0, inexact(NAME, "x", x)?),
    }
}

/// The determinant of each matrix as its sign, or its phase, and the logarithm of its magnitude, which does not overflow.
pub fn slogdet(x: &Tensor) -> Result<(Tensor, Tensor)> {
    const NAME: &str = "slogdet";
    let Some(Factored { phase, logarithm, is_singular, .. }) = factored(NAME, x)? else {
        let (batch, dtype) = (Stack::square(NAME, "x", x)?.batch, inexact(NAME, "x", x)?);
        return Ok((filled(NAME, x, &batch, 1.0, dtype)?, filled(NAME, x, &batch, 0.0, dtype.real_part())?));
    };
    let or = |number: f64, x: &Tensor| select(&is_singular, number.into(), Arg::Array(x), Order::K);
    Ok((or(0.0, &phase)?, or(f64::NEG_INFINITY, &logarithm)?))
}

/// The Cholesky factor of each matrix, which is Hermitian and positive definite: the lower triangle `L` of `L L^H`, or the
/// upper one `U` of `U^H U`. Only that triangle of the matrix is looked at.
pub fn cholesky(x: &Tensor, upper: bool) -> Result<Tensor> {
    const NAME: &str = "cholesky";
    let stack = Stack::square(NAME, "x", x)?;
    let dtype = inexact(NAME, "x", x)?;
    // The upper triangle is the transpose's lower one.
    let matrix = if upper { rows(x, dtype)? } else { columns(x, dtype)? };
    if matrix.size() > 0 {
        let mut asked = Asked::on(x.queue(), NAME, &stack, dtype, x.kind())?;
        let problem = Problem::Cholesky { order: stack.rows, matrix: asked.uses(&matrix)? };
        asked
            .solve(problem)?
            .0
            .check(|minor| format!("is not positive definite: its leading minor of order {minor} is not positive"))?;
    }
    if upper { Ok(matrix) } else { matrix.matrix_transposed() }
}

/// Solves `tensordot(a, x, b.ndim) = b` for an array `x`.
pub fn tensorsolve(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    const NAME: &str = "tensorsolve";
    let taken = b.layout().ndim().min(a.layout().ndim());
    let shape: Dims = a.shape()[taken..].into();
    let unknowns: usize = shape.iter().product();
    if unknowns != b.size() || Some(a.size()) != unknowns.checked_mul(unknowns) {
        return Err(Error::LinAlg(format!(
            "{NAME}: a of shape {} and b of shape {} do not give as many equations as unknowns: the first axes of a, as many as b \
             has, and its other axes must have the same number of elements",
            fmt_dims(a.shape()),
            fmt_dims(b.shape())
        )));
    }
    let n = unknowns as isize;
    let found = named_solve(NAME, &a.reshape(&[n, n])?, &b.reshape(&[n])?)?;
    found.reshape(&shape.iter().map(|&length| length as isize).collect::<Vec<_>>())
}

/// The inverse of an array as a map from its last axes to its first ones, of which there are so many.
pub fn tensorinv(a: &Tensor, axes: usize) -> Result<Tensor> {
    const NAME: &str = "tensorinv";
    let ndim = a.layout().ndim();
    if axes == 0 || axes > ndim {
        return Err(Error::Value(format!("{NAME}: ind is {axes}, but must be from 1 to the {ndim} dimensions of a")));
    }
    let (first, last) = a.shape().split_at(axes);
    let size = |shape: &[usize]| shape.iter().product::<usize>();
    if size(first) != size(last) {
        return Err(Error::LinAlg(format!(
            "{NAME}: the first {axes} axes of a, of shape {}, have {} elements, but the others {}; the two must be equal",
            fmt_dims(a.shape()),
            size(first),
            size(last)
        )));
    }
    let n = size(first) as isize;
    let shape: Vec<isize> = last.iter().chain(first).map(|&length| length as isize).collect();
    named_inv(NAME, &a.reshape(&[n, n])?)?.reshape(&shape)
}
