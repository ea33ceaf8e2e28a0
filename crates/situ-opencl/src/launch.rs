//! Launching kernels.

use std::ffi::c_void;
use std::ptr;

use situ_codegen::{Argument, Launch};
use situ_hal::{HalError, Result};

use crate::driver::{code, describe};
use crate::module::Function;
use crate::stream::Turn;

/// Launches a kernel, with scratch memory at an address. `follows` says that it may follow addresses that it finds in memory.
///
/// # Safety
///
/// The arguments are the kernel's own, in order, and what it does with them is allowed.
pub(crate) unsafe fn launch(
    turn: &mut Turn<'_>,
    function: &Function,
    launch: &Launch,
    scratch: *mut u8,
    follows: bool,
) -> Result<()> {
    let place = &turn.stream.place;
    let (driver, memory) = (place.device.driver, &place.device.facts.memory);
    // Arguments are part of the kernel until it is enqueued.
    let kernel = function.kernel.lock();
    let value = |position: u32, bytes: usize, at: *const c_void| {
        // SAFETY: the kernel is locked, and so many bytes are copied from there, or none where there is nothing.
        unsafe { (driver.api.clSetKernelArg)(kernel.0, position, bytes, at) }
    };
    let address = |position: u32, address: *mut u8| {
        // SAFETY: the kernel is locked.
        unsafe { memory.set_address(driver, kernel.0, position, address) }
    };
    let given = launch.arguments.len() as u32;
    for (position, argument) in (0..).zip(&launch.arguments) {
        let code = match argument {
            Argument::Address(to) => address(position, to.0),
            Argument::Scratch(at) => address(position, scratch.wrapping_add(*at as usize)),
            Argument::Value(bytes, width) => value(position, usize::from(*width), bytes.as_ptr().cast()),
            Argument::U32(number) => value(position, 4, ptr::from_ref(number).cast()),
            Argument::I32(number) => value(position, 4, ptr::from_ref(number).cast()),
            Argument::U64(number) => value(position, 8, ptr::from_ref(number).cast()),
            Argument::I64(number) => value(position, 8, ptr::from_ref(number).cast()),
        };
        if code != code::SUCCESS {
            return Err(wrong_argument(function, position, given, code));
        }
    }
    // A group's own memory is one more parameter, the last one.
    if function.parameters > given {
        let code = value(given, launch.local.max(1) as usize, ptr::null());
        if code != code::SUCCESS {
            return Err(wrong_argument(function, given, given, code));
        }
    }
    if follows {
        let blocks = place.context.blocks();
        if !blocks.is_empty() {
            // SAFETY: the kernel is locked.
            place.device.check(unsafe { memory.reaches(driver, kernel.0, &blocks) }, "launch")?;
        }
    }
    let axes = [0, 1, 2];
    let local = launch.kernel.group(place.dialect(), launch.block).map(|size| size as usize);
    let global = axes.map(|axis| launch.grid[axis] as usize * local[axis]);
    let dimensions = if global[1] == 1 && global[2] == 1 { 1 } else { 3 };
    let queue = turn.stream.handle;
    turn.enqueue("launch", |count, after, event| {
        // SAFETY: the caller vouches for the arguments, which the driver has copied; one handle is written.
        unsafe {
            let (global, local) = (global.as_ptr(), local.as_ptr());
            let enqueue = driver.api.clEnqueueNDRangeKernel;
            enqueue(queue, kernel.0, dimensions, ptr::null(), global, local, count, after, event)
        }
    })
}

/// The driver does not take an argument: only a user's text can have such.
#[cold]
fn wrong_argument(function: &Function, position: u32, given: u32, code: i32) -> HalError {
    let parameters = function.parameters;
    let detail = if parameters == given {
        format!("argument {position} is not what its parameter takes: {}", describe(code))
    } else {
        format!("it has {parameters} parameters, and got {given} arguments")
    };
    HalError::Unsupported { operation: "launch".into(), detail }
}
