//! Limiting elements to an interval.

use situ_ir::{Op, Program};
use situ_types::{DTypeKind, Order, promote};
use smallvec::{SmallVec, smallvec};

use super::{Arg, allocate_and_run, check_output, place, run_into};
use crate::programs::{conversion, single_op};
use crate::{Error, Result, Tensor, Weak};

const NAME: &str = "clip";

/// Each element of `x`, but not below `low` nor above `high`, in a new array of the same dtype.
///
/// [`Tensor::clip`] is the same with both bounds.
pub fn clip(x: &Tensor, low: Option<Arg<'_>>, high: Option<Arg<'_>>, order: Order) -> Result<Tensor> {
    let (program, args) = plan(x, low, high)?;
    let (queue, kind) = place(NAME, &args)?;
    allocate_and_run(NAME, program, &args, order, queue, kind)
}

/// Like [`clip`], into an existing array.
pub fn clip_into(x: &Tensor, low: Option<Arg<'_>>, high: Option<Arg<'_>>, out: &Tensor) -> Result<()> {
    let (program, args) = plan(x, low, high)?;
    let (queue, _) = place(NAME, &args)?;
    check_output(NAME, queue, out)?;
    run_into(NAME, program, &args, out)
}

impl Tensor {
    /// Each element, but not below `low` nor above `high`.
    ///
    /// ```
    /// use situ_tensor::Tensor;
    /// let x = Tensor::arange(6)?;
    /// assert_eq!(x.clip(2, 4)?.to_string(), "[2 2 2 3 4 4]");
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn clip<'a>(&self, low: impl Into<Arg<'a>>, high: impl Into<Arg<'a>>) -> Result<Tensor> {
        clip(self, Some(low.into()), Some(high.into()), Order::K)
    }
}

/// The program, and the operands it is run over.
fn plan<'a>(
    x: &'a Tensor,
    low: Option<Arg<'a>>,
    high: Option<Arg<'a>>,
) -> Result<(&'static Program, SmallVec<[Arg<'a>; 3]>)> {
    let low = low.map(|bound| check_bound(x, bound, "min")).transpose()?.flatten();
    let high = high.map(|bound| check_bound(x, bound, "max")).transpose()?.flatten();
    let x_arg = Arg::Array(x);
    let (op, args): (Op, SmallVec<[Arg<'a>; 3]>) = match (low, high) {
        (None, None) => return Ok((conversion(x.dtype(), x.dtype()), smallvec![x_arg])),
        (Some(low), None) => (Op::Maximum, smallvec![x_arg, low]),
        (None, Some(high)) => (Op::Minimum, smallvec![x_arg, high]),
        (Some(low), Some(high)) => (Op::Clip, smallvec![x_arg, low, high]),
    };
    let dtypes = super::input_dtypes(&args, x.dtype())?;
    Ok((single_op(op, &dtypes, x.dtype())?, args))
}

/// A bound that can be compared in the array's own dtype, or `None` for one that every element is inside of.
fn check_bound<'a>(x: &Tensor, bound: Arg<'a>, name: &str) -> Result<Option<Arg<'a>>> {
    let dtype = x.dtype();
    let refused = |given: &dyn std::fmt::Display| {
        Error::Value(format!(
            "clip: {name} is {given}, which the array's dtype {dtype} does not hold; convert the array first"
        ))
    };
    match bound {
        Arg::Array(tensor) if promote(tensor.dtype(), dtype) == dtype => Ok(Some(bound)),
        Arg::Array(tensor) => Err(refused(&tensor.dtype())),
        Arg::Weak(weak) if weak.kind() > dtype.kind() => Err(refused(&weak)),
        Arg::Weak(Weak::Huge(value)) if dtype.kind() == DTypeKind::Integer => {
            check_bound(x, Arg::Weak(Weak::Int(value as i128)), name)
        }
        Arg::Weak(Weak::Int(value)) => match dtype.integer_range() {
            Some((least, _)) if value < least && name == "min" => Ok(None),
            Some((_, greatest)) if value > greatest && name == "max" => Ok(None),
            // Everything is beyond the bound, and the nearest the dtype has is its own end.
            Some((least, greatest)) => Ok(Some(Arg::Weak(Weak::Int(value.clamp(least, greatest))))),
            None => Ok(Some(bound)),
        },
        Arg::Weak(_) => Ok(Some(bound)),
    }
}
