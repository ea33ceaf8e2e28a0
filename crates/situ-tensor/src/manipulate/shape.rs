//! Other shapes for the same elements.

use situ_types::layout::fmt_dims;
use situ_types::{Dims, Order};

use crate::{Error, Result, Tensor};

impl Tensor {
    /// The elements in C order in another shape: a view where strides can say it, else a copy. One length may be -1, for
    /// what is left.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// let x = Tensor::arange(6)?.reshape(&[2, -1])?;
    /// assert_eq!(x.shape(), [2, 3]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn reshape(&self, shape: &[isize]) -> Result<Tensor> {
        self.reshape_in(shape, Order::C, None)
    }

    /// The same with elements counted in C or F order; with [`Order::A`], in F order if they lie that way. `copy` asks for
    /// a copy, or for none: then it is an error where a view cannot be had.
    pub fn reshape_in(&self, shape: &[isize], order: Order, copy: Option<bool>) -> Result<Tensor> {
        let shape = self.filled(shape)?;
        let layout = self.layout();
        let backwards = order == Order::F || order == Order::A && layout.is_f_contiguous() && !layout.is_c_contiguous();
        if !backwards {
            return self.reshape_rows(&shape, copy);
        }
        // In F order the first axis varies fastest: the same in C order with all axes turned around.
        let turned = |ndim: usize| -> Dims { (0..ndim).rev().collect() };
        let shape: Dims = shape.iter().rev().copied().collect();
        let reshaped = self.permuted("reshape", &turned(layout.ndim()))?.reshape_rows(&shape, copy)?;
        reshaped.permuted("reshape", &turned(shape.len()))
    }

    fn reshape_rows(&self, shape: &[usize], copy: Option<bool>) -> Result<Tensor> {
        let dense = || -> Result<Tensor> { self.copy(Order::C)?.viewed_as(shape) };
        if copy == Some(true) {
            return dense();
        }
        match self.reshaped(shape)? {
            Some(view) => Ok(view),
            None if copy == Some(false) => Err(Error::Value(format!(
                "reshape: elements with strides {:?} cannot take the shape {} where they are; leave out copy=False",
                self.layout().strides(),
                fmt_dims(shape)
            ))),
            None => dense(),
        }
    }

    /// A dense array in a shape of as many elements.
    fn viewed_as(&self, shape: &[usize]) -> Result<Tensor> {
        let layout = self.layout().reshaped(shape).map_err(Error::layout("reshape"))?;
        layout.map(|layout| self.under(layout)).ok_or_else(|| Error::Value("reshape: the array is not dense".into()))
    }

    /// A shape for the elements of this array, in which one length may be -1, for what is left.
    fn filled(&self, shape: &[isize]) -> Result<Dims> {
        let size = self.size();
        let wrong = |why: &str| {
            let lengths: Vec<String> = shape.iter().map(isize::to_string).collect();
            let lengths = lengths.join(", ") + if shape.len() == 1 { "," } else { "" };
            Error::Value(format!("reshape: {size} elements do not fill the shape ({lengths}){why}"))
        };
        if shape.iter().filter(|&&length| length == -1).count() > 1 {
            return Err(Error::Value("reshape: only one length can be -1, for what is left".into()));
        }
        if let Some(length) = shape.iter().find(|&&length| length < -1) {
            return Err(Error::Value(format!("reshape: a length cannot be {length}; -1 stands for what is left")));
        }
        let known = shape.iter().filter(|&&length| length != -1);
        let product = if known.clone().any(|&length| length == 0) {
            0
        } else {
            known
                .clone()
                .try_fold(1usize, |product, &length| product.checked_mul(length as usize))
                .ok_or_else(|| wrong(""))?
        };
        let left = match product {
            _ if !shape.contains(&-1) => (product == size).then_some(1),
            0 => {
                return Err(wrong(
                    ": with a length of 0, what is left could be anything; give the length instead of -1",
                ));
            }
            product => size.is_multiple_of(product).then(|| size / product),
        };
        let left = left.ok_or_else(|| wrong(""))?;
        Ok(shape.iter().map(|&length| if length == -1 { left } else { length as usize }).collect())
    }
}
