//! What the elements of a transform stand for, and their order.

use situ_ir::Op;
use situ_runtime::Queue;
use situ_types::{DType, DTypeKind, Order, UsmKind};

use crate::{Arg, Axes, Error, Result, Tensor, Weak, apply_in_place};

/// The frequencies of the elements of a transform of `n` samples, `d` apart: 0 and the positive ones, then the negative ones.
///
/// ```
/// use situ_runtime::scope;
/// use situ_tensor::fft::fftfreq;
/// use situ_types::UsmKind;
///
/// let x = fftfreq(4, 0.5, None, UsmKind::Device, &scope::current_queue()?)?;
/// assert_eq!(x.to_vec::<f64>()?, [0.0, 0.5, -1.0, -0.5]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn fftfreq(n: isize, d: f64, dtype: Option<DType>, kind: UsmKind, queue: &Queue) -> Result<Tensor> {
    let samples = samples("fftfreq", n)?;
    let negative = samples / 2;
    let ordered = frequencies("fftfreq", -(negative as i64), samples, n, d, dtype, kind, queue)?;
    ordered.roll(&[-(negative as i128)], 0)
}

/// The frequencies of the elements of a transform of `n` real samples, `d` apart: 0 and the positive ones.
///
/// ```
/// use situ_runtime::scope;
/// use situ_tensor::fft::rfftfreq;
/// use situ_types::UsmKind;
///
/// let x = rfftfreq(4, 0.5, None, UsmKind::Device, &scope::current_queue()?)?;
/// assert_eq!(x.to_vec::<f64>()?, [0.0, 0.5, 1.0]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn rfftfreq(n: isize, d: f64, dtype: Option<DType>, kind: UsmKind, queue: &Queue) -> Result<Tensor> {
    let samples = samples("rfftfreq", n)?;
    frequencies("rfftfreq", 0, samples / 2 + 1, n, d, dtype, kind, queue)
}

fn samples(name: &str, n: isize) -> Result<usize> {
    let none = || Error::Value(format!("{name}: n is {n}, but there is at least one sample; give n of 1 or more"));
    usize::try_from(n).ok().filter(|&n| n > 0).ok_or_else(none)
}

/// Multiples of the lowest frequency, from one on, as many as are wanted.
#[allow(clippy::too_many_arguments, reason = "those of the functions above")]
fn frequencies(
    name: &str,
    first: i64,
    count: usize,
    n: isize,
    d: f64,
    dtype: Option<DType>,
    kind: UsmKind,
    queue: &Queue,
) -> Result<Tensor> {
    let default = queue.device().float_support().default_float();
    let dtype = dtype.unwrap_or(default);
    if dtype.kind() != DTypeKind::Float {
        return Err(Error::Type(format!(
            "{name}: dtype is {dtype}, but frequencies are real; give a floating-point dtype"
        )));
    }
    if !queue.device().float_support().supports(dtype) {
        return Err(Error::Unsupported { operation: name.into(), dtype, device: queue.device().label() });
    }
    if d == 0.0 {
        return Err(Error::Value(format!("{name}: d is 0, but samples are some time apart; give another distance")));
    }
    let lowest = 1.0 / (n as f64 * d);
    let [first, step] = [first as f64, 1.0].map(|number| Weak::Float(number).to_scalar(default));
    let multiples: Tensor = Tensor::sequence(first?, step?, count, default, kind, queue)?;
    apply_in_place(Op::Multiply, &multiples, Arg::Weak(Weak::Float(lowest)))?;
    if dtype == default { Ok(multiples) } else { multiples.astype(dtype, Order::C) }
}

/// The array with the first element of each axis, of which a transform has the frequency 0, in the middle.
///
/// ```
/// use situ_tensor::{Tensor, fft};
/// assert_eq!(fft::fftshift(&Tensor::arange(5)?, ())?.to_vec::<i64>()?, [3, 4, 0, 1, 2]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn fftshift(x: &Tensor, axes: impl Into<Axes>) -> Result<Tensor> {
    shifted("fftshift", x, axes.into(), |length| (length / 2) as i128)
}

/// The inverse of [`fftshift`].
///
/// ```
/// use situ_tensor::{Tensor, fft};
/// assert_eq!(fft::ifftshift(&Tensor::arange(5)?, ())?.to_vec::<i64>()?, [2, 3, 4, 0, 1]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn ifftshift(x: &Tensor, axes: impl Into<Axes>) -> Result<Tensor> {
    shifted("ifftshift", x, axes.into(), |length| -((length / 2) as i128))
}

fn shifted(name: &str, x: &Tensor, axes: Axes, shift: impl Fn(usize) -> i128) -> Result<Tensor> {
    let among = axes.among(name, x.layout().ndim())?;
    let axes: Vec<isize> = (0..among.len()).filter(|&axis| among[axis]).map(|axis| axis as isize).collect();
    if axes.is_empty() {
        return x.copy(Order::K);
    }
    let shifts: Vec<i128> = axes.iter().map(|&axis| shift(x.shape()[axis as usize])).collect();
    x.roll(&shifts, &axes[..])
}
