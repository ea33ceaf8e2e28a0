//! Elements arranged anew: which kernels to launch with which numbers, and the kernels.
//!
//! * `join`: many arrays to places of their own, in one launch. What is known of each piece stands in a table in memory;
//!   every block belongs to one piece, which it looks up. Pieces that need no conversion are moved as wide as all of them
//!   allow.
//! * `repeat`: each element as often as integers say. Every thread looks up which element its place belongs to. Where all
//!   are repeated alike it is a copy over a space in which repetitions are an axis.

mod join;
mod join_kernel;
mod repeat;

pub use join::JoinKernel;
pub use repeat::RepeatKernel;

pub(crate) use join::join;
pub(crate) use repeat::repeat;
