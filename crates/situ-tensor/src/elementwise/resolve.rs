//! The program for an op over operands: dtypes, promotion, weak numbers.

use situ_ir::{Lift, Op, Program, ProgramError};
use situ_runtime::Queue;
use situ_types::{DType, DTypeKind, FloatSupport, promote, promote_all};
use smallvec::SmallVec;

use super::Arg;
use super::command::arrays;
use crate::programs::{self, is_made, mixed_comparison, ones, single_op, uniform_op};
use crate::{Error, Result, Tensor, Weak};

/// The program for an op over these operands.
#[inline(always)]
pub(super) fn resolve(op: Op, args: &[Arg<'_>], queue: &Queue) -> Result<&'static Program> {
    if args.len() != op.arity() {
        return Err(ProgramError::Arity { op, given: args.len() }.into());
    }
    if let Some(dtype) = shared_dtype(op, args)
        && (is_made(op, dtype) || op.rule().computes_in(dtype))
    {
        // An integer that does not fit is an error before anything is allocated.
        for arg in args {
            if let Arg::Weak(weak @ (Weak::Int(_) | Weak::Huge(_))) = arg {
                weak.to_scalar(dtype)?;
            }
        }
        return uniform_op(op, args.len(), dtype);
    }
    resolve_mixed(op, args, queue.device().float_support())
}

/// What raising an array to a power known beforehand comes to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Power {
    /// An op of the array alone.
    Op(Op),
    Ones,
}

impl Power {
    /// Its program over arrays of a dtype.
    pub(super) fn program(self, dtype: DType) -> Result<&'static Program> {
        match self {
            Power::Op(op) => uniform_op(op, 1, dtype),
            Power::Ones => ones(dtype),
        }
    }
}

/// What a power known beforehand comes to, and of which array, where that is quicker than [`Op::Pow`] and at least as
/// exact: x to the power of -1, 0, 1 and 2, and 2 to the power of x. Special values are those of `Op::Pow`.
///
/// The square of a complex number is its product with itself, as everybody expects, and only as exact.
#[inline(never)]
pub(super) fn known_power<'a>(args: &[Arg<'a>]) -> Option<(Power, &'a Tensor)> {
    let (&[Arg::Array(array), Arg::Weak(known)] | &[Arg::Weak(known), Arg::Array(array)]) = args else {
        return None;
    };
    let (dtype, is_base) = (array.dtype(), matches!(args[0], Arg::Weak(_)));
    let known = match known {
        Weak::Bool(value) => f64::from(value),
        Weak::Int(value) => value as f64,
        Weak::Float(value) if dtype.kind() >= DTypeKind::Float => value,
        _ => return None,
    };
    let power = match (dtype.kind(), known) {
        (DTypeKind::Float, 2.0) if is_base => Power::Op(Op::Exp2),
        _ if is_base => return None,
        (DTypeKind::Integer | DTypeKind::Float | DTypeKind::Complex, 2.0) => Power::Op(Op::Square),
        (DTypeKind::Integer | DTypeKind::Float, 1.0) => Power::Op(Op::Positive),
        (DTypeKind::Integer | DTypeKind::Float, 0.0) => Power::Ones,
        (DTypeKind::Float, -1.0) => Power::Op(Op::Reciprocal),
        _ => return None,
    };
    Some((power, array))
}

fn resolve_mixed(op: Op, args: &[Arg<'_>], floats: FloatSupport) -> Result<&'static Program> {
    if is_comparison(op)
        && let [a, b] = args
    {
        match (Compared::of(a, b), Compared::of(b, a)) {
            (Some(Compared::As(a)), Some(Compared::As(b))) => {
                let apart = a.is_signed_integer() && b == DType::U64 || a == DType::U64 && b.is_signed_integer();
                return if apart { mixed_comparison(op, [a, b]) } else { single_op(op, &[a, b], promote(a, b)) };
            }
            (Some(Compared::As(dtype)), Some(Compared::Beyond { above })) => return settled(op, dtype, 0, above),
            (Some(Compared::Beyond { above }), Some(Compared::As(dtype))) => return settled(op, dtype, 1, !above),
            _ => {}
        }
    }
    let compute = compute_dtype(op, args, floats)?;
    single_op(op, &input_dtypes(args, compute)?, compute)
}

/// The program for an op whose result is converted to `out`.
pub(super) fn resolve_converted(op: Op, args: &[Arg<'_>], queue: &Queue, out: DType) -> Result<&'static Program> {
    let compute = compute_dtype(op, args, queue.device().float_support())?;
    programs::converted(op, &input_dtypes(args, compute)?, compute, out)
}

/// The dtype that every array among the operands has and every number adapts to, if that is all there is to it.
#[inline(always)]
fn shared_dtype(op: Op, args: &[Arg<'_>]) -> Option<DType> {
    let dtype = arrays(args).next()?.dtype();
    let mut shared = true;
    for arg in args {
        shared &= match arg {
            Arg::Array(tensor) => tensor.dtype() == dtype,
            // Integers outside the dtype can be compared with.
            Arg::Weak(Weak::Int(_) | Weak::Huge(_)) if is_comparison(op) => false,
            Arg::Weak(weak) => weak.kind() <= dtype.kind(),
        };
    }
    shared.then_some(dtype)
}

/// The dtype an op computes in: the one the inputs agree on, or where that is outside the op's domain, the one that
/// their lifts agree on (`atan2` of int8 and uint8 is float16, not the float32 that their common int16 would need).
fn compute_dtype(op: Op, args: &[Arg<'_>], floats: FloatSupport) -> Result<DType> {
    let rule = op.rule();
    let refused = || {
        let dtypes = args.iter().map(|arg| match arg {
            Arg::Array(t) => t.dtype(),
            Arg::Weak(w) => w.default_dtype(floats),
        });
        Error::DTypes { op, dtypes: dtypes.collect() }
    };
    let lifted = |dtype: DType| match rule.lift {
        Lift::ByWidth => rule.compute_dtype(dtype, floats),
        Lift::DefaultFloat | Lift::Never => Some(dtype),
    };
    let common = common_dtype(args, floats, Some);
    if rule.computes_in(common) && floats.supports(common) {
        return Ok(common);
    }
    // Where a number has made more of truth values, they are what it has made of them.
    let keeps_kind = arrays(args).any(|tensor| tensor.dtype().kind() == common.kind());
    let common = if args.len() > 1 && keeps_kind && rule.compute_dtype(common, floats).is_some() {
        common_dtype(args, floats, lifted)
    } else {
        common
    };
    rule.compute_dtype(common, floats).ok_or_else(refused)
}

/// The dtype the inputs agree on, each taken through `lifted` first where that gives something.
pub(super) fn common_dtype(args: &[Arg<'_>], floats: FloatSupport, lifted: impl Fn(DType) -> Option<DType>) -> DType {
    let dtypes = arrays(args).map(|tensor| lifted(tensor.dtype()).unwrap_or(tensor.dtype()));
    let mut common = promote_all(dtypes).unwrap_or(DType::Bool);
    for arg in args {
        if let Arg::Weak(weak) = arg {
            common = weak.combine(common, floats);
        }
    }
    common
}

/// The dtypes a program takes its inputs in: weak numbers arrive as what is computed in.
pub(super) fn input_dtypes(args: &[Arg<'_>], compute: DType) -> Result<SmallVec<[DType; 4]>> {
    let mut dtypes = SmallVec::new();
    for arg in args {
        match *arg {
            Arg::Array(tensor) => dtypes.push(tensor.dtype()),
            Arg::Weak(weak) => {
                // An integer that does not fit is an error before anything is allocated.
                weak.to_scalar(compute)?;
                dtypes.push(compute);
            }
        }
    }
    Ok(dtypes)
}

pub(super) fn is_comparison(op: Op) -> bool {
    matches!(op, Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual)
}

/// How an integer takes part in a comparison, where the usual rules would round (int64 with uint64) or refuse (a Python
/// integer outside the array's dtype).
enum Compared {
    /// As a number of this dtype.
    As(DType),
    /// As a number above or below every integer that a dtype holds.
    Beyond { above: bool },
}

impl Compared {
    /// `None` for what is no integer, and for a number whose counterpart is no array of integers.
    fn of(arg: &Arg<'_>, other: &Arg<'_>) -> Option<Compared> {
        match (arg, other) {
            (Arg::Array(tensor), _) => {
                (tensor.dtype().kind() == DTypeKind::Integer).then(|| Compared::As(tensor.dtype()))
            }
            (Arg::Weak(weak @ Weak::Int(value)), Arg::Array(tensor)) => Some(match weak.to_scalar(tensor.dtype()) {
                Ok(_) => Compared::As(tensor.dtype()),
                Err(_) if i64::try_from(*value).is_ok() => Compared::As(DType::I64),
                Err(_) if u64::try_from(*value).is_ok() => Compared::As(DType::U64),
                Err(_) => Compared::Beyond { above: *value > 0 },
            }),
            (Arg::Weak(Weak::Huge(value)), Arg::Array(_)) => Some(Compared::Beyond { above: *value > 0.0 }),
            _ => None,
        }
    }
}

/// The program of a comparison whose outcome is the same for every element, because the first operand lies below (or
/// above) the second whatever the array at place `array` holds.
fn settled(op: Op, dtype: DType, array: usize, first_below: bool) -> Result<&'static Program> {
    let holds = match op {
        Op::Less | Op::LessEqual => first_below,
        Op::Greater | Op::GreaterEqual => !first_below,
        _ => op == Op::NotEqual,
    };
    programs::constant(dtype, array, holds)
}
