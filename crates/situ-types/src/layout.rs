//! Shapes, strides and offsets, as pure functions.
//!
//! Strides and offsets count *elements*, never bytes. The invariants of a [`Layout`] are numbered, and checks cite
//! the number:
//!
//! 1. `shape` and `strides` have the same length.
//! 2. The number of elements fits in an `isize`.
//! 3. Every element's position, `offset + Σ index·stride`, lies in `0..len` of the allocation it is used with.
//!    [`Layout::bounds`] computes the range; whoever pairs a layout with memory checks it.
//! 4. An axis of length 0 makes the whole layout empty: it touches no element, and (3) holds for any offset.

use std::fmt;

use smallvec::SmallVec;
use thiserror::Error;

use crate::space::{self, Space};

/// Lengths of the axes.
pub type Dims = SmallVec<[usize; 4]>;
/// Element steps along the axes.
pub type Strides = SmallVec<[isize; 4]>;

/// The order in which a new array's elements are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last axis varies fastest.
    #[default]
    C,
    /// The first axis varies fastest.
    F,
    /// F if every input is F-contiguous, else C.
    A,
    /// As close to the input's own order as possible.
    K,
}

/// Why a layout cannot be formed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// Two shapes cannot be stretched to a common one.
    #[error("shapes {0} and {1} cannot be broadcast together: each pair of lengths, aligned at the last axis, must be equal or contain a 1", fmt_dims(.a), fmt_dims(.b))]
    Broadcast {
        /// First shape.
        a: Dims,
        /// Second shape.
        b: Dims,
    },
    /// A shape has more elements than can be addressed.
    #[error("shape {} has more elements than can be addressed", fmt_dims(.shape))]
    TooLarge {
        /// The shape.
        shape: Dims,
    },
    /// A shape holds another number of elements than there are.
    #[error("{size} elements do not fill the shape {}", fmt_dims(.shape))]
    Size {
        /// The shape.
        shape: Dims,
        /// Number of elements.
        size: usize,
    },
    /// Shape and strides differ in length.
    #[error("{strides} strides were given for an array of {ndim} dimensions")]
    StridesLength {
        /// Number of strides.
        strides: usize,
        /// Number of axes.
        ndim: usize,
    },
}

/// A shape as Python writes a tuple.
pub fn fmt_dims(dims: &[usize]) -> String {
    match dims {
        [n] => format!("({n},)"),
        _ => {
            let inner: Vec<String> = dims.iter().map(usize::to_string).collect();
            format!("({})", inner.join(", "))
        }
    }
}

/// Where the elements of an array are, relative to the start of its allocation.
#[derive(PartialEq, Eq)]
pub struct Layout {
    shape: Dims,
    strides: Strides,
    offset: isize,
    // What every use of an array asks for is kept.
    size: usize,
    c_contiguous: bool,
    f_contiguous: bool,
    is_fresh: bool,
}

impl Clone for Layout {
    fn clone(&self) -> Layout {
        // `SmallVec::clone` goes element by element; this is one copy.
        let (shape, strides) = (Dims::from_slice(&self.shape), Strides::from_slice(&self.strides));
        Layout { shape, strides, ..*self }
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} strides {:?} offset {}", fmt_dims(&self.shape), &self.strides[..], self.offset)
    }
}

/// Number of elements of a shape, or an error where that overflows (invariant 2).
pub fn element_count(shape: &[usize]) -> Result<usize, LayoutError> {
    // Each length is also a number of steps in either direction.
    if shape.iter().any(|&length| length > isize::MAX as usize) {
        return Err(LayoutError::TooLarge { shape: shape.into() });
    }
    if shape.contains(&0) {
        return Ok(0);
    }
    shape
        .iter()
        .try_fold(1usize, |n, &d| n.checked_mul(d))
        .filter(|&n| n <= isize::MAX as usize)
        .ok_or_else(|| LayoutError::TooLarge { shape: shape.into() })
}

/// Strides of a dense array in C or F order. An empty array gets the strides of one with its zeros replaced by ones.
fn dense_strides(shape: &[usize], fortran: bool) -> Strides {
    let mut strides = Strides::from_elem(0, shape.len());
    let mut step = 1isize;
    let mut set = |axis: usize| {
        strides[axis] = step;
        step = step.wrapping_mul(shape[axis].max(1) as isize);
    };
    if fortran {
        (0..shape.len()).for_each(&mut set);
    } else {
        (0..shape.len()).rev().for_each(&mut set);
    }
    strides
}

impl Layout {
    /// A dense layout in the given order, starting at element 0. [`Order::A`] and [`Order::K`] mean C here.
    pub fn dense(shape: &[usize], order: Order) -> Result<Layout, LayoutError> {
        element_count(shape)?;
        Ok(Layout::new(Dims::from_slice(shape), dense_strides(shape, order == Order::F), 0))
    }

    /// A layout with explicit strides and offset. Checks invariants 1 and 2.
    pub fn strided(shape: &[usize], strides: &[isize], offset: isize) -> Result<Layout, LayoutError> {
        if shape.len() != strides.len() {
            return Err(LayoutError::StridesLength { strides: strides.len(), ndim: shape.len() });
        }
        element_count(shape)?;
        Ok(Layout::new(Dims::from_slice(shape), Strides::from_slice(strides), offset))
    }

    fn new(shape: Dims, strides: Strides, offset: isize) -> Layout {
        let axes = || shape.iter().copied().zip(strides.iter().copied());
        let (c_contiguous, f_contiguous) = (space::is_dense(axes().rev()), space::is_dense(axes()));
        let size = if shape.contains(&0) { 0 } else { shape.iter().product() };
        let is_fresh = (c_contiguous || f_contiguous) && offset == 0 && shape.iter().all(|&length| length > 1);
        Layout { shape, strides, offset, size, c_contiguous, f_contiguous, is_fresh }
    }

    /// Lengths of the axes.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Element steps along the axes.
    #[inline]
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Position of the first element.
    #[inline]
    pub fn offset(&self) -> isize {
        self.offset
    }

    /// Number of axes.
    #[inline]
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements.
    #[inline]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether it is what a new array of its shape gets, in C or F order. The strides of axes of length 0 and 1 can be
    /// anything, so a layout with such axes is not said to be.
    #[inline]
    pub fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    /// Whether both have the same shape. Written out, because a block comparison costs more than the few lengths.
    #[inline]
    pub fn has_shape_of(&self, other: &Layout) -> bool {
        self.shape.len() == other.shape.len() && self.shape.iter().zip(&other.shape).all(|(a, b)| a == b)
    }

    /// Whether elements lie densely, last axis fastest.
    #[inline]
    pub fn is_c_contiguous(&self) -> bool {
        self.c_contiguous
    }

    /// Whether elements lie densely, first axis fastest.
    #[inline]
    pub fn is_f_contiguous(&self) -> bool {
        self.f_contiguous
    }

    /// Whether different indices are different elements, as far as can be seen from the strides: each leads beyond
    /// everything that the smaller ones reach together.
    pub fn has_distinct_elements(&self) -> bool {
        self.c_contiguous || self.f_contiguous || space::has_distinct_elements(self.axes())
    }

    /// The half-open range of element positions touched (invariant 3); empty for an empty layout, `None` on overflow.
    pub fn bounds(&self) -> Option<(isize, isize)> {
        space::bounds(self.axes(), self.offset)
    }

    /// Lengths and steps of the axes.
    fn axes(&self) -> impl Iterator<Item = (usize, isize)> + Clone {
        self.shape.iter().copied().zip(self.strides.iter().copied())
    }

    /// This layout stretched to a larger shape; stretched axes get stride 0.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Layout, LayoutError> {
        let fail = || LayoutError::Broadcast { a: self.shape.clone(), b: shape.into() };
        let missing = shape.len().checked_sub(self.ndim()).ok_or_else(fail)?;
        element_count(shape)?;
        let mut strides = Strides::from_elem(0, shape.len());
        for (axis, (&from, &to)) in self.shape.iter().zip(&shape[missing..]).enumerate() {
            if from == to {
                strides[missing + axis] = self.strides[axis];
            } else if from != 1 {
                return Err(fail());
            }
        }
        Ok(Layout::new(Dims::from_slice(shape), strides, self.offset))
    }

    /// A dense layout for a result with this layout's shape, in the wanted order. With [`Order::K`] the axes keep
    /// the order in which this layout's strides rank them.
    pub fn like(&self, order: Order) -> Layout {
        let strides = match order {
            Order::C => dense_strides(&self.shape, false),
            Order::F => dense_strides(&self.shape, true),
            Order::A => dense_strides(&self.shape, self.is_f_contiguous() && !self.is_c_contiguous()),
            Order::K if self.is_c_contiguous() => dense_strides(&self.shape, false),
            Order::K => {
                let mut axes: SmallVec<[usize; 4]> = (0..self.ndim()).collect();
                axes.sort_by_key(|&axis| std::cmp::Reverse(self.strides[axis].unsigned_abs()));
                let mut strides = Strides::from_elem(0, self.ndim());
                let mut step = 1isize;
                for &axis in axes.iter().rev() {
                    strides[axis] = step;
                    step = step.wrapping_mul(self.shape[axis].max(1) as isize);
                }
                strides
            }
        };
        Layout::new(Dims::from_slice(&self.shape), strides, 0)
    }
}

/// The common shape two shapes stretch to.
///
/// ```
/// use situ_types::layout::broadcast_shapes;
/// assert_eq!(broadcast_shapes(&[3, 1], &[4]).unwrap().as_slice(), &[3, 4]);
/// assert!(broadcast_shapes(&[3], &[4]).is_err());
/// ```
pub fn broadcast_shapes(a: &[usize], b: &[usize]) -> Result<Dims, LayoutError> {
    if a == b {
        return Ok(Dims::from_slice(a));
    }
    let ndim = a.len().max(b.len());
    let mut out = Dims::from_elem(1, ndim);
    for (i, slot) in out.iter_mut().rev().enumerate() {
        let at = |s: &[usize]| if i < s.len() { s[s.len() - 1 - i] } else { 1 };
        *slot = match (at(a), at(b)) {
            (x, y) if x == y => x,
            (1, y) => y,
            (x, 1) => x,
            _ => return Err(LayoutError::Broadcast { a: a.into(), b: b.into() }),
        };
    }
    element_count(&out)?;
    Ok(out)
}

/// The fewest axes that visit the same elements of every operand, reordered so that the last operand (the output)
/// is written as sequentially as possible.
///
/// All operands have been broadcast to `shape`. Axes of length 1 vanish, axes are ranked by the strides of the last
/// operand (ties by the earlier ones), and neighbours that every operand walks as one are merged. The result has at
/// least one axis; an empty shape yields a single axis of length 0.
pub fn collapse(shape: &[usize], operands: &[&[isize]]) -> (Dims, SmallVec<[Strides; 4]>) {
    let mut space = Space::new(shape, operands.iter().copied());
    space.collapse();
    let strides = (0..operands.len()).map(|operand| space.steps(operand).collect()).collect();
    (space.lengths().collect(), strides)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn like_is_dense_and_keeps_rank(shape in proptest::collection::vec(1usize..5, 0..5), turn in 0usize..24) {
            let base = Layout::dense(&shape, Order::C).unwrap();
            let mut axes: Vec<usize> = (0..shape.len()).collect();
            if !axes.is_empty() { let k = turn % axes.len(); axes.rotate_left(k); }
            let permuted = Layout::strided(
                &axes.iter().map(|&a| base.shape()[a]).collect::<Dims>(),
                &axes.iter().map(|&a| base.strides()[a]).collect::<Strides>(),
                0,
            ).unwrap();
            let kept = permuted.like(Order::K);
            prop_assert_eq!(kept.bounds(), Some((0, kept.size() as isize)));
            for axis in 0..shape.len() {
                if permuted.shape()[axis] != 1 {
                    prop_assert_eq!(kept.strides()[axis], permuted.strides()[axis]);
                }
            }
        }
    }

    #[test]
    fn contiguous_operands_become_one_axis() {
        let c = Layout::dense(&[3, 4, 5], Order::C).unwrap();
        let (dims, steps) = collapse(c.shape(), &[c.strides(), c.strides(), c.strides()]);
        assert_eq!(&dims[..], &[60]);
        assert!(steps.iter().all(|s| s[..] == [1]));
        let f = Layout::dense(&[3, 4, 5], Order::F).unwrap();
        let (dims, _) = collapse(f.shape(), &[f.strides(), f.strides()]);
        assert_eq!(&dims[..], &[60]);
    }

    #[test]
    fn absurd_shapes_are_refused() {
        assert!(Layout::dense(&[usize::MAX, 2], Order::C).is_err());
        assert!(Layout::dense(&[1 << 40, 1 << 40], Order::C).is_err());
        assert!(Layout::dense(&[0, isize::MAX as usize, 2], Order::C).is_ok());
        assert!(Layout::dense(&[0, usize::MAX, 2], Order::C).is_err());
    }

    #[test]
    fn bounds_cover_negative_strides() {
        let l = Layout::strided(&[3, 2], &[-2, 1], 4).unwrap();
        assert_eq!(l.bounds(), Some((0, 6)));
    }
}
