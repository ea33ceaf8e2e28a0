//! `arange`: how many values a range has, and in what dtype.

use situ_runtime::Queue;
use situ_types::{C128, DType, DTypeKind, FloatSupport, Scalar, UsmKind, promote};

use crate::{Error, Result, Tensor, Weak};

impl Tensor {
    /// Evenly spaced values in the half-open interval from `start` to `stop`. Without a dtype, the widest of the three
    /// numbers decides.
    ///
    /// ```
    /// use situ_runtime::scope;
    /// use situ_tensor::{Tensor, Weak};
    /// use situ_types::UsmKind;
    ///
    /// let queue = scope::current_queue()?;
    /// let (start, stop, step) = (Weak::Int(5), Weak::Int(0), Weak::Int(-2));
    /// let x = Tensor::range(start, stop, step, None, UsmKind::Device, &queue)?;
    /// assert_eq!(x.to_vec::<i64>()?, [5, 3, 1]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn range(
        start: Weak,
        stop: Weak,
        step: Weak,
        dtype: Option<DType>,
        kind: UsmKind,
        queue: &Queue,
    ) -> Result<Tensor> {
        let floats = queue.device().float_support();
        let dtype = dtype.unwrap_or_else(|| widest(&[start, stop, step], floats));
        let count = count(start, stop, step)?;
        if dtype == DType::Bool && count > 2 {
            return Err(Error::Value("arange: a sequence of truth values has at most two of them".into()));
        }
        let (first, distance) = match dtype.kind() {
            DTypeKind::Complex => {
                let compute = floats.default_complex();
                (start.to_scalar(compute)?, step.to_scalar(compute)?)
            }
            DTypeKind::Float => {
                let compute = floats.default_float();
                (start.to_scalar(compute)?, step.to_scalar(compute)?)
            }
            DTypeKind::Bool | DTypeKind::Integer => integer_steps(start, step, dtype)?,
        };
        Tensor::sequence(first, distance, count, dtype, kind, queue)
    }
}

/// Start and distance of a sequence of integers. As in NumPy the distance is that of the first two values *after*
/// conversion, so that a fractional step counts for what it makes of them.
fn integer_steps(start: Weak, step: Weak, dtype: DType) -> Result<(Scalar, Scalar)> {
    if dtype == DType::Bool {
        let (start, step) = (complex(start), complex(step));
        let [first, second] = [start, start + step].map(|value| i64::from(value != C128::new(0.0, 0.0)));
        return Ok((Scalar::I64(first), Scalar::I64(second - first)));
    }
    let truncated = |value: Weak| match value {
        Weak::Bool(v) => v as i128,
        Weak::Int(v) => v,
        Weak::Float(v) | Weak::Huge(v) => v.trunc() as i128,
        Weak::Complex(v) => v.re.trunc() as i128,
    };
    let sum = match (start, step) {
        (Weak::Bool(_) | Weak::Int(_), Weak::Bool(_) | Weak::Int(_)) => truncated(start).checked_add(truncated(step)),
        _ => Some((real(start) + real(step)).trunc() as i128),
    };
    let distance = sum.and_then(|second| second.checked_sub(truncated(start)));
    let too_large = || Error::Overflow(format!("arange: a step of {step} does not fit in {dtype}"));
    let distance = distance.filter(|d| d.unsigned_abs() <= u64::MAX as u128).ok_or_else(too_large)?;
    // The start must fit; the step of an unsigned sequence may be negative, and wraps.
    start.to_scalar(dtype)?;
    if dtype == DType::U64 {
        return Ok((start.to_scalar(DType::U64)?, Scalar::U64(distance as u64)));
    }
    let distance = i64::try_from(distance).map_err(|_| too_large())?;
    Ok((start.to_scalar(DType::I64)?, Scalar::I64(distance)))
}

fn complex(value: Weak) -> C128 {
    match value {
        Weak::Complex(v) => v,
        other => C128::new(real(other), 0.0),
    }
}

fn real(value: Weak) -> f64 {
    match value {
        Weak::Bool(v) => v as u8 as f64,
        Weak::Int(v) => v as f64,
        Weak::Float(v) | Weak::Huge(v) => v,
        Weak::Complex(v) => v.re,
    }
}

/// How many values lie between start and stop.
fn count(start: Weak, stop: Weak, step: Weak) -> Result<usize> {
    let integer = |value| match value {
        Weak::Bool(v) => Some(v as i128),
        Weak::Int(v) => Some(v),
        Weak::Huge(_) | Weak::Float(_) | Weak::Complex(_) => None,
    };
    if real(step) == 0.0 && !matches!(step, Weak::Complex(v) if v.im != 0.0) {
        return Err(Error::Value("arange: step must not be zero".into()));
    }
    let too_long = || Error::Value("arange: the range has more values than can be addressed".into());
    if let (Some(start), Some(stop), Some(step)) = (integer(start), integer(stop), integer(step)) {
        let span = stop.checked_sub(start).ok_or_else(too_long)?;
        let n = span / step + i128::from(span % step != 0 && (span < 0) == (step < 0));
        return usize::try_from(n.max(0)).ok().filter(|&n| n <= isize::MAX as usize).ok_or_else(too_long);
    }
    let n = if [start, stop, step].iter().any(|value| matches!(value, Weak::Complex(_))) {
        ((complex(stop) - complex(start)) / complex(step)).re.ceil()
    } else {
        // A complex quotient rounds otherwise, and squares what it divides by.
        ((real(stop) - real(start)) / real(step)).ceil()
    };
    if n.is_nan() {
        return Err(Error::Value("arange: start, stop and step must be finite".into()));
    }
    if n > isize::MAX as f64 {
        return Err(too_long());
    }
    Ok(n.max(0.0) as usize)
}

fn widest(values: &[Weak], floats: FloatSupport) -> DType {
    let dtypes = values.iter().map(|value| match value {
        Weak::Bool(_) => DType::I64,
        other => other.default_dtype(floats),
    });
    dtypes.reduce(promote).map_or(DType::I64, |dtype| floats.nearest(dtype))
}
