//! Which kernel to launch, and with what.

use situ_ir::Program;
use situ_types::Dims;
use smallvec::SmallVec;
use thiserror::Error;

use super::axes::Space;
use super::form::{Form, MAX_OPERANDS, Reach, Walk};
use super::walks;
use super::weight::{copies, is_heavy};
use crate::Argument;

/// Threads of a block.
pub(super) const THREADS: usize = 256;
/// Bytes a thread moves at once.
pub(super) const ACCESS: usize = 16;

/// So many blocks keep every device busy several times over.
const MANY_BLOCKS: usize = 2048;

/// How an operand is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandForm<'a> {
    /// Elements in memory.
    Memory {
        /// Steps from element to element, in elements, one per axis.
        strides: &'a [isize],
        /// A power of two that divides the first element's address.
        alignment: usize,
    },
    /// One value for every element.
    Immediate,
    /// The element's own position along the single axis.
    Index,
}

/// A launch: which kernel, how many threads, which arguments.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The kernel's form, for [`emit`](super::emit).
    pub form: Form,
    /// Blocks along each axis of the grid; zero along the first if there is nothing to do.
    pub grid: [u32; 3],
    /// Threads along each axis of a block.
    pub block: [u32; 3],
    /// What the kernel is given, in order.
    pub arguments: SmallVec<[Argument; 16]>,
}

/// A program has more operands than one kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a program of {operands} operands does not fit into one kernel, which takes {MAX_OPERANDS}; split it")]
pub struct TooManyOperands {
    /// Inputs and outputs.
    pub operands: usize,
}

/// The launch of a program over a space, its inputs and then its outputs given.
pub fn plan(program: &Program, shape: &[usize], operands: &[OperandForm<'_>]) -> Result<Plan, TooManyOperands> {
    if operands.len() > MAX_OPERANDS {
        return Err(TooManyOperands { operands: operands.len() });
    }
    Ok(match *shape {
        [count] if let Some(plan) = dense(program, count, operands) => plan,
        _ => spread(program, shape, operands),
    })
}

/// The dense walk over one axis, if every operand in memory is dense and aligned. Most commands are like this.
#[inline]
fn dense(program: &Program, count: usize, operands: &[OperandForm<'_>]) -> Option<Plan> {
    let mut form = Form::new(Walk::Dense, 1, 1);
    let mut arguments = SmallVec::new();
    let mut widest = 1;
    let mut room = usize::MAX;
    for (n, operand) in operands.iter().enumerate() {
        let reach = match operand {
            OperandForm::Immediate => Reach::Immediate,
            OperandForm::Index => Reach::Index,
            OperandForm::Memory { strides, alignment } => {
                if *strides != [1] {
                    return None;
                }
                let size = program.operand_dtype(n).size();
                widest = widest.max(size);
                room = room.min(alignment >> size.trailing_zeros());
                Reach::Along
            }
        };
        form.note(n, reach);
        if reach != Reach::Index {
            arguments.push(Argument::Operand(n as u32, 0));
        }
    }
    let width = width(program, widest, room)?;
    form.width = width as u8;
    Some(launch_dense(program, form, count, arguments))
}

/// The launch of a dense walk.
pub(super) fn launch_dense(
    program: &Program,
    mut form: Form,
    count: usize,
    mut arguments: SmallVec<[Argument; 16]>,
) -> Plan {
    let width = form.width as usize;
    arguments.push(Argument::U64(count as u64));
    // Sizes are powers of two, and a division would take longer than all else here.
    let threads = if count >= (MANY_BLOCKS * THREADS) << (width.trailing_zeros() + 1) && is_heavy(program) {
        form.vectors = 2;
        count.div_ceil(2 * width)
    } else {
        (count >> width.trailing_zeros()) + (count & (width - 1))
    };
    Plan { form, grid: [blocks(threads, THREADS), 1, 1], block: [THREADS as u32, 1, 1], arguments }
}

/// How many elements a thread moves at once, if that is worth it: as many as the widest operand's access holds and the
/// addresses allow.
pub(super) fn width(program: &Program, widest: usize, room: usize) -> Option<usize> {
    let most = (ACCESS >> widest.trailing_zeros()).min(copies(program));
    let width = most.min(room);
    (width > 1 || (width == 1 && most == 1)).then_some(width)
}

/// How many blocks have room for so many threads.
pub(super) fn blocks(threads: usize, per_block: usize) -> u32 {
    u32::try_from(threads.div_ceil(per_block)).unwrap_or(u32::MAX)
}

/// Any other layout.
fn spread(program: &Program, shape: &[usize], operands: &[OperandForm<'_>]) -> Plan {
    // Nothing to do is planned like one element, and not launched.
    let is_empty = shape.contains(&0);
    let filled: Dims = shape.iter().map(|&size| if is_empty { 1 } else { size }).collect();
    let mut plan = walks::choose(program, &Space::new(&filled, operands, program.inputs().len()), operands);
    if is_empty {
        plan.grid[0] = 0;
    }
    plan
}
