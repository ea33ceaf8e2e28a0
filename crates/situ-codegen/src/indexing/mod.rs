//! Elements by index and by mask: which kernels to launch with which numbers, and the kernels.
//!
//! * [`gather`], [`scatter`]: elements to or from places found by index. Elements that lie side by side whatever the
//!   indices say are moved as wider ones.
//! * [`gather_by_bins`], [`scatter_by_bins`]: the same for many elements of a large array, in an order that the device's
//!   cache likes.
//! * [`check`]: the first index that lies outside its axis. Threads note the least position; a last kernel of one thread
//!   reads the index there and answers.
//! * [`count`], [`select`], [`expand`]: masks. The space is divided into segments, one per block. A first kernel counts what
//!   is true in each, a second adds the counts up, and a third, which knows by then where each segment's part of the
//!   result begins, moves the elements: a tile at a time, whose true positions are listed in shared memory first, so
//!   that neighbouring threads handle neighbouring results.
//!
//! Kernels know widths, not dtypes, but for indices. Each function takes plain numbers and returns [`Work`]: launches
//! in their order, and the scratch memory they need. Positions and steps have 32 bits where all of them fit, else 64.
//!
//! `space` holds the axes, `kernel` what all kernels have in common, `signature` their parameters, `group` what the
//! threads of a block do together; each of the others one kind of kernel with its plan.

mod bins;
mod bins_moving;
mod bins_sorting;
mod check;
mod expand;
mod group;
mod kernel;
mod mask;
mod moved;
mod select;
mod signature;
mod space;
mod totals;
mod transfer;
mod transfer_text;
mod work;

pub use bins::{Room, gather_by_bins, scatter_by_bins};
pub use check::check;
pub use expand::{Values, expand};
pub use kernel::Kernel;
pub use mask::count;
pub use select::{Taken, select};
pub use transfer::{Indices, Transfer, gather, scatter};
pub use work::{Launch, Strided, Work};

/// What an index means that does not lie in its axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Negative ones count from the end; beyond that, the nearest end.
    Checked,
    /// The remainder modulo the length.
    Wrap,
    /// The nearest end; negative ones are the first element.
    Clip,
}
