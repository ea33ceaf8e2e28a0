//! Elements repeated without being copied.

use situ_types::layout::{self, fmt_dims};
use situ_types::{Dims, LayoutError};

use crate::{Error, Result, Tensor};

/// The common shape that shapes stretch to.
///
/// ```
/// use situ_tensor::broadcast_shapes;
/// assert_eq!(broadcast_shapes([&[3, 1][..], &[4]])?.as_slice(), [3, 4]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn broadcast_shapes<'a>(shapes: impl IntoIterator<Item = &'a [usize]>) -> Result<Dims> {
    common_shape("broadcast_shapes", shapes)
}

fn common_shape<'a>(name: &str, shapes: impl IntoIterator<Item = &'a [usize]>) -> Result<Dims> {
    let mut common = Dims::new();
    for (n, shape) in shapes.into_iter().enumerate() {
        common = layout::broadcast_shapes(&common, shape).map_err(|error| match error {
            LayoutError::Broadcast { a, b } => Error::Value(format!(
                "{name}: operand {n} has shape {}, which cannot be broadcast together with {}, the shape of those \
                 before it: each pair of lengths, aligned at the last axis, must be equal or contain a 1",
                fmt_dims(&b),
                fmt_dims(&a)
            )),
            other => Error::layout(name)(other),
        })?;
    }
    Ok(common)
}

impl Tensor {
    /// The array stretched to a larger shape, as a view: axes of length 1 and new axes in front repeat what there is.
    ///
    /// Its elements share memory, so that no function writes to it.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Tensor> {
        let stretched = self.layout().broadcast_to(shape).map_err(|error| match error {
            LayoutError::Broadcast { a, b } => Error::Value(format!(
                "broadcast_to: an array of shape {} cannot be stretched to {}: only axes of length 1 can take another \
                 length, and new axes come in front",
                fmt_dims(&a),
                fmt_dims(&b)
            )),
            other => Error::layout("broadcast_to")(other),
        })?;
        Ok(self.under(stretched))
    }

    /// Arrays stretched to their common shape, as views.
    pub fn broadcast_arrays(arrays: &[&Tensor]) -> Result<Vec<Tensor>> {
        const NAME: &str = "broadcast_arrays";
        if arrays.is_empty() {
            return Err(Error::Value(format!("{NAME}: no arrays were given; give at least one")));
        }
        let shape = common_shape(NAME, arrays.iter().map(|array| array.shape()))?;
        arrays.iter().map(|array| array.broadcast_to(&shape)).collect()
    }
}
