//! Sums of products over any axes of two arrays.

use situ_types::layout::fmt_dims;
use situ_types::{Dims, Layout, Order, Strides};
use smallvec::SmallVec;

use super::{Multiplying, matmul, place};
use crate::reduce::axis_of;
use crate::{Error, Result, Tensor};

const NAME: &str = "tensordot";

/// Which axes of two arrays are summed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contracted {
    /// So many: the last ones of the first array, and the first ones of the second.
    Inner(usize),
    /// Those of the first array, each with the one of the second in the same place, counted from either end.
    Pairs(Vec<isize>, Vec<isize>),
}

/// The sums of the products of two arrays' elements over some axes of both. The result has the other axes, those of the
/// first array before those of the second.
///
/// ```
/// use situ_tensor::{Contracted, Tensor, tensordot};
///
/// let x = Tensor::from_slice(&[1i64, 2, 3])?;
/// assert_eq!(tensordot(&x, &x, &Contracted::Inner(1))?.to_vec::<i64>()?, [14]);
/// assert_eq!(tensordot(&x, &x, &Contracted::Inner(0))?.shape(), [3, 3]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn tensordot(x1: &Tensor, x2: &Tensor, axes: &Contracted) -> Result<Tensor> {
    place(NAME, x1, x2)?;
    let pairs = pairs(x1, x2, axes)?;
    let free = |x: &Tensor, taken: &dyn Fn(usize) -> bool| -> SmallVec<[usize; 4]> {
        (0..x.layout().ndim()).filter(|&axis| !taken(axis)).collect()
    };
    let free1 = free(x1, &|axis| pairs.iter().any(|pair| pair.0 == axis));
    let free2 = free(x2, &|axis| pairs.iter().any(|pair| pair.1 == axis));
    let lengths = |x: &Tensor, axes: &[usize]| axes.iter().map(|&axis| x.shape()[axis]).collect::<Dims>();
    let shape: Dims = lengths(x1, &free1).into_iter().chain(lengths(x2, &free2)).collect();
    // What is too large to be addressed is refused before it is computed.
    Layout::dense(&shape, Order::C).map_err(Error::layout(NAME))?;
    let (contracted1, contracted2): (SmallVec<[usize; 4]>, SmallVec<[usize; 4]>) = pairs.iter().copied().unzip();
    let count = |lengths: Dims| lengths.iter().product::<usize>();
    let depth = count(lengths(x1, &contracted1));
    let (rows, columns) = (count(lengths(x1, &free1)), count(lengths(x2, &free2)));
    let how = Multiplying { order: Order::C, ..Default::default() };
    let axes1: SmallVec<[usize; 8]> = free1.iter().chain(&contracted1).copied().collect();
    let axes2: SmallVec<[usize; 8]> = contracted2.iter().chain(&free2).copied().collect();
    if shape.is_empty() {
        return matmul(&arranged(x1, &axes1, &[depth])?, &arranged(x2, &axes2, &[depth])?, &how);
    }
    let product = matmul(&arranged(x1, &axes1, &[rows, depth])?, &arranged(x2, &axes2, &[depth, columns])?, &how)?;
    let whole = Layout::dense(&shape, Order::C).map_err(Error::layout(NAME))?;
    Ok(product.with_layout(whole))
}

/// The positions of the axes that are summed over, in pairs.
fn pairs(x1: &Tensor, x2: &Tensor, axes: &Contracted) -> Result<SmallVec<[(usize, usize); 4]>> {
    let (ndim1, ndim2) = (x1.layout().ndim(), x2.layout().ndim());
    let mut pairs: SmallVec<[(usize, usize); 4]> = match axes {
        &Contracted::Inner(count) if count > ndim1.min(ndim2) => {
            return Err(Error::Value(format!(
                "{NAME}: axes is {count}, but x1 has {ndim1} dimensions and x2 {ndim2}; sum over no more axes than either has"
            )));
        }
        &Contracted::Inner(count) => (0..count).map(|n| (ndim1 - count + n, n)).collect(),
        Contracted::Pairs(first, second) if first.len() != second.len() => {
            return Err(Error::Value(format!(
                "{NAME}: axes names {} axes of x1, but {} of x2; name one of x2 for each of x1",
                first.len(),
                second.len()
            )));
        }
        Contracted::Pairs(first, second) => {
            let both = first.iter().zip(second);
            both.map(|(&a, &b)| Ok((axis_of(NAME, a, ndim1)?, axis_of(NAME, b, ndim2)?))).collect::<Result<_>>()?
        }
    };
    for (n, &(a, b)) in pairs.iter().enumerate() {
        for (name, axis, is_named) in
            [("x1", a, pairs[..n].iter().any(|pair| pair.0 == a)), ("x2", b, pairs[..n].iter().any(|pair| pair.1 == b))]
        {
            if is_named {
                return Err(Error::Value(format!("{NAME}: axis {axis} of {name} is named twice; name each axis once")));
            }
        }
        if x1.shape()[a] != x2.shape()[b] {
            return Err(Error::Value(format!(
                "{NAME}: axis {a} of x1, of shape {}, and axis {b} of x2, of shape {}, are summed over together, but differ in \
                 length",
                fmt_dims(x1.shape()),
                fmt_dims(x2.shape())
            )));
        }
    }
    // The order of a sum is free, and that of the first array's axes the likeliest to need no copy.
    pairs.sort_unstable();
    Ok(pairs)
}

/// An array with its axes in another order and as another shape: a view if it can be one, else a copy.
fn arranged(x: &Tensor, axes: &[usize], shape: &[usize]) -> Result<Tensor> {
    let lengths: Dims = axes.iter().map(|&axis| x.shape()[axis]).collect();
    let strides: Strides = axes.iter().map(|&axis| x.layout().strides()[axis]).collect();
    let layout = Layout::strided(&lengths, &strides, x.layout().offset()).map_err(Error::layout(NAME))?;
    let permuted = x.under(layout);
    if let Some(view) = permuted.reshaped(shape)? {
        return Ok(view);
    }
    let dense = Layout::dense(shape, Order::C).map_err(Error::layout(NAME))?;
    Ok(permuted.copy(Order::C)?.with_layout(dense))
}

impl Tensor {
    /// The sums of the products of two arrays' elements over the last axes of this one and the first ones of the other.
    /// [`tensordot`] takes any axes.
    pub fn tensordot(&self, other: &Tensor, count: usize) -> Result<Tensor> {
        tensordot(self, other, &Contracted::Inner(count))
    }
}
