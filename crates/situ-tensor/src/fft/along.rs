//! Transforms along one axis.

use situ_ir::Op;
use situ_runtime::FftKind;
use situ_types::{DTypeKind, Order};

use super::Norm;
use super::sizes::{one, refuse_complex};
use super::transform::{Step, transform};
use crate::{Arg, Result, Tensor, apply};

/// How an array is transformed along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Along {
    /// The number of elements of a transform; without it, those of the axis. A longer axis is cut, and zeros follow a
    /// shorter one. Where the result is real, it is the number of its elements.
    pub n: Option<isize>,
    /// The axis, counted from either end.
    pub axis: isize,
    /// What the transform is divided by.
    pub norm: Norm,
}

impl Default for Along {
    fn default() -> Along {
        Along { n: None, axis: -1, norm: Norm::Backward }
    }
}

/// The transform of an array along an axis.
fn along(name: &'static str, x: &Tensor, how: &Along, kind: FftKind, is_inverse: bool) -> Result<Tensor> {
    let usual =
        |length: usize| if kind == FftKind::RealInverse { length.saturating_sub(1).saturating_mul(2) } else { length };
    let length = one(name, x, how.axis, how.n, usual)?;
    transform(name, x, &[Step { kind, length }], how.norm.scale(length.n as f64, is_inverse))
}

/// The Fourier transform along an axis.
///
/// ```
/// use situ_tensor::{Tensor, fft};
/// use situ_types::C128;
///
/// let x = Tensor::from_slice(&[0.0, 1.0, 0.0, 0.0])?;
/// let found = fft::fft(&x, &fft::Along::default())?.to_vec::<C128>()?;
/// assert_eq!(found, [C128::new(1.0, 0.0), C128::new(0.0, -1.0), C128::new(-1.0, 0.0), C128::new(0.0, 1.0)]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn fft(x: &Tensor, how: &Along) -> Result<Tensor> {
    along("fft", x, how, FftKind::Forward, false)
}

/// The inverse Fourier transform along an axis.
///
/// ```
/// use situ_tensor::{Tensor, Tolerance, fft};
///
/// let x = Tensor::from_slice(&[1.0, 2.0, 4.0])?;
/// let back = fft::ifft(&fft::fft(&x, &fft::Along::default())?, &fft::Along::default())?;
/// assert_eq!(back.real()?.allclose(&x, Tolerance::default())?.to_vec::<bool>()?, [true]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn ifft(x: &Tensor, how: &Along) -> Result<Tensor> {
    along("ifft", x, how, FftKind::Inverse, true)
}

/// The first half of the Fourier transform of real numbers along an axis: n/2 + 1 elements, of which the others would be
/// conjugates.
pub fn rfft(x: &Tensor, how: &Along) -> Result<Tensor> {
    refuse_complex("rfft", x)?;
    along("rfft", x, how, FftKind::RealForward, false)
}

/// The inverse of [`rfft`]: n real numbers, without `n` twice as many as the axis has elements, less two.
pub fn irfft(x: &Tensor, how: &Along) -> Result<Tensor> {
    along("irfft", x, how, FftKind::RealInverse, true)
}

/// The Fourier transform along an axis of a sequence whose second half is the conjugates of the first: n real numbers, without
/// `n` twice as many as the axis has elements, less two.
pub fn hfft(x: &Tensor, how: &Along) -> Result<Tensor> {
    let is_complex = x.dtype().kind() == DTypeKind::Complex;
    let conjugates = if is_complex { Some(apply(Op::Conj, &[Arg::Array(x)], Order::K)?) } else { None };
    along("hfft", conjugates.as_ref().unwrap_or(x), how, FftKind::RealInverse, false)
}

/// The inverse of [`hfft`]: the first half of the inverse transform of real numbers, n/2 + 1 elements.
pub fn ihfft(x: &Tensor, how: &Along) -> Result<Tensor> {
    refuse_complex("ihfft", x)?;
    let forward = along("ihfft", x, how, FftKind::RealForward, true)?;
    apply(Op::Conj, &[Arg::Array(&forward)], Order::K)
}
