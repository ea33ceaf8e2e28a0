//! The same elements in another arrangement: views where strides can say it, one command where they cannot.
//!
//! * `axes`: axes in another order, or backwards, and axes of length 1.
//! * `shape`: other shapes.
//! * `broadcast`: elements repeated without being copied.
//! * `join`, `roll`: pieces of arrays at other places in a new one (`pieces`), all by one command.
//! * `repeat`: elements repeated in a new array.

mod axes;
mod broadcast;
mod join;
mod pieces;
mod repeat;
mod roll;
mod shape;

pub use self::broadcast::broadcast_shapes;
