//! Launching kernels.

use std::ffi::c_void;
use std::ptr;

use situ_codegen::{Argument, Launch};
use situ_hal::Result;
use smallvec::SmallVec;

use crate::driver::DevicePointer;
use crate::module::Function;
use crate::stream::Stream;

/// Bytes of a block's own memory that the driver grants without being asked.
const GRANTED: u32 = 48 << 10;

/// The driver's number of the attribute that asks for more.
const MAX_DYNAMIC_SHARED: i32 = 8;

/// Launches a kernel, with scratch memory at an address.
///
/// # Safety
///
/// The arguments are the kernel's own, in order, and what it does with them is allowed. The device has been entered.
pub(crate) unsafe fn launch(
    stream: &Stream,
    function: Function,
    launch: &Launch,
    scratch: DevicePointer,
) -> Result<()> {
    // Arguments are read where they are, but for those that are only known now.
    let in_scratch = launch.arguments.iter().filter_map(|argument| match argument {
        Argument::Scratch(at) => Some(scratch + at),
        _ => None,
    });
    let addresses: SmallVec<[DevicePointer; 8]> = in_scratch.collect();
    let mut next = addresses.iter();
    let place = |argument: &Argument| -> *const c_void {
        match argument {
            Argument::Address(address) => ptr::from_ref(&address.0).cast(),
            Argument::Value(bytes, _) => bytes.as_ptr().cast(),
            Argument::U32(number) => ptr::from_ref(number).cast(),
            Argument::I32(number) => ptr::from_ref(number).cast(),
            Argument::U64(number) => ptr::from_ref(number).cast(),
            Argument::I64(number) => ptr::from_ref(number).cast(),
            Argument::Scratch(_) => next.next().map_or(ptr::null(), |address| ptr::from_ref(address).cast()),
        }
    };
    let mut places: SmallVec<[*mut c_void; 24]> = launch.arguments.iter().map(place).map(|at| at.cast_mut()).collect();
    let device = &stream.device;
    if launch.local > GRANTED {
        // SAFETY: the function is loaded, and takes a plain number.
        let code =
            unsafe { (device.driver.api.cuFuncSetAttribute)(function.0, MAX_DYNAMIC_SHARED, launch.local as i32) };
        device.check(code, "launch")?;
    }
    // SAFETY: the caller vouches for the arguments, which the driver copies before it returns, as many bytes of each as
    // the kernel's parameter has, and does not write to.
    let code = unsafe {
        (device.driver.api.cuLaunchKernel)(
            function.0,
            launch.grid[0],
            launch.grid[1],
            launch.grid[2],
            launch.block[0],
            launch.block[1],
            launch.block[2],
            launch.local,
            stream.handle,
            places.as_mut_ptr(),
            ptr::null_mut(),
        )
    };
    device.check(code, "launch")
}
