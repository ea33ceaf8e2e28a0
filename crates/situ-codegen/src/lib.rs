//! From commands to kernels: what to launch for a command, and the text of it in the C-family dialects.
//!
//! * [`work_for`]: a HAL command as [`Work`], launches of kernels with their arguments and the memory they need beside
//!   the operands. A backend looks the [`Kernel`]s up, has the text of new ones compiled, and launches them.
//! * [`Dialect`]: CUDA C, OpenCL C, or plain C for tests on the host.
//! * [`library`]: what the rows of the op table mean, translated from `situ_ir::scalar` with the same operations in the
//!   same order, so that every device gives the same bits as the processor does. A kernel gets only what it uses.
//! * [`cache`]: compiled kernels on disk, which backends share.
//! * [`elementwise`], `indexing`, `arrange`, `order`, `product`, `linalg`, `reduce`: the kernels, and which of them a command
//!   needs. `launch`, `raw`: those that users write.
//!
//! A kernel has one list of parameters (`signature`), from which both its text (`kernel`) and the arguments of a launch
//! (`work`) are made, so that they cannot disagree; `coordinates` is the way from a position in a space to an operand's
//! element. Nothing here knows a driver.

#![forbid(unsafe_code)]

mod arrange;
pub mod cache;
mod command;
mod coordinates;
mod dialect;
mod divisor;
pub mod elementwise;
mod expression;
pub mod fft;
mod group;
mod indexing;
mod kernel;
mod kernel_map;
mod launch;
pub mod library;
mod limits;
mod linalg;
mod order;
mod product;
mod random;
mod raw;
mod reduce;
mod signature;
mod work;

pub use command::work_for;
pub use dialect::Dialect;
pub use kernel::{Kernel, Rules, Source};
pub use kernel_map::{Fold, KernelMap};
pub use launch::inspect;
pub use limits::DeviceLimits;
pub use linalg::small_matrices;
pub use raw::RawText;
pub use work::{Argument, Launch, Work};
