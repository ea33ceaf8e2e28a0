//! Indexing: NumPy's keys, as views where they are basic and as gathers, scatters and selections where they are not.
//!
//! * `key`: what a key consists of.
//! * `slicing`: keys as Rust writes them.
//! * `plan`: what a key means for an array: a view, and index arrays along some of its axes.
//! * `read`, `write`: `x[key]` and `x[key] = value`.
//! * `bounds`: whether indices lie in their axes, asked of the device before anything is written.
//! * `mask`: what is true, and how much.
//! * `take`, `along`: the functions.
//! * `axes`: as few axes as possible, in C order.
//! * `target`: what may be written to, and what must be copied first.
//!
//! Nothing is read on the host but counts and verdicts, which decide shapes and exceptions.

mod along;
mod axes;
mod bounds;
mod key;
mod mask;
mod place;
mod plan;
mod read;
mod slicing;
mod take;
mod target;
mod write;

pub use key::{Item, Slice};
pub(crate) use place::together;
pub use plan::OutOfRange;
pub use slicing::Key;
