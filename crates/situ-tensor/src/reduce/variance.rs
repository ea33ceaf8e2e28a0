//! Variance and standard deviation.

use situ_ir::statistic::Values;
use situ_runtime::ReductionRef;

use super::command::{Combining, combine};
use super::reductions::{Deviation, of_deviation};
use super::{Axes, filled, shape_left};
use crate::{Error, Result, Tensor, Weak};

/// How elements' distances from their mean are brought together.
#[derive(Clone, Debug, Default)]
pub struct Deviating {
    /// The axes that are reduced.
    pub axes: Axes,
    /// How much less than the number of elements the sum of squares is divided by.
    pub correction: f64,
    /// Whether the reduced axes stay, with length 1.
    pub keepdims: bool,
}

/// The mean square of the elements' distances from their mean.
///
/// ```
/// use situ_tensor::{Deviating, Tensor, variance};
///
/// let x = Tensor::from_slice(&[1.0, 2.0, 3.0, 4.0])?;
/// let unbiased = Deviating { correction: 1.0, ..Default::default() };
/// assert_eq!(variance(&x, &Deviating::default())?.to_vec::<f64>()?, [1.25]);
/// assert_eq!(variance(&x, &unbiased)?.to_vec::<f64>()?, [5.0 / 3.0]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn variance(x: &Tensor, how: &Deviating) -> Result<Tensor> {
    deviate("var", Deviation::Square, x, how)
}

/// The root of the mean square of the elements' distances from their mean.
///
/// ```
/// use situ_tensor::{Deviating, Tensor, deviation};
///
/// let x = Tensor::from_slice(&[1.0, 3.0])?;
/// assert_eq!(deviation(&x, &Deviating::default())?.to_vec::<f64>()?, [1.0]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn deviation(x: &Tensor, how: &Deviating) -> Result<Tensor> {
    deviate("std", Deviation::Root, x, how)
}

fn deviate(name: &'static str, deviation: Deviation, x: &Tensor, how: &Deviating) -> Result<Tensor> {
    let reduced = how.axes.among(name, x.layout().ndim())?;
    let Some(dtype) = Values::Floats.dtype(x.dtype(), x.device().float_support()) else {
        return Err(Error::Value(format!(
            "{name} does not support dtype {}; take the real and imaginary parts by themselves",
            x.dtype()
        )));
    };
    let length: usize = x.shape().iter().zip(&reduced).filter(|(_, reduced)| **reduced).map(|(n, _)| n).product();
    let shape = shape_left(x.shape(), &reduced, how.keepdims);
    if length == 0 {
        return filled(name, x, &shape, Weak::Float(f64::NAN), dtype, None);
    }
    let reduction = of_deviation(deviation, x.dtype(), dtype)?;
    // Nothing can be said of fewer elements than the correction.
    let left = length as f64 - how.correction;
    let divisor = Weak::Float(if left > 0.0 { left } else { f64::NAN }).to_scalar(reduction.accumulator())?;
    combine(&Combining {
        name,
        reduction: ReductionRef::Static(reduction),
        inputs: &[x],
        reduced: &reduced,
        in_c_order: false,
        shape: &shape,
        numbers: &[divisor],
        kind: x.kind(),
        out: None,
    })
}

impl Tensor {
    /// The mean square of the elements' distances from their mean. The axes that are reduced go; [`variance`] has more
    /// choices.
    pub fn var(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        variance(self, &Deviating { axes: axes.into(), ..Default::default() })
    }

    /// The root of the mean square of the elements' distances from their mean. The axes that are reduced go;
    /// [`deviation`] has more choices.
    pub fn std(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        deviation(self, &Deviating { axes: axes.into(), ..Default::default() })
    }
}
