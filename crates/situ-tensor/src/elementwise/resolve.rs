//! The program for an op over operands: dtypes, promotion, weak numbers.

use situ_ir::{Op, Program, ProgramError};
use situ_runtime::Queue;
use situ_types::{DType, FloatSupport};
use smallvec::SmallVec;

use super::Arg;
use super::command::arrays;
use super::promotion::{self, OperandType};
use crate::programs::{self, is_made, mixed_comparison, single_op, uniform_op};
use crate::{Error, Result, Tensor, Weak};

/// The program for an op over these operands, of which nothing is [known](super::known::known).
#[inline(always)]
pub(super) fn resolve(op: Op, args: &[Arg<'_>], queue: &Queue) -> Result<&'static Program> {
    if args.len() != op.arity() {
        return Err(ProgramError::Arity { op, given: args.len() }.into());
    }
    if let Some(dtype) = shared_dtype(args)
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

fn resolve_mixed(op: Op, args: &[Arg<'_>], floats: FloatSupport) -> Result<&'static Program> {
    if op.is_comparison()
        && let [Arg::Array(a), Arg::Array(b)] = args
    {
        let is_apart = |a: &Tensor, b: &Tensor| a.dtype().is_signed_integer() && b.dtype() == DType::U64;
        if is_apart(a, b) || is_apart(b, a) {
            return mixed_comparison(op, [a.dtype(), b.dtype()]);
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
fn shared_dtype(args: &[Arg<'_>]) -> Option<DType> {
    let dtype = arrays(args).next()?.dtype();
    let mut shared = true;
    for arg in args {
        shared &= match arg {
            Arg::Array(tensor) => tensor.dtype() == dtype,
            Arg::Weak(weak) => weak.kind() <= dtype.kind(),
        };
    }
    shared.then_some(dtype)
}

fn compute_dtype(op: Op, args: &[Arg<'_>], floats: FloatSupport) -> Result<DType> {
    promotion::compute_dtype(op, &operand_types(args), floats).ok_or_else(|| {
        let dtypes = args.iter().map(|arg| match arg {
            Arg::Array(t) => t.dtype(),
            Arg::Weak(w) => w.default_dtype(floats),
        });
        Error::DTypes { op, dtypes: dtypes.collect() }
    })
}

/// The dtype the inputs agree on.
pub(super) fn common_dtype(args: &[Arg<'_>], floats: FloatSupport) -> DType {
    promotion::common_dtype(&operand_types(args), floats)
}

fn operand_types(args: &[Arg<'_>]) -> SmallVec<[OperandType; 4]> {
    args.iter().map(OperandType::from).collect()
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
