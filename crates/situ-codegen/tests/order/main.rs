//! Sorting, searching and runs of equal elements: every kernel, run on the host block after block, against the order as
//! `situ_ir::order` has it.
//!
//! `SITU_TEST_CASES` sets the number of random cases per test, `SITU_TEST_SEED` which they are.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

#[path = "../host/mod.rs"]
mod host;

mod plans;
mod runs;
mod searches;
mod snapshots;
mod sorts;

use host::points::Points;
use host::runner::Memory;
use situ_types::{DType, Scalar};

/// Memory for so many elements of a dtype: any, few different ones, or nearly none.
fn elements(points: &mut Points, dtype: DType, count: usize) -> Memory {
    let mut memory = Memory::noise((count + 1) * dtype.size());
    let kinds: Vec<_> = (0..[usize::MAX, 200, 5, 1][points.below(4)].min(300)).map(|_| points.element(dtype)).collect();
    let is_free = kinds.len() == 300;
    for n in 0..count {
        let element = if is_free { points.element(dtype) } else { kinds[points.below(kinds.len())] };
        memory.bytes_mut()[n * dtype.size()..][..dtype.size()].copy_from_slice(&element[..dtype.size()]);
    }
    memory
}

/// The bytes of the n-th element.
fn bytes(memory: &Memory, dtype: DType, n: usize) -> &[u8] {
    &memory.bytes()[n * dtype.size()..][..dtype.size()]
}

/// The n-th element.
fn element(memory: &Memory, dtype: DType, n: usize) -> Scalar {
    let mut value = [0; 16];
    value[..dtype.size()].copy_from_slice(bytes(memory, dtype, n));
    Scalar::from_bytes(dtype, value)
}

/// One of all dtypes.
fn any_dtype(points: &mut Points) -> DType {
    DType::ALL[points.below(DType::ALL.len())]
}
