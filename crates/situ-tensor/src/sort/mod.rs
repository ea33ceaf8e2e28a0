//! Sorting, searching and sets.
//!
//! * `sorting`: elements in their order along an axis, their positions, and the first of them.
//! * `searching`: where elements belong among sorted ones.
//! * `unique`: elements without repetition.
//! * `membership`: whether elements are among others.
//!
//! What the order of elements is, `situ_ir::order` says. Nothing is read on the host but the number of distinct elements,
//! which decides a shape.

mod membership;
mod searching;
mod sorting;
mod unique;

use situ_types::{DType, Order, promote};

pub use self::membership::is_in;
pub use self::sorting::TopK;
pub use self::unique::{UniqueAll, UniqueCounts, UniqueInverse};
use crate::{Result, Tensor};

/// Two arrays on one queue in the dtype in which they are compared.
fn alike(a: &Tensor, b: &Tensor) -> Result<(Tensor, Tensor)> {
    let dtype = a.device().float_support().nearest(promote(a.dtype(), b.dtype()));
    Ok((in_dtype(a, dtype)?, in_dtype(b, dtype)?))
}

fn in_dtype(x: &Tensor, dtype: DType) -> Result<Tensor> {
    if x.dtype() == dtype { Ok(x.clone()) } else { x.astype(dtype, Order::K) }
}
