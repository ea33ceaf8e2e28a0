//! Kernels in the device's own language, as their users wrote them.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use situ_hal::{HalError, RawArgument, RawKernel, RawLaunch, Result};

use crate::kernel::{Kernel, Rules, Source};
use crate::work::Launch;
use crate::{Argument, DeviceLimits, Work};

/// A text that a user wrote. Who launches it again and again has one in hand, so that looking at addresses is enough.
#[derive(Clone, Debug)]
pub struct RawText(Arc<RawKernel>);

impl PartialEq for RawText {
    fn eq(&self, other: &RawText) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Eq for RawText {}

impl Hash for RawText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl RawText {
    /// A kernel as its user gave it.
    pub fn new(kernel: Arc<RawKernel>) -> RawText {
        RawText(kernel)
    }

    /// The module of SPIR-V, if it is not a text.
    pub fn spirv(&self) -> Option<&[u8]> {
        self.0.spirv()
    }

    pub(crate) fn emit(&self) -> Source {
        let rules = Rules::Given(self.0.options().to_vec());
        Source { text: self.0.source().to_owned(), kernel: self.0.name().to_owned(), rules }
    }
}

/// What the launch of such a kernel comes to.
pub(crate) fn plan(command: &RawLaunch, limits: &DeviceLimits) -> Result<Work> {
    let threads = command.block.iter().map(|&size| size as usize).product::<usize>();
    let refuse = |detail: String| {
        let operation = format!("kernel {}", command.kernel.name()).into();
        Err(HalError::Unsupported { operation, detail })
    };
    if threads > limits.group {
        let most = limits.group;
        return refuse(format!("its blocks have {threads} threads, and the device allows {most}; use smaller blocks"));
    }
    if command.local as usize > limits.group_local {
        return refuse(format!(
            "its blocks have {} bytes of shared memory, and the device has {} for a block; use less",
            command.local, limits.group_local
        ));
    }
    let arguments = command.arguments.iter().map(|argument| match *argument {
        RawArgument::Address(address) => Argument::Address(address),
        RawArgument::Scalar(value) => Argument::Value(value.to_bytes(), value.dtype().size() as u8),
    });
    let (grid, block, local) = (command.grid, command.block, command.local);
    let kernel = Kernel::Raw(RawText(command.kernel.clone()));
    let mut work = Work::default();
    work.launches.push(Launch { kernel, grid, block, local, arguments: arguments.collect() });
    Ok(work)
}
