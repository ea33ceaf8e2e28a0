//! What the ops mean, one number at a time.
//!
//! The traits are the domains the op table speaks of. Their methods are branch-free where the hardware allows it and
//! always inlined, so that one body can be compiled for several instruction sets and vectorised in each.

mod arithmetic;
mod bits;
mod cast;
pub mod complex;
mod element;
mod inexact;
pub mod math;
mod numeric;
mod real;

pub use arithmetic::Arithmetic;
pub use bits::{Bits, Integer};
pub use cast::CastTo;
pub use element::Element;
pub use inexact::{ComplexNumber, Floating, Inexact};
pub use numeric::Numeric;
pub use real::{Divisible, Real};
