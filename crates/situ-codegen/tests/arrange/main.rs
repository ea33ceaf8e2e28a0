//! Every kernel that arranges elements anew, run on the host block after block, against the plainest loop there is.
//!
//! `SITU_TEST_CASES` sets the number of random cases per test, `SITU_TEST_SEED` which they are.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

#[path = "../host/mod.rs"]
mod host;

mod joins;
mod repeats;
