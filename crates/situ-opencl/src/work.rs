//! Commands that kernels do.

use std::sync::Arc;

use situ_codegen::Work;
use situ_hal::{Address, Result};

use crate::copy::{copy, fill};
use crate::launch::launch;
use crate::module::Function;
use crate::stream::Turn;

/// Prepares scratch memory at an address and launches the kernels of some work.
///
/// # Safety
///
/// The operands of the work are valid for what it does with them until the stream has come past it, and so is the scratch
/// memory, of which there is as much as the work asked for. The functions are those of the work.
pub(crate) unsafe fn run(
    turn: &mut Turn<'_>,
    work: &Work,
    functions: &[Arc<Function>],
    scratch: Address,
) -> Result<()> {
    for (start, table) in &work.tables {
        let table = table.clone();
        let (table_at, bytes) = (Address(table.as_ptr().cast_mut().cast()), size_of_val(&table[..]));
        // Kept where it is: the driver may read it long after.
        turn.keep(table);
        // SAFETY: the caller's promise, and the table stays until the command is over.
        unsafe { copy(turn, scratch.offset(*start as isize), table_at, bytes) }?;
    }
    // SAFETY: the caller's promise.
    unsafe { fill(turn, scratch, [0; 16], 1, work.zeroed) }?;
    // SAFETY: the caller's promise.
    unsafe { launch_all(turn, work, functions, scratch.0) }
}

/// Launches the kernels of some work.
///
/// # Safety
///
/// As for [`run`].
pub(crate) unsafe fn launch_all(
    turn: &mut Turn<'_>,
    work: &Work,
    functions: &[Arc<Function>],
    scratch: *mut u8,
) -> Result<()> {
    let follows = !work.tables.is_empty();
    for (planned, function) in work.launches.iter().zip(functions) {
        // SAFETY: the arguments are the kernel's own, and it reaches what the caller vouches for.
        unsafe { launch(turn, function, planned, scratch, follows) }?;
    }
    Ok(())
}
