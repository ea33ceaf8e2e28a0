//! Products of arrays: of matrices, along any axes, and of vectors.
//!
//! * `matrices`: stacks of matrices, broadcast, by a command of their own.
//! * `contraction`: sums over any axes of two arrays, as a product of matrices.
//! * `vectors`: sums of products along one axis, as a reduction.

mod contraction;
mod matrices;
mod vectors;

use situ_runtime::Queue;
use situ_runtime::placement::{self, Placed, Rule};
use situ_types::{DType, UsmKind, promote};

pub use self::contraction::{Contracted, tensordot};
pub use self::matrices::{Multiplying, matmul, matmul_in_place};
pub use self::vectors::vecdot;
use crate::{Error, Result, Tensor};

/// The queue of two arrays, and the kind of memory of what they come to.
fn place<'a>(name: &'static str, x1: &'a Tensor, x2: &'a Tensor) -> Result<(&'a Queue, UsmKind)> {
    let placed = [("x1", x1), ("x2", x2)].map(|(name, x)| Placed { name, queue: x.queue(), kind: x.kind() });
    Ok(placement::resolve(name, placed.into_iter(), Rule::SameQueue)?)
}

/// The dtype that two arrays are multiplied in.
fn common_dtype(name: &'static str, x1: &Tensor, x2: &Tensor) -> Result<DType> {
    let dtype = promote(x1.dtype(), x2.dtype());
    refuse_unsupported(name, dtype, x1)?;
    Ok(dtype)
}

fn refuse_unsupported(name: &'static str, dtype: DType, x: &Tensor) -> Result<()> {
    if x.device().float_support().supports(dtype) {
        return Ok(());
    }
    Err(Error::Unsupported { operation: name.into(), dtype, device: x.device().label() })
}
