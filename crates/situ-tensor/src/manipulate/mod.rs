//! The same elements in another arrangement: views where strides can say it, one command where they cannot.
//!
//! * `axes`: axes in another order, or backwards, and axes of length 1.
//! * `shape`: other shapes.
//! * `broadcast`: elements repeated without being copied.

mod axes;
mod broadcast;
mod shape;

pub use self::broadcast::broadcast_shapes;
