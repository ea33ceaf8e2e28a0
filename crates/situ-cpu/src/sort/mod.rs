//! Commands that follow the order of elements.
//!
//! * `rows`: sequences, sorted one by one.
//! * `search`: where elements belong among sorted ones.
//! * `runs`: runs of equal elements.
//! * `cost`: how long it will take.

pub(crate) mod cost;
mod rows;
mod runs;
mod search;

pub(crate) use self::rows::sort;
pub(crate) use self::runs::{run_count, run_select};
pub(crate) use self::search::search;

/// Calls a function generic over the type of elements with the type of a dtype.
macro_rules! by_dtype {
    ($dtype:expr, $function:ident($($argument:expr),* $(,)?)) => {
        situ_ir::domain_types!(Numeric, choose_element, $dtype, $function, ($($argument),*))
    };
}
macro_rules! choose_element {
    ($given:expr, $function:ident, $arguments:tt ; $(($dtype:ident, $type:ty))*) => {
        match $given { $(situ_types::DType::$dtype => call_with!($function, $type, $arguments),)* }
    };
}
macro_rules! call_with {
    ($function:ident, $type:ty, ($($argument:expr),*)) => { $function::<$type>($($argument),*) };
}
use {by_dtype, call_with, choose_element};

use crate::elementwise::{Fork, Machine};

/// Runs `part(n, from, to)` over `0..size` in pieces, of which it returns how many there are.
fn spread(
    size: usize,
    nanoseconds: u64,
    machine: &Machine,
    fork: Fork<'_>,
    part: &(dyn Fn(usize, usize, usize) + Sync),
) {
    let length = size.div_ceil(machine.chunks(nanoseconds)).max(1);
    match size.div_ceil(length) {
        0 | 1 => part(0, 0, size),
        pieces => fork(pieces, &|n| part(n, n * length, size.min((n + 1) * length))),
    }
}
