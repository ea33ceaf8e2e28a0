//! Elements by index and by mask: which kernels to launch with which numbers, and the kernels.
//!
//! * `transfer`: elements to or from places found by index. Elements that lie side by side whatever the indices say are
//!   moved as wider ones.
//! * `bins`: the same for many elements of a large array, in an order that the device's cache likes.
//! * `index_check`: the first index that lies outside its axis. Threads note the least position; a last kernel of one
//!   thread reads the index there and answers.
//! * `mask_count`, `mask_select`, `mask_expand`: masks. The space is divided into segments, one per block. A first kernel
//!   counts what is true in each, a second adds the counts up (`totals`), and a third, which knows by then where each
//!   segment's part of the result begins, moves the elements (`mask_move`): a tile at a time, whose true positions are
//!   listed in local memory first, so that neighbouring threads handle neighbouring results.
//!
//! Kernels know widths, not dtypes, but for indices. Positions and steps have 32 bits where all of them fit, else 64.

mod bin_sort;
mod bin_visit;
mod bins;
mod index_check;
mod mask_count;
mod mask_expand;
mod mask_move;
mod mask_select;
mod totals;
mod transfer;
mod transfer_kernel;

pub use bin_sort::{BinProbe, BinSort};
pub use bin_visit::{BinCollect, BinVisit};
pub use index_check::{IndexCheckKernel, IndexVerdict};
pub use mask_count::MaskCounts;
pub use mask_expand::MaskFill;
pub use mask_move::MaskMove;
pub use totals::Totals;
pub use transfer::TransferKernel;

pub(crate) use index_check::index_check;
pub(crate) use mask_count::mask_count;
pub(crate) use mask_expand::mask_expand;
pub(crate) use mask_select::mask_select;
pub(crate) use transfer::transfer;

/// The type that is as wide as an element, wherever elements of that width lie.
pub(crate) fn element_type(width: u8) -> String {
    if width == 16 { "e16".into() } else { unit_type(width) }
}

/// The type that is as wide, for addresses that are multiples of it.
pub(crate) fn unit_type(width: u8) -> String {
    format!("w{width}")
}
