//! Kernels that users write, one work-item after another, by the interpreter of `situ-ir`.

use std::ptr;

use situ_ir::kernel::Array;
use situ_ir::kernel::interpret::{Argument, Memory, run};
use situ_types::{DType, Scalar};

use crate::{Address, Launch, LaunchArgument};

/// The arrays of a launch, by their numbers in the kernel.
struct Arrays(Vec<(Address, DType)>);

impl Arrays {
    fn element(&self, array: Array, offset: isize) -> (Address, DType) {
        let (first, dtype) = self.0[array.index()];
        (first.offset(offset * dtype.size() as isize), dtype)
    }
}

impl Memory for Arrays {
    fn load(&mut self, array: Array, offset: isize) -> Scalar {
        let (from, dtype) = self.element(array, offset);
        let mut bytes = [0; 16];
        // SAFETY: who launches a kernel vouches for the elements that it reads; none is wider than 16 bytes.
        unsafe { ptr::copy_nonoverlapping(from.0, bytes.as_mut_ptr(), dtype.size()) };
        Scalar::from_bytes(dtype, bytes)
    }

    fn store(&mut self, array: Array, offset: isize, value: Scalar) {
        let (to, dtype) = self.element(array, offset);
        // SAFETY: who launches a kernel vouches for the elements that it writes.
        unsafe { ptr::copy_nonoverlapping(value.to_bytes().as_ptr(), to.0, dtype.size()) };
    }
}

/// Runs a kernel; `None` for a launch that is not well formed.
///
/// # Safety
///
/// Every element that the kernel comes to can be accessed as it does, and nothing else accesses it meanwhile.
pub unsafe fn launch(command: &Launch) -> Option<()> {
    let (kernel, nowhere) = (&*command.kernel, Address(ptr::null_mut()));
    let mut arrays: Vec<(Address, DType)> = kernel.arrays().iter().map(|info| (nowhere, info.dtype)).collect();
    let mut arguments = Vec::new();
    for (parameter, argument) in kernel.parameters().iter().zip(&command.arguments) {
        arguments.push(match argument {
            LaunchArgument::Array(address, layout) => {
                if let situ_ir::kernel::Parameter::Array(array) = parameter {
                    arrays[array.index()].0 = *address;
                }
                Argument::Array(layout.clone())
            }
            LaunchArgument::Local(layout) => Argument::Array(layout.clone()),
            LaunchArgument::Scalar(value) => Argument::Scalar(*value),
        });
    }
    let outcome = run(kernel, &command.range, &arguments, &mut Arrays(arrays))?;
    if let (Err(fault), Some(report)) = (outcome, command.report) {
        let words = fault.to_words();
        // SAFETY: there is room for the words of a fault where a launch says so, and they are words of the host's.
        unsafe { ptr::copy_nonoverlapping(words.as_ptr(), report.0.cast(), words.len()) };
    }
    Some(())
}
