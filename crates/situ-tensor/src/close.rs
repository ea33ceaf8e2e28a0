//! Whether arrays are nearly equal.

use std::sync::Arc;

use situ_ir::{Op, Program, ProgramBuilder, Value};
use situ_types::layout::broadcast_shapes;
use situ_types::{DType, DTypeKind, Order, Scalar, promote};

use crate::index::together;
use crate::{Arg, Error, Result, Tensor, apply, evaluate};

const NAME: &str = "allclose";

/// How near is near enough.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// The distance allowed in any case.
    pub absolute: f64,
    /// The distance allowed for numbers of size 1; for others it grows with them.
    pub relative: f64,
    /// Whether what is not a number is near another that is none.
    pub equal_nan: bool,
}

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance { absolute: 1e-8, relative: 1e-5, equal_nan: false }
    }
}

impl Tensor {
    /// Whether the elements of two arrays, broadcast against each other, are nearly equal, as an array without axes: no
    /// further apart than the absolute tolerance, or than the relative one times the larger of the two. Infinities are near
    /// themselves only, and integers and truth values must be equal.
    ///
    /// ```
    /// use situ_tensor::{Tensor, Tolerance};
    /// let (x, y) = (Tensor::from_slice(&[1.0, 2.0])?, Tensor::from_slice(&[1.0, 2.0 + 1e-9])?);
    /// assert_eq!(x.allclose(&y, Tolerance::default())?.to_vec::<bool>()?, [true]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn allclose(&self, other: &Tensor, tolerance: Tolerance) -> Result<Tensor> {
        let Tolerance { absolute, relative, .. } = tolerance;
        if !(absolute >= 0.0 && relative >= 0.0) {
            return Err(Error::Value(format!(
                "{NAME}: tolerances must be numbers that are not negative, but atol is {absolute} and rtol {relative}"
            )));
        }
        together(NAME, &[("a1", self), ("a2", other)])?;
        broadcast_shapes(self.shape(), other.shape()).map_err(Error::layout(NAME))?;
        let dtype = promote(self.dtype(), other.dtype());
        if dtype.kind() < DTypeKind::Float {
            return apply(Op::Equal, &[Arg::Array(self), Arg::Array(other)], Order::K)?.all(());
        }
        let same = [self, other].map(|x| if x.dtype() == dtype { Ok(x.clone()) } else { x.astype(dtype, Order::K) });
        let [a, b] = same;
        let (a, b) = (a?, b?);
        let close = match (a.imag()?, b.imag()?) {
            (Some(a_imag), Some(b_imag)) => {
                let program = Arc::new(program(dtype.real_part(), 2, tolerance)?);
                evaluate(&program, &[&a.real()?, &b.real()?, &a_imag, &b_imag])?
            }
            _ => evaluate(&Arc::new(program(dtype, 1, tolerance)?), &[&a, &b])?,
        };
        close.first().ok_or_else(|| Error::Value("allclose: nothing was compared".into()))?.all(())
    }
}

/// Whether numbers of so many parts are near each other, part by part of the one and of the other.
fn program(dtype: DType, parts: usize, tolerance: Tolerance) -> Result<Program> {
    let mut p = Program::builder();
    let inputs: Vec<Value> = (0..2 * parts).map(|_| p.input(dtype)).collect();
    // Half precision has no room for usual tolerances.
    let compute = if dtype == DType::F16 { DType::F32 } else { dtype };
    let number = |p: &mut ProgramBuilder, value: f64| {
        p.constant(if compute == DType::F32 { Scalar::F32(value as f32) } else { Scalar::F64(value) })
    };
    let [zero, relative, absolute] = [0.0, tolerance.relative, tolerance.absolute].map(|value| number(&mut p, value));
    let (mut distance, mut sizes): (Option<Value>, [Option<Value>; 2]) = (None, [None; 2]);
    for pair in inputs.chunks(2) {
        let pair = [p.cast(pair[0], compute)?, p.cast(pair[1], compute)?];
        let mut same = p.apply(Op::Equal, &pair)?;
        if tolerance.equal_nan {
            let nan = [p.apply(Op::Isnan, &pair[..1])?, p.apply(Op::Isnan, &pair[1..])?];
            let both = p.apply(Op::LogicalAnd, &nan)?;
            same = p.apply(Op::LogicalOr, &[same, both])?;
        }
        let apart = p.apply(Op::Subtract, &pair)?;
        let apart = p.select(same, zero, apart)?;
        distance = Some(longer(&mut p, distance, apart)?);
        for (size, part) in sizes.iter_mut().zip(pair) {
            // What is infinite, or no number, has been compared already.
            let finite = p.apply(Op::Isfinite, &[part])?;
            let part = p.select(finite, part, zero)?;
            *size = Some(longer(&mut p, *size, part)?);
        }
    }
    let (Some(distance), [Some(a), Some(b)]) = (distance, sizes) else {
        return Err(Error::Value("allclose: numbers have parts".into()));
    };
    let larger = p.apply(Op::Maximum, &[a, b])?;
    let allowed = p.apply(Op::Multiply, &[relative, larger])?;
    let allowed = p.apply(Op::Maximum, &[allowed, absolute])?;
    let near = p.apply(Op::LessEqual, &[distance, allowed])?;
    let finite = p.apply(Op::Isfinite, &[distance])?;
    let close = p.apply(Op::LogicalAnd, &[near, finite])?;
    Ok(p.finish(&[close])?)
}

/// How long something is with one part more.
fn longer(p: &mut ProgramBuilder, so_far: Option<Value>, part: Value) -> Result<Value> {
    Ok(match so_far {
        None => p.apply(Op::Abs, &[part])?,
        Some(length) => p.apply(Op::Hypot, &[length, part])?,
    })
}
