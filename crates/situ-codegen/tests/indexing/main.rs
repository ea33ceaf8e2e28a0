//! Every kernel for elements by index and by mask, run on the host block after block, against the plainest loop there
//! is.
//!
//! `SITU_TEST_CASES` sets the number of random cases per test, `SITU_TEST_SEED` which they are.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

#[path = "../host/mod.rs"]
mod host;

mod bins;
mod many_axes;
mod masks;
mod snapshots;
mod transfers;

use host::layouts::{cases, place, steps};
use host::points::Points;

/// A shape with few elements, or one with some thousands, of which one block is not enough.
fn shape(points: &mut Points) -> Vec<usize> {
    match points.below(6) {
        0 => vec![1 + points.below(9000)],
        1 => vec![1 + points.below(3), 1 + points.below(5000)],
        2 => vec![1 + points.below(3000), 1 + points.below(4)],
        3 => vec![2 + points.below(9), 2 + points.below(40), 2 + points.below(30)],
        _ => (0..points.below(5)).map(|_| points.below(6)).collect(),
    }
}
