//! Arrays joined to one.

use situ_runtime::Queue;
use situ_runtime::placement::{Placed, Rule, resolve};
use situ_types::layout::fmt_dims;
use situ_types::{DType, Dims, Layout, Order, Strides, UsmKind, promote_all};

use super::pieces::Assembly;
use crate::reduce::axis_of;
use crate::{Error, Result, Tensor};

/// Where arrays are joined, and to what dtype.
fn together<'a>(name: &str, arrays: &[&'a Tensor]) -> Result<(&'a Queue, UsmKind, DType)> {
    let Some(dtype) = promote_all(arrays.iter().map(|array| array.dtype())) else {
        return Err(Error::Type(format!("{name}: no arrays were given; give at least one")));
    };
    let placed = |array: &&'a Tensor, name: &'static str| Placed { name, queue: array.queue(), kind: array.kind() };
    let found = resolve(name, arrays.iter().map(|array| placed(array, "arrays")), Rule::SameQueue);
    let (queue, kind) = found.or_else(|_| {
        // Once more, for an error that says which ones.
        let names: Vec<String> = (0..arrays.len()).map(|n| format!("arrays[{n}]")).collect();
        let named = arrays.iter().zip(&names);
        let placed: Vec<_> =
            named.map(|(array, name)| Placed { name, queue: array.queue(), kind: array.kind() }).collect();
        resolve(name, placed.iter().copied(), Rule::SameQueue).map(|(_, kind)| (arrays[0].queue(), kind))
    })?;
    Ok((queue, kind, dtype))
}

impl Tensor {
    /// Joins arrays along an axis or, without one, all their elements in C order. They are converted to a common dtype.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// let (x, y) = (Tensor::arange(3)?, Tensor::from_slice(&[0.5])?);
    /// assert_eq!(Tensor::concat(&[&x, &y], 0)?.to_vec::<f64>()?, [0.0, 1.0, 2.0, 0.5]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn concat(arrays: &[&Tensor], axis: impl Into<Option<isize>>) -> Result<Tensor> {
        const NAME: &str = "concat";
        let (queue, kind, dtype) = together(NAME, arrays)?;
        let axis = axis.into().map(|axis| axis_of(NAME, axis, arrays[0].layout().ndim())).transpose()?;
        let shape = match axis {
            Some(axis) => joined_shape(arrays, axis)?,
            None => Dims::from_slice(&[total(arrays.iter().map(|array| array.size()))?]),
        };
        let layout = Layout::dense(&shape, Order::C).map_err(Error::layout(NAME))?;
        let strides = Strides::from_slice(layout.strides());
        let mut joined = Assembly::new(NAME, layout, dtype, kind, queue, arrays.len())?;
        let mut at = 0;
        for array in arrays {
            match axis {
                Some(axis) => {
                    // Outside of the axis there is one row: what is joined lies side by side.
                    let is_dense = shape[..axis].iter().all(|&length| length == 1);
                    joined.push_array(array, at as isize * strides[axis], &strides, is_dense)?;
                    at += array.shape()[axis];
                }
                None => {
                    let dense = Layout::dense(array.shape(), Order::C).map_err(Error::layout(NAME))?;
                    joined.push_array(array, at as isize, dense.strides(), true)?;
                    at += array.size();
                }
            }
        }
        joined.finish()
    }

    /// Joins arrays of one shape along a new axis, counted from either end of the result. They are converted to a common
    /// dtype.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// let (x, y) = (Tensor::arange(2)?, Tensor::from_slice(&[5i64, 6])?);
    /// assert_eq!(Tensor::stack(&[&x, &y], -1)?.to_vec::<i64>()?, [0, 5, 1, 6]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn stack(arrays: &[&Tensor], axis: isize) -> Result<Tensor> {
        const NAME: &str = "stack";
        let (queue, kind, dtype) = together(NAME, arrays)?;
        let wanted = arrays[0].shape();
        if let Some((n, other)) = arrays.iter().enumerate().find(|(_, array)| array.shape() != wanted) {
            let (first, other) = (fmt_dims(wanted), fmt_dims(other.shape()));
            return Err(Error::Value(format!(
                "{NAME}: arrays[{n}] has shape {other} and arrays[0] shape {first}; all must have the same"
            )));
        }
        let axis = axis_of(NAME, axis, wanted.len() + 1)?;
        let mut shape = Dims::from_slice(wanted);
        shape.insert(axis, arrays.len());
        let layout = Layout::dense(&shape, Order::C).map_err(Error::layout(NAME))?;
        let mut strides = Strides::from_slice(layout.strides());
        let step = strides.remove(axis);
        let mut joined = Assembly::new(NAME, layout, dtype, kind, queue, arrays.len())?;
        let is_dense = shape[..axis].iter().all(|&length| length == 1);
        for (n, array) in arrays.iter().enumerate() {
            joined.push_array(array, n as isize * step, &strides, is_dense)?;
        }
        joined.finish()
    }
}

/// The shape of arrays joined along an axis of the first.
fn joined_shape(arrays: &[&Tensor], axis: usize) -> Result<Dims> {
    let wanted = arrays[0].shape();
    for (n, array) in arrays.iter().enumerate() {
        let given = array.shape();
        let agrees =
            given.len() == wanted.len() && given.iter().zip(wanted).enumerate().all(|(i, (a, b))| i == axis || a == b);
        if !agrees {
            let (given, wanted) = (fmt_dims(given), fmt_dims(wanted));
            return Err(Error::Value(format!(
                "concat: arrays[{n}] has shape {given}, which does not match {wanted} of arrays[0] off axis {axis}"
            )));
        }
    }
    let mut shape = Dims::from_slice(wanted);
    shape[axis] = total(arrays.iter().map(|array| array.shape()[axis]))?;
    Ok(shape)
}

fn total(mut lengths: impl Iterator<Item = usize>) -> Result<usize> {
    let too_long = || Error::Value("concat: the result is too long to be addressed".into());
    lengths.try_fold(0usize, |sum, length| sum.checked_add(length)).ok_or_else(too_long)
}
