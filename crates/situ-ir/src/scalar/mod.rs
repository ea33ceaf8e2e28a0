//! What the ops mean, one number at a time.
//!
//! The traits are the domains the op table speaks of. Their methods are branch-free where the hardware allows it and
//! always inlined, so that one body can be compiled for several instruction sets and vectorised in each.

mod arithmetic;
mod cast;
mod element;
mod inexact;

pub use arithmetic::{Arithmetic, Numeric};
pub use cast::CastTo;
pub use element::Element;
pub use inexact::Inexact;
