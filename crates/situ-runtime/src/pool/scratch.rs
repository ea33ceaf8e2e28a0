//! Memory that commands need beside their operands, from the pool.

use situ_hal::{Address, Completion, Lane, Result, ScratchSource};
use situ_types::UsmKind;

use super::waiting::Events;
use super::{Pool, class};

impl ScratchSource for Pool {
    fn with(
        &self,
        lane: Option<Lane>,
        bytes: usize,
        submit: &mut dyn FnMut(Address) -> Result<Completion>,
    ) -> Result<Completion> {
        let block = self.allocate_in(lane, UsmKind::Device, bytes, class::MIN_ALIGN)?;
        let done = submit(block.address());
        let events = match &done {
            Ok(Completion::Event(event)) => Events::from_iter([event.clone()]),
            Ok(Completion::Done) | Err(_) => Events::new(),
        };
        // SAFETY: the block was allocated above. What uses it is over with this event; if the command was refused,
        // everything submitted to the lane before is over, as the trait says.
        unsafe { self.free_after(block, events) };
        done
    }
}
