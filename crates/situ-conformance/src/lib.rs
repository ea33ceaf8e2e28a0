//! What every backend of situ must pass, written once against the traits of `situ-hal`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod source;

pub use source::{Source, holds};
