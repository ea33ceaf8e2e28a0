//! Combining the elements of an array along axes: the rows of [`situ_ir::statistic`], variance, scans and differences.
//!
//! * `axes`: which axes.
//! * `command`: from arrays and axes to the command a queue runs.
//! * `reductions`: what is computed, made once for each row and dtypes and kept for ever.
//! * `program`: reductions of what a program computes.
//! * `variance`, `accumulate`, `difference`: functions composed of these.

mod accumulate;
mod axes;
mod command;
mod difference;
mod program;
mod reductions;
mod variance;

use situ_ir::Statistic;
use situ_ir::statistic::{Empty, Finish};
use situ_runtime::{Device, ReductionRef};
use situ_types::{DType, Layout, Order};

pub use self::accumulate::{Accumulating, accumulate};
pub use self::axes::Axes;
pub(crate) use self::axes::axis_of;
use self::axes::shape_left;
pub(crate) use self::command::{Combining, check_output, combine, moved_by};
pub use self::difference::{diff, diff_joined};
pub use self::program::reduce_program;
pub use self::variance::{Deviating, deviation, variance};
use crate::{Error, Result, Tensor, Weak};

/// How an array is reduced.
#[derive(Clone, Debug, Default)]
pub struct Reducing<'a> {
    /// The axes that are reduced.
    pub axes: Axes,
    /// The dtype to combine in and of the result, where another than the usual one is wanted.
    pub dtype: Option<DType>,
    /// Whether the reduced axes stay, with length 1.
    pub keepdims: bool,
    /// The array to write to, instead of a new one.
    pub out: Option<&'a Tensor>,
}

/// Reduces an array.
///
/// ```
/// use situ_ir::Statistic;
/// use situ_tensor::{Reducing, Tensor, reduce};
///
/// let x = Tensor::arange(6)?;
/// let total = reduce(Statistic::Sum, &x, &Reducing { keepdims: true, ..Default::default() })?;
/// assert_eq!((total.shape(), total.to_vec::<i64>()?), (&[1][..], vec![15]));
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn reduce(statistic: Statistic, x: &Tensor, how: &Reducing<'_>) -> Result<Tensor> {
    let name = statistic.name();
    if let Some(dtype) = how.dtype.filter(|dtype| !statistic.values().takes(*dtype)) {
        return reduce_converted(statistic, x, how, dtype);
    }
    let reduced = how.axes.among(name, x.layout().ndim())?;
    let dtype = value_dtype(name, statistic, x.dtype(), x.device(), how.dtype)?;
    let reduction = reductions::of(statistic, x.dtype(), dtype)?;
    let length: usize = x.shape().iter().zip(&reduced).filter(|(_, reduced)| **reduced).map(|(n, _)| n).product();
    let shape = shape_left(x.shape(), &reduced, how.keepdims);
    if length == 0 {
        let value = match statistic.empty() {
            Empty::Refused if !shape.contains(&0) => return Err(nothing(name, x, &how.axes)),
            Empty::Refused => 0.0,
            Empty::Number(number) => number,
        };
        return filled(name, x, &shape, Weak::Float(value), reduction.result(), how.out);
    }
    let numbers = match statistic.finish() {
        Finish::AsIs => None,
        Finish::ByCount => Some(Weak::Float(length as f64).to_scalar(reduction.accumulator())?),
    };
    combine(&Combining {
        name,
        reduction: ReductionRef::Static(reduction),
        inputs: &[x],
        reduced: &reduced,
        in_c_order: statistic.is_position(),
        shape: &shape,
        numbers: numbers.as_slice(),
        kind: x.kind(),
        out: how.out,
    })
}

/// Reduces in the usual dtype and converts the result to one that values cannot be combined in.
fn reduce_converted(statistic: Statistic, x: &Tensor, how: &Reducing<'_>, dtype: DType) -> Result<Tensor> {
    let result = reduce(statistic, x, &Reducing { dtype: None, out: None, ..how.clone() })?;
    match how.out {
        None => result.converted(dtype, Order::K, result.kind(), result.queue()),
        Some(out) => {
            command::check_output(statistic.name(), x, out, result.shape(), dtype)?;
            out.set_index(&[crate::Item::Ellipsis], crate::Arg::Array(&result))?;
            Ok(out.clone())
        }
    }
}

/// The dtype that elements are converted to before they are combined.
fn value_dtype(name: &str, statistic: Statistic, from: DType, device: &Device, wanted: Option<DType>) -> Result<DType> {
    let floats = device.float_support();
    let values = statistic.values();
    // What has no meaning for an array has none in another dtype.
    let usual = values.dtype(from, floats).ok_or_else(|| {
        Error::Value(format!(
            "{name} does not support dtype {from}; take the real and imaginary parts by themselves, or absolute values"
        ))
    })?;
    let dtype = wanted.unwrap_or(usual);
    if floats.supports(dtype) {
        return Ok(dtype);
    }
    Err(Error::Unsupported { operation: name.into(), dtype, device: device.label() })
}

fn nothing(name: &str, x: &Tensor, axes: &Axes) -> Error {
    let shape = situ_types::layout::fmt_dims(x.shape());
    let along = match axes {
        Axes::All => String::new(),
        Axes::Some(axes) => format!(" along axis {}", axes.iter().map(isize::to_string).collect::<Vec<_>>().join(", ")),
    };
    Error::Value(format!(
        "{name}: an array of shape {shape} has no elements{along} to choose from; ask only where there are some"
    ))
}

/// An array of one value, new or the caller's.
pub(crate) fn filled(
    name: &'static str,
    x: &Tensor,
    shape: &[usize],
    value: Weak,
    dtype: DType,
    out: Option<&Tensor>,
) -> Result<Tensor> {
    match out {
        None => {
            let layout = Layout::dense(shape, Order::C).map_err(Error::layout(name))?;
            Tensor::full_in(name, layout, value.to_scalar(dtype)?, x.kind(), x.queue())
        }
        Some(out) => {
            check_output(name, x, out, shape, dtype)?;
            out.set_index(&[crate::Item::Ellipsis], crate::Arg::Weak(value))?;
            Ok(out.clone())
        }
    }
}

macro_rules! define_methods {
    ($([$variant:ident, $name:ident, $combine:tt, $values:ident, $finish:ident, $empty:ident, $doc:literal, $array:literal $options:literal => $shown:literal])*) => {
        impl Tensor {
            $(#[doc = $doc]
            ///
            /// The axes that are reduced go, and the usual dtype is returned; [`reduce`] has more choices.
            pub fn $name(&self, axes: impl Into<Axes>) -> Result<Tensor> {
                reduce(Statistic::$variant, self, &Reducing { axes: axes.into(), ..Default::default() })
            })*
        }
    };
}
situ_ir::statistics!(define_methods);
