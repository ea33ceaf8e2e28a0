//! Launching kernels.

use std::ffi::c_void;
use std::ptr;

use situ_codegen::Argument;
use situ_hal::{Address, Result};
use smallvec::SmallVec;

use crate::driver::DevicePointer;
use crate::module::Kernel;
use crate::stream::Stream;

/// The arguments of one launch, side by side in memory.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    /// Words, so that every argument is aligned.
    words: SmallVec<[u64; 32]>,
    /// Where each argument begins.
    starts: SmallVec<[u16; 24]>,
}

impl Arguments {
    #[inline]
    pub(crate) fn push(&mut self, word: u64) {
        self.starts.push(self.words.len() as u16);
        self.words.push(word);
    }

    /// An address.
    #[inline]
    pub(crate) fn push_address(&mut self, address: Address) {
        self.push(address.0 as u64);
    }

    /// A value by its bytes; a kernel reads as many as it needs.
    pub(crate) fn push_value(&mut self, bytes: [u8; 16]) {
        let [low, high] = [0, 8].map(|at| u64::from_ne_bytes(std::array::from_fn(|i| bytes[at + i])));
        self.push(low);
        self.words.push(high);
    }

    /// What a plan asks for; `operand` adds the operand with a number, its address moved by so many bytes.
    pub(crate) fn extend(
        &mut self,
        planned: &[Argument],
        scratch: DevicePointer,
        mut operand: impl FnMut(&mut Arguments, usize, isize),
    ) {
        for argument in planned {
            match *argument {
                Argument::Operand(n, bytes) => operand(self, n as usize, bytes as isize),
                Argument::Scratch(at) => self.push(scratch + at),
                // Little endian, as every machine with such a GPU is: the low bytes come first.
                Argument::U32(number) => self.push(number.into()),
                Argument::I32(number) => self.push(number as u32 as u64),
                Argument::U64(number) => self.push(number),
                Argument::I64(number) => self.push(number as u64),
            }
        }
    }
}

/// Launches a kernel.
///
/// # Safety
///
/// The arguments are the kernel's own, in order, and what it does with them is allowed. The device has been entered.
pub(crate) unsafe fn launch(
    stream: &Stream,
    kernel: Kernel,
    grid: [u32; 3],
    block: [u32; 3],
    arguments: &mut Arguments,
) -> Result<()> {
    let words = arguments.words.as_mut_ptr();
    // SAFETY: every start is the number of a word that was pushed with it.
    let mut pointers: SmallVec<[*mut c_void; 24]> =
        arguments.starts.iter().map(|&start| unsafe { words.add(start.into()) }.cast()).collect();
    let device = &stream.device;
    // SAFETY: the caller vouches for the arguments, which the driver copies before it returns.
    let code = unsafe {
        (device.driver.api.cuLaunchKernel)(
            kernel.0,
            grid[0],
            grid[1],
            grid[2],
            block[0],
            block[1],
            block[2],
            0,
            stream.handle,
            pointers.as_mut_ptr(),
            ptr::null_mut(),
        )
    };
    device.check(code, "launch")
}
