//! Programs that are made once and kept for ever: there are only so many ops and dtypes.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use parking_lot::RwLock;
use situ_ir::{Op, Program, ProgramError};
use situ_types::{DType, DTypeKind};
use smallvec::SmallVec;

use crate::Result;

const DTYPES: usize = DType::ALL.len();

static UNIFORM: [[OnceLock<&'static Program>; DTYPES]; Op::COUNT] =
    [const { [const { OnceLock::new() }; DTYPES] }; Op::COUNT];

/// Whether [`uniform_op`] has been asked before, which it answers only for dtypes the op computes in.
#[inline(always)]
pub(crate) fn is_made(op: Op, dtype: DType) -> bool {
    UNIFORM[op as usize][dtype as usize].get().is_some()
}

/// The program of one op over inputs that all have the dtype it computes in.
#[inline(always)]
pub(crate) fn uniform_op(op: Op, inputs: usize, dtype: DType) -> Result<&'static Program> {
    match UNIFORM[op as usize][dtype as usize].get() {
        Some(program) => Ok(program),
        None => make_uniform_op(op, inputs, dtype),
    }
}

#[cold]
fn make_uniform_op(op: Op, inputs: usize, dtype: DType) -> Result<&'static Program> {
    let program = Program::single(op, &vec![dtype; inputs], dtype)?;
    Ok(UNIFORM[op as usize][dtype as usize].get_or_init(|| Box::leak(Box::new(program))))
}

/// The program of one op over inputs of these dtypes.
pub(crate) fn single_op(op: Op, inputs: &[DType], compute: DType) -> Result<&'static Program> {
    if inputs.iter().all(|dtype| *dtype == compute) {
        return uniform_op(op, inputs.len(), compute);
    }
    kept(ProgramKind::Apply(op), inputs, compute, || Program::single(op, inputs, compute))
}

/// The program of one op over inputs of these dtypes, its result converted.
pub(crate) fn converted(op: Op, inputs: &[DType], compute: DType, out: DType) -> Result<&'static Program> {
    kept(ProgramKind::Converted(op, compute), inputs, out, || {
        let mut builder = Program::builder();
        let given: SmallVec<[_; 3]> = inputs.iter().map(|&dtype| builder.input(dtype)).collect();
        let mut args = SmallVec::<[_; 3]>::new();
        for value in given {
            args.push(builder.cast(value, compute)?);
        }
        let result = builder.apply(op, &args)?;
        let result = builder.cast(result, out)?;
        builder.finish(&[result])
    })
}

/// The program that compares a signed with an unsigned integer, whose common dtype would round both: where the signed
/// one is negative the answer is known, else it is an unsigned number too.
pub(crate) fn mixed_comparison(op: Op, inputs: [DType; 2]) -> Result<&'static Program> {
    kept(ProgramKind::Compare(op), &inputs, DType::U64, || {
        let mut builder = Program::builder();
        let given = inputs.map(|dtype| builder.input(dtype));
        let signed = usize::from(inputs[1].is_signed_integer());
        let negative = builder.apply(Op::Signbit, &[given[signed]])?;
        let args = [builder.cast(given[0], DType::U64)?, builder.cast(given[1], DType::U64)?];
        let compared = builder.apply(op, &args)?;
        // What the comparison says of a number below every unsigned one.
        let ordering = if signed == 0 { Ordering::Less } else { Ordering::Greater };
        let holds_below = op.of_ordered(ordering).unwrap_or(false);
        let result = if holds_below {
            builder.apply(Op::LogicalOr, &[negative, compared])?
        } else {
            builder.apply(Op::Less, &[negative, compared])?
        };
        builder.finish(&[result])
    })
}

/// The program that takes elements of the second input where the first holds, else of the third.
pub(crate) fn selection(inputs: [DType; 3], compute: DType) -> Result<&'static Program> {
    kept(ProgramKind::Select, &inputs, compute, || {
        let mut builder = Program::builder();
        let [condition, yes, no] = inputs.map(|dtype| builder.input(dtype));
        let condition = builder.cast(condition, DType::Bool)?;
        let (yes, no) = (builder.cast(yes, compute)?, builder.cast(no, compute)?);
        let result = builder.select(condition, yes, no)?;
        builder.finish(&[result])
    })
}

/// The program of a number and so many steps from it as its first input says, computed in one dtype and converted to
/// another.
pub(crate) fn sequence(compute: DType, dtype: DType) -> Result<&'static Program> {
    kept(ProgramKind::Sequence, &[DType::I64, compute, compute], dtype, || {
        let mut builder = Program::builder();
        let (index, first, step) = (builder.input(DType::I64), builder.input(compute), builder.input(compute));
        let position = builder.cast(index, compute)?;
        let distance = builder.apply(Op::Multiply, &[position, step])?;
        let mut value = builder.apply(Op::Add, &[distance, first])?;
        if rounds_down(compute, dtype) {
            value = builder.apply(Op::Floor, &[value])?;
        }
        let value = builder.cast(value, dtype)?;
        builder.finish(&[value])
    })
}

/// Whether values of one dtype lose a fraction on their way to another.
pub(crate) fn rounds_down(from: DType, to: DType) -> bool {
    from.kind() == DTypeKind::Float && to.kind() == DTypeKind::Integer
}

/// The program that converts one dtype to another.
pub(crate) fn conversion(from: DType, to: DType) -> &'static Program {
    static PROGRAMS: [[OnceLock<&'static Program>; DTYPES]; DTYPES] =
        [const { [const { OnceLock::new() }; DTYPES] }; DTYPES];
    PROGRAMS[from as usize][to as usize].get_or_init(|| Box::leak(Box::new(Program::convert(from, to))))
}

/// What tells programs over the same dtypes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ProgramKind {
    Apply(Op),
    Compare(Op),
    Converted(Op, DType),
    Select,
    Sequence,
}

/// A program made at its first use.
fn kept(
    kind: ProgramKind,
    inputs: &[DType],
    dtype: DType,
    make: impl FnOnce() -> Result<Program, ProgramError>,
) -> Result<&'static Program> {
    type Key = (ProgramKind, SmallVec<[DType; 4]>, DType);
    static PROGRAMS: LazyLock<RwLock<HashMap<Key, &'static Program>>> = LazyLock::new(RwLock::default);

    let key: Key = (kind, SmallVec::from_slice(inputs), dtype);
    if let Some(program) = PROGRAMS.read().get(&key) {
        return Ok(program);
    }
    let program = make()?;
    Ok(PROGRAMS.write().entry(key).or_insert_with(|| Box::leak(Box::new(program))))
}
