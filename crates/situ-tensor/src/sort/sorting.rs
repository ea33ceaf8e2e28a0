//! Elements in their order along an axis.

use situ_runtime::{Command, Sort, Strided};
use situ_types::layout::fmt_dims;
use situ_types::{DType, Dims, Layout, Order, Space, Strides};

use crate::reduce::{axis_of, moved_by};
use crate::shared_layout::shared;
use crate::submit::{Output, Submission};
use crate::{Error, Result, Tensor};

/// What is wanted of elements in their order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Whether the greatest come first.
    pub(super) descending: bool,
    /// How many of the first; not more than there are.
    pub(super) count: usize,
    /// Whether the elements themselves.
    pub(super) values: bool,
    /// Whether their positions along the axis.
    pub(super) indices: bool,
}

/// The first elements in an order, and where they are.
#[derive(Clone, Debug)]
pub struct TopK {
    /// The elements, in their order.
    pub values: Tensor,
    /// Their positions along the axis.
    pub indices: Tensor,
}

/// The elements of an array in their order along an axis, then their positions: as many arrays as are wanted.
pub(super) fn order(name: &'static str, x: &Tensor, axis: usize, wanted: Wanted) -> Result<Vec<Tensor>> {
    let mut shape = Dims::from_slice(x.shape());
    shape[axis] = wanted.count;
    let layout = Layout::dense(&shape, Order::C).map_err(Error::layout(name))?;
    let parts = [wanted.values.then_some(x.dtype()), wanted.indices.then_some(DType::I64)];
    if layout.size() == 0 {
        let empty = |dtype: DType| Tensor::empty_in(name, layout.clone(), dtype, x.kind(), x.queue());
        return parts.into_iter().flatten().map(empty).collect();
    }
    let is_apart = x.shape()[axis] > 1 && x.layout().strides()[axis].unsigned_abs() != 1;
    if is_apart && x.size() > x.shape()[axis] {
        // Brought together first, by whole cache lines; the results stay that way, as views with the axis in its place.
        let (own, last) = ([axis as isize], [-1]);
        let dense = x.moveaxis(&own, &last)?.copy(Order::C)?;
        let found = order(name, &dense, x.layout().ndim() - 1, wanted)?;
        return found.into_iter().map(|array| array.moveaxis(&last, &own)).collect();
    }
    let space = sequences(x.layout(), &layout, axis);
    let along = |operand: usize, strides: &[isize]| space.steps(operand).chain([strides[axis]]).collect::<Strides>();
    let (own, out) = (along(0, x.layout().strides()), along(1, layout.strides()));
    let mut work = Submission::on(x.queue());
    let input = Strided { address: moved_by(work.read(x)?, space.starts[0], x.dtype()), strides: own };
    let (length, layout) = (x.shape()[axis], shared(layout));
    let (mut outputs, mut places) = (Vec::with_capacity(2), [None, None]);
    for (part, place) in parts.into_iter().zip(&mut places) {
        let Some(dtype) = part else { continue };
        let new = work.allocate(name, layout.clone(), dtype, x.kind())?;
        *place = Some(Strided { address: moved_by(new.address(), space.starts[1], dtype), strides: out.clone() });
        outputs.push(Output::New(new));
    }
    let [values, indices] = places;
    let command = Sort {
        shape: space.lengths().chain([length]).collect(),
        dtype: x.dtype(),
        input,
        descending: wanted.descending,
        count: wanted.count,
        values,
        indices,
    };
    work.produce_list(&Command::Sort(Box::new(command)), outputs)
}

/// The axes off the one that is sorted, as few as possible, with the steps of the array and of the result.
fn sequences(own: &Layout, out: &Layout, axis: usize) -> Space {
    let others = || (0..own.ndim()).filter(|&other| other != axis);
    let of = |strides: &[isize]| others().map(|other| strides[other]).collect::<Strides>();
    let lengths: Dims = others().map(|other| own.shape()[other]).collect();
    let mut space = Space::new(&lengths, [&of(own.strides())[..], &of(out.strides())]);
    space.drop_unit_axes();
    space.reverse_negative(0);
    space.sort_by_key(|axis| axis.steps[0].unsigned_abs());
    space.merge();
    space
}

/// The array that was asked for. There is always one.
pub(super) fn only(name: &str, arrays: Vec<Tensor>) -> Result<Tensor> {
    arrays.into_iter().next().ok_or_else(|| Error::Value(format!("{name}: nothing was asked for")))
}

impl Tensor {
    /// A copy with the elements in their order along an axis. Equal elements keep their order; what is not a number comes
    /// last, or first where the greatest come first.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// let x = Tensor::from_slice(&[3i64, 1, 2])?;
    /// assert_eq!(x.sort(-1, false)?.to_vec::<i64>()?, [1, 2, 3]);
    /// assert_eq!(x.sort(-1, true)?.to_vec::<i64>()?, [3, 2, 1]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn sort(&self, axis: isize, descending: bool) -> Result<Tensor> {
        self.ordered("sort", axis, descending, false)
    }

    /// Where the elements are that [`sort`](Self::sort) puts next to each other, as positions along the axis.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// assert_eq!(Tensor::from_slice(&[3i64, 1, 2])?.argsort(-1, false)?.to_vec::<i64>()?, [1, 2, 0]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn argsort(&self, axis: isize, descending: bool) -> Result<Tensor> {
        self.ordered("argsort", axis, descending, true)
    }

    fn ordered(&self, name: &'static str, axis: isize, descending: bool, indices: bool) -> Result<Tensor> {
        // A number is a sequence of one element.
        let axis = axis_of(name, axis, self.layout().ndim().max(1))?;
        let lone = if self.layout().ndim() == 0 { self.reshaped(&[1])? } else { None };
        let x = lone.as_ref().unwrap_or(self);
        let wanted = Wanted { descending, count: x.shape()[axis], values: !indices, indices };
        let result = only(name, order(name, x, axis, wanted)?)?;
        if lone.is_some() { Ok(result.reshaped(&[])?.unwrap_or(result)) } else { Ok(result) }
    }

    /// The `k` greatest or least elements along an axis or, without one, of all elements in C order, beginning with the
    /// greatest or least; of equal ones those that come first.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// let top = Tensor::from_slice(&[3i64, 1, 4, 1, 5])?.top_k(2, None, true)?;
    /// assert_eq!((top.values.to_vec::<i64>()?, top.indices.to_vec::<i64>()?), (vec![5, 4], vec![4, 2]));
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn top_k(&self, k: usize, axis: Option<isize>, largest: bool) -> Result<TopK> {
        const NAME: &str = "top_k";
        let (x, axis) = match axis {
            Some(axis) => (self.clone(), axis_of(NAME, axis, self.layout().ndim())?),
            None => (self.flat()?, 0),
        };
        let length = x.shape()[axis];
        if k > length {
            let (shape, along) = (fmt_dims(self.shape()), if x.layout().ndim() > 1 { " along that axis" } else { "" });
            return Err(Error::Value(format!(
                "top_k: k is {k}, but an array of shape {shape} has {length} elements{along}; ask for at most as many"
            )));
        }
        let wanted = Wanted { descending: largest, count: k, values: true, indices: true };
        let found = order(NAME, &x, axis, wanted)?;
        let [values, indices] = <[Tensor; 2]>::try_from(found).map_err(|_| Error::Value("top_k: no result".into()))?;
        if self.layout().ndim() > 0 || k == 0 {
            return Ok(TopK { values, indices });
        }
        // Of a number there is one.
        let lone = |x: Tensor| Ok::<Tensor, Error>(x.reshaped(&[])?.unwrap_or(x));
        Ok(TopK { values: lone(values)?, indices: lone(indices)? })
    }
}
