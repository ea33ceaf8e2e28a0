//! Commands that kernels do.

use situ_codegen::Work;
use situ_hal::{Address, Result};

use crate::copy::{copy, fill};
use crate::driver::DevicePointer;
use crate::launch::launch;
use crate::stream::Stream;

/// Prepares scratch memory at an address and launches the kernels of some work.
///
/// # Safety
///
/// The operands of the work are valid for what it does with them until the stream has come past it, and so is the scratch
/// memory, of which there is as much as the work asked for. The device has been entered.
pub(crate) unsafe fn run(stream: &Stream, work: &Work, scratch: Address) -> Result<()> {
    for (start, table) in &work.tables {
        let table_at = Address(table.as_ptr().cast_mut().cast());
        // SAFETY: the caller's promise, and what is copied from ordinary memory has been read when the call returns.
        unsafe { copy(stream, scratch.offset(*start as isize), table_at, size_of_val(&table[..])) }?;
    }
    // SAFETY: the caller's promise.
    unsafe { fill(stream, scratch, [0; 16], 1, work.zeroed) }?;
    // SAFETY: the caller's promise.
    unsafe { launch_all(stream, work, scratch.0 as DevicePointer) }
}

/// Launches the kernels of some work.
///
/// # Safety
///
/// As for [`run`].
pub(crate) unsafe fn launch_all(stream: &Stream, work: &Work, scratch: DevicePointer) -> Result<()> {
    for planned in &work.launches {
        let function = stream.device.modules.function(&stream.device, &planned.kernel)?;
        // SAFETY: the arguments are the kernel's own, and it reaches what the caller vouches for.
        unsafe { launch(stream, function, planned, scratch) }?;
    }
    Ok(())
}
