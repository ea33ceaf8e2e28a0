//! Variance and standard deviation.

use situ_ir::statistic::Values;
use situ_types::{DType, DTypeKind};

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

fn deviate(name: &'static str, part: Deviation, x: &Tensor, how: &Deviating) -> Result<Tensor> {
    let reduced = how.axes.among(name, x.layout().ndim())?;
    if x.dtype().kind() == DTypeKind::Complex {
        return Err(Error::Value(format!(
            "{name} does not support dtype {}; take the real and imaginary parts by themselves",
            x.dtype()
        )));
    }
    let dtype = Values::Inexact.dtype(x.dtype(), x.device().float_support()).unwrap_or(DType::F64);
    let length: usize = x.shape().iter().zip(&reduced).filter(|(_, reduced)| **reduced).map(|(n, _)| n).product();
    let shape = shape_left(x.shape(), &reduced, how.keepdims);
    if length == 0 {
        return filled(name, x, &shape, Weak::Float(f64::NAN), dtype, None);
    }
    // Two passes: first the mean, then the distances from it. They read the elements twice, but nothing is lost where the
    // mean is far larger than the distances.
    let mean = of_deviation(Deviation::Mean, x.dtype(), dtype)?;
    let number = |value: f64| Weak::Float(value).to_scalar(mean.accumulator());
    let column = shape_left(x.shape(), &reduced, true);
    let common = Combining {
        name,
        reduction: mean,
        inputs: &[x],
        reduced: &reduced,
        in_c_order: false,
        shape: &column,
        numbers: &[number(length as f64)?],
        kind: x.kind(),
        out: None,
    };
    let mean = combine(&common)?;
    let left = length as f64 - how.correction;
    combine(&Combining {
        reduction: of_deviation(part, x.dtype(), dtype)?,
        inputs: &[x, &mean],
        shape: &shape,
        // Nothing can be said of fewer elements than the correction.
        numbers: &[number(if left > 0.0 { left } else { f64::NAN })?],
        ..common
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
