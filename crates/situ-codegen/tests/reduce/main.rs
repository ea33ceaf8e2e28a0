//! Reductions and scans, run on the host block after block, against the interpreter: the order of combining is part of
//! the result, so that every bit must agree.
//!
//! `SITU_TEST_CASES` sets the number of random cases per test, `SITU_TEST_SEED` which they are.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

#[path = "../host/mod.rs"]
mod host;

mod array;
mod reductions;
mod scans;
mod snapshots;

use std::sync::Arc;

use situ_ir::{Combine, Op, Program, Reduction};
use situ_types::DType;

/// Lengths around every border of the tree.
const LENGTHS: [usize; 20] =
    [1, 2, 15, 16, 17, 31, 127, 128, 129, 255, 256, 257, 700, 4095, 4096, 4097, 9000, 65535, 65537, 200_001];

/// A reduction of values as they are, finished as they are.
fn plain(combine: Combine, dtype: DType) -> Arc<Reduction> {
    let state = combine.state(dtype);
    Arc::new(Reduction::new(Program::convert(dtype, dtype), combine, Program::convert(state, state)).unwrap())
}

/// Every way to combine values, with dtypes that are spread over the ways.
fn combinations() -> Vec<(Combine, DType)> {
    let mut all = Vec::new();
    for (n, combine) in Combine::all().enumerate() {
        let dtypes: Vec<DType> = DType::ALL.into_iter().filter(|&dtype| combine.takes(dtype)).collect();
        all.extend((0..3).map(|k| (combine, dtypes[(5 * n + k * dtypes.len() / 3) % dtypes.len()])));
    }
    all.extend([DType::F32, DType::F64, DType::C64, DType::C128].map(|dtype| (Combine::Op(Op::Add), dtype)));
    all
}
