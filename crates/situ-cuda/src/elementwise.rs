//! Elementwise programs.

use std::ptr;
use std::sync::Arc;

use situ_codegen::Dialect;
use situ_codegen::elementwise::{OperandForm, TooManyOperands, emit, plan};
use situ_hal::{Address, Elementwise, HalError, Operand, ProgramRef, Result};
use smallvec::SmallVec;

use crate::launch::{Arguments, launch};
use crate::module::Purpose;
use crate::stream::Stream;

/// Runs a command.
///
/// # Safety
///
/// Every address in the command is valid for its access until the stream has come past it. The device has been entered.
pub(crate) unsafe fn run(stream: &Stream, command: &Elementwise) -> Result<()> {
    if command.shape.contains(&0) {
        return Ok(());
    }
    let program = &command.program;
    let operands: SmallVec<[OperandForm<'_>; 8]> = command
        .operands()
        .iter()
        .enumerate()
        .map(|(n, operand)| match operand {
            Operand::Memory(address) => {
                OperandForm::Memory { strides: command.strides(n), alignment: alignment(*address) }
            }
            Operand::Immediate(_) => OperandForm::Immediate,
            Operand::Index => OperandForm::Index,
        })
        .collect();
    let plan = plan(program, &command.shape, &operands).map_err(too_many)?;
    let purpose = match program {
        ProgramRef::Static(program) => Purpose::Static(ptr::from_ref(*program) as usize, plan.form),
        ProgramRef::Shared(program) => Purpose::Program(Arc::clone(program), plan.form),
    };
    let device = &stream.device;
    let kernel = device.modules.kernel(device, &purpose, || emit(program, &plan.form, Dialect::Cuda))?;
    let mut arguments = Arguments::default();
    arguments.extend(&plan.arguments, 0, |arguments, n, bytes| match command.operands()[n] {
        Operand::Memory(address) => arguments.push_address(address.offset(bytes)),
        Operand::Immediate(value) => arguments.push_value(value),
        Operand::Index => {}
    });
    // SAFETY: the plan belongs to the kernel and stays inside the operands' layouts, which the caller vouches for.
    unsafe { launch(stream, kernel, plan.grid, plan.block, &mut arguments) }
}

/// More operands than a kernel takes.
pub(crate) fn too_many(error: TooManyOperands) -> HalError {
    HalError::Unsupported { operation: "elementwise".into(), detail: error.to_string() }
}

/// The largest power of two up to 16 that divides an address.
pub(crate) fn alignment(address: Address) -> usize {
    1 << address.value().trailing_zeros().min(4)
}
