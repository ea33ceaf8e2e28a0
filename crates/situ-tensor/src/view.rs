//! Other arrays over the same memory.

use situ_types::{DTypeKind, Dims, Layout, Strides};

use crate::{Error, Result, Tensor};

impl Tensor {
    /// Another layout over the same memory, which it is known to lie in.
    fn viewed(&self, layout: Layout) -> Tensor {
        self.clone().with_layout(layout)
    }

    /// The matrix with its two axes exchanged.
    pub fn transposed(&self) -> Result<Tensor> {
        if self.layout().ndim() != 2 {
            let ndim = self.layout().ndim();
            return Err(Error::Value(format!(
                "T: only an array of 2 dimensions has a transpose, this one has {ndim}; for a stack of matrices use mT"
            )));
        }
        self.matrix_transposed()
    }

    /// The stack of matrices with the axes of each exchanged.
    pub fn matrix_transposed(&self) -> Result<Tensor> {
        self.with_last_axes_exchanged("mT")
    }

    /// The same under the name of a function.
    pub(crate) fn with_last_axes_exchanged(&self, name: &str) -> Result<Tensor> {
        let ndim = self.layout().ndim();
        if ndim < 2 {
            return Err(Error::Value(format!(
                "{name}: an array of at least 2 dimensions is needed, this one has {ndim}"
            )));
        }
        let (mut shape, mut strides) = (Dims::from(self.shape()), Strides::from(self.layout().strides()));
        shape.swap(ndim - 2, ndim - 1);
        strides.swap(ndim - 2, ndim - 1);
        let layout = Layout::strided(&shape, &strides, self.layout().offset()).map_err(Error::layout(name))?;
        Ok(self.viewed(layout))
    }

    /// The real parts, as a view; a real array is its own.
    pub fn real(&self) -> Result<Tensor> {
        self.part(0)
    }

    /// The imaginary parts of a complex array, as a view; `None` for a real one, which has none.
    pub fn imag(&self) -> Result<Option<Tensor>> {
        if self.dtype().kind() == DTypeKind::Complex { self.part(1).map(Some) } else { Ok(None) }
    }

    /// The first or the second half of each complex number.
    fn part(&self, which: isize) -> Result<Tensor> {
        let dtype = self.dtype().real_part();
        if dtype == self.dtype() {
            return Ok(self.clone());
        }
        // A step along an axis that is never walked may be anything, and need not fit when it is doubled.
        let strides: Strides = self.layout().strides().iter().map(|step| step.wrapping_mul(2)).collect();
        let first = if self.size() == 0 { 0 } else { self.layout().offset() * 2 + which };
        let layout = Layout::strided(self.shape(), &strides, first).map_err(Error::layout("real"))?;
        Ok(self.viewed(layout).with_dtype(dtype))
    }

    /// The same elements in another shape; `None` where that would need a copy.
    pub fn reshaped(&self, shape: &[usize]) -> Result<Option<Tensor>> {
        let layout = self.layout().reshaped(shape).map_err(Error::layout("shape"))?;
        Ok(layout.map(|layout| self.viewed(layout)))
    }

    /// The part at one position of the first axis, or `None` past its end.
    pub fn row(&self, position: usize) -> Result<Option<Tensor>> {
        let (Some((&length, shape)), Some((&step, strides))) =
            (self.shape().split_first(), self.layout().strides().split_first())
        else {
            return Err(Error::Value("an array without dimensions has no rows".into()));
        };
        if position >= length {
            return Ok(None);
        }
        let offset = if self.size() == 0 { 0 } else { self.layout().offset() + step * position as isize };
        let layout = Layout::strided(shape, strides, offset).map_err(Error::layout("row"))?;
        Ok(Some(self.viewed(layout)))
    }

    /// The addresses of its first byte and of the byte after its last.
    pub fn byte_bounds(&self) -> Result<(usize, usize)> {
        let size = self.dtype().size();
        let start = self.contents()?.address().value();
        Ok(match self.layout().bounds() {
            Some((low, high)) if self.size() > 0 => (start + low as usize * size, start + high as usize * size),
            _ => (start, start),
        })
    }
}
