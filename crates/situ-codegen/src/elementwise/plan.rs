//! Which kernel to launch, and with what.

use situ_hal::{Elementwise, HalError, Operand, Result};
use situ_ir::Program;

use super::kernel::ElementwiseKernel;
use super::variant::{Access, MAX_OPERANDS, Variant, Walk};
use super::weight::{copies, is_heavy};
use super::{chunks, walks};
use crate::signature::{Parameter, THREADS};
use crate::work::{Argument, Value, Work};
use crate::{DeviceLimits, Kernel};

/// Bytes a thread moves at once.
pub(crate) const ACCESS: usize = 16;

/// So many blocks keep every device busy several times over.
const MANY_BLOCKS: usize = 2048;

/// A core is worth as much work: elements whose functions take long, and others.
const LEAST_COMPUTED: usize = 2048;
const LEAST_MOVED: usize = 16384;

/// So many blocks per core keep a processor busy to the end, whoever else uses it.
const ENOUGH_EACH: usize = 16;

/// The launch of a program over a space.
pub(crate) fn plan(command: &Elementwise, limits: &DeviceLimits) -> Result<Work> {
    let operands = command.operands().len();
    if operands > MAX_OPERANDS {
        let detail = format!(
            "a program of {operands} operands does not fit into one kernel, which takes {MAX_OPERANDS}; split it"
        );
        return Err(HalError::Unsupported { operation: "elementwise".into(), detail });
    }
    let mut work = Work::default();
    match *command.shape {
        _ if command.shape.contains(&0) => {}
        [count] if let Some(variant) = dense(command, limits) => {
            push_dense(&mut work, command, limits, variant, count, |n| operand(command, n, 0));
        }
        _ => walks::push(&mut work, command, limits),
    }
    Ok(work)
}

/// The dense walk over one axis, if every operand in memory is dense and aligned. Most commands are like this.
#[inline]
fn dense(command: &Elementwise, limits: &DeviceLimits) -> Option<Variant> {
    let program: &Program = &command.program;
    let mut variant = Variant::new(Walk::Dense, 1, 1);
    let mut widest = 1;
    let mut room = usize::MAX;
    for (n, operand) in command.operands().iter().enumerate() {
        let access = match operand {
            Operand::Immediate(_) => Access::Immediate,
            Operand::Index => Access::Index,
            Operand::Memory(address) => {
                if command.strides(n) != [1] {
                    return None;
                }
                let size = program.operand_dtype(n).size();
                widest = widest.max(size);
                room = room.min(alignment(address.value()) >> size.trailing_zeros());
                Access::Dense
            }
        };
        variant.note(n, access);
    }
    variant.width = dense_width(program, widest, room, limits)? as u8;
    Some(variant)
}

/// Adds the launch of a dense walk. `operand` is what the kernel is given for an operand.
pub(super) fn push_dense(
    work: &mut Work,
    command: &Elementwise,
    limits: &DeviceLimits,
    mut variant: Variant,
    count: usize,
    operand: impl Fn(usize) -> Value,
) {
    if limits.is_processor {
        return push_chunks(work, command, limits, variant, count, operand);
    }
    let width = variant.width as usize;
    variant.wide = true;
    // Sizes are powers of two, and a division would take longer than all else here.
    let threads =
        if count >= (MANY_BLOCKS * THREADS as usize) << (width.trailing_zeros() + 1) && is_heavy(&command.program) {
            variant.vectors = 2;
            count.div_ceil(2 * width)
        } else {
            (count >> width.trailing_zeros()) + (count & (width - 1))
        };
    let inputs = command.program.inputs().len();
    let kernel = ElementwiseKernel { program: command.program.clone(), variant };
    work.launch(Kernel::Elementwise(kernel), threads.div_ceil(THREADS as usize), |parameter| match parameter {
        Parameter::Address(role) | Parameter::Immediate(role) => operand(role.operand(inputs)),
        _ => count.into(),
    });
}

/// The same where a block is one thread.
fn push_chunks(
    work: &mut Work,
    command: &Elementwise,
    limits: &DeviceLimits,
    mut variant: Variant,
    count: usize,
    operand: impl Fn(usize) -> Value,
) {
    (variant.walk, variant.wide) = (Walk::Chunks, true);
    let least = if copies(&command.program) < ACCESS { LEAST_COMPUTED } else { LEAST_MOVED };
    let blocks = (count / least).clamp(1, ENOUGH_EACH * limits.cores);
    let segment = count.div_ceil(blocks).next_multiple_of(chunks::AT_ONCE as usize);
    let inputs = command.program.inputs().len();
    let kernel = ElementwiseKernel { program: command.program.clone(), variant };
    work.launch(Kernel::Elementwise(kernel), count.div_ceil(segment), |parameter| match parameter {
        Parameter::Address(role) | Parameter::Immediate(role) => operand(role.operand(inputs)),
        Parameter::Segment => segment.into(),
        _ => count.into(),
    });
}

/// What a kernel is given for an operand, whose first element is so many from where the command says.
pub(super) fn operand(command: &Elementwise, n: usize, start: isize) -> Value {
    let size = command.program.operand_dtype(n).size();
    match command.operands()[n] {
        Operand::Memory(address) => address.offset(start * size as isize).into(),
        Operand::Immediate(bytes) => Value::At(Argument::Value(bytes, size as u8)),
        Operand::Index => Value::Word(0),
    }
}

/// The same where everything is dense. What a processor's thread moves at once is its compiler's choice.
pub(super) fn dense_width(program: &Program, widest: usize, room: usize, limits: &DeviceLimits) -> Option<usize> {
    if limits.is_processor { (room > 0).then_some(1) } else { width(program, widest, room) }
}

/// How many elements a thread moves at once, if that is worth it: as many as the widest operand's access holds and the
/// addresses allow.
pub(super) fn width(program: &Program, widest: usize, room: usize) -> Option<usize> {
    let most = (ACCESS >> widest.trailing_zeros()).min(copies(program));
    let width = most.min(room);
    (width > 1 || (width == 1 && most == 1)).then_some(width)
}

/// The largest power of two up to [`ACCESS`] that divides an address.
pub(crate) fn alignment(address: usize) -> usize {
    1 << address.trailing_zeros().min(ACCESS.trailing_zeros())
}
