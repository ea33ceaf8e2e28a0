//! The corners of an array, for printing it without moving all of it.

use situ_types::{Dims, Layout, Order, Strides};

use crate::{Error, Result, Tensor};

impl Tensor {
    /// A dense copy of the first and the last `count` elements along every axis; an axis with no more than twice as
    /// many stays whole. With a count of 0 the last element stands for a longer axis.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// let edges = Tensor::arange(1000)?.edges(2)?;
    /// assert_eq!(edges.to_vec::<i64>()?, [0, 1, 998, 999]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn edges(&self, count: usize) -> Result<Tensor> {
        if self.size() == 0 {
            return self.copy(Order::C);
        }
        let is_long = |n: usize| count.checked_mul(2).is_some_and(|kept| n > kept);
        // An axis that is cut becomes two: which end, and where in it. One strided copy then gathers every corner.
        let (mut shape, mut strides) = (Dims::new(), Strides::new());
        let mut joined = Dims::new();
        let mut offset = self.layout().offset();
        for (&n, &step) in self.shape().iter().zip(self.layout().strides()) {
            if is_long(n) && count > 0 {
                shape.extend([2, count]);
                strides.extend([step * (n - count) as isize, step]);
                joined.push(2 * count);
            } else {
                let kept = if is_long(n) { 1 } else { n };
                offset += step * (n - kept) as isize;
                shape.push(kept);
                strides.push(step);
                joined.push(kept);
            }
        }
        let corners = Layout::strided(&shape, &strides, offset).map_err(Error::layout("print"))?;
        let gathered = self.clone().with_layout(corners).copy(Order::C)?;
        let dense = Layout::dense(&joined, Order::C).map_err(Error::layout("print"))?;
        Ok(gathered.with_layout(dense))
    }
}
