//! Other shapes for the same elements, without moving any.

use crate::layout::{Dims, Layout, LayoutError, Strides, element_count};

impl Layout {
    /// This layout with another shape, its elements in the same C order; `None` where that would need a copy.
    ///
    /// ```
    /// use situ_types::{Layout, Order};
    /// let matrix = Layout::dense(&[4, 6], Order::C)?;
    /// assert_eq!(matrix.reshaped(&[2, 2, 6])?.unwrap().strides(), &[12, 6, 1]);
    /// let columns = Layout::strided(&[6, 4], &[1, 6], 0)?;
    /// assert_eq!(columns.reshaped(&[24])?, None);
    /// # Ok::<(), situ_types::LayoutError>(())
    /// ```
    pub fn reshaped(&self, shape: &[usize]) -> Result<Option<Layout>, LayoutError> {
        let wanted = element_count(shape)?;
        if wanted != self.size() {
            return Err(LayoutError::Size { shape: shape.into(), size: self.size() });
        }
        if wanted == 0 || self.is_c_contiguous() {
            let dense = Layout::dense(shape, crate::Order::C)?;
            return Layout::strided(shape, dense.strides(), self.offset()).map(Some);
        }
        match regrouped(self.shape(), self.strides(), shape) {
            Some(strides) => Layout::strided(shape, &strides, self.offset()).map(Some),
            None => Ok(None),
        }
    }
}

/// Strides for a shape of as many elements, none of them empty; `None` where no strides visit them in the same order.
///
/// Both shapes fall into groups of neighbouring axes with equal products. A group can be regrouped if the old axes in
/// it are walked as one, that is if each stride is the next one times the next length.
fn regrouped(shape: &[usize], strides: &[isize], wanted: &[usize]) -> Option<Strides> {
    // Axes of length 1 have no step worth keeping.
    let (lengths, steps): (Dims, Strides) =
        shape.iter().copied().zip(strides.iter().copied()).filter(|(n, _)| *n != 1).unzip();
    let mut found = Strides::from_elem(0, wanted.len());
    let (mut old, mut new) = (0, 0);
    while old < lengths.len() {
        let (first_old, first_new) = (old, new);
        let (mut held, mut asked) = (lengths[old], *wanted.get(new)?);
        (old, new) = (old + 1, new + 1);
        while held != asked {
            if held < asked {
                held *= lengths.get(old)?;
                old += 1;
            } else {
                asked *= wanted.get(new)?;
                new += 1;
            }
        }
        let one_walk = |axis: usize| steps[axis] == steps[axis + 1].wrapping_mul(lengths[axis + 1] as isize);
        if !(first_old..old - 1).all(one_walk) {
            return None;
        }
        let mut step = steps[old - 1];
        for axis in (first_new..new).rev() {
            found[axis] = step;
            step = step.wrapping_mul(wanted[axis] as isize);
        }
    }
    // What is left are axes of length 1.
    let last = steps.last().copied().unwrap_or(1);
    found[new..].fill(last);
    Some(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Order;

    /// The positions of a layout's elements in C order.
    fn positions(layout: &Layout) -> Vec<isize> {
        let mut found = vec![layout.offset()];
        for (&n, &step) in layout.shape().iter().zip(layout.strides()) {
            found = found.iter().flat_map(|base| (0..n as isize).map(move |i| base + i * step)).collect();
        }
        found
    }

    /// Two shapes with the same product: the factors of one number, grouped in two ways, with ones put in.
    fn two_shapes() -> impl Strategy<Value = (Vec<usize>, Vec<usize>)> {
        let cuts = || proptest::collection::vec(any::<bool>(), 6);
        (proptest::collection::vec(1usize..4, 0..6), cuts(), cuts()).prop_map(|(factors, a, b)| {
            let grouped = |cuts: &[bool]| {
                let mut shape: Vec<usize> = Vec::new();
                for (factor, cut) in factors.iter().zip(cuts) {
                    match shape.last_mut() {
                        Some(last) if !cut => *last *= factor,
                        _ => shape.push(*factor),
                    }
                }
                shape
            };
            (grouped(&a), grouped(&b))
        })
    }

    proptest! {
        #[test]
        fn elements_keep_their_order(
            (from, to) in two_shapes(),
            steps in proptest::collection::vec(-3isize..4, 6),
            turn in 0usize..6,
        ) {
            let mut dense = Layout::dense(&from, Order::C).unwrap();
            if turn % 2 == 1 {
                // Step over elements, backwards or not at all along each axis.
                let strides: Vec<isize> = dense.strides().iter().zip(&steps).map(|(s, k)| s * k).collect();
                dense = Layout::strided(&from, &strides, 1000).unwrap();
            }
            if turn >= 4 {
                let (shape, strides): (Vec<_>, Vec<_>) =
                    dense.shape().iter().copied().zip(dense.strides().iter().copied()).rev().unzip();
                dense = Layout::strided(&shape, &strides, dense.offset()).unwrap();
            }
            if let Some(reshaped) = dense.reshaped(&to).unwrap() {
                prop_assert_eq!(positions(&reshaped), positions(&dense));
                prop_assert_eq!(reshaped.shape(), &to[..]);
            } else {
                // Some step of the walk differs from the one before, so that one axis cannot hold it all.
                let walk = positions(&dense);
                prop_assert!(walk.windows(3).any(|w| w[1] - w[0] != w[2] - w[1]));
            }
        }
    }

    #[test]
    fn one_axis_splits_whatever_its_step() {
        let stepped = Layout::strided(&[12], &[-5], 60).unwrap();
        assert_eq!(stepped.reshaped(&[3, 1, 4]).unwrap().unwrap().strides()[0], -20);
    }

    #[test]
    fn wrong_sizes_and_empty_shapes() {
        let twelve = Layout::dense(&[3, 4], Order::F).unwrap();
        assert!(twelve.reshaped(&[5]).is_err());
        assert!(twelve.reshaped(&[usize::MAX, usize::MAX]).is_err());
        assert_eq!(twelve.reshaped(&[12]).unwrap(), None);
        let none = Layout::strided(&[0, 4], &[7, 9], 3).unwrap();
        assert_eq!(none.reshaped(&[2, 0]).unwrap().unwrap().shape(), [2, 0]);
    }
}
