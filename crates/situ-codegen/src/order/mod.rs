//! Sorting, searching and telling equal elements apart: which kernels to launch with which numbers, and the kernels.
//!
//! * `sort`: chooses by the length of rows. `short_rows` compares all elements of a row with all; `row_sort` sorts a row by
//!   digits in the local memory of one block; `radix` sorts rows of any length by one digit per launch (`radix_pass`),
//!   after a first launch has counted all digits at once (`digits`). The last two share the sorting of a `tile`. On a processor
//!   `chunks` sorts long rows, whose parts are each a core's business (`chunk_pass`).
//! * `search`: a binary search per element.
//! * `run_count`, `run_select`: runs of equal elements in what is sorted.
//!
//! Kernels move elements as bits, and find their place in the order (`ordered`) where they need it. What is not sorted out
//! within a block goes by decoupled look-back (`look_back`): what a tile has to know of those before it is a count, whose
//! sum does not depend on who was faster.

mod chunk_pass;
mod chunks;
mod digits;
mod look_back;
mod ordered;
mod radix;
mod radix_pass;
mod row_sort;
mod rows;
mod run_count;
mod run_select;
mod search;
mod short_rows;
mod sort;
mod tile;

pub use chunk_pass::{ChunkCounts, ChunkPass};
pub use digits::{DigitBases, DigitCounts};
pub use radix_pass::RadixPass;
pub use row_sort::RowSort;
pub use run_count::RunCounts;
pub use run_select::RunMove;
pub use search::SearchKernel;
pub use short_rows::ShortRows;

pub(crate) use run_count::run_count;
pub(crate) use run_select::run_select;
pub(crate) use search::search;
pub(crate) use sort::sort;
