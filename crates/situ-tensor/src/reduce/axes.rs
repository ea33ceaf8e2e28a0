//! Which axes are reduced.

use situ_types::Dims;
use smallvec::SmallVec;

use crate::{Error, Result};

/// Axes of an array, counted from either end.
///
/// ```
/// use situ_tensor::Tensor;
///
/// let x = Tensor::from_slice(&[1i64, 2, 3])?;
/// assert_eq!(x.sum(())?.to_vec::<i64>()?, [6]); // all of them
/// assert_eq!(x.sum(-1)?.to_vec::<i64>()?, [6]); // the last one
/// assert_eq!(x.sum([0])?.to_vec::<i64>()?, [6]); // a list
/// # Ok::<(), situ_tensor::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Axes {
    /// All of them.
    #[default]
    All,
    /// These.
    Some(SmallVec<[isize; 4]>),
}

impl From<()> for Axes {
    fn from((): ()) -> Axes {
        Axes::All
    }
}

impl From<isize> for Axes {
    fn from(axis: isize) -> Axes {
        Axes::Some(SmallVec::from_slice(&[axis]))
    }
}

impl<const N: usize> From<[isize; N]> for Axes {
    fn from(axes: [isize; N]) -> Axes {
        Axes::Some(SmallVec::from_slice(&axes))
    }
}

impl From<&[isize]> for Axes {
    fn from(axes: &[isize]) -> Axes {
        Axes::Some(SmallVec::from_slice(axes))
    }
}

impl From<Option<isize>> for Axes {
    fn from(axis: Option<isize>) -> Axes {
        axis.map_or(Axes::All, Axes::from)
    }
}

impl Axes {
    /// For each axis of an array whether it is among these.
    pub(crate) fn among(&self, name: &str, ndim: usize) -> Result<SmallVec<[bool; 4]>> {
        let Axes::Some(axes) = self else { return Ok(SmallVec::from_elem(true, ndim)) };
        let mut among = SmallVec::from_elem(false, ndim);
        for &axis in axes {
            let at = axis_of(name, axis, ndim)?;
            if std::mem::replace(&mut among[at], true) {
                return Err(Error::Value(format!("{name}: axis {axis} is named twice; name each axis once")));
            }
        }
        Ok(among)
    }
}

/// An axis, counted from either end, as a position.
pub(crate) fn axis_of(name: &str, axis: isize, ndim: usize) -> Result<usize> {
    let at = if axis < 0 { axis + ndim as isize } else { axis };
    if (0..ndim as isize).contains(&at) {
        return Ok(at as usize);
    }
    let remedy = match ndim {
        0 => "it has none".to_owned(),
        _ => format!("name one from {} to {}", -(ndim as isize), ndim - 1),
    };
    Err(Error::Axis(format!("{name}: axis {axis} does not exist in an array of {ndim} dimensions; {remedy}")))
}

/// The shape that is left of one when some of its axes are reduced: without them, or with length 1.
pub(super) fn shape_left(shape: &[usize], reduced: &[bool], keepdims: bool) -> Dims {
    let axes = shape.iter().zip(reduced);
    axes.filter(|(_, reduced)| keepdims || !**reduced).map(|(&n, &reduced)| if reduced { 1 } else { n }).collect()
}
