//! Reductions and scans, in the order of [`situ_ir::tree`]: which kernels to launch with which numbers, and the kernels.
//!
//! * `combiner`: the map, what brings two values together, and the finishing program, as functions.
//! * `moments`: what combines sums of squared deviations.
//! * `operands`: how a thread gets at the inputs, several elements at once where they are neighbours.
//! * `along`: a warp combines a chunk, its lanes in local memory.
//! * `across`: a thread combines a group of rows, for neighbouring results.
//! * `levels`: what is above that. The last block to arrive combines what the others left in scratch memory, so that one
//!   launch is enough; who arrives last changes nothing.
//! * `scan_along`, `scan_across`: scans. Those of more than a chunk take two launches: the totals of chunks, of which the
//!   last block makes what comes before each, and the results. A single launch whose blocks look back at each other would
//!   combine in an order that depends on when they run.

mod across;
mod along;
mod along_lanes;
mod combiner;
mod kernel;
mod levels;
mod moments;
mod operands;
mod plan;
mod scan_across;
mod scan_along;
mod scan_kernel;
mod scan_plan;

pub use kernel::ReduceKernel;
pub use scan_kernel::ScanKernel;

pub(crate) use plan::reduce;
pub(crate) use scan_plan::scan;
