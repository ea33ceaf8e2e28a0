//! Transforms along several axes.

use situ_runtime::FftKind;
use smallvec::SmallVec;

use super::Norm;
use super::sizes::{Length, refuse_complex, several};
use super::transform::{Step, transform};
use crate::{Error, Result, Tensor};

/// How an array is transformed along several axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Over<'a> {
    /// The numbers of elements along each axis, as [`Along::n`](super::Along); -1 is that of the axis.
    pub s: Option<&'a [isize]>,
    /// The axes, counted from either end; without them the last ones, as many as there are lengths, or else all.
    pub axes: Option<&'a [isize]>,
    /// What the transform is divided by.
    pub norm: Norm,
}

type Lengths = SmallVec<[Length; 4]>;

/// The product of lengths, which need not fit in an integer.
fn elements(lengths: &Lengths) -> f64 {
    lengths.iter().map(|length| length.n as f64).product()
}

fn steps<'a>(kind: FftKind, lengths: impl IntoIterator<Item = &'a Length>) -> SmallVec<[Step; 4]> {
    lengths.into_iter().map(|&length| Step { kind, length }).collect()
}

/// The Fourier transform along several axes.
///
/// ```
/// use situ_tensor::{Tensor, fft};
/// use situ_types::C128;
///
/// let x = Tensor::from_slice(&[1.0, 2.0, 3.0, 4.0])?.reshaped(&[2, 2])?.unwrap();
/// let found = fft::fftn(&x, &fft::Over::default())?.to_vec::<C128>()?;
/// assert_eq!(found.iter().map(|z| z.re).collect::<Vec<_>>(), [10.0, -2.0, -4.0, 0.0]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn fftn(x: &Tensor, how: &Over<'_>) -> Result<Tensor> {
    complex("fftn", x, how, FftKind::Forward, false)
}

/// The inverse Fourier transform along several axes.
pub fn ifftn(x: &Tensor, how: &Over<'_>) -> Result<Tensor> {
    complex("ifftn", x, how, FftKind::Inverse, true)
}

fn complex(name: &'static str, x: &Tensor, how: &Over<'_>, kind: FftKind, is_inverse: bool) -> Result<Tensor> {
    let lengths = several(name, x, how.s, how.axes, |length| length)?;
    // The last axis first, whose elements are usually neighbours.
    transform(name, x, &steps(kind, lengths.iter().rev()), how.norm.scale(elements(&lengths), is_inverse))
}

/// The Fourier transform of real numbers along several axes, of which the last has n/2 + 1 elements then.
pub fn rfftn(x: &Tensor, how: &Over<'_>) -> Result<Tensor> {
    from_real("rfftn", x, how)
}

fn from_real(name: &'static str, x: &Tensor, how: &Over<'_>) -> Result<Tensor> {
    refuse_complex(name, x)?;
    let lengths = several(name, x, how.s, how.axes, |length| length)?;
    let (last, others) = last(name, &lengths)?;
    let mut all = steps(FftKind::RealForward, [last]);
    all.extend(steps(FftKind::Forward, others.iter().rev()));
    transform(name, x, &all, how.norm.scale(elements(&lengths), false))
}

/// The inverse of [`rfftn`]: real numbers, n of them along the last axis, without `s` twice as many as it has elements, less
/// two.
pub fn irfftn(x: &Tensor, how: &Over<'_>) -> Result<Tensor> {
    to_real("irfftn", x, how)
}

fn to_real(name: &'static str, x: &Tensor, how: &Over<'_>) -> Result<Tensor> {
    let lengths = several(name, x, how.s, how.axes, |length| length.saturating_sub(1).saturating_mul(2))?;
    let (last, others) = last(name, &lengths)?;
    let mut all = steps(FftKind::Inverse, others.iter().rev());
    all.extend(steps(FftKind::RealInverse, [last]));
    transform(name, x, &all, how.norm.scale(elements(&lengths), true))
}

/// The Fourier transform of matrices: [`fftn`] along the last two axes, unless others are named.
pub fn fft2(x: &Tensor, how: &Over<'_>) -> Result<Tensor> {
    complex("fft2", x, &of_matrices(how), FftKind::Forward, false)
}

/// The inverse of [`fft2`].
pub fn ifft2(x: &Tensor, how: &Over<'_>) -> Result<Tensor> {
    complex("ifft2", x, &of_matrices(how), FftKind::Inverse, true)
}

/// The Fourier transform of real matrices: [`rfftn`] along the last two axes, unless others are named.
pub fn rfft2(x: &Tensor, how: &Over<'_>) -> Result<Tensor> {
    from_real("rfft2", x, &of_matrices(how))
}

/// The inverse of [`rfft2`].
pub fn irfft2(x: &Tensor, how: &Over<'_>) -> Result<Tensor> {
    to_real("irfft2", x, &of_matrices(how))
}

fn of_matrices<'a>(how: &Over<'a>) -> Over<'a> {
    Over { axes: how.axes.or(Some(&[-2, -1])), ..*how }
}

fn last<'a>(name: &str, lengths: &'a Lengths) -> Result<(&'a Length, &'a [Length])> {
    let none = || Error::Value(format!("{name}: there is no axis to transform along; name at least one"));
    lengths.split_last().ok_or_else(none)
}
