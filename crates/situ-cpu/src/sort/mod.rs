//! Commands that follow the order of elements.
//!
//! * `rows`: sequences, sorted one by one, or one after another by all threads; what is in order already is seen first.
//! * `values`: elements alone: keys are sorted and turned back into elements.
//! * `packed`: elements with their positions: the leading bits of a key and the position in one integer.
//! * `counting`: dtypes with so few different elements that these are counted.
//! * `top`: the first few.
//! * `quick`, `partition`, `network`, `lanes`: keys in order on one thread, by vectors. `buckets`: by all threads.
//! * `search`: where elements belong among sorted ones.
//! * `runs`: runs of equal elements.
//! * `cost`: how long it will take.

mod buckets;
pub(crate) mod cost;
mod counting;
mod lanes;
mod network;
mod packed;
mod partition;
mod quick;
mod rows;
mod runs;
mod search;
mod top;
mod values;

pub(crate) use self::rows::{scratch, sort};
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

use crate::elementwise::Fork;

/// Runs `part(n, from, to)` over `0..size` in pieces, as many as are wanted at most.
fn spread(size: usize, pieces: usize, fork: Fork<'_>, part: &(dyn Fn(usize, usize, usize) + Sync)) {
    let length = size.div_ceil(pieces).max(1);
    match size.div_ceil(length) {
        0 | 1 => part(0, 0, size),
        pieces => fork(pieces, &|n| part(n, n * length, size.min((n + 1) * length))),
    }
}
