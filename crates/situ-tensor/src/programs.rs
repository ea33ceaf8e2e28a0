//! Programs that are made once and kept for ever: there are only so many ops and dtypes.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use parking_lot::RwLock;
use situ_ir::{Op, Program};
use situ_types::DType;
use smallvec::SmallVec;

use crate::Result;

const DTYPES: usize = DType::ALL.len();

/// The program of one op over inputs that all have the dtype it computes in.
#[inline]
pub(crate) fn uniform_op(op: Op, inputs: usize, dtype: DType) -> Result<&'static Program> {
    static PROGRAMS: [[OnceLock<&'static Program>; DTYPES]; Op::COUNT] =
        [const { [const { OnceLock::new() }; DTYPES] }; Op::COUNT];
    let slot = &PROGRAMS[op as usize][dtype as usize];
    if let Some(program) = slot.get() {
        return Ok(program);
    }
    let program = Program::single(op, &vec![dtype; inputs], dtype)?;
    Ok(slot.get_or_init(|| Box::leak(Box::new(program))))
}

/// The program of one op over inputs of these dtypes.
pub(crate) fn single_op(op: Op, inputs: &[DType], compute: DType) -> Result<&'static Program> {
    type Key = (Op, SmallVec<[DType; 4]>, DType);
    static MIXED: LazyLock<RwLock<HashMap<Key, &'static Program>>> = LazyLock::new(RwLock::default);

    if inputs.iter().all(|dtype| *dtype == compute) {
        return uniform_op(op, inputs.len(), compute);
    }
    let key: Key = (op, SmallVec::from_slice(inputs), compute);
    if let Some(program) = MIXED.read().get(&key) {
        return Ok(program);
    }
    let program = Program::single(op, inputs, compute)?;
    Ok(MIXED.write().entry(key).or_insert_with(|| Box::leak(Box::new(program))))
}

/// The program that converts one dtype to another.
pub(crate) fn conversion(from: DType, to: DType) -> &'static Program {
    static PROGRAMS: [[OnceLock<&'static Program>; DTYPES]; DTYPES] =
        [const { [const { OnceLock::new() }; DTYPES] }; DTYPES];
    PROGRAMS[from as usize][to as usize].get_or_init(|| Box::leak(Box::new(Program::convert(from, to))))
}
