//! Commands that kernels do.

use situ_codegen::{Work, work_for};
use situ_hal::{Address, Command, HalError, Result};

use crate::copy::{copy, fill};
use crate::launch::launch;
use crate::scratch::Scratch;
use crate::stream::Stream;

/// Runs a command by kernels.
///
/// # Safety
///
/// Every address in the command is valid for its access until the stream has come past it. The device has been entered.
pub(crate) unsafe fn run(stream: &Stream, scratch: &Scratch, command: &Command) -> Result<()> {
    let limits = &stream.device.facts.limits;
    let work = work_for(command, limits)?;
    // SAFETY: the work is the command's, for which the caller vouches.
    match unsafe { execute(stream, scratch, &work) } {
        // Somebody else needs the memory. Whatever has been done is done again.
        Err(HalError::OutOfMemory { .. }) if work.has_leaner => {
            // SAFETY: as above.
            unsafe { execute(stream, scratch, &work_for(command, &limits.without_scratch())?) }
        }
        done => done,
    }
}

/// Launches the kernels of some work.
///
/// # Safety
///
/// The operands of the work are valid for what it does with them until the stream has come past it. The device has been
/// entered.
unsafe fn execute(stream: &Stream, scratch: &Scratch, work: &Work) -> Result<()> {
    if work.scratch == 0 {
        // SAFETY: the caller's promise.
        return unsafe { launch_all(stream, work, 0) };
    }
    scratch.with(stream, work.scratch, |room| {
        let at = |bytes: usize| Address((room as usize + bytes) as *mut u8);
        for (start, table) in &work.tables {
            let table_at = Address(table.as_ptr().cast_mut().cast());
            // SAFETY: the work asked for the room, and what is copied from ordinary memory has been read when the call
            // returns.
            unsafe { copy(stream, at(*start), table_at, size_of_val(&table[..])) }?;
        }
        // SAFETY: the work asked for the room.
        unsafe { fill(stream, at(0), [0; 16], 1, work.zeroed) }?;
        // SAFETY: the caller's promise; the room is the work's alone.
        unsafe { launch_all(stream, work, room) }
    })
}

/// # Safety
///
/// As for [`execute`]; there are as many bytes of scratch memory at the address as the work asked for.
unsafe fn launch_all(stream: &Stream, work: &Work, scratch: u64) -> Result<()> {
    for planned in &work.launches {
        let function = stream.device.modules.function(&stream.device, &planned.kernel)?;
        // SAFETY: the arguments are the kernel's own, and it reaches what the caller vouches for.
        unsafe { launch(stream, function, planned, scratch) }?;
    }
    Ok(())
}
