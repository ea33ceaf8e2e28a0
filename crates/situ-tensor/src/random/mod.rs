//! Random numbers.
//!
//! Each is a function of a stream and its position (`situ_ir::random`), so that arrays are the same on every device.
//!
//! * `draw`: arrays filled with numbers of a stream.
//! * `generator`: a stream with a place in it, for programs in Rust.

mod draw;
mod generator;

pub use self::generator::Generator;
