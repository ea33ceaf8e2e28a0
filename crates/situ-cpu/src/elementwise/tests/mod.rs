//! Every loop against the scalar meaning of its op, one element at a time.

mod casts;
mod layouts;
mod moves;
mod ops;
mod programs;
mod setting;
mod streamed;
