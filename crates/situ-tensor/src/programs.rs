//! Programs that are made once and kept.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};

use parking_lot::RwLock;
use situ_ir::{Op, Program};
use situ_types::DType;
use smallvec::SmallVec;

use crate::Result;

const DTYPES: usize = DType::ALL.len();

/// The program of one op over inputs of these dtypes.
pub(crate) fn single_op(op: Op, inputs: &[DType], compute: DType) -> Result<Arc<Program>> {
    type Key = (Op, SmallVec<[DType; 4]>, DType);
    static UNIFORM: [[OnceLock<Arc<Program>>; DTYPES]; Op::COUNT] =
        [const { [const { OnceLock::new() }; DTYPES] }; Op::COUNT];
    static MIXED: LazyLock<RwLock<HashMap<Key, Arc<Program>>>> = LazyLock::new(RwLock::default);

    let make = || Program::single(op, inputs, compute).map(Arc::new);
    if inputs.iter().all(|dtype| *dtype == compute) {
        let slot = &UNIFORM[op as usize][compute as usize];
        if let Some(program) = slot.get() {
            return Ok(program.clone());
        }
        let program = make()?;
        return Ok(slot.get_or_init(|| program).clone());
    }
    let key: Key = (op, SmallVec::from_slice(inputs), compute);
    if let Some(program) = MIXED.read().get(&key) {
        return Ok(program.clone());
    }
    let program = make()?;
    Ok(MIXED.write().entry(key).or_insert(program).clone())
}

/// The program that converts one dtype to another.
pub(crate) fn conversion(from: DType, to: DType) -> Arc<Program> {
    static PROGRAMS: [[OnceLock<Arc<Program>>; DTYPES]; DTYPES] =
        [const { [const { OnceLock::new() }; DTYPES] }; DTYPES];
    PROGRAMS[from as usize][to as usize].get_or_init(|| Arc::new(Program::convert(from, to))).clone()
}
