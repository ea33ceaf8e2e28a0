//! Lengths, axes and dtypes of transforms, and what is refused.

use situ_types::layout::fmt_dims;
use situ_types::{DType, DTypeKind};
use smallvec::SmallVec;

use crate::reduce::axis_of;
use crate::{Error, Result, Tensor};

/// An axis that is transformed, with the number n of the transform along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) axis: usize,
    pub(super) n: usize,
}

/// The axis and length of a transform along one axis. Without a length it is what `usual` makes of the axis's.
pub(super) fn one(
    name: &str,
    x: &Tensor,
    axis: isize,
    n: Option<isize>,
    usual: impl Fn(usize) -> usize,
) -> Result<Length> {
    let at = axis_of(name, axis, x.layout().ndim())?;
    let length = x.shape()[at];
    match n {
        None => positive(name, "n", isize::try_from(usual(length)).unwrap_or(isize::MAX), x, axis, length),
        Some(n) => positive(name, "n", n, x, axis, length),
    }
    .map(|n| Length { axis: at, n })
}

fn positive(name: &str, what: &str, n: isize, x: &Tensor, axis: isize, length: usize) -> Result<usize> {
    if n >= 1 {
        return Ok(n as usize);
    }
    Err(Error::Value(format!(
        "{name}: {what} is {n} for axis {axis} of length {length} in an array of shape {}, but a transform has at least one \
         element; give {what} of 1 or more",
        fmt_dims(x.shape())
    )))
}

/// The axes and lengths of a transform along several axes. The last of them has, without a length, what `usual` makes of the
/// axis's.
pub(super) fn several(
    name: &str,
    x: &Tensor,
    s: Option<&[isize]>,
    axes: Option<&[isize]>,
    usual: impl Fn(usize) -> usize,
) -> Result<SmallVec<[Length; 4]>> {
    let ndim = x.layout().ndim();
    let axes: SmallVec<[isize; 4]> = match (axes, s) {
        (Some(axes), _) => SmallVec::from_slice(axes),
        (None, Some(s)) if s.len() > ndim => {
            return Err(Error::Value(format!(
                "{name}: s has {} lengths, but the array has {ndim} dimensions; give at most as many",
                s.len()
            )));
        }
        (None, Some(s)) => ((ndim - s.len())..ndim).map(|axis| axis as isize).collect(),
        (None, None) => (0..ndim as isize).collect(),
    };
    if let Some(s) = s.filter(|s| s.len() != axes.len()) {
        return Err(Error::Value(format!(
            "{name}: s has {} lengths for {} axes; give one for each",
            s.len(),
            axes.len()
        )));
    }
    let mut lengths: SmallVec<[Length; 4]> = SmallVec::new();
    for (n, &axis) in axes.iter().enumerate() {
        let at = axis_of(name, axis, ndim)?;
        if lengths.iter().any(|length| length.axis == at) {
            return Err(Error::Value(format!("{name}: axis {axis} is named twice; name each axis once")));
        }
        let own = x.shape()[at];
        let default = if n + 1 == axes.len() { usual(own) } else { own };
        // -1 is the standard's word for the whole axis.
        let wanted = s
            .map(|s| s[n])
            .filter(|&length| length != -1)
            .unwrap_or_else(|| isize::try_from(default).unwrap_or(isize::MAX));
        lengths.push(Length { axis: at, n: positive(name, "s", wanted, x, axis, own)? });
    }
    Ok(lengths)
}

/// The dtype of the real parts that an array is transformed in: its own, or float32 for float16, or the device's default one
/// for integers and truth values.
pub(super) fn precision(x: &Tensor) -> DType {
    match x.dtype() {
        DType::F16 | DType::F32 | DType::C64 => DType::F32,
        DType::F64 | DType::C128 => DType::F64,
        _ => x.device().float_support().default_float(),
    }
}

/// The complex dtype of that precision.
pub(super) fn complex(precision: DType) -> DType {
    if precision == DType::F32 { DType::C64 } else { DType::C128 }
}

/// An error if an array of which only real numbers can be transformed has complex ones.
pub(super) fn refuse_complex(name: &str, x: &Tensor) -> Result<()> {
    if x.dtype().kind() != DTypeKind::Complex {
        return Ok(());
    }
    let other = if name == "ihfft" { "ifft" } else { name.trim_start_matches('r') };
    Err(Error::Type(format!("{name}: x has dtype {}, but must be real; use {other}, or the real part of x", x.dtype())))
}
