//! Arrays from and to the crate `ndarray`.

use ndarray::{ArrayD, ArrayRef, Dimension, IxDyn, ShapeBuilder};
use situ_ir::scalar::Element;
use situ_runtime::{Queue, scope};
use situ_types::{Layout, Order, UsmKind};

use crate::{Error, Result, Tensor};

impl Tensor {
    /// A copy of an array of `ndarray`, of any layout, on a queue.
    pub fn from_ndarray<T: Element, D: Dimension>(
        array: &ArrayRef<T, D>,
        kind: UsmKind,
        queue: &Queue,
    ) -> Result<Tensor> {
        let layout = Layout::strided(array.shape(), array.strides(), 0).map_err(Error::layout("from_ndarray"))?;
        // SAFETY: the array keeps every element of its shape and strides, counted from its pointer, initialised and
        // aligned, and is borrowed until the copy, which waits, has returned.
        unsafe { Tensor::from_host_layout(array.as_ptr().cast(), &layout, T::DTYPE, T::DTYPE, Order::K, kind, queue) }
    }

    /// A copy of the array for `ndarray`, in C order.
    pub fn to_ndarray<T: Element>(&self) -> Result<ArrayD<T>> {
        let shape = IxDyn(self.shape()).into_shape_with_order();
        ArrayD::from_shape_vec(shape, self.to_vec()?).map_err(|error| Error::Value(format!("to_ndarray: {error}")))
    }
}

impl<T: Element, D: Dimension> TryFrom<&ArrayRef<T, D>> for Tensor {
    type Error = Error;

    /// A copy in device memory on the current default queue.
    ///
    /// ```
    /// use ndarray::array;
    /// use situ_tensor::Tensor;
    ///
    /// let host = array![[1.0, 2.0], [3.0, 4.0]];
    /// let x = Tensor::try_from(&*host.t())?;
    /// assert_eq!(x.to_string(), "[[1. 3.]\n [2. 4.]]");
    /// assert_eq!((&x * 2.0)?.to_ndarray::<f64>()?, (&host.t() * 2.0).into_dyn());
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    fn try_from(array: &ArrayRef<T, D>) -> Result<Tensor> {
        Tensor::from_ndarray(array, UsmKind::Device, &scope::current_queue()?)
    }
}

impl<T: Element> TryFrom<&Tensor> for ArrayD<T> {
    type Error = Error;

    fn try_from(array: &Tensor) -> Result<ArrayD<T>> {
        array.to_ndarray()
    }
}
