//! Coordinate grids.

use situ_types::{Dims, Layout, Order, Strides};

use crate::{Error, Result, Tensor};

impl Tensor {
    /// The coordinates of every point of a grid whose axes are one-dimensional arrays: for each axis an array of the
    /// grid's shape, which is a read-only view of a copy. With `cartesian` the first two axes change places.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    ///
    /// let (x, y) = (Tensor::arange(2)?, Tensor::arange(3)?);
    /// let grid = Tensor::meshgrid(&[&x, &y], false)?;
    /// assert_eq!(grid[0].to_vec::<i64>()?, [0, 0, 0, 1, 1, 1]);
    /// assert_eq!(grid[1].to_vec::<i64>()?, [0, 1, 2, 0, 1, 2]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn meshgrid(arrays: &[&Tensor], cartesian: bool) -> Result<Vec<Tensor>> {
        for (i, array) in arrays.iter().enumerate() {
            if array.shape().len() > 1 {
                let ndim = array.shape().len();
                return Err(Error::Value(format!(
                    "meshgrid: arrays[{i}] must be one-dimensional, but it has {ndim} axes"
                )));
            }
            if array.dtype() != arrays[0].dtype() {
                let (first, other) = (arrays[0].dtype(), array.dtype());
                return Err(Error::Value(format!(
                    "meshgrid: arrays[{i}] has dtype {other} and arrays[0] has {first}; convert one with astype first"
                )));
            }
        }
        let axis = |i: usize| if cartesian && arrays.len() > 1 && i < 2 { 1 - i } else { i };
        let shape: Dims = (0..arrays.len()).map(|i| arrays[axis(i)].size()).collect();
        let grid = |(i, array): (usize, &&Tensor)| {
            let mut strides = Strides::from_elem(0, shape.len());
            strides[axis(i)] = 1;
            let layout = Layout::strided(&shape, &strides, 0).map_err(Error::layout("meshgrid"))?;
            let alone = layout.size() == array.size();
            Ok(array.copy(Order::C)?.with_layout(layout).with_writable(alone))
        };
        arrays.iter().enumerate().map(grid).collect()
    }
}
