//! Products of stacks of matrices.

use situ_runtime::{Command, Matrices, Product, Queue};
use situ_types::layout::{broadcast_shapes, fmt_dims};
use situ_types::{Casting, DType, Dims, Layout, Order, Space, Strides, UsmKind};
use smallvec::SmallVec;

use super::vectors::{Products, sum_of_products};
use super::{common_dtype, place, refuse_unsupported};
use crate::reduce::{check_output, filled};
use crate::submit::{Submission, apart_from};
use crate::{Error, Result, Tensor, Weak};

const NAME: &str = "matmul";

/// How arrays are multiplied.
#[derive(Clone, Copy, Debug)]
pub struct Multiplying<'a> {
    /// The dtype to compute in and of the result, where another than the arrays' common one is wanted.
    pub dtype: Option<DType>,
    /// How a new array lies in memory.
    pub order: Order,
    /// The array to write to, instead of a new one.
    pub out: Option<&'a Tensor>,
}

impl Default for Multiplying<'_> {
    fn default() -> Self {
        Multiplying { dtype: None, order: Order::K, out: None }
    }
}

/// Multiplies matrices: the last two axes of each array, along the others of which there is a product each, broadcast. An
/// array of one axis is a row of the first factor, or a column of the second, and that axis goes.
///
/// ```
/// use situ_tensor::{Multiplying, Tensor, matmul};
///
/// let (rows, columns) = (Tensor::from_slice(&[1.0, 2.0])?, Tensor::from_slice(&[1.0, 10.0, 100.0])?);
/// let (rows, columns) = (rows.reshaped(&[2, 1])?.unwrap(), columns.reshaped(&[1, 3])?.unwrap());
/// let product = matmul(&rows, &columns, &Multiplying::default())?;
/// assert_eq!(product.shape(), [2, 3]);
/// assert_eq!(product.to_vec::<f64>()?, [1.0, 10.0, 100.0, 2.0, 20.0, 200.0]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn matmul(x1: &Tensor, x2: &Tensor, how: &Multiplying<'_>) -> Result<Tensor> {
    let (queue, kind) = place(NAME, x1, x2)?;
    let dtype = match how.dtype {
        None => common_dtype(NAME, x1, x2)?,
        Some(dtype) => wanted_dtype(dtype, x1, x2)?,
    };
    let shapes = Shapes::of(x1, x2)?;
    let shape = shapes.result();
    if let Some(out) = how.out {
        check_output(NAME, x1, out, &shape, dtype)?;
    }
    let layout = shapes.layout(&shape, how.order, x1, x2)?;
    if shapes.depth == 0 || shape.contains(&0) {
        let zero = Weak::Int(0);
        return match how.out {
            None => Tensor::full_in(NAME, layout, zero.to_scalar(dtype)?, kind, queue),
            out => filled(NAME, x1, &shape, zero, dtype, out),
        };
    }
    if shape.is_empty() {
        // A long sum is divided among threads only by a reduction.
        let factors = &[x1.clone(), x2.clone()];
        return sum_of_products(&Products { name: NAME, factors, dtype, conjugates: false, kind, out: how.out });
    }
    let factor = |x: &Tensor| -> Result<Tensor> {
        let x = if x.dtype() == dtype { x.clone() } else { x.converted(dtype, Order::K, kind, queue)? };
        how.out.map_or(Ok(x.clone()), |out| apart_from(x, out))
    };
    let (x1, x2) = (factor(x1)?, factor(x2)?);
    multiply(&shapes, [&x1, &x2], layout, how.out, (queue, kind))
}

/// Multiplies an array by another, in its own memory: the result is converted to its dtype where that is of the same kind or
/// a greater one.
pub fn matmul_in_place(target: &Tensor, other: &Tensor) -> Result<()> {
    let common = common_dtype(NAME, target, other)?;
    if common == target.dtype() {
        return matmul(target, other, &Multiplying { out: Some(target), ..Default::default() }).map(drop);
    }
    if !Casting::SameKind.allows(common, target.dtype()) {
        return Err(Error::Value(format!(
            "{NAME}: the result has dtype {common}, which does not become the array's {} without losing its kind; write the \
             product to a new array",
            target.dtype()
        )));
    }
    let shape = Shapes::of(target, other)?.result();
    check_output(NAME, target, target, &shape, target.dtype())?;
    let product = matmul(target, other, &Multiplying::default())?;
    target.assign(&product)
}

/// A dtype that was asked for, if both arrays can be converted to it.
fn wanted_dtype(dtype: DType, x1: &Tensor, x2: &Tensor) -> Result<DType> {
    refuse_unsupported(NAME, dtype, x1)?;
    for (name, x) in [("x1", x1), ("x2", x2)] {
        if !Casting::SameKind.allows(x.dtype(), dtype) {
            return Err(Error::Value(format!(
                "{NAME}: {name} has dtype {}, which does not become {dtype} without losing its kind; convert it with astype \
                 first",
                x.dtype()
            )));
        }
    }
    Ok(dtype)
}

/// Shapes of factors and result.
#[derive(Clone, Debug)]
struct Shapes {
    batch: Dims,
    /// `None` where the first factor is a row.
    rows: Option<usize>,
    /// `None` where the second factor is a column.
    columns: Option<usize>,
    depth: usize,
}

impl Shapes {
    fn of(x1: &Tensor, x2: &Tensor) -> Result<Shapes> {
        let none = |name: &str| {
            Err(Error::Value(format!("{NAME}: {name} has no dimensions; use multiply for a number times an array")))
        };
        let (before1, rows, depth) = match *x1.shape() {
            [] => return none("x1"),
            [depth] => (&[][..], None, depth),
            [ref batch @ .., rows, depth] => (batch, Some(rows), depth),
        };
        let (before2, other_depth, columns) = match *x2.shape() {
            [] => return none("x2"),
            [depth] => (&[][..], depth, None),
            [ref batch @ .., depth, columns] => (batch, depth, Some(columns)),
        };
        if depth != other_depth {
            return Err(Error::Value(format!(
                "{NAME}: x1 of shape {} has rows of {depth} elements, but x2 of shape {} columns of {other_depth}; the two must \
                 be equal",
                fmt_dims(x1.shape()),
                fmt_dims(x2.shape())
            )));
        }
        let batch = broadcast_shapes(before1, before2).map_err(Error::layout(NAME))?;
        Ok(Shapes { batch, rows, columns, depth })
    }

    fn result(&self) -> Dims {
        self.batch.iter().copied().chain(self.rows).chain(self.columns).collect()
    }

    /// How a new result lies in memory.
    fn layout(&self, shape: &[usize], order: Order, x1: &Tensor, x2: &Tensor) -> Result<Layout> {
        let dense = |order| Layout::dense(shape, order).map_err(Error::layout(NAME));
        let factors = [x1.layout(), x2.layout()];
        let all_f = factors.iter().all(|layout| layout.is_f_contiguous());
        let any_c = factors.iter().any(|layout| layout.is_c_contiguous());
        match order {
            Order::A | Order::K if all_f && !factors.iter().all(|layout| layout.is_c_contiguous()) => dense(Order::F),
            Order::K if !any_c => self.kept_layout(shape, factors),
            Order::F => dense(Order::F),
            _ => dense(Order::C),
        }
    }

    /// A layout whose axes follow each other, and run, as those of both factors do.
    fn kept_layout(&self, shape: &[usize], factors: [&Layout; 2]) -> Result<Layout> {
        let same_axes = factors.iter().all(|layout| layout.ndim() == shape.len());
        if !same_axes {
            return Layout::dense(shape, Order::C).map_err(Error::layout(NAME));
        }
        let steps = |axis: usize| factors.map(|layout| layout.strides()[axis]);
        let mut axes: SmallVec<[usize; 4]> = (0..shape.len()).collect();
        axes.sort_by_key(|&axis| std::cmp::Reverse(steps(axis).map(isize::unsigned_abs)));
        let (mut strides, mut next, mut offset) = (Strides::from_elem(0, shape.len()), 1isize, 0isize);
        for &axis in axes.iter().rev() {
            let is_backwards = steps(axis).iter().all(|&step| step < 0);
            strides[axis] = if is_backwards { -next } else { next };
            let length = shape[axis].max(1) as isize;
            if is_backwards {
                offset = offset.saturating_add(next.saturating_mul(length - 1));
            }
            next = next.wrapping_mul(length);
        }
        Layout::strided(shape, &strides, offset).map_err(Error::layout(NAME))
    }
}

/// Multiplies factors of one dtype into a new array or the caller's, which overlaps neither.
fn multiply(
    shapes: &Shapes,
    factors: [&Tensor; 2],
    layout: Layout,
    out: Option<&Tensor>,
    (queue, kind): (&Queue, UsmKind),
) -> Result<Tensor> {
    let dtype = factors[0].dtype();
    let mut work = Submission::on(queue);
    let output = work.output(NAME, out, layout, dtype, kind)?;
    let [left, right] = factors.map(Tensor::layout);
    // The steps of each along the batch, rows and columns.
    let own = |layout: &Layout, is_first: bool| -> (Strides, [isize; 2]) {
        let strides = layout.strides();
        match *strides {
            [step] if is_first => (Strides::new(), [0, step]),
            [step] => (Strides::new(), [step, 0]),
            [ref batch @ .., row, column] => (Strides::from_slice(batch), [row, column]),
            [] => (Strides::new(), [0, 0]),
        }
    };
    let stretched = |layout: &Layout, batch: &[isize]| -> Strides {
        let missing = shapes.batch.len() - batch.len();
        let lengths = &layout.shape()[..batch.len()];
        let step = |(&length, &step): (&usize, &isize)| if length == 1 { 0 } else { step };
        std::iter::repeat_n(0, missing).chain(lengths.iter().zip(batch).map(step)).collect()
    };
    let (left_batch, left_steps) = own(left, true);
    let (right_batch, right_steps) = own(right, false);
    let out_strides = output.layout().strides();
    let (out_batch, out_matrix) = out_strides.split_at(shapes.batch.len());
    let mut out_matrix = out_matrix.iter().copied();
    let out_steps = [shapes.rows, shapes.columns].map(|length| length.and_then(|_| out_matrix.next()).unwrap_or(0));
    let (left_batch, right_batch) = (stretched(left, &left_batch), stretched(right, &right_batch));
    let mut space = Space::new(&shapes.batch, [&left_batch[..], &right_batch, out_batch]);
    space.drop_unit_axes();
    space.merge();
    let offset = match out {
        None => output.layout().offset() * dtype.size() as isize,
        Some(_) => 0,
    };
    let addresses = [work.read(factors[0])?, work.read(factors[1])?, output.address()?.offset(offset)];
    let matrices = |n: usize, [row_step, column_step]: [isize; 2]| Matrices {
        address: addresses[n],
        row_step,
        column_step,
        batch_steps: space.steps(n).collect(),
    };
    let command = Product {
        dtype,
        batch: space.lengths().collect(),
        rows: shapes.rows.unwrap_or(1),
        columns: shapes.columns.unwrap_or(1),
        depth: shapes.depth,
        left: matrices(0, left_steps),
        right: matrices(1, right_steps),
        out: matrices(2, out_steps),
    };
    let [result] = work.produce_all(&Command::Product(Box::new(command)), [output])?;
    Ok(result)
}

impl Tensor {
    /// The product of this matrix, or stack of matrices, and another. [`matmul`] has more choices.
    pub fn matmul(&self, other: &Tensor) -> Result<Tensor> {
        matmul(self, other, &Multiplying::default())
    }
}
