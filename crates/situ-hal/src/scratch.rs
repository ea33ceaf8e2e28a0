//! Memory that commands need beside their operands.

use std::fmt::Debug;
use std::sync::Arc;

use situ_types::UsmKind;

use crate::{Address, Completion, Context, Device, Lane, Result};

/// Where a queue gets memory that a command needs beside its operands.
///
/// Above the seam this is the pool of the queue's context, so that such memory is counted, kept, limited and given back
/// like any other.
pub trait ScratchSource: Debug + Send + Sync {
    /// Calls `submit` with the address of so many bytes of the device's memory, aligned to at least 64 bytes, which are
    /// the command's own until the completion that `submit` returns is over. Their contents are anything.
    ///
    /// Earlier commands of the lane may still use the memory, so that only commands of the lane may touch it. If
    /// `submit` fails, nothing uses the memory any more, and everything submitted to the lane before is over.
    fn with(
        &self,
        lane: Option<Lane>,
        bytes: usize,
        submit: &mut dyn FnMut(Address) -> Result<Completion>,
    ) -> Result<Completion>;
}

/// Scratch memory without a pool: asked for and given back each time, for queues that are used by themselves.
#[derive(Debug)]
pub struct UnpooledScratch {
    context: Arc<dyn Context>,
    device: Arc<dyn Device>,
}

impl UnpooledScratch {
    /// From a context's memory for a device.
    pub fn new(context: Arc<dyn Context>, device: Arc<dyn Device>) -> UnpooledScratch {
        UnpooledScratch { context, device }
    }
}

impl ScratchSource for UnpooledScratch {
    fn with(
        &self,
        _lane: Option<Lane>,
        bytes: usize,
        submit: &mut dyn FnMut(Address) -> Result<Completion>,
    ) -> Result<Completion> {
        let address = self.context.allocate(&self.device, UsmKind::Device, bytes)?;
        let done = submit(address);
        if let Ok(Completion::Event(event)) = &done {
            event.wait(None);
        }
        // SAFETY: it was allocated above, and the command that used it is over, or was refused.
        unsafe { self.context.release(UsmKind::Device, address, bytes) };
        done
    }
}
