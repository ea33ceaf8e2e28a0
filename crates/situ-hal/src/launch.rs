//! Kernels that users write.

use std::sync::Arc;

use situ_ir::kernel::{ArrayLayout, Kernel, NdRange};
use situ_types::Scalar;

use crate::Address;

/// What a kernel is given for one of its parameters.
#[derive(Clone, Debug)]
pub enum LaunchArgument {
    /// An array in memory: its element at index 0 of every axis, and where the others are.
    Array(Address, ArrayLayout),
    /// The shape of an array that each work-group has.
    Local(ArrayLayout),
    /// A number of the parameter's dtype.
    Scalar(Scalar),
}

/// A kernel over a range, which suits it and is not empty. Arguments have the dtypes and numbers of axes of the kernel's
/// parameters.
///
/// A kernel can reach outside of its arrays; that is its author's concern, who can have it guard itself.
#[derive(Clone, Debug)]
pub struct Launch {
    /// What each work-item does.
    pub kernel: Arc<Kernel>,
    /// The work-items.
    pub range: NdRange,
    /// One for each of the kernel's parameters.
    pub arguments: Vec<LaunchArgument>,
    /// Where the words of the first [fault](situ_ir::kernel::Fault) go: zeros in memory of the host, if the kernel has
    /// reports.
    pub report: Option<Address>,
}
