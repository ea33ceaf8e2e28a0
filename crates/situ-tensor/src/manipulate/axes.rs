//! Axes in another order, axes walked backwards, and axes of length 1: all of them views.

use situ_types::{Dims, Layout, Strides};
use smallvec::SmallVec;

use crate::reduce::axis_of;
use crate::{Axes, Error, Result, Tensor};

/// More views than these are not made at once: they would fill gigabytes, however few elements there are.
const MOST_PARTS: usize = 1 << 24;

/// Positions of axes.
type Positions = SmallVec<[usize; 4]>;

/// Axes, counted from either end of an array of so many dimensions, none of them twice.
fn positions(name: &str, axes: &[isize], ndim: usize) -> Result<Positions> {
    let mut found = Positions::with_capacity(axes.len());
    for &axis in axes {
        let at = axis_of(name, axis, ndim)?;
        if found.contains(&at) {
            return Err(Error::Value(format!("{name}: axis {axis} is named twice; name each axis once")));
        }
        found.push(at);
    }
    Ok(found)
}

impl Tensor {
    /// The array with its axes in this order.
    pub(super) fn permuted(&self, name: &str, order: &[usize]) -> Result<Tensor> {
        let (shape, strides) = (self.shape(), self.layout().strides());
        let turned: (Dims, Strides) = order.iter().map(|&axis| (shape[axis], strides[axis])).unzip();
        let layout = Layout::strided(&turned.0, &turned.1, self.layout().offset()).map_err(Error::layout(name))?;
        Ok(self.under(layout))
    }

    /// The array with its axes in another order, as a view.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// let x = Tensor::arange(6)?.reshape(&[1, 2, 3])?;
    /// assert_eq!(x.permute_dims(&[2, 0, 1])?.shape(), [3, 1, 2]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn permute_dims(&self, axes: &[isize]) -> Result<Tensor> {
        let ndim = self.layout().ndim();
        if axes.len() != ndim {
            let given = axes.len();
            return Err(Error::Value(format!(
                "permute_dims: axes names {given} axes of an array of {ndim} dimensions; name each of them once"
            )));
        }
        self.permuted("permute_dims", &positions("permute_dims", axes, ndim)?)
    }

    /// The array with some axes moved to other places and the others in their old order, as a view.
    pub fn moveaxis(&self, source: &[isize], destination: &[isize]) -> Result<Tensor> {
        const NAME: &str = "moveaxis";
        let ndim = self.layout().ndim();
        if source.len() != destination.len() {
            let (from, to) = (source.len(), destination.len());
            return Err(Error::Value(format!(
                "{NAME}: source and destination must have the same number of axes, not {from} and {to}"
            )));
        }
        let found = |which: &str, axes: &[isize]| -> Result<Positions> {
            let mut found = Positions::new();
            for &axis in axes {
                let at = axis_of(NAME, axis, ndim).map_err(|_| {
                    Error::Axis(format!(
                        "{NAME}: {which} axis {axis} is out of bounds for an array of {ndim} dimensions"
                    ))
                })?;
                if found.contains(&at) {
                    return Err(Error::Value(format!(
                        "{NAME}: repeated axis in `{which}`: {axis}; name each axis once"
                    )));
                }
                found.push(at);
            }
            Ok(found)
        };
        let (from, to) = (found("source", source)?, found("destination", destination)?);
        let mut moved: SmallVec<[(usize, usize); 4]> = to.into_iter().zip(from.iter().copied()).collect();
        moved.sort_unstable();
        let mut order: Positions = (0..ndim).filter(|axis| !from.contains(axis)).collect();
        // From the front, so that each finds what comes before it in place.
        moved.into_iter().for_each(|(to, from)| order.insert(to, from));
        self.permuted(NAME, &order)
    }

    /// The array with two axes exchanged, as a view.
    pub fn swapaxes(&self, axis1: isize, axis2: isize) -> Result<Tensor> {
        let ndim = self.layout().ndim();
        let (a, b) = (axis_of("swapaxes", axis1, ndim)?, axis_of("swapaxes", axis2, ndim)?);
        let mut order: Positions = (0..ndim).collect();
        order.swap(a, b);
        self.permuted("swapaxes", &order)
    }

    /// The stack of matrices with the axes of each exchanged, as a view.
    pub fn matrix_transpose(&self) -> Result<Tensor> {
        self.with_last_axes_exchanged("matrix_transpose")
    }

    /// The array with axes of length 1 put in, as a view. The axes are counted from either end of the result.
    pub fn expand_dims(&self, axes: &[isize]) -> Result<Tensor> {
        let ndim = self.layout().ndim() + axes.len();
        let mut new = positions("expand_dims", axes, ndim)?;
        new.sort_unstable();
        let (mut shape, mut strides) = (Dims::from(self.shape()), Strides::from(self.layout().strides()));
        for at in new {
            // What a dense array would have.
            let step = strides.get(at).zip(shape.get(at)).map_or(1, |(step, &n)| step.wrapping_mul(n as isize));
            shape.insert(at, 1);
            strides.insert(at, step);
        }
        let layout = Layout::strided(&shape, &strides, self.layout().offset()).map_err(Error::layout("expand_dims"))?;
        Ok(self.under(layout))
    }

    /// The array without these axes, which have length 1, as a view; [`Axes::All`] are all axes of length 1.
    pub fn squeeze(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        let (shape, ndim) = (self.shape(), self.layout().ndim());
        let gone: Positions = match axes.into() {
            Axes::All => (0..ndim).filter(|&axis| shape[axis] == 1).collect(),
            // As in NumPy, an array without dimensions has one for this purpose.
            Axes::Some(axes) if ndim == 0 => positions("squeeze", &axes, 1).map(|_| Positions::new())?,
            Axes::Some(axes) => positions("squeeze", &axes, ndim)?,
        };
        if let Some(&axis) = gone.iter().find(|&&axis| shape[axis] != 1) {
            let length = shape[axis];
            return Err(Error::Value(format!(
                "squeeze: axis {axis} has length {length}, and only axes of length 1 can be taken out"
            )));
        }
        let kept: Positions = (0..ndim).filter(|axis| !gone.contains(axis)).collect();
        self.permuted("squeeze", &kept)
    }

    /// The array with the elements along axes in reverse order, as a view.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// assert_eq!(Tensor::arange(3)?.flip(())?.to_vec::<i64>()?, [2, 1, 0]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn flip(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        let among = axes.into().among("flip", self.layout().ndim())?;
        let (mut offset, mut strides) = (self.layout().offset(), Strides::from(self.layout().strides()));
        for ((step, &length), _) in strides.iter_mut().zip(self.shape()).zip(&among).filter(|(_, among)| **among) {
            if self.size() > 0 {
                offset += *step * (length as isize - 1);
            }
            *step = step.wrapping_neg();
        }
        let layout = Layout::strided(self.shape(), &strides, offset).map_err(Error::layout("flip"))?;
        Ok(self.under(layout))
    }

    /// The parts of the array along an axis, each without it, as views.
    pub fn unstack(&self, axis: isize) -> Result<Vec<Tensor>> {
        let at = axis_of("unstack", axis, self.layout().ndim())?;
        let (mut shape, mut strides) = (Dims::from(self.shape()), Strides::from(self.layout().strides()));
        let (length, step) = (shape.remove(at), strides.remove(at));
        let mut parts = Vec::new();
        if length > MOST_PARTS || parts.try_reserve_exact(length).is_err() {
            return Err(Error::Value(format!(
                "unstack: axis {axis} has length {length}, and so many views do not fit into memory; index x instead"
            )));
        }
        let first = self.layout().offset();
        let part = |n: usize| {
            let offset = if self.size() == 0 { first } else { first + step * n as isize };
            Layout::strided(&shape, &strides, offset).map(|layout| self.under(layout))
        };
        for n in 0..length {
            parts.push(part(n).map_err(Error::layout("unstack"))?);
        }
        Ok(parts)
    }
}
